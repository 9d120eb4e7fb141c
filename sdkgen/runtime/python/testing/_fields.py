# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sets of fields, as ``managedFields`` has them, and merging for server-side apply.

A field is a tuple of elements: ``f:KEY`` in an object, ``k:{"KEY":VALUE}`` for an item of a list
with keys, ``v:VALUE`` for one of a list that is a set. Other lists, and scalars, are atomic.
"""

from __future__ import annotations

import json
from typing import Any, Dict, FrozenSet, Iterable, Mapping, Optional, Tuple

from .._kind import Kind
from . import _schema
from ._schema import Member

Field = Tuple[str, ...]
Fields = FrozenSet[Field]
Type = Optional[Member]
Children = Optional[Dict[str, Tuple[Any, Type]]]

# What the API server alone writes, or nobody owns.
_STRIPPED = {"name", "namespace", "creationTimestamp", "selfLink", "uid", "generation"}
_STRIPPED |= {"managedFields", "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds"}
_LISTS: Mapping[str, Mapping[str, Any]] = {
    "finalizers": {"x-kubernetes-list-type": "set"},
    "ownerReferences": {"x-kubernetes-list-map-keys": ["uid"]},
}
_METADATA = ("f:metadata",)


def children(value: Any, type: Type, at: Field) -> Children:
    """Returns what a value consists of by element, None if it is atomic."""
    rules = type.rules if type else {}
    if isinstance(value, dict) and rules.get("x-kubernetes-map-type") != "atomic":
        return {f"f:{key}": (item, _member(type, key, at)) for key, item in value.items()}
    if not isinstance(value, list):
        return None
    inner = (
        Member(type.kind.inner, rules.get("items", {}), None) if type and type.kind.inner else None
    )
    if rules.get("x-kubernetes-list-type") == "set":
        return {f"v:{_json(item)}": (item, None) for item in value}
    if keys := rules.get("x-kubernetes-list-map-keys"):
        return {"k:" + _json({k: item.get(k) for k in keys}): (item, inner) for item in value}
    return None


def _member(type: Type, key: str, at: Field) -> Type:
    if at == _METADATA and key in _LISTS:
        return Member(Kind.of("list[object]"), _LISTS[key], None)
    if type is None:
        return None
    if type.kind.inner is not None:
        return Member(type.kind.inner, type.rules.get("additionalProperties", {}), None)
    return (_schema.members(type.kind) or {}).get(key)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _everything(value: Any, type: Type, at: Field, nodes: bool) -> Iterable[Field]:
    """Yields the fields of a value; with ``nodes`` the objects that hold them, too."""
    parts = children(value, type, at)
    if nodes or not parts or (at and at[-1].startswith("k:")):
        yield at
    for element, (item, its) in (parts or {}).items():
        yield from _everything(item, its, (*at, element), nodes)


def owned(obj: Mapping[str, Any], root: Type) -> Fields:
    """Returns the fields that an applied configuration sets."""
    return frozenset(filter(_counts, _everything(dict(obj), root, (), False)))


def _counts(field: Field) -> bool:
    if field[:1] == _METADATA:
        return len(field) > 1 and field[1][2:] not in _STRIPPED
    return bool(field) and field[0] not in ("f:apiVersion", "f:kind")


def changed(old: Mapping[str, Any], new: Mapping[str, Any], root: Type) -> Tuple[Fields, Fields]:
    """Returns the fields that are new or have another value, and those that are gone."""
    written, removed = set[Field](), set[Field]()

    def compare(before: Any, after: Any, type: Type, at: Field) -> None:
        had, has = children(before, type, at), children(after, type, at)
        if had is None or has is None:
            if before != after:
                removed.update(_everything(before, type, at, True) if had else ())
                written.update(_everything(after, type, at, True))
            return
        for element in had.keys() - has.keys():
            removed.update(_everything(had[element][0], had[element][1], (*at, element), True))
        for element, (item, its) in has.items():
            if element in had:
                compare(had[element][0], item, its, (*at, element))
            else:
                written.update(_everything(item, its, (*at, element), True))

    compare({"metadata": {}, **old}, {"metadata": {}, **new}, root, ())
    kept = frozenset(filter(_counts, written))
    return kept, frozenset(filter(_counts, removed)) - kept


def merged(live: Any, applied: Any, type: Type, at: Field = ()) -> Any:
    """Returns a live value with what an applied configuration sets."""
    had, has = children(live, type, at), children(applied, type, at)
    if had is None or has is None or isinstance(live, dict) is not isinstance(applied, dict):
        return applied
    out = {element: item for element, (item, _) in had.items()}
    for element, (item, its) in has.items():
        known = element in had
        out[element] = merged(had[element][0], item, its, (*at, element)) if known else item
    return {k[2:]: v for k, v in out.items()} if isinstance(live, dict) else [*out.values()]


def without(value: Any, gone: Fields, type: Type, at: Field = ()) -> Any:
    """Returns a value without fields."""
    parts = children(value, type, at)
    if parts is None:
        return value
    kept = {
        element: without(item, gone, its, (*at, element))
        for element, (item, its) in parts.items()
        if (*at, element) not in gone
    }
    emptied = {e for e, v in kept.items() if v in ({}, []) and parts[e][0] not in ({}, [])}
    kept = {element: item for element, item in kept.items() if element not in emptied}
    return {k[2:]: v for k, v in kept.items()} if isinstance(value, dict) else [*kept.values()]


def tree(fields: Fields) -> Dict[str, Any]:
    """Returns fields as ``fieldsV1``."""
    out: Dict[str, Any] = {}
    for field in sorted(fields):
        node = out
        for element in field:
            node = node.setdefault(element, {})
    for field in fields:
        node = out
        for element in field:
            node = node[element]
        if node:
            node["."] = {}
    return out


def dotted(field: Field) -> str:
    """Returns a field as messages have it: ``.spec.containers[name="a"].image``."""
    out = ""
    for element in field:
        kind, _, rest = element.partition(":")
        if kind == "f":
            out += f".{rest}"
        elif kind == "v":
            out += f"[={rest}]"
        else:
            out += "[" + ",".join(f"{k}={_json(v)}" for k, v in json.loads(rest).items()) + "]"
    return out
