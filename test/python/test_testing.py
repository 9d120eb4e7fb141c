# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a test can tell the fake server, and what only the fake server can show. What it has in
common with an API server is in behaviours/."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, List

import pytest
from kubernetes import client as kubernetes
from kubernetes import watch as kubernetes_watch

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec, errors
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import AsyncClient, Client, MiniClusterClient, Object
from fluxoperator.testing import FakeServer

WHERE = ("flux-framework.org", "v1alpha1", "default", "miniclusters")
STATUS = {"jobid": "x", "maximumSize": 4, "selector": "a=b", "size": 1}


class Pod(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Pod", "pods"


def made(name: str = "one", **meta: Any) -> MiniCluster:
    """Gives a MiniCluster."""
    metadata = kubernetes.V1ObjectMeta(name=name, **meta)
    return MiniCluster(metadata=metadata, spec=MiniClusterSpec(containers=[MiniClusterContainer()], size=4))


@pytest.fixture
def server() -> FakeServer:
    """Gives a fake server with one object."""
    return FakeServer(made())


@pytest.fixture
def clusters(server: FakeServer) -> Client[MiniCluster]:
    """Gives a client of it."""
    return server.client(MiniCluster)


def test_the_example_of_the_readme_runs() -> None:
    from importlib import metadata

    try:
        text = str(metadata.metadata("fluxoperator").get_payload())
    except metadata.PackageNotFoundError:
        text = ""
    text = text if "FakeServer" in text else (Path(os.environ["FLUXOPERATOR_SDK"]) / "README.md").read_text()
    (block,) = re.findall(r"```python\n(from fluxoperator.testing.*?)```", text, re.S)
    names = {"MiniCluster": MiniCluster, "MiniClusterClient": MiniClusterClient, "minicluster": made("lammps")}
    exec(block, names)
    names["test_a_run_ends"]()  # type: ignore[operator]


def test_it_is_loaded_when_asked_for() -> None:
    script = (
        "import sys, fluxoperator.client\n"
        "assert not [m for m in sys.modules if 'testing' in m and 'fluxoperator' in m]\n"
        "from fluxoperator.testing import FakeServer\n"
        "FakeServer()\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_objects_exist_from_the_start() -> None:
    first = MiniCluster.from_dict({**made(), "status": STATUS})
    server = FakeServer(first, made("two", namespace="other"))
    found = server.client(MiniCluster).list(all_namespaces=True)
    assert [(i["metadata"]["namespace"], i["metadata"]["name"]) for i in found] == [("default", "one"), ("other", "two")]
    assert found[0]["status"] == STATUS and not server.requests[1:]
    with pytest.raises(errors.AlreadyExists):
        server.add(made())


def test_a_controller_is_played(server: FakeServer, clusters: Client[MiniCluster]) -> None:
    server.set_status(MiniCluster, "one", {"size": 3})
    server.set_condition(MiniCluster, "one", "JobRunning", "False", "Waiting", "for nodes")
    server.set_condition(MiniCluster, "one", "JobRequested")
    server.set_condition(MiniCluster, "one", "JobRunning")
    found = clusters.get("one")
    assert found["status"]["size"] == 3 and found["metadata"]["generation"] == 1
    assert [(c["type"], c["status"], c["reason"]) for c in found["status"]["conditions"]] == [
        ("JobRequested", "True", "Fake"),
        ("JobRunning", "True", "Fake"),
    ]
    assert found["status"]["conditions"][0]["lastTransitionTime"].startswith("2026-01-01T00:00:0")
    assert clusters.wait_for("one", "JobRunning") == found
    assert clusters.patch("one", {"spec": {"size": 5}})["spec"]["size"] == 5, "the incomplete status is not held against it"
    with pytest.raises(errors.NotFound):
        server.set_status(MiniCluster, "absent", {})
    with pytest.raises(errors.NotFound):
        server.set_condition(MiniCluster, "absent", "Ready")


def test_requests_fail_as_they_are_told(server: FakeServer, clusters: Client[MiniCluster]) -> None:
    for status, error in ((403, errors.Forbidden), (409, errors.Conflict), (500, errors.ServerError), (0, errors.Unreachable)):
        server.fail_next(status, "as told")
        with pytest.raises(error, match="as told"):
            clusters.patch("one", {"spec": {"size": 2}})
    server.fail_next(404, method="GET", name="two", times=2)
    assert clusters.get("one").spec.size == 4
    clusters.create(made("two"))
    for _ in range(2):
        with pytest.raises(errors.NotFound):
            clusters.get("two")
    assert clusters.get("two")
    server.fail_next(429, retry_after=0, times=3)
    assert clusters.create(made("three"))
    assert [r.method for r in server.requests[-4:]] == ["POST"] * 4 and server.requests[-1].body["metadata"]["name"] == "three"


def test_old_versions_expire(server: FakeServer, clusters: Client[MiniCluster]) -> None:
    clusters.create(made("two"))
    path, first = clusters._path(None), clusters.get("one")
    page = clusters.transport.request("GET", path, {"limit": 1})["metadata"]
    clusters.create(made("three"))
    server.compact()
    with pytest.raises(errors.Gone, match="too old") as caught:
        clusters.transport.request("GET", path, {"limit": 1, "continue": page["continue"]})
    assert (caught.value.status, caught.value.reason) == (410, "Expired")
    query = {"watch": True, "resourceVersion": first["metadata"]["resourceVersion"]}
    (line,) = clusters.transport.stream("GET", path, query)
    assert b'"ERROR"' in line and b"too old resource version: 2 (4)" in line
    with clusters.watch(resource_version=first["metadata"]["resourceVersion"], timeout=30) as watch:
        names = [watch.following().object["metadata"]["name"] for _ in range(3)]
    assert names == ["one", "three", "two"], "it was listed again"


def test_a_watch_that_is_cut_goes_on(server: FakeServer, clusters: Client[MiniCluster]) -> None:
    with clusters.watch(timeout=30) as watch:
        assert watch.following().type == "ADDED"
        with ThreadPoolExecutor() as pool:
            following = pool.submit(watch.following)
            while not any(r.query.get("watch") for r in server.requests):
                time.sleep(0.01)
            server.disconnect()
            clusters.delete("one")
            assert following.result().type == "DELETED"
    watches = [r for r in server.requests if r.query.get("watch")]
    assert len(watches) >= 2 and watches[0].query["resourceVersion"] == watches[1].query["resourceVersion"] == "2"


def test_a_bookmark_moves_a_watch_on(server: FakeServer, clusters: Client[MiniCluster]) -> None:
    lines = iter(clusters.transport.stream("GET", clusters._path(None), {"watch": True, "allowWatchBookmarks": True}))
    assert b'"ADDED"' in next(lines)
    server.add(Pod.from_dict({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}))
    server.bookmark()
    mark = next(lines)
    assert b'"BOOKMARK"' in mark and b'"resourceVersion": "3"' in mark


def test_a_watch_of_another_thread_can_be_closed(clusters: Client[MiniCluster]) -> None:
    with clusters.watch() as watch:
        watch.following()
        timer = threading.Timer(0.2, watch.close)
        timer.start()
        assert watch.following() is None
        timer.join()


def test_dependents_go_with_their_owner(server: FakeServer, clusters: Client[MiniCluster]) -> None:
    owner = {"apiVersion": "x", "kind": "x", "name": "one", "uid": clusters.get("one")["metadata"]["uid"]}
    pods = server.client(Pod)
    for name, owners in (("mine", [owner]), ("other", [])):
        meta = {"name": name, "ownerReferences": owners}
        pods.create(Pod.from_dict({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"any": [1]}}))
    clusters.delete("one")
    assert [pod["metadata"]["name"] for pod in pods.list()] == ["other"]
    clusters.create(made())
    pods.patch("other", {"metadata": {"ownerReferences": [{**owner, "uid": clusters.get("one")["metadata"]["uid"]}]}})
    clusters.delete("one", propagation="Orphan")
    assert [pod["spec"] for pod in pods.list(field_selector="spec.absent!=x")] == [{"any": [1]}]


def test_a_pod_has_a_log(server: FakeServer) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one-0-x"}, "spec": {"containers": [{"name": "one"}]}}
    server.add(Pod.from_dict({**pod, "status": {"phase": "Succeeded"}}))
    server.set_log("one-0-x", "first\nsecond\n")
    clusters = server.client(MiniCluster)
    assert [*clusters.logs("one", "one-0-x", follow=True)] == ["first", "second"]
    assert [*clusters.logs("one", "one-0-x", tail_lines=1, timestamps=True)] == ["2026-01-01T00:00:00Z second"]
    core: Any = kubernetes.CoreV1Api(server.api_client)
    # Without its own decoding: kubernetes 36 gives the text of a bytes object.
    assert core.read_namespaced_pod_log("one-0-x", "default", _preload_content=False).data == b"first\nsecond\n"
    with pytest.raises(errors.NotFound):
        next(iter(clusters.logs("one", "absent")))


def test_it_is_the_same_each_time() -> None:
    def run() -> List[Any]:
        clusters = FakeServer().client(MiniCluster)
        clusters.create(made(None, generate_name="run-"))
        clusters.apply(made("two"))
        return [dict(item) for item in clusters.list()]

    assert run() == run()


def test_the_clients_of_kubernetes_use_it(server: FakeServer) -> None:
    api: Any = kubernetes.CustomObjectsApi(server.api_client)
    stored = api.create_namespaced_custom_object(*WHERE, made("two"))
    assert stored["spec"]["size"] == 4 and stored["metadata"]["resourceVersion"]
    assert [i["metadata"]["name"] for i in api.list_namespaced_custom_object(*WHERE)["items"]] == ["one", "two"]
    with pytest.raises(kubernetes.ApiException) as caught:
        api.create_namespaced_custom_object(*WHERE, made("two"))
    assert caught.value.status == 409
    api.delete_namespaced_custom_object(*WHERE, "two")
    core = kubernetes.CoreV1Api(server.api_client)
    core.create_namespaced_config_map("default", kubernetes.V1ConfigMap(metadata={"name": "c"}, data={"a": "b"}))
    assert core.read_namespaced_config_map("c", "default").data == {"a": "b"}
    core.create_namespace(kubernetes.V1Namespace(metadata={"name": "n"}))
    assert [n.metadata.name for n in core.list_namespace().items] == ["n"]
    stream = kubernetes_watch.Watch().stream(api.list_namespaced_custom_object, *WHERE, timeout_seconds=1)
    assert [(e["type"], e["object"]["metadata"]["name"]) for e in stream] == [("ADDED", "one")]
    typed = FluxFrameworkOrgV1alpha1Api(server.api_client)
    assert typed.read_namespaced_mini_cluster("one", "default").spec.size == 4


def test_a_scale_may_be_at_other_paths(server: FakeServer, clusters: Client[MiniCluster]) -> None:
    server.scale_paths[MiniCluster] = ("spec.tasks", "status.tasks", "status.pods")
    assert clusters.scale("one", 7).spec.replicas == 7
    assert clusters.get("one").spec.tasks == 7
    with pytest.raises(errors.NotFound):
        server.client(Pod).get_scale("one")


def test_the_asynchronous_client_uses_it(server: FakeServer) -> None:
    async def main() -> None:
        clusters = AsyncClient(MiniCluster, "default", server.api_client)
        waiting = asyncio.ensure_future(clusters.wait_for("one", "JobRunning", timeout=30))
        await asyncio.sleep(0.1)
        server.set_condition(MiniCluster, "one", "JobRunning")
        assert (await waiting)["metadata"]["name"] == "one"

    asyncio.run(main())
