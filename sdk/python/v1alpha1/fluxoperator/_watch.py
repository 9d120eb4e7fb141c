# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Changes of objects: list, watch, and list again when the resource version has expired."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from math import ceil
from threading import Event as Flag
from typing import TYPE_CHECKING, Any, Dict, Generic, Iterator, Mapping, Optional, Tuple, TypeVar

from . import _model, errors
from ._transport import Scope, Stream

if TYPE_CHECKING:
    from ._client import Client

K = TypeVar("K", bound=_model.Object)

# Seconds that one request of a watch lasts, and how much longer it may be silent.
_WATCH, _GRACE = 240, 15


@dataclass(frozen=True)
class Event(Generic[K]):
    """A change: ``type`` is ADDED, MODIFIED or DELETED, ``object`` the object after it."""

    type: str
    object: K


class Watch(Generic[K]):
    """Events as they come, from ``Client.watch``: iterate it in a ``with``, or ``close`` it.

    ``close`` may be called from any thread and ends the iteration. ``error`` is why the
    server could not be reached the last time, None if it was. ``synced`` is a
    ``threading.Event``, set once the next event is asked for after all that there was.
    ``changes``, iterated instead, gives pairs of a type and a plain manifest, and
    ("LISTED", {}) after each list.
    """

    def __init__(
        self,
        client: Client[K],
        path: str,
        query: Dict[str, Any],
        version: Optional[str],
        timeout: Optional[float],
    ) -> None:
        self._client, self._path, self._query, self._version = client, path, query, version
        self._end = None if timeout is None else time.monotonic() + timeout
        self._stop, self._delay = Flag(), 0.0
        self._stream: Optional[Stream] = None
        self._heard, self._refused = False, 0.0  # ever from the server; since when it says no
        self._known: Dict[Tuple[str, str], Dict[str, Any]] = {}
        self.error: Optional[errors.ApiError] = None
        self.synced = Flag()
        self.changes = Scope.opened(self)._changes()

    def __iter__(self) -> Iterator[Event[K]]:
        return iter(self.following, None)

    def following(self) -> Optional[Event[K]]:
        """Gives the next event, None at the end."""
        for change, found in self.changes:
            if change != "LISTED":
                return Event(change, self._client.kind.from_dict(found))
        return None

    def close(self) -> None:
        """Ends the watch and its connection."""
        self._stop.set()
        if self._stream is not None:
            self._stream.close()

    def __enter__(self) -> Watch[K]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _left(self, most: float) -> float:
        left = most if self._end is None else min(most, self._end - time.monotonic())
        return 0 if self._stop.is_set() else max(left, 0)

    def _changes(self) -> Iterator[Tuple[str, Dict[str, Any]]]:
        """Yields changes with their type, and LISTED after each list."""
        while not self._stop.is_set():
            try:
                yield from self._listed() if self._version is None else self._watched()
            except errors.Gone:
                self._version = None
            except errors.ApiError as error:
                if self._left(1) and not self._passes(error):
                    raise
                self.error = error if self._left(1) else self.error
            if not self._left(1):
                return
            self._stop.wait(self._left(self._delay * random.uniform(0.5, 1)))
            self._delay = min(self._delay * 2 or 0.1, 5)

    def _passes(self, error: errors.ApiError) -> bool:
        """Says whether an error is temporary. A starting server knows neither RBAC nor kinds."""
        if error.status in (0, 429) or error.status >= 500:
            return self._heard or self._end is not None
        self._refused = self._refused or time.monotonic()
        return self._heard and time.monotonic() - self._refused < _GRACE

    def _answered(self) -> None:
        self._heard, self._refused, self._delay, self.error = True, 0.0, 0.0, None

    def _listed(self) -> Iterator[Tuple[str, Dict[str, Any]]]:
        items, version = self._client._items(self._path, self._query, self._left(_GRACE) or 1)
        before, self._known = self._known, {_key(item): item for item in items}
        for key, item in before.items():
            if key not in self._known:
                yield "DELETED", item
        for key, item in self._known.items():
            if key not in before:
                yield "ADDED", item
            elif before[key]["metadata"]["resourceVersion"] != item["metadata"]["resourceVersion"]:
                yield "MODIFIED", item
        self._answered()
        self._version = version
        self.synced.set()
        yield "LISTED", {}

    def _watched(self) -> Iterator[Tuple[str, Dict[str, Any]]]:
        query = {
            **self._query,
            "watch": True,
            "allowWatchBookmarks": True,
            "resourceVersion": self._version,
        }
        query["timeoutSeconds"] = ceil(self._left(_WATCH)) or 1
        silence = self._left(_WATCH + _GRACE) or 1
        with self._client.transport.stream("GET", self._path, query, silence) as self._stream:
            self._heard = True
            for line in self._stream if self._left(1) else ():
                event = json.loads(line)
                change, found = event["type"], event["object"]
                if change == "ERROR":
                    raise errors.of(500, json.dumps(found))
                self._answered()
                self._version = found["metadata"]["resourceVersion"]
                if change == "DELETED":
                    self._known.pop(_key(found), None)
                elif change != "BOOKMARK":
                    self._known[_key(found)] = found
                if change != "BOOKMARK":
                    yield change, found
                if not self._left(1):
                    return


def _key(item: Mapping[str, Any]) -> Tuple[str, str]:
    return item["metadata"].get("namespace", ""), item["metadata"]["uid"]
