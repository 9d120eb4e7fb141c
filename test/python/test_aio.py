# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio, and what importing clients costs."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from typing import Any, List

import pytest

from fluxoperator import MiniCluster, errors
from fluxoperator._streams import Streams
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import AsyncClient, Client, Event
from scripted import Asked, always, eventually, listed, manifest, quiet, status

# asyncio


def threads() -> List[str]:
    """Gives the names of the threads that calls run in."""
    return [thread.name for thread in threading.enumerate() if "fluxoperator" in thread.name]


def test_the_asynchronous_client_has_every_method_of_the_other(server):
    found = AsyncClient(MiniCluster, api_client=server.api_client())
    public = {n for n in {**vars(Streams), **vars(Client)} if not n.startswith("_")}
    own = {name for name in vars(found) if callable(getattr(found, name))}
    assert public - {"transport", "namespace"} == own | {"port_forward"}
    assert found.get.__doc__ == Client.get.__doc__
    assert inspect.signature(found.patch) == inspect.signature(found.client.patch)


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
