# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Threads that follow what is on the API server."""

from __future__ import annotations

import logging
import random
from threading import Event, Thread
from typing import Any, Callable, Iterator, Mapping, Optional, Protocol, Set, Tuple

Manifest = Mapping[str, Any]

_log = logging.getLogger(__name__)

# Seconds until a feed that broke is begun again: at first, and at most.
_FIRST, _LAST = 0.2, 10.0


class Feed(Protocol):
    """What is followed, as the ``Watch`` of the SDK."""

    @property
    def changes(self) -> Iterator[Tuple[str, Manifest]]:
        """Yields a type and a manifest: what there is as ADDED, then LISTED once that is all, then what
        changes as ADDED, MODIFIED and DELETED. After another LISTED all is as it was told till then."""

    def close(self) -> None:
        """Ends it; any thread may."""


class Cache(Thread):
    """Hands on what changes, and begins again when the feed breaks.

    ``apply`` gets what the feed yields; what has gone while there was none comes as DELETED before
    the first LISTED of the next, with its name alone.

    Args:
        name (str): for the log.
        feed (Callable[[], Feed]): begins a feed.
        apply (Callable[[str, Manifest], None]): takes a change.
    """

    def __init__(self, name: str, feed: Callable[[], Feed], apply: Callable[[str, Manifest], None]) -> None:
        super().__init__(name=name, daemon=True)
        self._begin, self._apply = feed, apply
        self._known: Set[Tuple[str, str]] = set()
        self._feed: Optional[Feed] = None
        self._ended, self._delay = Event(), _FIRST

    def end(self) -> None:
        """Ends the thread, and hands on nothing more."""
        self._ended.set()
        if self._feed is not None:
            self._feed.close()

    def run(self) -> None:
        """Follows feeds until the end."""
        while not self._ended.is_set():
            try:
                self._feed = self._begin()
                self._follow(self._feed)
            except Exception as error:  # whatever it is, the thread must go on
                _log.warning("following again", extra={"feed": self.name, "error": str(error)})
            self._ended.wait(self._delay * random.uniform(0.5, 1))
            self._delay = min(_LAST, self._delay * 2)

    def _follow(self, feed: Feed) -> None:
        there: Set[Tuple[str, str]] = set()
        for change, manifest in feed.changes:
            if self._ended.is_set():
                return
            if change == "LISTED":
                for namespace, name in self._known - there:
                    self._apply("DELETED", {"metadata": {"namespace": namespace, "name": name}})
                self._known, self._delay = set(there), _FIRST
            else:
                key = manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]
                for keys in (there, self._known):
                    (keys.discard if change == "DELETED" else keys.add)(key)
            self._apply(change, manifest)
