# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is to be done next."""

from __future__ import annotations

from threading import Condition
from time import monotonic
from typing import Dict, Optional, Set


class Queue:
    """Names that are to be looked at, each once however often it was added.

    A name that a worker has is given to no other until the worker is done with it. Threads may
    share it.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._due: Dict[str, float] = {}
        self._busy: Set[str] = set()
        self._closed = False

    def add(self, name: str, delay: float = 0) -> None:
        """Adds a name, to be given out after so many seconds, or when it was to be if that is sooner."""
        due = monotonic() + delay
        with self._changed:
            if due < self._due.get(name, float("inf")):
                self._due[name] = due
                self._changed.notify()

    def get(self) -> Optional[str]:
        """Waits for a name that is due, and gives it; None once the queue is closed."""
        with self._changed:
            while not self._closed:
                free = [(due, name) for name, due in self._due.items() if name not in self._busy]
                due, name = min(free, default=(float("inf"), ""))
                left = due - monotonic()
                if left <= 0:
                    del self._due[name]
                    self._busy.add(name)
                    return name
                self._changed.wait(None if left == float("inf") else left)
            return None

    def done(self, name: str) -> None:
        """Says that a worker is done with a name that it got."""
        with self._changed:
            self._busy.discard(name)
            self._changed.notify()

    def close(self) -> None:
        """Ends all waiting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
