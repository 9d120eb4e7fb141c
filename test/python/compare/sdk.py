#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs each row of the comparison in docs/use/python.md for this SDK, on the cluster of KUBECONFIG.

The operator runs there, and in the environment are this SDK, kubernetes 37 or newer and pydantic. With
``--restart COMMAND`` the command kills and restarts the API server during a watch. It prints Y or N and the row,
with the error for N; exit code 1 if a row is not as the document says. No part of CI.
"""

from __future__ import annotations

import argparse
import copy
import inspect
import io
import pickle
import subprocess
import sys
import threading
import time
import typing
from contextlib import suppress
from importlib.resources import files
from typing import Any, Callable, Dict

from kubernetes import client as kubernetes
from kubernetes import config

import fluxoperator
from fluxoperator import client as clients
from fluxoperator import errors
from fluxoperator.client import AsyncMiniClusterClient, Client, MiniClusterClient, Object
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec, PodSpec

ROWS: Dict[str, Callable[[], Any]] = {}
STAY = PodSpec(annotations={"cluster.flux-framework.org/run-for": "1h"})
# Rows that the document has as N: another package has them, or nobody asked for them.
ABSENT = {"async without threads", "cp", "list as a generator", "table or dataframe output"}


def row(title: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Makes a function a row: it fails, or returns a false value, for N."""

    def add(function: Callable[[], Any]) -> Callable[[], Any]:
        return ROWS.setdefault(title, function)

    return add


def raises(kind: Any, call: Callable[[], Any], text: str = "") -> bool:
    """Says whether a call raises an error with a text."""
    try:
        call()
    except kind as error:
        return text in str(error)
    return False


def made(name: str, **spec: Any) -> MiniCluster:
    spec = {"size": 2, "interactive": True, "pod": STAY, "containers": [MiniClusterContainer(image="any")], **spec}
    return MiniCluster(metadata={"name": name}, spec=MiniClusterSpec(**spec))


@row("typed models of the custom kind")
def _() -> Any:
    return isinstance(client.get("demo").spec.containers[0], MiniClusterContainer)


@row("unknown keyword refused")
def _() -> Any:
    return raises(TypeError, lambda: MiniClusterSpec(sise=1, containers=[]))


@row("wrong type refused when built")
def _() -> Any:
    return raises(errors.ValidationError, lambda: made("a", size="4"))


@row("unknown field in a nested dict noticed")
def _() -> Any:
    bad = {"containers": [{"image": "a", "comand": "b"}]}
    return raises(errors.ValidationError, lambda: MiniCluster(spec=bad), "did you mean command")


@row("unknown field refused by the server by default")
def _() -> Any:
    body = dict(made("typo"))
    body["spec"]["taks"] = 3
    return raises(errors.BadRequest, lambda: client.create(body), 'unknown field "spec.taks"')


@row("async without threads")
def _() -> Any:
    import asyncio

    async def count() -> int:
        before = threading.active_count()
        await AsyncMiniClusterClient().get("demo")
        return threading.active_count() - before

    return asyncio.run(count()) == 0


@row("watch survives a killed API server")
def _() -> Any:
    if not options.restart:
        return None
    names, ready = [], threading.Event()

    def listen() -> None:
        for event in client.watch(timeout=90):
            if event.type == "ADDED":
                names.append(event.object.metadata.name)
                ready.set()
                if "after" in names:
                    return

    thread = threading.Thread(target=listen)
    thread.start()
    ready.wait(30)
    subprocess.run(options.restart, shell=True, check=True)
    client.create(made("after"))
    thread.join(90)
    client.delete("after", wait=True)
    return "after" in names and len(names) == len(set(names))


@row("server-side apply, with extract and diff")
def _() -> Any:
    mine = MiniCluster.partial(metadata={"name": "demo", "labels": {"a": "b"}})
    shown, applied = client.diff(mine), client.apply(mine)
    return "+    a: b" in shown and dict(client.extract(applied)) == dict(
        MiniCluster.partial(metadata={"name": "demo", "namespace": "default", "labels": {"a": "b"}})
    )


@row("wait for a condition or a function")
def _() -> Any:
    return client.wait_for("demo", "JobRunning", 60) and client.wait_for("demo", lambda m: m.status.size == 2, 60)


@row("wait fails fast, with the reason")
def _() -> Any:
    two = [MiniClusterContainer(image="a"), MiniClusterContainer(image="b")]
    client.create(made("two", containers=two))
    began = time.monotonic()
    try:
        return raises(errors.WaitFailed, lambda: client.wait_ready("two"), "runFlux") and time.monotonic() - began < 10
    finally:
        client.delete("two", wait=True)


@row("dry run")
def _() -> Any:
    client.create(made("dry"), dry_run=True)
    return raises(errors.NotFound, lambda: client.get("dry"))


@row("field manager")
def _() -> Any:
    found = MiniClusterClient(field_manager="mine").patch("demo", {"metadata": {"labels": {"c": "d"}}})
    return "mine" in {entry.manager for entry in found.metadata.managed_fields}


@row("logs, followed")
def _() -> Any:
    client.create(made("logs", pod=PodSpec(annotations={"cluster.flux-framework.org/run-for": "3s"})))
    try:
        return len([*client.logs("logs", follow=True, timeout=60)]) >= 20
    finally:
        client.delete("logs", wait=True)


@row("exec with exit code")
def _() -> Any:
    return client.exec(client.lead_broker("demo"), ["sh", "-c", "exit 3"], timeout=30).exit_code == 3


@row("port-forward")
def _() -> Any:
    with client.port_forward(client.lead_broker("demo"), 5000) as port:
        return port > 0


@row("cp")
def _() -> Any:
    return hasattr(client, "cp")


@row("scale")
def _() -> Any:
    return client.scale("demo", 2).spec.replicas == 2


@row("list in pages")
def _() -> Any:
    return len(client.list(limit=1)) >= 1


@row("list as a generator")
def _() -> Any:
    return inspect.isgenerator(client.list(limit=1))


@row("selectors")
def _() -> Any:
    return client.list(label_selector="a=b") and client.list(field_selector="metadata.name=none") == []


@row("impersonation")
def _() -> Any:
    other = kubernetes.ApiClient()
    other.set_default_header("Impersonate-User", "nobody")
    return raises(errors.Forbidden, lambda: MiniClusterClient("default", other).list(), "nobody")


@row("kinds without a model")
def _() -> Any:
    class ConfigMap(Object):
        GROUP, VERSION, API_VERSION = "", "v1", "v1"
        KIND, PLURAL, NAMESPACED = "ConfigMap", "configmaps", True

    return Client(ConfigMap).list(limit=5)


@row("informer and leader election (of kubernetes 37)")
def _() -> Any:
    from kubernetes.informer import SharedInformer
    from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

    return SharedInformer and LeaseLock  # examples/python/informer.py runs them


@row("fake for tests")
def _() -> Any:
    from fluxoperator.testing import FakeServer

    fake = FakeServer(made("one")).client(MiniCluster)
    return raises(errors.AlreadyExists, lambda: fake.create(made("one")))


@row("py.typed")
def _() -> Any:
    return files(fluxoperator).joinpath("py.typed").is_file()


@row("attribute help at run time")
def _() -> Any:
    return "size" in inspect.getdoc(MiniClusterSpec) or inspect.getdoc(MiniClusterSpec.size)


@row("run-time type hints resolve")
def _() -> Any:
    return typing.get_type_hints(MiniClusterContainer) and typing.get_type_hints(MiniClusterSpec)


@row("field of a pydantic model, with JSON Schema")
def _() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(MiniCluster).json_schema()


@row("pickle and deepcopy")
def _() -> Any:
    found = client.get("demo")
    return pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found


@row("repr in several lines, without managedFields")
def _() -> Any:
    shown = repr(client.get("demo"))
    return "\n" in shown and "anaged" not in shown


@row("namespace of the context as default")
def _() -> Any:
    from kubernetes.config import list_kube_config_contexts

    _, active = list_kube_config_contexts()
    return MiniClusterClient().namespace == active["context"].get("namespace", "default")


@row("table or dataframe output")
def _() -> Any:
    return any("table" in name or "frame" in name for name in dir(clients))


@row("clean YAML for git")
def _() -> Any:
    text = io.StringIO(client.get("demo").clean().to_yaml()).read()
    return "uid" not in text and "status" not in text


@row("compares the CRD of the server with its own")
def _() -> Any:
    return client.check() == [] and not client.supports("spec.none")


def main() -> int:
    """Runs the rows and gives the exit code."""
    wrong = 0
    client.create(made("demo"))
    try:
        client.wait_for("demo", "JobRunning", 120)
        for title, run in ROWS.items():
            try:
                found, why = run(), ""
            except Exception as error:
                found, why = False, f" ({type(error).__name__}: {error})"
            letter = "-" if found is None else "Y" if found else "N"
            wrong += letter != "-" and (letter == "N") != (title in ABSENT)
            print(f"{letter}  {title}{why}", flush=True)
    finally:
        with suppress(errors.NotFound):
            client.delete("demo", wait=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--restart", help="a command that kills and restarts the API server")
    options = parser.parse_args()
    config.load_kube_config()
    client: Any = MiniClusterClient()
    sys.exit(main())
