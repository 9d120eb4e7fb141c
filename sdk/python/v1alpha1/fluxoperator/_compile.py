# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Straight-line methods of a model, made of its fields when first called.

Looping over the fields would take most of the time of building and writing a model.
The source that is compiled holds names only; values are handed in beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Dict, Tuple

from ._check import Rules
from ._kind import Field, Kind
from ._wire import plain


def method(cls: Any, name: str) -> Any:
    """Gives a method of the generated class that a class is or derives from.

    Args:
        cls (type): a model's class.
        name (str): ``__init__``, or ``_build``, which gives the manifest of a model
            that was not read.

    Raises:
        TypeError: there is no such class.
    """
    own = next((c for c in cls.__mro__ if "__signature__" in vars(c)), None)
    if own is None:
        raise TypeError(f"{cls.__name__} is not a model of the API")
    if name not in vars(own):
        names: Dict[str, Any] = {"Plain": plain, "All": _all}
        lines = [*_init(own._fields, names), *_build(own._fields, names)]
        exec("\n".join(lines), names)
        for made in ("__init__", "_build"):
            names[made].__qualname__ = f"{own.__qualname__}.{made}"
            setattr(own, made, names[made])
    return vars(own)[name]


def _all(items: Collection[Any], classes: Tuple[type, ...]) -> bool:
    """Says whether each item is of one of the classes, and of none derived from it."""
    for item in items:
        if item.__class__ not in classes:
            return False
    return True


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
        null = field.default is ... and field.rules.get("nullable")
        if null:
            yield f" if {attr} is None: self._null({attr!r})"
        assigned = f"self.{attr} = {attr} if {accepted} else F_{attr}({attr})"
        yield f" else: {assigned}" if null else f" {assigned}"


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


def _build(fields: Dict[str, Field], names: Dict[str, Any]) -> Iterator[str]:
    """Gives the lines of the method that writes a model."""
    yield "def _build(self):"
    yield " out = {}"
    for attr, field in fields.items():
        yield f" v = self.{attr}"
        one = _plain(field.kind, _of("$", attr, names)) if names[f"C_{attr}"] else "Plain(v)"
        yield f" if v is not None: out[{field.key!r}] = {one}"
    yield " return out"


def _plain(kind: Kind, fits: str) -> str:
    """Gives an expression for the plain value of v."""
    inner = kind.inner or kind
    if not (inner.own or inner.native):
        return "Plain(v)"
    one = f"$._build() if {fits} and $._read is None else Plain($)"
    if inner.native:
        one = f"$ if {fits} else Plain($)"
    if kind.inner is None:
        return one.replace("$", "v")
    one = one.replace("$", "i")
    if kind.name == "list":
        return f"[{one} for i in v] if v.__class__ is list else Plain(v)"
    return "{k: " + one + " for k, i in v.items()} if v.__class__ is dict else Plain(v)"
