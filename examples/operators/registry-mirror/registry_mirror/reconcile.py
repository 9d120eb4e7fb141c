# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes the objects of a mirror what they are to be."""

from __future__ import annotations

import logging
from threading import Lock
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type

from registry_mirror_sdk import errors
from registry_mirror_sdk.client import Client, Object
from registry_mirror_sdk.models import RegistryMirror

from . import status
from .cache import Cache, Key, Seen
from .kinds import CHILDREN, Event, Pod
from .mirror import MANAGER, Mirror, Settings, Wanted, wanted
from .status import Problem

log = logging.getLogger(__name__)

# What the API server says to a request that is no better if it is made again at once.
_REFUSED = (errors.Invalid, errors.Forbidden, errors.BadRequest, errors.NotFound, errors.Conflict)


class Reconciler:
    """Compares what is with what is to be, and applies what differs.

    The caller tells it what there is, by ``cache``, ``saw`` and ``lost``, and sees to it that no
    mirror is looked at twice at a time.

    Attributes:
        cache (Cache): what is in the operator's namespace.
    """

    def __init__(self, settings: Settings, api_client: Any = None) -> None:
        self.settings = settings
        self.cache = Cache()
        self._client = Client(RegistryMirror, api_client=api_client, field_manager=MANAGER)
        self._events = Client(Event, "default", api_client, MANAGER)
        self._clients: Dict[Type[Object], Client[Object]] = {
            kind: Client(kind, settings.namespace, api_client, MANAGER) for kind in CHILDREN
        }
        self._mirrors: Dict[str, RegistryMirror] = {}
        self._applied: Dict[Key, Tuple[str, str]] = {}  # hash of what was sent, fields that came to be owned
        self._claims: Dict[Key, str] = {}  # which mirror wants an object of that name
        self._lock = Lock()

    @property
    def mirrors(self) -> List[str]:
        """The names of all mirrors."""
        with self._lock:
            return [*self._mirrors]

    def saw(self, mirror: RegistryMirror) -> None:
        """Takes note of a mirror as it is."""
        with self._lock:
            self._mirrors[_name(mirror)] = mirror

    def lost(self, name: Optional[str] = None) -> None:
        """Takes note that a mirror is gone, or all are."""
        with self._lock:
            for gone in [*self._mirrors] if name is None else [name]:
                self._mirrors.pop(gone, None)

    def mirror_of(self, seen: Seen) -> str:
        """Gives the name of the mirror that an object is to, or would, belong to; "" if to none."""
        return self._claims.get(seen.key) or seen.mirror

    def reconcile(self, name: str) -> bool:
        """Does what a mirror needs. Says whether all is as it is to be; if not, try again later.

        Raises:
            errors.ApiError: the API server is not there, or cannot answer for a time.
        """
        source = self._mirrors.get(name)
        if source is None or "deletionTimestamp" in source["metadata"]:
            self._release(name)
            return True  # what it owns goes by itself
        mirror = Mirror.of(source, self.settings)
        objects = wanted(mirror)
        with self._lock:
            self._claims.update({key: name for key in [*(w.key for w in objects), (Pod.KIND, mirror.pod_name)]})
        problems = [problem for each in objects for problem in [self._settle(mirror, each)] if problem]
        problems += self._prune(mirror, objects)
        self._report(source, mirror, problems)
        return not problems

    def _release(self, name: str) -> None:
        with self._lock:
            for key in [key for key, mirror in self._claims.items() if mirror == name]:
                del self._claims[key]
                self._applied.pop(key, None)

    def _settle(self, mirror: Mirror, each: Wanted) -> Optional[Problem]:
        """Applies an object unless it is as it was applied. Gives what keeps it from being so."""
        seen = self.cache.get(each.key)
        if seen is not None:
            if not _may_take(mirror, seen):
                return Problem("NameTaken", f"{each} is there and belongs to {seen.mirror or 'somebody else'}")
            if seen.leaving:
                return Problem("Terminating", f"{each} is being deleted; it is made again when it is gone")
            if self._applied.get(each.key) == (each.digest, seen.owned):
                return None
        try:
            # What was not seen is not forced: it may have been made by somebody else since.
            stored = self._clients[each.kind].apply(each.body, force=seen is not None)
        except _REFUSED as error:
            return Problem("Refused", f"{each}: {error.message}")
        after = Seen.of(each.kind.KIND, stored)
        self._applied[each.key] = each.digest, after.owned
        self.cache.written(after)
        log.info("applied %s", each, extra={"mirror": mirror.name})
        return None

    def _prune(self, mirror: Mirror, objects: Tuple[Wanted, ...]) -> List[Problem]:
        """Deletes what the operator once made for a mirror under another name."""
        problems = []
        for seen in self.cache.of(mirror.name):
            kind = next((kind for kind in CHILDREN if kind.KIND == seen.kind), None)
            ours = seen.owned and seen.mirror_uid == mirror.uid and not seen.leaving
            if kind is None or not ours or seen.key in {each.key for each in objects}:
                continue
            try:
                self._clients[kind].delete(seen.name, uid=seen.uid)
                log.info("deleted %s %s", seen.kind, seen.name, extra={"mirror": mirror.name})
            except errors.NotFound:
                pass
            except _REFUSED as error:
                problems.append(Problem("Refused", f"{seen.kind} {seen.name}: {error.message}"))
        return problems

    def _report(self, source: RegistryMirror, mirror: Mirror, problems: List[Problem]) -> None:
        """Writes the status, if it says anything new, and an event for problems that are new."""
        with self._lock:
            others = [other for name, other in self._mirrors.items() if name != mirror.name]
        rivals = [_name(other) for other in others if other.spec and other.spec.port == mirror.port]
        before = dict(source).get("status") or {}
        now = status.build(source, mirror, self.cache.get, problems, rivals)
        if now == before:
            return
        try:
            after = self._client.patch(mirror.name, {"status": now}, subresource="status")
        except errors.NotFound:
            return  # it is gone
        with self._lock:
            if self._mirrors.get(mirror.name) is source:  # nothing newer has come
                self._mirrors[mirror.name] = after
        if problems and _condition(now, "Applied") != _condition(before, "Applied"):
            self._tell(mirror, _condition(now, "Applied"))

    def _tell(self, mirror: Mirror, condition: Mapping[str, Any]) -> None:
        """Writes an event. It is lost if the API server refuses it."""
        log.warning(condition["message"], extra={"mirror": mirror.name, "reason": condition["reason"]})
        regarding = {
            "apiVersion": RegistryMirror.API_VERSION,
            "kind": RegistryMirror.KIND,
            "name": mirror.name,
            "uid": mirror.uid,
        }
        event = {
            "metadata": {"generateName": f"{mirror.base}.", "namespace": "default"},
            "involvedObject": regarding,
            "type": "Warning",
            "reason": condition["reason"],
            "message": condition["message"][:1024],
            "source": {"component": MANAGER},
            "firstTimestamp": condition["lastTransitionTime"],
            "lastTimestamp": condition["lastTransitionTime"],
            "count": 1,
        }
        try:
            self._events.create(Event.from_dict({"apiVersion": "v1", "kind": "Event", **event}))
        except errors.ApiError as error:
            log.warning("no event: %s", error, extra={"mirror": mirror.name})


def _name(mirror: RegistryMirror) -> str:
    return str(mirror["metadata"]["name"])


def _may_take(mirror: Mirror, seen: Seen) -> bool:
    """Says whether an object is the mirror's, or was made by the operator and has no other owner."""
    if seen.mirror_uid == mirror.uid:
        return True
    return bool(seen.owned) and seen.mirror in ("", mirror.name)


def _condition(said: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """Gives the reason and the message of a condition, with its time."""
    found: Mapping[str, Any] = next((c for c in said.get("conditions") or () if c["type"] == kind), {})
    return {key: found.get(key, "") for key in ("status", "reason", "message", "lastTransitionTime")}
