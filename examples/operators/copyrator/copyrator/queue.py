# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A queue of what is to be looked at."""

from __future__ import annotations

import heapq
import time
from itertools import count
from threading import Condition
from typing import Dict, Generic, Hashable, List, Optional, Set, Tuple, TypeVar

T = TypeVar("T", bound=Hashable)

# Seconds until an item is tried again: at first, and at most.
FIRST, LAST = 0.2, 30.0


class Queue(Generic[T]):
    """Hands items to threads. An item is in it once, however often it was added, and with one thread
    at a time: added meanwhile, it comes again afterwards."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._heap: List[Tuple[float, int, T]] = []
        self._due: Dict[T, float] = {}
        self._running: Set[T] = set()
        self._again: Set[T] = set()
        self._failures: Dict[T, int] = {}
        self._order, self._closed = count(), False

    def add(self, item: T, delay: float = 0) -> None:
        """Adds an item that is due after some seconds, or earlier if it is already."""
        with self._changed:
            self._add(item, delay)

    def retry(self, item: T) -> float:
        """Adds an item that has failed, each time with twice the delay, which is returned."""
        with self._changed:
            failures = self._failures.get(item, 0)
            self._failures[item] = failures + 1
            delay = min(LAST, FIRST * 2.0 ** min(failures, 16))
            self._add(item, delay)
            return delay

    def forget(self, item: T) -> None:
        """Forgets that an item has failed."""
        with self._changed:
            self._failures.pop(item, None)

    def get(self) -> Optional[T]:
        """Waits for an item that is due; None once the queue is closed. Call ``done`` afterwards."""
        with self._changed:
            while not self._closed:
                wait = self._heap[0][0] - time.monotonic() if self._heap else None
                if wait is None or wait > 0:
                    self._changed.wait(wait)
                    continue
                due, _, item = heapq.heappop(self._heap)
                if self._due.get(item) != due:
                    continue  # it was made due earlier
                del self._due[item]
                if item in self._running:
                    self._again.add(item)
                    continue
                self._running.add(item)
                return item
            return None

    def done(self, item: T) -> None:
        """Says that a thread has finished with an item."""
        with self._changed:
            self._running.discard(item)
            if item in self._again:
                self._again.discard(item)
                self._add(item, 0)

    def close(self) -> None:
        """Ends the waiting of all threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _add(self, item: T, delay: float) -> None:
        due = time.monotonic() + delay
        if self._due.get(item, due + 1) > due:
            self._due[item] = due
            heapq.heappush(self._heap, (due, next(self._order), item))
            self._changed.notify()
