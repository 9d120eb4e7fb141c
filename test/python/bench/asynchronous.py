# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What asyncio costs: AsyncClient beside the blocking Client, and beside kubernetes.aio.

It needs the SDK and, for the last of them, kubernetes 36 or newer:

    PYTHONPATH=sdk/python/v1alpha1 python3 test/python/bench/asynchronous.py [--tls]

A server in a process of its own answers. Each row is measured in a new process, and a figure is
user and system time of that process; of kubernetes.aio it is its HTTP layer, with the SDK's models
built from what it reads.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, List, Tuple

SIDES = ("Client", "AsyncClient", "kubernetes.aio")
ITEMS, STREAMS = 20_000, 500
CONCURRENT = (1, 50, 500)
DELAY = 0.05  # seconds until the server answers a request
SPEC = {"size": 4, "containers": [{"image": "registry.example.com/app:1", "command": "run", "workingDir": "/work"}]}
META = {"name": "one", "namespace": "default", "uid": "u", "resourceVersion": "5", "generation": 1}
OBJECT = {"apiVersion": "flux-framework.org/v1alpha1", "kind": "MiniCluster", "metadata": META, "spec": SPEC}
Figures = Dict[str, float]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers a request with an object; a watch with ITEMS events, or none if it is a quiet one."""
    body = json.dumps(OBJECT).encode()
    event = json.dumps({"type": "MODIFIED", "object": OBJECT}).encode() + b"\n"
    chunk = b"%x\r\n%s\r\n" % (len(event), event)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    try:
        while True:
            asked = await reader.readuntil(b"\r\n\r\n")
            if b"watch=true" not in asked:
                await asyncio.sleep(DELAY)
                writer.write(head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                await writer.drain()
                continue
            writer.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(0 if b"quiet" in asked else ITEMS // 100):
                writer.write(chunk * 100)
                await writer.drain()
            await reader.read()
            break
    except (OSError, asyncio.IncompleteReadError):
        pass
    writer.close()


def serve(ports: Any, files: Tuple[str, ...]) -> None:
    """Runs the server, and puts its port into a queue."""

    async def main() -> None:
        context = None
        if files:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*files)
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context, backlog=1024)
        ports.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


class Side:
    """A way to read objects: one, and those of a watch."""

    def __init__(self, name: str, url: str, verify: str) -> None:
        from fluxoperator import MiniCluster
        from fluxoperator.client import AsyncClient, Client
        from kubernetes import client as kubernetes

        self.name, self.model = name, MiniCluster
        self.path = url + "/apis/flux-framework.org/v1alpha1/namespaces/default/miniclusters"
        configuration = kubernetes.Configuration()
        configuration.host, configuration.ssl_ca_cert = url, verify or None
        if name == "kubernetes.aio":
            from kubernetes.aio.client import Configuration

            self.aio = Configuration(host=url, connection_pool_maxsize=1000)
            self.aio.ssl_ca_cert = verify or None
            return
        api_client = kubernetes.ApiClient(configuration)
        self.client: Any = (Client if name == "Client" else AsyncClient)(MiniCluster, api_client=api_client)

    async def __aenter__(self) -> Side:
        if self.name == "kubernetes.aio":
            from kubernetes.aio.client import ApiClient

            self.rest = ApiClient(self.aio).rest_client
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.name == "kubernetes.aio":
            await self.rest.close()

    async def get(self) -> Any:
        """Reads an object."""
        if self.name == "AsyncClient":
            return await self.client.get("one")
        found = await self.rest.request("GET", self.path + "/one", headers={"Accept": "application/json"})
        return self.model.from_dict(json.loads(await found.read()))

    async def watch(self, quiet: str = "") -> Any:
        """Yields the objects of a watch."""
        if self.name == "AsyncClient":
            async for event in self.client.watch(quiet or None, resource_version="1"):
                yield event.object
            return
        query = f"?watch=true&fieldSelector=metadata.name={quiet}"
        found = await self.rest.request("GET", self.path + query, _request_timeout=3600)
        while line := await found.response.content.readline():
            yield self.model.from_dict(json.loads(line)["object"])


def resident() -> float:
    """Gives the memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def requests(side: Side, concurrent: int) -> Figures:
    """Reads objects, so many at a time; gives microseconds of CPU each, MiB and threads."""
    most, total = [0, 0.0], min(2_000, 100 * concurrent)

    def note() -> None:
        most[:] = max(most[0], threading.active_count()), max(most[1], resident())

    if side.name == "Client":
        side.client.get("one")
        before, started = resident(), time.process_time()
        with ThreadPoolExecutor(concurrent) as pool:
            found = pool.map(lambda _: (side.client.get("one"), note()), range(total))
            assert len(list(found)) == total
        return {"us": (time.process_time() - started) / total * 1e6, "MiB": most[1] - before, "threads": most[0]}

    async def main() -> Figures:
        async with side:
            await side.get()
            left = iter(range(total))

            async def reader() -> None:
                for _ in left:
                    await side.get()
                note()

            before, started = resident(), time.process_time()
            await asyncio.gather(*(reader() for _ in range(concurrent)))
            took = time.process_time() - started
            return {"us": took / total * 1e6, "MiB": most[1] - before, "threads": most[0]}

    return asyncio.run(main())


def items(side: Side, _: int) -> Figures:
    """Reads ITEMS objects of one watch; gives microseconds of CPU each."""

    def figures(started: float) -> Figures:
        return {"us": (time.process_time() - started) / ITEMS * 1e6, "MiB": 0, "threads": threading.active_count()}

    if side.name == "Client":
        started = time.process_time()
        with side.client.watch(resource_version="1") as watch:
            for number, _event in enumerate(watch, 1):
                if number == ITEMS:
                    return figures(started)

    async def main() -> Figures:
        async with side:
            started, number = time.process_time(), 0
            async for _object in side.watch():
                number += 1
                if number == ITEMS:
                    return figures(started)
        raise AssertionError("the watch has ended")

    return asyncio.run(main())


def streams(side: Side, count: int) -> Figures:
    """Has so many quiet watches open; gives microseconds of CPU, memory and threads for all."""
    if side.name == "Client":
        return {}

    async def read() -> None:
        async for _ in side.watch("quiet"):
            pass

    async def main() -> Figures:
        async with side:
            before, started = resident(), time.process_time()
            tasks: List[Any] = [asyncio.ensure_future(read()) for _ in range(count)]
            await asyncio.sleep(6)
            found = {"us": (time.process_time() - started) / count * 1e6, "MiB": resident() - before}
            found["threads"] = threading.active_count()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return found

    return asyncio.run(main())


ROWS: List[Tuple[str, Callable[[Side, int], Figures], int]] = [
    ("an item of a watch", items, 1),
    *((f"a request, {n} at a time", requests, n) for n in CONCURRENT),
    (f"a quiet watch, {STREAMS} open", streams, STREAMS),
]


def certificate(directory: str) -> Tuple[str, str]:
    """Makes a certificate for 127.0.0.1, and gives the files of it and its key."""
    names = str(Path(directory, "cert")), str(Path(directory, "key"))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    more = ["-addext", "subjectAltName=IP:127.0.0.1", "-out", names[0], "-keyout", names[1]]
    subprocess.run([*command, *more], check=True, stderr=subprocess.DEVNULL)
    return names


def main() -> None:
    """Measures and prints a table."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tls", action="store_true", help="over TLS, as real API servers")
    arguments.add_argument("--rows", type=int, default=len(ROWS), help="only the first rows")
    arguments.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        side, url, verify, row = given.one
        _, measure, count = ROWS[int(row)]
        print(json.dumps(measure(Side(side, url, verify), count)))
        return
    with tempfile.TemporaryDirectory() as directory:
        files = certificate(directory) if given.tls else ()
        ports: Any = multiprocessing.get_context("spawn").Queue()
        server = multiprocessing.get_context("spawn").Process(target=serve, args=(ports, files), daemon=True)
        server.start()
        url = f"http{'s' if given.tls else ''}://127.0.0.1:{ports.get()}"
        print("| µs CPU (MiB, threads) |", " | ".join(SIDES), "| AsyncClient is |\n|---|" + "---:|" * (len(SIDES) + 1))
        for number, (title, _, _) in enumerate(ROWS[: given.rows]):
            cells, found = [], []
            for side in SIDES:
                command = [sys.executable, __file__, "--one", side, url, (files or [""])[0], str(number)]
                ran = subprocess.run(command, capture_output=True, text=True)
                figures: Figures = json.loads(ran.stdout) if ran.returncode == 0 else {}
                found.append(figures.get("us"))
                cells.append("{us:,.0f} ({MiB:.0f}, {threads})".format(**figures) if figures else "–")
                if ran.returncode:
                    print(f"{side}: {ran.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            ratios = [f"{found[1] / found[n]:.2f}× {SIDES[n]}" for n in (0, 2) if found[n] and found[1]]
            print(f"| {title} |", " | ".join(cells), f"| {', '.join(ratios)} |", flush=True)
        server.terminate()


if __name__ == "__main__":
    main()
