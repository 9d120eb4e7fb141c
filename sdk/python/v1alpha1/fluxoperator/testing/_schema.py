# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What an API server does with an object by its schema: pruning, defaulting and validation. The
schema is that of the SDK's models."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Type

from .. import _check, _kubernetes
from .._kind import Kind
from .._model import Object
from .._wire import plain


class Member(NamedTuple):
    """What the schema says of a key: type, constraints and default, None without one."""

    kind: Kind
    rules: Mapping[str, Any]
    default: Any


Members = Optional[Dict[str, Member]]  # by JSON key; None where every key is allowed


def of(group: str, version: str, plural: str) -> Optional[Type[Object]]:
    """Returns the model of a resource, None if there is none."""
    for found in _subclasses(Object):
        wanted = getattr(found, "GROUP", ""), getattr(found, "VERSION", ""), found.PLURAL
        if wanted == (group, version, plural):
            return found
    return None


def named(api_version: str, name: str) -> Optional[Type[Object]]:
    """Returns the model of an ``apiVersion`` and a ``kind``, None if there is none."""
    for found in _subclasses(Object):
        if found.PLURAL and (found.API_VERSION, found.KIND) == (api_version, name):
            return found
    return None


def _subclasses(cls: Type[Object]) -> Iterator[Type[Object]]:
    for found in cls.__subclasses__():
        yield found
        yield from _subclasses(found)


def root(kind: Optional[Type[Object]]) -> Members:
    """Returns the members of a kind."""
    return _of_model(kind) if kind is not None else None


def whole(kind: Optional[Type[Object]]) -> Member:
    """Returns what the schema says of the objects of a kind."""
    made = Kind("object", "")
    made.own = kind
    return Member(made, {}, None)


def _of_model(model: Any) -> Members:
    fields = model._fields.values()
    made = {f.key: Member(f.kind, f.rules, None if f.default is ... else f.default) for f in fields}
    return made or None


def members(kind: Optional[Kind]) -> Members:
    """Returns the members of an object of a type."""
    if kind is None:
        return None
    if kind.own is not None:
        return _of_model(kind.own)
    cls = _kubernetes.find(kind.name) if kind.external else None
    if cls is None:
        return None
    found = _kubernetes.members(cls)
    return {key: Member(Kind.of(m.type), m.rules, None) for key, m in found.items()}


def prune(obj: Dict[str, Any], known: Members) -> List[str]:
    """Removes the keys that the schema does not have, and returns their paths."""
    return [*_prune(obj, known, "")]


def _prune(obj: Dict[str, Any], known: Members, path: str) -> Iterator[str]:
    if known is None:
        return
    for key in [*obj]:
        at = _check.join(path, key)
        if key not in known:
            del obj[key]
            yield at
        else:
            for place, value, kind in _objects(obj[key], known[key].kind, at):
                yield from _prune(value, members(kind), place)


def _objects(value: Any, kind: Kind, path: str) -> Iterator[Tuple[str, Dict[str, Any], Kind]]:
    """Yields the objects that a value is or holds in lists and maps, with path and type."""
    if kind.inner is None:
        if isinstance(value, dict):
            yield path, value, kind
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _objects(item, kind.inner, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _objects(item, kind.inner, _check.join(path, key))


def default(obj: Dict[str, Any], known: Members) -> None:
    """Sets the defaults of the schema where nothing or null is set, and removes other nulls."""
    for key, member in (known or {}).items():
        if obj.get(key) is None and not (key in obj and member.rules.get("nullable")):
            if member.default is not None:
                obj[key] = plain(member.default)
            else:
                obj.pop(key, None)
        for _, value, kind in _objects(obj.get(key), member.kind, key):
            default(value, members(kind))


def problems(kind: Optional[Type[Object]], obj: Mapping[str, Any]) -> List[Tuple[str, str]]:
    """Returns path and text for each value that the schema does not allow."""
    if kind is None or not kind._fields:
        return []
    try:
        kind.from_dict(obj).validate()
    except _check.ValidationError as error:
        return [*error.problems]
    return []
