# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio, and what importing clients costs."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import inspect
import os
import pickle
import pydoc
import subprocess
import sys
import threading
import time
from typing import Any, Iterator, List, Optional
from unittest.mock import create_autospec

import pytest

from fluxoperator import MiniCluster, errors
from fluxoperator._threads import iterate, run
from fluxoperator._wait import Waits
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import AsyncClient, AsyncMiniClusterClient, Client, MiniClusterClient
from scripted import Asked, always, change, eventually, listed, manifest, model, quiet, status

# asyncio


def threads() -> List[str]:
    """Gives the names of the threads that calls run in."""
    return [thread.name for thread in threading.enumerate() if "fluxoperator" in thread.name]


PAIRS = [(Client, AsyncClient), (MiniClusterClient, AsyncMiniClusterClient)]


@pytest.mark.parametrize("blocking, found", PAIRS)
def test_the_asynchronous_client_has_every_method_of_the_other(blocking, found):
    methods = {n: f for n, f in inspect.getmembers(blocking, inspect.isfunction) if n[0] != "_"}
    assert {"get", "watch", "exec", "port_forward"} < set(methods)
    assert {n for n in dir(found) if n[0] != "_"} == set(methods)
    for name, method in methods.items():
        own = getattr(found, name)
        assert inspect.signature(own) == inspect.signature(method), name
        assert own.__doc__ == method.__doc__, name
        returns = str(inspect.signature(method).return_annotation)
        if name in ("extract", "port_forward"):
            assert not inspect.iscoroutinefunction(own), name
        elif returns.startswith(("Iterator", "Watch")):
            assert inspect.isasyncgenfunction(own), name
        else:
            assert inspect.iscoroutinefunction(own), name
    assert inspect.signature(found) == inspect.signature(blocking)


def test_help_shows_the_methods():
    text = pydoc.plain(pydoc.render_doc(AsyncMiniClusterClient))
    for line in ("async get(self, name: ", "async flux(", "Reads an object.", "Runs a command of Flux"):
        assert line in text


def test_the_asynchronous_client_can_be_replaced_by_a_mock():
    mock = create_autospec(AsyncMiniClusterClient, instance=True)
    mock.get.return_value = model()

    async def main() -> Any:
        with pytest.raises(TypeError):
            await mock.get()
        return await mock.get("one")

    assert asyncio.run(main()) is mock.get.return_value


@pytest.mark.parametrize("client", [AsyncClient(MiniCluster, "here"), AsyncMiniClusterClient("here")])
def test_the_asynchronous_client_can_be_pickled(client):
    for same in (pickle.loads(pickle.dumps(client)), copy.deepcopy(client)):
        assert type(same) is type(client)
        assert (same.client.namespace, same.client.kind) == ("here", MiniCluster)
        assert same.get.__self__ is same


def test_a_method_that_the_blocking_client_overrides_is_the_one_that_runs():
    class Mine(MiniClusterClient):
        def get(self, name: str, namespace: Optional[str] = None) -> Any:
            return name, namespace

    found = AsyncMiniClusterClient()
    found.client = Mine()
    assert asyncio.run(found.get("one", namespace="two")) == ("one", "two")


@pytest.mark.parametrize("module", ["kubernetes.aio.client.api_client", "kubernetes_asyncio.client.api_client"])
def test_an_api_client_for_asyncio_is_refused_at_once(module):
    with pytest.raises(TypeError, match="expected a kubernetes.client.ApiClient"):
        AsyncClient(MiniCluster, api_client=type("ApiClient", (), {"__module__": module})())


def test_asynchronous_calls_run_at_the_same_time(server):
    both = threading.Barrier(2, timeout=60)
    server.script = [lambda asked: both.wait() >= 0 and manifest(asked.path[-3:])]

    async def main() -> List[MiniCluster]:
        found = AsyncClient(MiniCluster, api_client=server.api_client())
        return list(await asyncio.gather(found.get("one"), found.get("two")))

    assert [item["metadata"]["name"] for item in asyncio.run(main())] == ["one", "two"]
    eventually(lambda: not threads())


def test_asynchronous_calls_raise_what_the_others_do(server):
    server.script = [always((404, status(404, "NotFound")))]
    with pytest.raises(errors.NotFound):
        asyncio.run(AsyncClient(MiniCluster, api_client=server.api_client()).get("one"))


@pytest.mark.parametrize("how", ["watch", "wait_for", "delete"])
def test_cancelling_closes_the_connection_and_leaves_no_thread(server, how):
    deleted = {"kind": "Status", "details": {"uid": "uid-one"}}
    server.script = [always(deleted)] if how == "delete" else []
    server.script += [always(listed(manifest())), quiet]

    async def watch(found: AsyncClient[MiniCluster]) -> None:
        async for event in found.watch():
            assert event.object["metadata"]["name"] == "one"

    async def main() -> None:
        found = AsyncClient(MiniCluster, api_client=server.api_client())
        calls = {"watch": lambda: watch(found), "wait_for": lambda: found.wait_for("one"), "delete": lambda: found.delete("one", wait=True)}
        task = asyncio.ensure_future(calls[how]())
        while "watch" not in (server.asked[-1].query if server.asked else {}):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert server.ended.wait(60)
    eventually(lambda: not threads())


def test_leaving_an_asynchronous_watch_closes_its_connection(server):
    server.script = [always(listed(manifest())), quiet]

    async def main() -> None:
        events = AsyncClient(MiniCluster, api_client=server.api_client()).watch()
        async for _ in events:
            break
        await events.aclose()

    asyncio.run(main())
    eventually(lambda: not threads())


def test_events_that_come_at_once_are_all_there_in_their_order(server):
    count = 1000
    server.script = [always(listed()), lambda asked: (change("ADDED", manifest(f"n{i}")) for i in range(count)), quiet]

    async def main() -> List[str]:
        names: List[str] = []
        async for event in AsyncClient(MiniCluster, api_client=server.api_client()).watch():
            names.append(event.object["metadata"]["name"])
            if len(names) == count:
                break
        return names

    assert asyncio.run(main()) == [f"n{i}" for i in range(count)]
    eventually(lambda: not threads())


def test_one_thread_reads_ahead_of_the_task_and_not_too_far():
    given: List[int] = []
    names = set()

    def items() -> Iterator[int]:
        for i in range(5000):
            given.append(i)
            names.add(threading.get_ident())
            yield i

    async def main() -> None:
        found, ahead = iterate(items), 0
        async for i in found:
            ahead = max(ahead, len(given) - i)
            if i in (0, 700):  # a task that takes long
                await asyncio.sleep(0.05)
        assert 1 < ahead <= 600

    asyncio.run(main())
    assert given == list(range(5000)) and len(names) == 1


def test_other_tasks_have_their_turn_while_items_come():
    async def main() -> None:
        turns, items = 0, iterate(lambda: range(100_000))

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(other())
        async for _ in items:
            pass
        task.cancel()
        assert turns > 200

    asyncio.run(main())


def test_an_error_comes_after_the_items_before_it():
    def items() -> Iterator[int]:
        yield 1
        raise errors.WaitTimeout("no more")

    async def main() -> List[int]:
        found: List[int] = []
        with pytest.raises(errors.WaitTimeout, match="no more"):
            async for i in iterate(items):
                found.append(i)
        return found

    assert asyncio.run(main()) == [1]


def test_leaving_a_stream_that_is_ahead_ends_its_thread():
    ended = threading.Event()

    def items() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            ended.set()

    async def main() -> None:
        found = iterate(items)
        async for _ in found:
            break
        await asyncio.sleep(0.05)  # now it waits for room
        await found.aclose()

    asyncio.run(main())
    assert ended.wait(60)
    eventually(lambda: not threads())


def test_a_thread_runs_one_call_after_another():
    async def main() -> None:
        first = await run(threading.get_ident)
        await asyncio.sleep(0.05)
        assert await run(threading.get_ident) == first
        many = await asyncio.gather(*(run(lambda: time.sleep(0.2)) for _ in range(100)))
        assert len(many) == 100

    before = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - before < 15  # not one after another
    eventually(lambda: not threads())


def test_a_call_has_the_context_variables_of_its_task():
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")

    async def main() -> None:
        variable.set("mine")
        assert await run(variable.get) == "mine"
        assert [i async for i in iterate(lambda: [variable.get()])] == ["mine"]

    asyncio.run(main())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_was_forked_does_not_wait_for_threads_of_its_parent(server):
    server.script = [always(manifest())]
    found = AsyncClient(MiniCluster, api_client=server.api_client())
    asyncio.run(found.get("one"))
    child = os.fork()
    if not child:
        try:
            asyncio.run(asyncio.wait_for(found.get("one"), 30))
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_loop_that_is_closed_first_leaves_no_thread():
    go_on = threading.Event()
    loop = asyncio.new_event_loop()
    task = loop.create_task(run(lambda: go_on.wait(60)))
    loop.run_until_complete(asyncio.sleep(0.01))
    task.cancel()
    loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    loop.close()
    go_on.set()
    eventually(lambda: not threads())


def test_a_cancelled_call_does_not_wait_for_its_turn(server):
    server.script = [always((429, status(429, "TooManyRequests"), {"Content-Type": "application/json", "Retry-After": "50"}))]

    async def main() -> None:
        task = asyncio.ensure_future(AsyncClient(MiniCluster, api_client=server.api_client()).get("one"))
        while not server.asked:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = time.monotonic()
    asyncio.run(main())
    eventually(lambda: not threads())
    assert time.monotonic() - before < 40


def test_a_call_that_is_cancelled_asks_no_more(server):
    asked, go_on = threading.Event(), threading.Event()

    def page(request: Asked) -> Any:
        asked.set()
        go_on.wait(60)
        return listed(manifest(), **{"continue": "more"})

    server.script = [page]

    async def main() -> None:
        task = asyncio.ensure_future(AsyncClient(MiniCluster, api_client=server.api_client()).list())
        while not asked.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(main())
    eventually(lambda: not threads())
    assert len(server.asked) == 1


def test_the_clients_are_importable_without_kubernetes():
    code = (
        "import sys; sys.modules['kubernetes'] = sys.modules['urllib3'] = None\n"
        "from fluxoperator import MiniCluster, api, errors\n"
        "from fluxoperator.client import AsyncClient, Client\n"
        "Client(MiniCluster); AsyncClient(MiniCluster); api.FluxFrameworkOrgV1alpha1Api()\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
