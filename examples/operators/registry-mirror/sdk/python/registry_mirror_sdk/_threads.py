# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Threads that run blocking calls for asyncio: one for each call in progress."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, AsyncGenerator, Callable, Dict, Iterable, List, Optional, TypeVar

from ._transport import Scope

_T = TypeVar("_T")
Task = Callable[[], object]

# Seconds that an idle thread waits for another call.
_LINGER = 1.0
# Items that a thread is ahead of the task, items that are yielded before other tasks have their
# turn, and seconds within which items that follow one another are yielded together.
_FULL, _TURN, _TOGETHER = 512, 64, 0.001

# By process, what idle threads wait on: a process that was forked has none of them.
_IDLE: Dict[int, List[SimpleQueue[Task]]] = {}


def start(task: Task) -> None:
    """Runs a function in a thread. There is no limit: a call that waits holds up no other."""
    idle = _IDLE.setdefault(os.getpid(), [])
    try:
        idle.pop().put(task)
    except IndexError:
        Thread(target=_work, args=(task, idle), name=__name__, daemon=True).start()


def _work(task: Optional[Task], idle: List[SimpleQueue[Task]]) -> None:
    inbox: SimpleQueue[Task] = SimpleQueue()
    while task:
        task()
        task = None  # it may hold the last reference to an iterator
        idle.append(inbox)
        try:
            task = inbox.get(timeout=_LINGER)
        except Empty:
            try:
                idle.remove(inbox)
            except ValueError:  # start() has just taken it
                task = inbox.get()


async def run(call: Callable[[], _T]) -> _T:
    """Awaits a blocking call. If the task is cancelled, the connections of the call are closed."""
    loop, scope = asyncio.get_running_loop(), Scope()
    future: asyncio.Future[_T] = loop.create_future()

    def done(result: Any, error: Optional[BaseException]) -> None:
        if future.done():  # it was cancelled
            return
        future.set_exception(error) if error else future.set_result(result)

    def work() -> None:
        Scope.current.set(scope)
        result, error = None, None
        try:
            result = call()
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(done, result, error)

    start(partial(copy_context().run, work))
    try:
        return await future
    except asyncio.CancelledError:
        scope.close()
        raise


async def iterate(call: Callable[[], Iterable[_T]]) -> AsyncGenerator[_T, None]:
    """Yields the items of a blocking iterable, which one thread reads ahead of the task. When the
    generator is closed, so are the connections."""
    pipe = _Pipe(Scope())
    context = copy_context()
    start(lambda: context.run(pipe.fill, call))
    try:
        while True:
            await pipe.filled()
            for _ in range(min(len(pipe.items), _TURN)):
                yield pipe.take()
            if pipe.ended and not pipe.items:
                if pipe.error:
                    raise pipe.error
                return
    finally:
        pipe.scope.close()


class _Pipe:
    """Items on their way from a thread to a task.

    The thread waits while it is full, and wakes the task only if that waits. To be woken costs
    more than an item, so while items come fast the task looks for them once in a millisecond.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope, self.items = scope, deque[Any]()
        self.error: Optional[BaseException] = None
        self.ended = False
        self._loop, self._room = asyncio.get_running_loop(), Event()
        self._filled, self._waiting = asyncio.Event(), False
        self._woken, self._fast = 0.0, False

    def fill(self, call: Callable[[], Iterable[Any]]) -> None:
        """Puts in the items of an iterable; runs in the thread."""
        Scope.current.set(self.scope)
        Scope.opened(self, _Pipe.close)
        try:
            for item in call():
                self.items.append(item)
                self._wake()
                if len(self.items) >= _FULL:
                    self._pause()
        except BaseException as error:
            self.error = error
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        if self._waiting:
            self._waiting = False
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._filled.set)

    def _pause(self) -> None:
        self._room.clear()
        if len(self.items) >= _FULL:  # still, now that take() would set it
            Scope.pause(0)
            self._room.wait()

    async def filled(self) -> None:
        """Returns when there is an item, or the end; other tasks have their turn before."""
        await asyncio.sleep(0 if self.items or not self._fast else _TOGETHER)
        if self.items:
            return
        while not (self.items or self.ended):
            self._filled.clear()
            self._waiting = True
            if not (self.items or self.ended):  # still, now that _wake() would tell
                await self._filled.wait()
        before, self._woken = self._woken, self._loop.time()
        self._fast = self._woken - before < _TOGETHER

    def take(self) -> Any:
        """Removes the next item."""
        item = self.items.popleft()
        if len(self.items) == _FULL // 2:
            self._room.set()
        return item

    def close(self) -> None:
        """Has the thread not wait for room any more."""
        self.items.clear()
        self._room.set()
