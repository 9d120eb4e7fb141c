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
from ._kind import METADATA, Field, Kind
from ._wire import plain


def method(cls: Any, name: str) -> Any:
    """Gives a method of the generated class that a class is or derives from.

    Args:
        cls (type): a model's class.
        name (str): ``__init__``; ``_blank``, which gives a model without values;
            ``_build`` and ``_json``, which write the manifest of one that was not read.

    Raises:
        TypeError: there is no such class.
    """
    own = next((c for c in cls.__mro__ if "__signature__" in vars(c)), None)
    if own is None:
        raise TypeError(f"{cls.__name__} is not a model of the API")
    if name not in vars(own):
        names = _run(own)
        for made in ("__init__", "_blank", "_build", "_json"):
            call = names[made]
            call.__qualname__ = f"{own.__qualname__}.{made}"
            setattr(own, made, classmethod(call) if made == "_blank" else call)
    return vars(own)[name]


def _run(own: Any) -> Dict[str, Any]:
    """Makes the methods of a class, and lets ``linecache`` find their source."""
    import linecache  # which kubernetes has loaded; the models alone need not

    source, names = _source(own._fields)
    where = f"methods of {own.__module__}.{own.__qualname__}"
    names.update(__name__=where, __loader__=_Loader(own))
    exec(compile(source, where, "exec"), names)
    linecache.cache.pop(where, None)  # of a class that this one replaces
    linecache.lazycache(where, names)
    return names


class _Loader:
    """Gives the source of a class's methods to tracebacks, pdb and ``inspect``, as the loader
    of a module does (PEP 302). It is made again for that, so it takes no memory before."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def get_source(self, _: str) -> str:
        return _source(self._own._fields)[0]


def _source(fields: Dict[str, Field]) -> Tuple[str, Dict[str, Any]]:
    """Gives the source of the methods of a class with these fields, and the values of its names."""
    text, json = json_writers()
    names: Dict[str, Any] = {"All": _all, "Plain": plain, "Text": text, "Json": json}
    names.update(New=object.__new__, Models=_models)
    lines = [*_init(fields, names), *_blank(fields), *_build(fields, names), *_json(fields)]
    return "\n".join(lines) + "\n", names


def _all(items: Collection[Any], classes: Tuple[type, ...]) -> bool:
    """Says whether each item is of one of the classes, and of none derived from it."""
    for item in items:
        if item.__class__ not in classes:
            return False
    return True


@lru_cache(maxsize=None)
def json_writers() -> Tuple[Callable[[str], str], Callable[[Any], str]]:
    """Gives the functions that write a str and any value as JSON."""
    from json.encoder import JSONEncoder
    from json.encoder import encode_basestring_ascii as text

    encode = JSONEncoder().encode

    def json(value: Any) -> str:
        cls = value.__class__
        if cls is str:
            return text(value)
        if cls is int:
            return str(value)
        if cls is dict:
            parts = [
                f"{text(k)}: {text(v) if v.__class__ is str else json(v)}" for k, v in value.items()
            ]
            return "{" + ", ".join(parts) + "}"
        return encode(plain(value))

    return text, json


def _models(models: List[Any], out: List[str]) -> None:
    """Adds the JSON of models to a list of its parts."""
    _, json = json_writers()
    start = "["
    for model in models:
        out.append(start)
        model._json(out) if model._read is None else out.append(json(model))
        start = ", "
    out.append("]" if models else "[]")


def _init(fields: Dict[str, Field], names: Dict[str, Any]) -> Iterator[str]:
    """Gives the lines of the constructor."""
    # Keywords: that they are not keyword-only makes each missing one cheaper.
    parameters = "".join(f"{attr}=D_{attr}, " for attr in fields)
    yield f"def __init__(self, {parameters}local_vars_configuration=None):"
    yield " self._read = None"
    for attr, field in fields.items():
        names[f"D_{attr}"], names[f"F_{attr}"] = field.default, field.accept
        names[f"C_{attr}"] = classes = _classes(field.kind, field.rules)
        names[f"T_{attr}"] = classes[0] if classes else None
        if isinstance(field.default, (dict, list)):
            yield f" if {attr} is D_{attr}: {attr} = Plain({attr})"
        accepted = _fits(attr, field.kind, names) if classes else "False"
        if field.default is not ...:
            accepted = f"{attr} is None or {accepted}"
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
    if kind.name == "datetime" or (kind.external and kind.name not in METADATA):
        return ()
    return (kind.own or kind.native or dict,)


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


# How a value of each kind is written; $ is the value, and FITS that it needs no closer look.
_NATIVE = "$ if FITS else Plain($)"
_MODEL = "$._build() if FITS and $._read is None else Plain($)"
_LIST = "[ONE for i in v] if v.__class__ is list else Plain(v)"
_DICT = "{k: ONE for k, i in v.items()} if v.__class__ is dict else Plain(v)"


def _build(fields: Dict[str, Field], names: Dict[str, Any]) -> Iterator[str]:
    """Gives the lines of the method that makes a manifest."""
    yield "def _build(self):"
    yield " out = {}"
    for attr, field in fields.items():
        one = _plain(field.kind, _of("$", attr, names)) if names[f"C_{attr}"] else "Plain(v)"
        yield f" v = self.{attr}"
        yield f" if v is not None: out[{field.key!r}] = {one}"
    yield " return out"


def _plain(kind: Kind, fits: str) -> str:
    """Gives an expression for the plain value of v."""
    inner = kind.inner or kind
    if not (inner.own or inner.native):
        return "Plain(v)"
    one = (_NATIVE if inner.native else _MODEL).replace("FITS", fits)
    if kind.inner is None:
        return one.replace("$", "v")
    members = _LIST if kind.name == "list" else _DICT
    return members.replace("ONE", one.replace("$", "i"))


# How a value of each kind is added to the parts of a manifest's JSON, after its key.
_ADD_MODEL = "v._json(out) if v._read is None else add(Json(v))"
_ADD_MODELS = "Models(v, out)"
_ADD_TEXT = "add(Text(v))"
_ADD_ANY = "add(Json(v))"


def _json(fields: Dict[str, Field]) -> Iterator[str]:
    """Gives the lines of the method that adds a manifest's JSON to a list of its parts.

    A value of another type than the attribute's makes it raise.
    """
    text, _ = json_writers()
    yield "def _json(self, out):"
    yield " add = out.append"
    yield " add('{')"
    yield " first = len(out)"
    for attr, field in fields.items():
        head = f", {text(field.key)}: "
        yield f" v = self.{attr}"
        if field.kind.name == "bool":
            yield f" if v is True: add({head + 'true'!r})"
            yield f" elif v is False: add({head + 'false'!r})"
            yield f" elif v is not None: add({head!r}); {_ADD_ANY}"
        else:
            yield f" if v is not None: add({head!r}); {_add(field.kind)}"
    yield " if len(out) > first: out[first] = out[first][2:]"
    yield " add('}')"


def _add(kind: Kind) -> str:
    """Gives the statement that adds the JSON of v."""
    if kind.own:
        return _ADD_MODEL
    if kind.name == "list" and kind.inner and kind.inner.own:
        return _ADD_MODELS
    return _ADD_TEXT if kind.name == "str" else _ADD_ANY
