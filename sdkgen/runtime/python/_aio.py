# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio. Each call runs in a thread, over the connections of the blocking client;
there is no second HTTP stack."""

from __future__ import annotations

from contextlib import ExitStack, asynccontextmanager
from functools import wraps
from threading import Thread
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncGenerator,
    Callable,
    Coroutine,
    Generic,
    Iterable,
    Type,
    TypeVar,
)

from ._client import FIELD_MANAGER, Client
from ._transport import Scope
from ._watch import K

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    _P = ParamSpec("_P")
_R = TypeVar("_R")


async def _run(scope: Scope, call: Callable[[], _R]) -> _R:
    """Runs a call in a thread of its own. If it is cancelled, what the scope has open is
    closed, and the thread ends."""
    import asyncio
    from concurrent.futures import Future

    future = Future[_R]()

    def run() -> None:
        Scope.current.set(scope)
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)

    Thread(target=run, name=__name__, daemon=True).start()
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        scope.close()
        raise


def threaded(call: Callable[_P, _R]) -> Callable[_P, Coroutine[Any, Any, _R]]:
    """Returns a coroutine function that runs a blocking function in a thread."""

    @wraps(call)
    async def coroutine(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await _run(Scope(), lambda: call(*args, **kwargs))

    return coroutine


def iterated(call: Callable[_P, Iterable[_R]]) -> Callable[_P, AsyncGenerator[_R, None]]:
    """Returns an asynchronous generator function of the items that a blocking one yields."""

    @wraps(call)
    async def generator(*args: _P.args, **kwargs: _P.kwargs) -> AsyncGenerator[_R, None]:
        scope, end = Scope(), object()
        items: Any = await _run(scope, lambda: iter(call(*args, **kwargs)))
        try:
            while True:
                item: Any = await _run(scope, lambda: next(items, end))
                if item is end:
                    return
                yield item
        finally:
            scope.close()

    return generator


class AsyncClient(Generic[K]):
    """A ``Client`` for asyncio with the same arguments: its methods are coroutines, ``watch`` and
    ``logs`` asynchronous generators. Cancelling a task closes its connection; that of a plain
    request is closed when the answer arrives."""

    def __init__(
        self,
        kind: Type[K],
        namespace: str = "default",
        api_client: Any = None,
        field_manager: str = FIELD_MANAGER,
    ) -> None:
        self._wrap(Client(kind, namespace, api_client, field_manager))

    def _wrap(self, client: Client[K]) -> None:
        self.client = client
        self.create, self.replace = threaded(client.create), threaded(client.replace)
        self.get, self.list = threaded(client.get), threaded(client.list)
        self.patch, self.apply = threaded(client.patch), threaded(client.apply)
        self.delete, self.wait_deleted = threaded(client.delete), threaded(client.wait_deleted)
        self.scale, self.get_scale = threaded(client.scale), threaded(client.get_scale)
        self.pod_selector = threaded(client.pod_selector)
        self.wait_for, self.watch = threaded(client.wait_for), iterated(client.watch)
        self.pods, self.exec = threaded(client.pods), threaded(client.exec)
        self.logs, self.connect = iterated(client.logs), threaded(client.connect)

    @asynccontextmanager
    async def port_forward(self, *args: Any, **kwargs: Any) -> AsyncGenerator[int, None]:
        """``Client.port_forward`` as an asynchronous context manager."""
        with ExitStack() as stack:
            yield await threaded(stack.enter_context)(self.client.port_forward(*args, **kwargs))
