# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Objects of which only some fields are set: apply configurations, those that a field manager has
applied, and objects without what the API server maintains."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Dict, List

from . import _check
from ._kind import deprecates
from ._wire import plain

# Written by the API server only.
_MAINTAINED = {
    "managedFields",
    "resourceVersion",
    "uid",
    "generation",
    "creationTimestamp",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
}
# Where a client-side kubectl apply keeps the manifest.
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def build(cls: Any, values: Dict[str, Any]) -> Any:
    """Does ``Model.partial``."""
    manifest: Dict[str, Any] = {}
    if hasattr(cls, "KIND"):
        manifest.update(apiVersion=cls.API_VERSION, kind=cls.KIND)
    for name, value in values.items():
        if cls._fields and name not in cls._fields:
            raise TypeError(f"{cls.__name__}.partial() got an unexpected keyword argument {name!r}")
        manifest[cls._fields[name].key if cls._fields else name] = plain(value)
    made = cls.from_dict(manifest)
    if deprecates(cls):
        from ._deprecation import given

        given(made)
    try:
        made.validate()
    except _check.ValidationError as error:
        problems = [problem for problem in error.problems if problem[1] != _check.MISSING]
        if problems:
            raise type(error)(*problems) from None
    return made


def clean(obj: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the manifest of an object without status and the metadata that is maintained for
    it."""
    manifest = {key: value for key, value in plain(obj).items() if key != "status"}
    meta = manifest.get("metadata") or {}
    meta = {key: value for key, value in meta.items() if key not in _MAINTAINED}
    annotations = meta.get("annotations") or {}
    if _LAST_APPLIED in annotations:
        del annotations[_LAST_APPLIED]
        if not annotations:
            del meta["annotations"]
    return {**manifest, "metadata": meta} if "metadata" in manifest else manifest


def extract(obj: Mapping[str, Any], manager: str, subresource: str) -> Dict[str, Any]:
    """Does ``Client.extract`` for a manifest."""
    manifest = plain(obj)
    meta = manifest.get("metadata") or {}
    entries: List[Dict[str, Any]] = meta.get("managedFields") or []
    if not entries:
        raise ValueError("the object has no metadata.managedFields: it must be as it was read")
    fields: Dict[str, Any] = {}
    anyone: Dict[str, Any] = {}
    for entry in entries:
        _merge(anyone, entry.get("fieldsV1") or {})
        by = entry.get("manager"), entry.get("operation"), entry.get("subresource") or ""
        if by == (manager, "Apply", subresource):
            fields = entry.get("fieldsV1") or {}
    found = _members(manifest, fields, anyone)
    name = {key: meta[key] for key in ("name", "namespace") if key in meta}
    types = {key: manifest[key] for key in ("apiVersion", "kind") if key in manifest}
    return {**types, **found, "metadata": {**name, **found.get("metadata", {})}}


def _merge(into: Dict[str, Any], fields: Dict[str, Any]) -> None:
    """Adds the fields of one manager to those of all."""
    for key, inner in fields.items():
        _merge(into.setdefault(key, {}), inner)


def _owned(value: Any, fields: Dict[str, Any], anyone: Dict[str, Any]) -> Any:
    """Returns what of a value belongs to a manager.

    Args:
        value (Any): of the manifest.
        fields (Dict[str, Any]): the manager's part of ``fieldsV1`` for the value. Its keys are
            f:NAME, k:KEYS and v:VALUE for items of lists, i:INDEX, and "." for the value itself.
        anyone (Dict[str, Any]): the part of all managers together.
    """
    if {*fields} - {"."} and isinstance(value, dict):
        return _members(value, fields, anyone)
    if {*fields} - {"."} and isinstance(value, list):
        return [*_items(value, fields, anyone)]
    shared = {*anyone} - {"."} and isinstance(value, (dict, list))
    return type(value)() if shared else value  # what others own in it is theirs


def _members(value: Dict[str, Any], fields: Dict[str, Any], anyone: Dict[str, Any]) -> Any:
    found = {
        key: _owned(value[key[2:]], fields[key], anyone[key]) for key in fields if key[2:] in value
    }
    return {key[2:]: item for key, item in found.items()}


def _items(value: List[Any], fields: Dict[str, Any], anyone: Dict[str, Any]) -> Iterator[Any]:
    """Yields the items of a list that belong to a manager, in their order."""
    for index, item in enumerate(value):
        for key in {*fields} - {"."}:
            where = json.loads(key[2:])
            if key[:2] == "k:":
                if isinstance(item, dict) and all(item.get(k) == v for k, v in where.items()):
                    yield {**where, **_owned(item, fields[key], anyone[key])}
            elif where == (item if key[:2] == "v:" else index):
                yield item
