# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio. A thread runs each call in progress with the blocking client; there is
no second HTTP stack."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial, wraps
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncContextManager,
    AsyncGenerator,
    Callable,
    ContextManager,
    Coroutine,
    Generic,
    Iterable,
    Optional,
    Type,
    TypeVar,
)

from ._client import FIELD_MANAGER, Client
from ._watch import K

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    _P = ParamSpec("_P")
_R = TypeVar("_R")


# asyncio takes as long to import as the rest, so the threads wait for the first call.


def threaded(
    method: Callable[Concatenate[Any, _P], _R],
) -> Callable[Concatenate[Any, _P], Coroutine[Any, Any, _R]]:
    """Returns the coroutine function for a method of a blocking client."""

    @wraps(method)
    async def coroutine(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        from ._threads import run

        return await run(_bound(self, method, *args, **kwargs))

    return coroutine


def iterated(
    method: Callable[Concatenate[Any, _P], Iterable[_R]],
) -> Callable[Concatenate[Any, _P], AsyncGenerator[_R, None]]:
    """Returns the asynchronous generator function for a method that returns an iterable."""

    @wraps(method)
    async def generator(
        self: Any, /, *args: _P.args, **kwargs: _P.kwargs
    ) -> AsyncGenerator[_R, None]:
        from ._threads import iterate

        items = iterate(_bound(self, method, *args, **kwargs))
        try:
            async for item in items:
                yield item
        finally:
            await items.aclose()

    return generator


def entered(
    method: Callable[Concatenate[Any, _P], ContextManager[_R]],
) -> Callable[Concatenate[Any, _P], AsyncContextManager[_R]]:
    """Returns the method with an asynchronous context manager for one with a blocking one."""

    @wraps(method)
    @asynccontextmanager
    async def manager(
        self: Any, /, *args: _P.args, **kwargs: _P.kwargs
    ) -> AsyncGenerator[_R, None]:
        from ._threads import run

        context = _bound(self, method, *args, **kwargs)()
        value = await run(context.__enter__)
        try:
            yield value
        except BaseException as error:
            if not await run(partial(context.__exit__, type(error), error, error.__traceback__)):
                raise
        else:
            await run(partial(context.__exit__, None, None, None))

    return manager


def immediate(method: Callable[Concatenate[Any, _P], _R]) -> Callable[Concatenate[Any, _P], _R]:
    """Returns the method for one that asks no server: it does the same at once."""

    @wraps(method)
    def function(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        result: _R = _bound(self, method, *args, **kwargs)()
        return result

    return function


def _bound(client: Any, method: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns a call of the method that the blocking client has by that name."""
    return partial(getattr(client.client, method.__name__), *args, **kwargs)


class AsyncClient(Generic[K]):
    """A ``Client`` for asyncio with the same arguments: its methods are coroutines, ``watch`` and
    ``logs`` asynchronous generators, and ``port_forward`` an asynchronous context manager;
    ``extract``, which sends nothing, is as it is there.

    Cancelling a task closes its connection; that of a plain request is closed when the answer
    arrives. ``client`` is the blocking client.
    """

    client: Client[K]

    def __init__(
        self,
        kind: Type[K],
        namespace: Optional[str] = None,
        api_client: Any = None,
        field_manager: str = FIELD_MANAGER,
        field_validation: str = "Strict",
    ) -> None:
        self.client = Client(kind, namespace, api_client, field_manager, field_validation)

    create = threaded(Client[K].create)
    get = threaded(Client[K].get)
    list = threaded(Client[K].list)
    replace = threaded(Client[K].replace)
    patch = threaded(Client[K].patch)
    apply = threaded(Client[K].apply)
    diff = threaded(Client[K].diff)
    extract = immediate(Client[K].extract)
    check = threaded(Client[K].check)
    supports = threaded(Client[K].supports)
    delete = threaded(Client[K].delete)
    delete_collection = threaded(Client[K].delete_collection)
    get_scale = threaded(Client[K].get_scale)
    scale = threaded(Client[K].scale)
    watch = iterated(Client[K].watch)
    wait_for = threaded(Client[K].wait_for)
    wait_deleted = threaded(Client[K].wait_deleted)
    pod_selector = threaded(Client[K].pod_selector)
    pods = threaded(Client[K].pods)
    logs = iterated(Client[K].logs)
    exec = threaded(Client[K].exec)
    connect = threaded(Client[K].connect)
    port_forward = entered(Client[K].port_forward)
