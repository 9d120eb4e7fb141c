# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The objects of the fake server, their history, and who owns which fields."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime, timedelta, timezone
from threading import Condition
from typing import Any, Dict, List, NamedTuple, Optional, Tuple
from uuid import UUID

from .._wire import format_time
from ._fields import Fields, tree

Object = Dict[str, Any]
Resource = Tuple[str, str]  # group and plural
Key = Tuple[str, str]  # namespace, "" if the object is cluster-scoped, and name
Writer = Tuple[str, str, str, str]  # manager, operation, apiVersion and subresource

_BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def time_of(second: int) -> str:
    """Returns the time of a second."""
    return format_time(_BEGIN + timedelta(seconds=second))


class Change(NamedTuple):
    """A change of an object: as it was and as it is, None where it does not exist."""

    version: int
    resource: Resource
    before: Optional[Object]
    after: Optional[Object]


class Store:
    """Objects by resource and key. Whoever reads or writes holds ``lock``, a condition that is
    notified of each change. There is no clock: time is a second for each change."""

    def __init__(self) -> None:
        self.lock = Condition()
        self.version, self.compacted = 1, 0
        self.objects: Dict[Resource, Dict[Key, Object]] = {}
        self.changes: List[Change] = []
        self.logs: Dict[Key, str] = {}  # by namespace and pod
        self._owners: Dict[Tuple[Resource, Key], Dict[Writer, Tuple[Fields, str]]] = {}
        self._made = 0

    def now(self) -> str:
        """Returns the time of the next change."""
        return time_of(self.version)

    def uid(self) -> str:
        """Returns a new uid."""
        self._made += 1
        return str(UUID(int=self._made))

    def suffix(self) -> str:
        """Returns five characters that end a generated name."""
        self._made += 1
        number, out = self._made * 7919 + 104729, ""
        for _ in range(5):
            number, place = divmod(number, len(_LETTERS))
            out += _LETTERS[place]
        return out

    def get(self, resource: Resource, key: Key) -> Optional[Object]:
        """Returns an object, which is not to be changed."""
        return self.objects.get(resource, {}).get(key)

    def all(self, resource: Resource, namespace: str) -> List[Object]:
        """Returns the objects of a namespace, of all with "", by namespace and name."""
        found = self.objects.get(resource, {})
        return [found[key] for key in sorted(found) if namespace in ("", key[0])]

    def put(self, resource: Resource, key: Key, obj: Object) -> Object:
        """Stores an object with a new resource version, and returns it."""
        self.version += 1
        obj = deepcopy(obj)
        obj["metadata"]["resourceVersion"] = str(self.version)
        found = self.objects.setdefault(resource, {})
        self._note(resource, found.get(key), obj)
        found[key] = obj
        return obj

    def remove(self, resource: Resource, key: Key) -> Object:
        """Removes an object and returns it with the resource version of its removal."""
        self.version += 1
        before = self.objects[resource].pop(key)
        self._owners.pop((resource, key), None)
        gone = deepcopy(before)
        gone["metadata"]["resourceVersion"] = str(self.version)
        self._note(resource, gone, None)
        return gone

    def _note(self, resource: Resource, before: Optional[Object], after: Optional[Object]) -> None:
        self.changes.append(Change(self.version, resource, before, after))
        self.lock.notify_all()

    def compact(self) -> None:
        """Forgets all changes, so that older resource versions have expired."""
        self.changes, self.compacted = [], self.version
        self.lock.notify_all()

    def owners(self, resource: Resource, key: Key) -> Dict[Writer, Tuple[Fields, str]]:
        """Returns by writer the fields that it owns and since when, a copy."""
        return dict(self._owners.get((resource, key), {}))

    def own(self, resource: Resource, key: Key, owners: Dict[Writer, Tuple[Fields, str]]) -> None:
        """Sets who owns which fields of an object."""
        self._owners[resource, key] = owners


def managed(owners: Dict[Writer, Tuple[Fields, str]]) -> List[Dict[str, Any]]:
    """Returns who owns which fields as ``managedFields``."""
    out = []
    for writer in sorted(owners, key=lambda w: (w[1], owners[w][1], w)):
        fields, since = owners[writer]
        manager, operation, version, subresource = writer
        entry: Object = {"manager": manager, "operation": operation, "apiVersion": version}
        entry.update(fieldsType="FieldsV1", fieldsV1=tree(fields))
        entry.update({"subresource": subresource} if subresource else {})
        entry.update({"time": since} if subresource != "scale" else {})
        out.append(entry)
    return out
