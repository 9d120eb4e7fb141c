#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs rows of the comparison in docs/use/python.md for the packages that are installed, of lightkube, kr8s, kubernetes
and kubernetes_asyncio, on the cluster of KUBECONFIG. It prints Y, or N with the reason. No part of CI.

``--restart COMMAND`` kills and restarts the API server during a watch.
"""

from __future__ import annotations

import argparse
import asyncio
import pickle
import pkgutil
import subprocess
import threading
import time
import typing
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Callable, Iterator, List

WHERE = "flux-framework.org", "v1alpha1", "default", "miniclusters"
HOME = {"namespace": "default"}


def manifest(name: str, **spec: Any) -> Any:
    spec = {"size": 1, "interactive": True, "containers": [{"image": "any"}], **spec}
    head = {"apiVersion": "flux-framework.org/v1alpha1", "kind": "MiniCluster"}
    return {**head, "metadata": {"name": name, **HOME}, "spec": spec}


def show(package: str, title: str, call: Callable[[], Any]) -> None:
    """Prints a row: Y for a true value, else N."""
    try:
        found, why = call(), ""
    except (Exception, SystemExit) as error:
        found, why = False, f" ({type(error).__name__}: {str(error)[:90]})".replace("\n", " ")
    print(f"{'Y' if found else 'N'}  {package}: {title}{why}", flush=True)


def refused(kind: Any, call: Callable[[], Any]) -> bool:
    try:
        call()
    except kind:
        return True
    return False


def has(package: str, *words: str) -> bool:
    """Says whether a package has a module of such a name."""
    found = import_module(package)
    names = [each.name for each in pkgutil.iter_modules(found.__path__)]
    return any(word in name.rsplit(".", 1)[-1] for name in names for word in words)


def survives(watch: Callable[[str], Iterator[str]], create: Callable[[str], Any]) -> bool:
    """Says whether a watch, which yields names until one is there, goes on after the API server was killed."""
    wanted = f"after-{time.time_ns()}"
    seen: List[str] = []
    failed: List[BaseException] = []

    def listen() -> None:
        try:
            for name in watch(wanted):
                seen.append(name)
                if name == wanted:
                    return
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    time.sleep(3)
    subprocess.run(options.restart, shell=True, check=True)
    create(wanted)
    thread.join(30)
    if failed:
        raise failed[0]
    return wanted in seen


def common(package: str) -> None:
    """Runs the rows that are the same for each package."""
    print(f"{package} {version(package)}")
    show(package, "py.typed", lambda: files(package).joinpath("py.typed").is_file())
    show(package, "a module for tests or fakes", lambda: has(package, "testing", "fake", "mock"))
    show(package, "informer", lambda: has(package, "informer", "reflector"))
    show(package, "leader election", lambda: has(package, "leaderelection", "leader_election"))


def lightkube() -> None:
    from lightkube import Client
    from lightkube.core.exceptions import ConditionError
    from lightkube.generic_resource import create_namespaced_resource
    from lightkube.models.meta_v1 import ObjectMeta

    kind: Any = create_namespaced_resource("flux-framework.org", "v1alpha1", "MiniCluster", "miniclusters")
    client: Any = Client(namespace="default", field_manager="lightkube")
    body = kind.from_dict(manifest("lightkube"))
    name = "lightkube"
    show(name, "typed models of the custom kind", lambda: not isinstance(body.spec, dict))
    show(name, "unknown keyword refused", lambda: refused(TypeError, lambda: ObjectMeta(nmae="a")))
    show(name, "wrong type refused when built", lambda: refused(Exception, lambda: ObjectMeta(name=5)))
    show(name, "unknown field in a nested dict", lambda: refused(Exception, lambda: ObjectMeta.from_dict({"nmae": 1})))
    show(name, "run-time type hints", lambda: typing.get_type_hints(ObjectMeta))
    show(name, "pickle", lambda: pickle.loads(pickle.dumps(body)) == body)
    show(name, "dry run", lambda: client.create(body, dry_run=True))
    show(name, "server-side apply", lambda: client.apply(body))

    def fast() -> bool:
        client.create(kind.from_dict(manifest("ends", interactive=False)))
        began = time.monotonic()
        try:
            client.wait(kind, "ends", for_conditions=["Never"], raise_for_conditions=["JobFinished"])
        except ConditionError:
            return time.monotonic() - began < 20
        return False

    show(name, "wait fails fast, by a condition that becomes True", fast)
    show(name, "exec", lambda: hasattr(client, "exec"))
    watch = lambda wanted: (each.metadata.name for _, each in client.watch(kind))  # noqa: E731
    show(name, "watch survives", lambda: survives(watch, lambda n: client.create(kind.from_dict(manifest(n)))))


def kr8s() -> None:
    import kr8s as package
    from kr8s.objects import new_class

    name = "kr8s"
    kind: Any = new_class("MiniCluster", "flux-framework.org/v1alpha1", namespaced=True)
    made = kind(manifest("kr8s"))
    made.create()
    show(name, "typed models of the custom kind", lambda: type(made.spec).__name__ not in ("Box", "dict"))
    show(name, "unknown field refused when built", lambda: refused(Exception, lambda: kind(manifest("a", sise=1))))
    show(name, "pickle", lambda: pickle.loads(pickle.dumps(made)))
    show(name, "server-side apply", lambda: hasattr(made, "apply"))
    show(name, "dry run", lambda: "dry" in str(made.create.__doc__))
    watch = lambda wanted: (each.name for _, each in package.watch(kind, namespace="default"))  # noqa: E731
    show(name, "watch survives", lambda: survives(watch, lambda n: kind(manifest(n)).create()))


def kubernetes() -> None:
    from kubernetes import client, config
    from kubernetes.watch import Watch

    name = "kubernetes"
    load: Any = config.load_kube_config
    load()
    api: Any = client.CustomObjectsApi()
    meta: Any = client.V1ObjectMeta
    show(name, "unknown keyword refused", lambda: refused(Exception, lambda: meta(nmae="a")))
    show(name, "wrong type refused when built", lambda: refused(Exception, lambda: meta(name=[5])))
    show(name, "run-time type hints", lambda: typing.get_type_hints(meta))
    show(name, "pickle", lambda: pickle.loads(pickle.dumps(meta(name="a"))) == meta(name="a"))
    create = api.create_namespaced_custom_object
    bad = manifest("kubernetes", sise=1)
    show(
        name, "unknown field refused by default", lambda: refused(Exception, lambda: create(*WHERE, bad, dry_run="All"))
    )
    strict = {"dry_run": "All", "field_validation": "Strict"}
    show(name, "the same by argument", lambda: refused(Exception, lambda: create(*WHERE, bad, **strict)))

    def watch(wanted: str) -> Iterator[str]:
        for event in Watch().stream(api.list_namespaced_custom_object, *WHERE):
            yield event["object"]["metadata"]["name"]

    show(name, "watch survives", lambda: survives(watch, lambda n: create(*WHERE, manifest(n))))


def kubernetes_asyncio() -> None:
    from kubernetes_asyncio import client, config, watch

    name = "kubernetes_asyncio"
    show(name, "unknown keyword refused", lambda: refused(TypeError, lambda: client.V1ObjectMeta(nmae="a")))
    show(name, "wrong type refused when built", lambda: refused(Exception, lambda: client.V1ObjectMeta(name=[5])))
    show(name, "run-time type hints", lambda: typing.get_type_hints(client.V1ObjectMeta))

    async def create(n: str) -> None:
        await config.load_kube_config()
        async with client.ApiClient() as api:
            await client.CustomObjectsApi(api).create_namespaced_custom_object(*WHERE, manifest(n))

    async def listen(wanted: str, names: List[str]) -> None:
        await config.load_kube_config()
        async with client.ApiClient() as api:
            lister = client.CustomObjectsApi(api).list_namespaced_custom_object
            async for event in watch.Watch().stream(lister, *WHERE):
                names.append(event["object"]["metadata"]["name"])
                if names[-1] == wanted:
                    return

    def watched(wanted: str) -> Iterator[str]:
        names: List[str] = []
        asyncio.run(listen(wanted, names))
        yield from names

    show(name, "watch survives", lambda: survives(watched, lambda n: asyncio.run(create(n))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--restart", required=True, help="a command that kills and restarts the API server")
    options = parser.parse_args()
    for each in (lightkube, kr8s, kubernetes, kubernetes_asyncio):
        if find_spec(each.__name__):
            common(each.__name__)
            each()
        else:
            print(f"{each.__name__} is not installed")
