# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Changes of objects: list, watch, and list again when the resource version has expired."""

from __future__ import annotations

import json
import logging
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

_log = logging.getLogger(__package__)


@dataclass(frozen=True)
class Event(Generic[K]):
    """A change: ``type`` is ADDED, MODIFIED or DELETED, ``object`` the object after it."""

    type: str
    object: K


class Watch(Generic[K]):
    """The events of ``Client.watch``. Iterate it in a ``with`` statement, or call ``close``.

    ``close`` may be called from any thread; the iteration then ends.

    Attributes:
        error (Optional[errors.ApiError]): why the last request failed, None if it did not.
        synced (threading.Event): set once all objects of the first list were consumed.
        changes (Iterator): the events as pairs of a type and a manifest, without models, and
            ("LISTED", {}) after each list. Iterate either this or the watch.
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
        self._answers, self._refused = False, 0.0  # whether there were any; since when only 4xx
        self._known: Dict[Tuple[str, str], Dict[str, Any]] = {}
        self.error: Optional[errors.ApiError] = None
        self.synced = Flag()
        self.changes = Scope.opened(self, Watch.close)._changes()

    def __iter__(self) -> Iterator[Event[K]]:
        return iter(self.following, None)

    def following(self) -> Optional[Event[K]]:
        """Returns the next event, None at the end. Raises the last error if the timeout has
        passed without an answer of the server."""
        for change, found in self.changes:
            if change != "LISTED":
                return Event(change, self._client.kind.from_dict(found))
        if self.error and not self._answers and not self._stop.is_set():
            raise self.error
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
                _log.info("watch of %s: resource version %s has expired", self._path, self._version)
                self._version = None
            except errors.ApiError as error:
                if self._left(1) and not self._retries(error):
                    raise
                self.error = error if self._left(1) else self.error
                _log.info("watch of %s: %s", self._path, error)
            if not self._left(1):
                return
            delay = self._left(self._delay * random.uniform(0.5, 1))
            _log.debug("watch of %s: next request in %.1f s", self._path, delay)
            self._stop.wait(delay)
            self._delay = min(self._delay * 2 or 0.1, 5)

    def _retries(self, error: errors.ApiError) -> bool:
        """Returns whether to send a request again after it failed.

        A server that was reached may be restarting: then it refuses connections, and until it
        has loaded RBAC and the kinds it answers 403 and 404. One that was never reached is an
        error at once.
        """
        if isinstance(error, errors.Unreachable):
            return not error.permanent and (self._answers or self._client.transport.reached)
        if error.status == 429 or error.status >= 500:
            return self._answers or self._end is not None
        self._refused = self._refused or time.monotonic()
        return self._answers and time.monotonic() - self._refused < _GRACE

    def _answered(self) -> None:
        self._answers, self._refused, self._delay, self.error = True, 0.0, 0.0, None

    def _listed(self) -> Iterator[Tuple[str, Dict[str, Any]]]:
        items, version = self._client._items(self._path, self._query, self._left(_GRACE) or 1)
        _log.debug("list of %s: %d objects, resource version %s", self._path, len(items), version)
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
            self._answers, self.error = True, None
            for line in self._stream if self._left(1) else ():
                change, found = _event(line)
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


def _event(line: bytes) -> Tuple[str, Dict[str, Any]]:
    """Returns type and object of a line of a watch."""
    try:
        event = json.loads(line)
        return event["type"], event["object"]
    except (ValueError, TypeError, KeyError) as error:
        text = f"the answer to a watch is not a watch event: {line[:200]!r}"
        raise errors.ServerError(502, "InvalidAnswer", text) from error


def _key(item: Mapping[str, Any]) -> Tuple[str, str]:
    return item["metadata"].get("namespace", ""), item["metadata"]["uid"]
