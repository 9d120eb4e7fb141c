# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The source of a model's methods: straight-line Python, a few lines for each attribute.

It has the names of attributes and the keys of the manifest in it. Other values, such as classes
and defaults, are handed in under names that begin with a capital, as no attribute's does:
``Default_size`` is the default of ``size``. An attribute, so a parameter of a constructor, may have
the name of a built-in function: constructors call those by such names, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Dict, List, Tuple

from ._check import INTEGERS, Rules
from ._kind import METADATA, Field, Kind

Names = Dict[str, Any]

# Constraints of a member of a manifest that are checked in line; any other one, by Field.accept.
_INLINE = {
    "str": {"minLength", "maxLength", "enum"},
    "int": {"minimum", "maximum", "format"},
    "bool": set(),
    "list": {"minItems", "maxItems", "items"},
    "dict": {"minProperties", "maxProperties", "additionalProperties"},
}

_BUILTINS = {
    **{"Str": str, "Int": int, "Bool": bool, "List": list, "Dict": dict},
    **{"Len": len, "All": all, "Locals": locals},
}


def source(own: Any, helpers: Names) -> Tuple[str, Names]:
    """Gives the source of the methods of a class, and the values of the names in it.

    Args:
        own (type): a class that declares fields.
        helpers (Dict[str, Any]): values that the methods of every class use.
    """
    fields: Dict[str, Field] = own._fields
    names = {**_BUILTINS, **helpers}
    for attr, field in fields.items():
        names[f"Default_{attr}"] = field.default
        names[f"Accept_{attr}"] = field.accept
        names[f"Read_{attr}"] = field.kind.read
        inner = field.kind.inner or field.kind
        names[f"Class_{attr}"], names[f"ReadItem_{attr}"] = inner.own, inner.read
        names[f"Rules_{attr}"] = field.rules
    slots = {**own._quiet, **own._lazy}
    for attr, slot in slots.items():
        names[f"Get_{attr}"], names[f"Set_{attr}"] = slot.__get__, slot.__set__
    direct, deferred = [*slots], [*own._lazy]
    if own._quiet or hasattr(own, "__deprecated__"):
        from . import _deprecation

        names.update(Warn=_deprecation.warn, Deprecated=_deprecation.whole(own))
        for attr in own._quiet:
            names[f"Deprecated_{attr}"] = _deprecation.attribute(own, attr)
    lines = [
        *_init(fields, direct, hasattr(own, "__deprecated__")),
        *_blank(fields, direct),
        *_build(fields, direct),
        *_json(fields, direct),
        *_parse(fields, direct, deferred),
    ]
    return "\n".join(lines) + "\n", names


def _get(attr: str, direct: List[str]) -> str:
    """Gives the expression for what an attribute holds. A deferred one is not built for that."""
    return f"Get_{attr}(self)" if attr in direct else f"self.{attr}"


def _set(attr: str, value: str, direct: List[str]) -> str:
    """Gives the statement that sets an attribute. It does not warn of a deprecated one."""
    return f"Set_{attr}(self, {value})" if attr in direct else f"self.{attr} = {value}"


def _init(fields: Dict[str, Field], direct: List[str], deprecated: bool) -> Iterator[str]:
    """Gives the constructor.

    It warns of a deprecated class, and of what is given for a deprecated attribute.

    Its parameters are positional, too, as leaving out one that is not takes longer. ``Nothing``,
    the first of them, takes what is given without a keyword.
    """
    parameters = "".join(f", {attr}=Default_{attr}" for attr in fields)
    yield f"def __init__(self, Given=Nothing{parameters}, **Others):"
    yield "    if Others or Given is not Nothing:"
    yield "        return Again(Locals())"
    if deprecated:
        yield "    Warn(Deprecated)"
    yield "    self._read = None"
    for attr, field in fields.items():
        if field.deprecated:
            given = f"{attr} is not None and {attr} is not Default_{attr}"
            yield f"    if {given}: Warn(Deprecated_{attr})"
        if isinstance(field.default, (dict, list)):
            yield f"    if {attr} is Default_{attr}: {attr} = Plain({attr})"
        fits = _fits(attr, f"Class_{attr}", f"Rules_{attr}", field.kind, field.rules)
        if field.default is not ...:
            fits = f"{attr} is None or {fits}"
        if field.default not in (..., None):
            fits = f"{attr} is Default_{attr} or {fits}"
        accepted = f"{attr} if {fits} else Accept_{attr}({attr})"
        yield "    " + _set(attr, accepted, direct)
        if field.default is ... and field.rules.get("nullable"):
            yield f"    if {attr} is None: self._null({field.key!r})"


def _fits(value: str, own: str, at: str, kind: Kind, rules: Rules) -> str:
    """Gives an expression that is true of values that need no closer look.

    Args:
        value (str): an expression for the value.
        own (str): one for the model that it, or a member of it, may be of.
        at (str): one for its constraints.
        kind (Kind): its type.
        rules (Mapping[str, Any]): its constraints.
    """
    if kind.name == METADATA[0] and not rules:
        return f"Common({value})"
    if kind.own and not rules:
        return f"{value}.__class__ is {own}"
    if rules.get("x-kubernetes-int-or-string") and len(rules) == 1:
        return f"({value}.__class__ is Str or {value}.__class__ is Int)"
    if kind.name not in _INLINE or {*rules} - _INLINE[kind.name]:
        return "False"
    tests = [f"{value}.__class__ is {kind.name.capitalize()}", *_bounds(value, kind, rules)]
    if "enum" in rules:
        tests.append(f"{value} in {at}['enum']")
    if kind.inner is not None:
        members, key = value, "items"
        if kind.name == "dict":
            members, key = f"{value}.values()", "additionalProperties"
        fits = _fits("item", own, f"{at}[{key!r}]", kind.inner, kind.within(rules))
        tests.append(fits if fits == "False" else f"All([{fits} for item in {members}])")
    return "False" if "False" in tests else f"({' and '.join(tests)})"


def _bounds(value: str, kind: Kind, rules: Rules) -> List[str]:
    """Gives the expressions that are true of a value within its bounds."""
    if kind.name == "int":
        low, high = INTEGERS.get(rules.get("format", ""), (None, None))
        low = _narrower(low, rules.get("minimum"), max)
        return _between(value, low, _narrower(high, rules.get("maximum"), min))
    what = {"str": "Length", "list": "Items"}.get(kind.name, "Properties")
    return _between(f"Len({value})", rules.get("min" + what), rules.get("max" + what))


def _narrower(one: Any, other: Any, choose: Any) -> Any:
    """Gives the bound that is the narrower one, or None if there is none."""
    return one if other is None else other if one is None else choose(one, other)


def _between(value: str, low: Any, high: Any) -> List[str]:
    """Gives the expressions that are true of a number between two bounds, which may be None."""
    at_least = [] if low is None else [f"{low!r} <= {value}"]
    return at_least + ([] if high is None else [f"{value} <= {high!r}"])


def _blank(fields: Dict[str, Field], direct: List[str]) -> Iterator[str]:
    """Gives the method that makes a model without values."""
    yield "def _blank(cls):"
    yield "    self = New(cls)"
    yield "    self._read = None"
    for attr in fields:
        yield "    " + _set(attr, "None", direct)
    yield "    return self"


def _build(fields: Dict[str, Field], direct: List[str]) -> Iterator[str]:
    """Gives the method that makes the manifest of a model that was not read."""
    yield "def _build(self):"
    yield "    out = {}"
    for attr, field in fields.items():
        yield f"    value = {_get(attr, direct)}"
        yield "    if value is not None:"
        yield f"        out[{field.key!r}] = {_plain('value', attr, field.kind, field.rules)}"
    yield "    return out"


def _plain(value: str, attr: str, kind: Kind, rules: Rules) -> str:
    """Gives an expression for the plain value of a value."""
    if kind.inner is not None:
        one = _plain("item", attr, kind.inner, kind.within(rules))
        if kind.name == "list":
            return f"[{one} for item in {value}] if {value}.__class__ is list else Plain({value})"
        members = f"{{key: {one} for key, item in {value}.items()}}"
        return f"{members} if {value}.__class__ is dict else Plain({value})"
    if kind.own:
        own = f"{value}.__class__ is Class_{attr} and {value}._read is None"
        return f"{value}._build() if {own} else Plain({value})"
    if kind.name in ("str", "int", "bool"):
        return f"{value} if {value}.__class__ is {kind.name} else Plain({value})"
    return f"Plain({value})"


def _json(fields: Dict[str, Field], direct: List[str]) -> Iterator[str]:
    """Gives the method that adds the JSON of a model that was not read to a list of its parts.

    A value of another type than the attribute's makes it raise.
    """
    yield "def _json(self, out):"
    yield "    add = out.append"
    yield "    add('{')"
    yield "    first = len(out)"
    for attr, field in fields.items():
        key = f", {_quoted(field.key)}: "
        yield f"    value = {_get(attr, direct)}"
        if field.kind.name == "bool":
            yield f"    if value is True: add({key + 'true'!r})"
            yield f"    elif value is False: add({key + 'false'!r})"
            yield f"    elif value is not None: add({key!r}); add(Json(value))"
            continue
        yield "    if value is not None:"
        yield f"        add({key!r})"
        if field.kind.own:
            yield "        value._json(out) if value._read is None else add(Json(value))"
        elif field.kind.name == "list" and field.kind.inner and field.kind.inner.own:
            yield "        AddAll(value, out)"
        else:
            yield f"        add({'Quoted' if field.kind.name == 'str' else 'Json'}(value))"
    yield "    if len(out) > first: out[first] = out[first][2:]"
    yield "    add('}')"


def _quoted(text: str) -> str:
    from json.encoder import encode_basestring_ascii

    return encode_basestring_ascii(text)


def _parse(fields: Dict[str, Field], direct: List[str], deferred: List[str]) -> Iterator[str]:
    """Gives the method that makes a model of a manifest with the keys of the API.

    It counts what it takes: a manifest that has more goes to ``Rest``. One that is no dict, or
    may have the names of attributes for keys, is read by ``ParseEach``.
    """
    yield "def _parse(cls, manifest, legacy):"
    yield "    if legacy or manifest.__class__ is not dict:"
    yield "        return ParseEach(cls, manifest, legacy)"
    yield "    self = New(cls)"
    yield "    self._read = None"
    yield "    unbuilt = {}"
    yield "    taken = 0"
    yield "    key = ''"
    yield "    try:"
    yield "        get = manifest.get"
    for attr, field in fields.items():
        yield f"        value = get({field.key!r})"
        if attr in deferred:
            yield f"        if value is None: Set_{attr}(self, None)"
            yield f"        else: unbuilt[{attr!r}] = Plain(value)"
            continue
        read = _read(attr, field.kind)
        yield f"        if value is None: {_set(attr, 'None', direct)}"
        yield "        else:"
        yield "            taken += 1"
        if f"_{attr}(" in read:  # it may find that the value is wrong
            yield f"            key = {field.key!r}"
        yield f"            {_set(attr, read, direct)}"
    yield "    except Invalid as error:"
    yield "        raise error.within(key) from None"
    yield "    if unbuilt or taken != len(manifest):"
    yield "        return Rest(self, manifest, unbuilt, taken)"
    yield "    return self"


def _read(attr: str, kind: Kind) -> str:
    """Gives an expression for what an attribute holds of a value in a manifest."""
    if kind.name in ("str", "int", "bool"):
        return f"value if value.__class__ is {kind.name} else Plain(value)"
    if kind.native:
        return "Plain(value)"
    if kind.own:
        parsed = f"Class_{attr}._parse(value, False)"
        return f"{parsed} if value.__class__ is dict else Read_{attr}(value)"
    if kind.inner is not None and kind.inner.own and kind.name == "list":
        parsed = f"ParseAll(Class_{attr}._parse, ReadItem_{attr}, value)"
        return f"{parsed} if value.__class__ is list else Read_{attr}(value)"
    if kind.inner is not None and kind.inner.native:
        return f"Plain(value) if value.__class__ is {kind.name} else Read_{attr}(value)"
    return f"Read_{attr}(value)"
