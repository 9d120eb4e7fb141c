# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Lists and watches."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from . import _selectors
from ._answers import Refused
from ._store import Object, Store
from ._target import Target

_WATCH = 1800.0  # seconds, if a watch does not say


def selected(target: Target, query: Mapping[str, str]) -> Callable[[Object], bool]:
    """Returns the test for the selectors of a query. Raises Refused."""
    labels = _selectors.labels(query.get("labelSelector", ""))
    fields = _selectors.fields(
        query.get("fieldSelector", ""), bool(target.kind and target.kind._fields)
    )
    return lambda obj: (
        labels(obj) and fields(obj) and target.namespace in ("", obj["metadata"].get("namespace"))
    )


class Lists:
    """Answers lists, page by page, from the state at the first page."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pages: Dict[str, Tuple[int, List[Object]]] = {}

    def list(self, target: Target, query: Mapping[str, str]) -> Dict[str, Any]:
        """Returns a page of a list. Raises Refused: the state of the first page was compacted."""
        if token := query.get("continue"):
            version, left = self._pages.pop(token, (0, []))
            if version <= self._store.compacted:
                raise Refused(410, "The provided continue parameter is too old")
        else:
            wanted = selected(target, query)
            version = self._store.version
            left = [
                obj for obj in self._store.all(target.resource, target.namespace) if wanted(obj)
            ]
        limit = int(query.get("limit") or 0) or len(left)
        meta: Dict[str, Any] = {"resourceVersion": str(version), "continue": ""}
        if left[limit:]:
            meta["continue"] = f"page-{version}-{len(self._pages)}-{len(left)}"
            meta["remainingItemCount"] = len(left) - limit
            self._pages[meta["continue"]] = version, left[limit:]
        kind = target.kind.KIND if target.kind else (left[0].get("kind", "") if left else "")
        return {
            "apiVersion": target.api_version,
            "kind": f"{kind}List",
            "metadata": meta,
            "items": left[:limit],
        }


class Watching:
    """A watch that runs: lines of events, until ``close`` or its timeout."""

    def __init__(self, store: Store, target: Target, query: Mapping[str, str]) -> None:
        self._store, self._target = store, target
        self._wanted = selected(target, query)
        self._bookmarks = query.get("allowWatchBookmarks") == "true"
        self._limit = float(query.get("timeoutSeconds") or _WATCH)
        self._since: Optional[int] = int(query.get("resourceVersion") or 0) or None
        self._closed, self._marks = False, 0
        self.kind = target.kind.KIND if target.kind else ""

    def close(self) -> None:
        """Ends the watch; from any thread."""
        with self._store.lock:
            self._closed = True
            self._store.lock.notify_all()

    def mark(self) -> None:
        """Has the watch send a bookmark, if it asked for them. The caller holds the lock."""
        self._marks += self._bookmarks
        self._store.lock.notify_all()

    def lines(self) -> Iterator[bytes]:
        """Yields the lines of the answer."""
        end, events = time.monotonic() + self._limit, list[Tuple[str, Object]]()
        with self._store.lock:
            if self._since is None:
                self._since = self._store.version
                found = self._store.all(self._target.resource, self._target.namespace)
                events = [("ADDED", obj) for obj in found if self._wanted(obj)]
            elif self._since < self._store.compacted:
                text = f"too old resource version: {self._since} ({self._store.compacted})"
                events, self._closed = [("ERROR", Refused(410, text).status)], True
        while True:
            for name, obj in events:
                yield json.dumps({"type": name, "object": obj}).encode() + b"\n"
            with self._store.lock:
                events = self._new()
                while not events and not self._closed and (left := end - time.monotonic()) > 0:
                    self._store.lock.wait(left)
                    events = self._new()
                if not events:
                    return

    def _new(self) -> List[Tuple[str, Object]]:
        """Returns the events of what has changed since. The caller holds the lock."""
        events = []
        for change in () if self._closed else self._store.changes:
            if change.version <= (self._since or 0):
                continue
            self._since = change.version
            if change.resource == self._target.resource:
                had = change.before is not None and self._wanted(change.before)
                has = change.after is not None and self._wanted(change.after)
                if has:
                    events.append(("MODIFIED" if had else "ADDED", change.after or {}))
                elif had:
                    gone = change.before or {}
                    meta = {**gone["metadata"], "resourceVersion": str(change.version)}
                    events.append(("DELETED", {**gone, "metadata": meta}))
        if self._marks and not self._closed:
            self._marks = 0
            said = {"apiVersion": self._target.api_version, "kind": self.kind}
            mark = {
                **said,
                "metadata": {"resourceVersion": str(self._since), "creationTimestamp": None},
            }
            events.append(("BOOKMARK", mark))
        return events
