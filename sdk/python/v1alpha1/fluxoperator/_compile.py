# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Straight-line methods of a model, made of its fields when first called.

Looping over the fields would take most of the time of building and writing a model.
The source that is compiled holds names only; values are handed in beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any, Callable, Dict, List, Tuple

from ._check import Rules
from ._kind import Field, Kind
from ._wire import plain


def method(cls: Any, name: str) -> Any:
    """Gives a method of the generated class that a class is or derives from.

    Args:
        cls (type): a model's class.
        name (str): ``__init__``; ``_blank``, which gives a model without values;
            ``_build`` or ``_json``, which give the manifest of one that was not read.

    Raises:
        TypeError: there is no such class.
    """
    own = next((c for c in cls.__mro__ if "__signature__" in vars(c)), None)
    if own is None:
        raise TypeError(f"{cls.__name__} is not a model of the API")
    if name not in vars(own):
        text, json = json_writers()
        names: Dict[str, Any] = {"All": _all, "Plain": plain, "Text": text, "Json": json}
        names["New"] = object.__new__
        lines = [*_init(own._fields, names), *_blank(own._fields)]
        exec("\n".join([*lines, *_write(own._fields, names)]), names)
        for made in ("__init__", "_blank", "_build", "_json"):
            names[made].__qualname__ = f"{own.__qualname__}.{made}"
            setattr(own, made, names[made])
        own._blank = classmethod(own._blank)
    return vars(own)[name]


def _all(items: Collection[Any], classes: Tuple[type, ...]) -> bool:
    """Says whether each item is of one of the classes, and of none derived from it."""
    for item in items:
        if item.__class__ not in classes:
            return False
    return True


@lru_cache(maxsize=None)
def json_writers() -> Tuple[Callable[[str], str], Callable[[Any], str]]:
    """Gives the functions that write a str and any value as JSON."""
    from json.encoder import JSONEncoder, encode_basestring_ascii as text

    encode = JSONEncoder().encode

    def json(value: Any) -> str:
        cls = value.__class__
        if cls is str:
            return text(value)
        if cls is dict:
            return "{" + ", ".join([f"{text(k)}: {json(value[k])}" for k in value]) + "}"
        if cls is list:
            return "[" + ", ".join([json(item) for item in value]) + "]"
        return str(value) if cls is int else encode(plain(value))

    return text, json


def _init(fields: Dict[str, Field], names: Dict[str, Any]) -> Iterator[str]:
    """Gives the lines of the constructor."""
    parameters = "".join(f"{attr}=D_{attr}, " for attr in fields)
    yield f"def __init__(self, *, {parameters}local_vars_configuration=None):"
    yield " self._read = None"
    for attr, field in fields.items():
        names[f"D_{attr}"], names[f"F_{attr}"] = field.default, field.accept
        names[f"C_{attr}"] = classes = _classes(field.kind, field.rules)
        names[f"T_{attr}"] = classes[0] if classes else None
        if isinstance(field.default, (dict, list)):
            yield f" if {attr} is D_{attr}: {attr} = Plain({attr})"
        accepted = "" if field.default is ... else f"{attr} is None or "
        accepted += _fits(attr, field.kind, names) if names[f"C_{attr}"] else "False"
        yield f" self.{attr} = {attr} if {accepted} else F_{attr}({attr})"
        if field.default is ... and field.rules.get("nullable"):
            yield f" if {attr} is None: self._null({field.key!r})"


def _classes(kind: Kind, rules: Rules) -> Tuple[type, ...]:
    """Gives the classes of values, or of their members, that need no closer look."""
    if kind.inner is not None:
        inner = rules.get("items" if kind.name == "list" else "additionalProperties", {})
        return () if kind.inner.inner or len(rules) > bool(inner) else _classes(kind.inner, inner)
    if rules:
        return (int, str) if [*rules] == ["x-kubernetes-int-or-string"] else ()
    if kind.native is float:
        return (float, int)
    return (kind.own or kind.native or dict,) if kind.name != "datetime" else ()


def _fits(attr: str, kind: Kind, names: Dict[str, Any]) -> str:
    """Gives an expression that is true of values that need no closer look."""
    if kind.inner is not None:
        values = attr if kind.name == "list" else attr + ".values()"
        return f"({attr}.__class__ is {kind.name} and All({values}, C_{attr}))"
    return _of(attr, attr, names)


def _of(value: str, attr: str, names: Dict[str, Any]) -> str:
    """Gives an expression that is true of a value of one of an attribute's classes."""
    one = len(names[f"C_{attr}"]) == 1
    return f"{value}.__class__ " + (f"is T_{attr}" if one else f"in C_{attr}")


def _blank(fields: Dict[str, Field]) -> Iterator[str]:
    """Gives the lines of the method that makes a model without values."""
    yield "def _blank(cls):"
    yield " self = New(cls)"
    yield f" {' = '.join('self.' + attr for attr in ['_read', *fields])} = None"
    yield " return self"


def _write(fields: Dict[str, Field], names: Dict[str, Any]) -> List[str]:
    """Gives the lines of the methods that write a model."""
    text, _ = json_writers()
    dicts, texts = ["def _build(self):", " out = {}"], ["def _json(self):", " out = []; add = out.append"]
    for attr, field in fields.items():
        one = _of("$", attr, names) if names[f"C_{attr}"] else ""
        value, json = _values(field.kind, one)
        head = f" v = self.{attr}\n if v is not None: "
        dicts.append(head + f"out[{field.key!r}] = {value}")
        texts.append(head + f"add({text(field.key) + ': '!r} + ({json}))")
    return [*dicts, " return out", *texts, " return '{' + ', '.join(out) + '}'"]


def _values(kind: Kind, fits: str) -> Tuple[str, str]:
    """Gives the expressions for the plain value of v and for its JSON."""
    inner = kind.inner or kind
    if not fits or not (inner.own or inner.native):
        return "Plain(v)", "Json(v)"
    one = f"$._build() if {fits} and $._read is None else Plain($)"
    text = f"$._json() if {fits} and $._read is None else Json($)"
    if inner.native:
        one = f"$ if {fits} else Plain($)"
        text = _TEXTS.get(inner.name, "Json($)")
    if kind.inner is None:
        return one.replace("$", "v"), text.replace("$", "v")
    one, text = one.replace("$", "i"), text.replace("$", "i")
    if kind.name == "list":
        return (
            f"[{one} for i in v] if v.__class__ is list else Plain(v)",
            f"'[' + ', '.join([{text} for i in v]) + ']' if v.__class__ is list else Json(v)",
        )
    return (
        "{k: " + one + " for k, i in v.items()} if v.__class__ is dict else Plain(v)",
        "'{' + ', '.join([Text(k) + ': ' + (" + text + ") for k, i in v.items()]) + '}'"
        " if v.__class__ is dict else Json(v)",
    )


# Expressions for the JSON of a scalar.
_TEXTS = {
    "str": "Text($) if $.__class__ is str else Json($)",
    "int": "str($) if $.__class__ is int else Json($)",
    "bool": "'true' if $ is True else 'false' if $ is False else Json($)",
}
