# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the API server was last seen to hold."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, DefaultDict, Dict, List, Mapping, Optional, Tuple

from registry_mirror_sdk.models import RegistryMirror

from .mirror import MANAGER

Key = Tuple[str, str]


@dataclass(frozen=True)
class Seen:
    """What is kept of an object in the operator's namespace.

    Attributes:
        kind, name, uid (str): its own.
        mirror, mirror_uid (str): the RegistryMirror that owns it, or "".
        owned (str): the fields that the operator has applied and nobody has changed since; "" if
            it has applied none. Whoever changes or removes one takes it out of these.
        leaving (bool): it is being deleted.
        generation (int): of its spec; 0 for kinds that count none.
        version (int): its resource version, which grows with each change of an object of the kind.
        status (Mapping[str, Any]): its status.
    """

    kind: str
    name: str
    uid: str = ""
    mirror: str = ""
    mirror_uid: str = ""
    owned: str = ""
    leaving: bool = False
    generation: int = 0
    version: int = 0
    status: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: str, manifest: Mapping[str, Any]) -> Seen:
        """Gives what is kept of an object."""
        meta = manifest["metadata"]
        owner: Mapping[str, Any] = next((o for o in meta.get("ownerReferences") or () if _is_mirror(o)), {})
        return cls(
            kind=kind,
            name=meta["name"],
            uid=meta["uid"],
            mirror=owner.get("name", ""),
            mirror_uid=owner.get("uid", ""),
            owned=_owned(meta),
            leaving="deletionTimestamp" in meta,
            generation=meta.get("generation", 0),
            version=int(meta.get("resourceVersion", 0)),
            status=manifest.get("status") or {},
        )

    @property
    def key(self) -> Key:
        """Kind and name."""
        return self.kind, self.name


def _is_mirror(owner: Mapping[str, Any]) -> bool:
    group, _, _ = owner["apiVersion"].partition("/")
    return bool(group == RegistryMirror.GROUP and owner["kind"] == RegistryMirror.KIND)


def _owned(meta: Mapping[str, Any]) -> str:
    for entry in meta.get("managedFields") or ():
        if entry.get("manager") == MANAGER and entry.get("operation") == "Apply" and not entry.get("subresource"):
            return json.dumps(entry.get("fieldsV1"), sort_keys=True)
    return ""


class Cache:
    """Objects by kind and name. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: Dict[Key, Seen] = {}
        self._of: DefaultDict[str, Dict[Key, Seen]] = defaultdict(dict)
        self._heard: DefaultDict[str, int] = defaultdict(int)  # by kind, the last version of a watch

    def get(self, key: Key) -> Optional[Seen]:
        """Gives what was seen under a kind and a name."""
        return self._seen.get(key)

    def of(self, mirror: str) -> List[Seen]:
        """Gives what a mirror of that name owns."""
        with self._lock:
            return [*self._of.get(mirror, {}).values()]

    def put(self, seen: Seen) -> None:
        """Keeps what a watch has shown."""
        with self._lock:
            self._hear(seen)
            self._keep(seen)

    def written(self, seen: Seen) -> None:
        """Keeps what the API server answered to a write, unless the watch knows better already."""
        with self._lock:
            if seen.version > self._heard[seen.kind]:
                self._keep(seen)

    def remove(self, seen: Seen) -> None:
        """Forgets an object that a watch has shown to be gone, but not another that has its name by now."""
        with self._lock:
            self._hear(seen)
            held = self._seen.get(seen.key)
            if held is not None and held.uid == seen.uid:
                self._forget(seen.key)

    def clear(self, kind: str) -> None:
        """Forgets all objects of a kind."""
        with self._lock:
            for key in [key for key in self._seen if key[0] == kind]:
                self._forget(key)

    def _hear(self, seen: Seen) -> None:
        self._heard[seen.kind] = max(self._heard[seen.kind], seen.version)

    def _keep(self, seen: Seen) -> None:
        self._forget(seen.key)
        self._seen[seen.key] = self._of[seen.mirror][seen.key] = seen

    def _forget(self, key: Key) -> None:
        held = self._seen.pop(key, None)
        if held is not None:
            of = self._of[held.mirror]
            of.pop(key)
            if not of:
                del self._of[held.mirror]
