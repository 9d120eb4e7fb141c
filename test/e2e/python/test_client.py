# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The clients on a real API server, with the operator."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Iterator, List, Tuple

import pytest
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec, errors
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import AsyncClient, Client

Eventually = Callable[[Callable[[], Any]], Any]


@pytest.fixture
def clusters(namespace: str) -> Client[MiniCluster]:
    """Gives a client of the test's namespace."""
    return Client(MiniCluster, namespace)


@pytest.fixture
def restart(checkout: Path, namespace: str) -> Iterator[Callable[[], None]]:
    """Gives a function that ends the API server and starts it anew.

    Components wait longer and longer, up to a minute, before they try to watch again. What is
    behind the test is to find them awake: a Job runs to its end.
    """
    command = [str(checkout / "bin" / "cluster"), "restart", "kube-apiserver"]

    def function() -> None:
        subprocess.run([*command, "--pause", "2s"], check=True)

    yield function
    clusters = Client(MiniCluster, namespace)
    clusters.create(minicluster("awake", interactive=False, pod=None))
    clusters.wait_for("awake", "JobFinished", timeout=300)


# Where nodes are played, pods of a Job end after a second unless this annotation says another time.
STAYING = {"annotations": {"cluster.flux-framework.org/run-for": "1h"}}


def minicluster(name: str, **spec: Any) -> MiniCluster:
    """Gives a MiniCluster that stays up."""
    spec = {"containers": [MiniClusterContainer(image="any")], "interactive": True, "max_size": 4, "pod": STAYING, **spec}
    metadata = kubernetes.V1ObjectMeta(name=name, labels={"of": "test"})
    return MiniCluster(metadata=metadata, spec=MiniClusterSpec(**spec))


def spec_of(found: MiniCluster) -> MiniClusterSpec:
    """Gives the spec, which each MiniCluster here has."""
    assert found.spec is not None
    return found.spec


def replicas(found: Any) -> int:
    """Gives how many pods a Scale asks for."""
    wanted: int = found.spec.replicas
    return wanted


def names(found: List[MiniCluster]) -> List[str]:
    """Gives the names of objects."""
    return [item["metadata"]["name"] for item in found]


def test_an_object_is_created_read_changed_and_deleted(clusters: Client[MiniCluster]) -> None:
    created = clusters.create(minicluster("one"))
    assert isinstance(created, MiniCluster) and created["metadata"]["uid"]
    with pytest.raises(errors.AlreadyExists) as caught:
        clusters.create(minicluster("one"))
    assert (caught.value.status, caught.value.reason) == (409, "AlreadyExists")
    assert isinstance(caught.value, kubernetes.ApiException)

    changed = clusters.patch("one", {"metadata": {"annotations": {"a": "b"}}})
    with pytest.raises(errors.Conflict, match="modified") as caught:
        clusters.replace(created)
    assert not isinstance(caught.value, errors.AlreadyExists)
    assert clusters.patch("one", [{"op": "remove", "path": "/metadata/annotations/a"}])["metadata"].get("annotations") is None
    assert changed["metadata"]["annotations"] == {"a": "b"}
    while True:
        read = clusters.get("one")
        spec_of(read).size = 2
        try:
            assert spec_of(clusters.replace(read)).size == 2
            break
        except errors.Conflict:
            continue  # the operator wrote in between

    clusters.delete("one", propagation="Foreground", wait=True, timeout=300)
    for call in (clusters.get, clusters.delete):
        with pytest.raises(errors.NotFound, match='miniclusters.flux-framework.org "one" not found'):
            call("one")


def test_a_wrong_value_is_refused_by_field(clusters: Client[MiniCluster]) -> None:
    clusters.create(minicluster("one"))
    with pytest.raises(errors.Invalid) as caught:
        clusters.patch("one", {"spec": {"size": "four"}})
    assert caught.value.status == 422
    assert "integer" in dict(caught.value.causes)["spec.size"]


def test_who_has_no_right_is_refused(user: Callable[[str], Any], namespace: str) -> None:
    other = Client(MiniCluster, namespace, api_client=user("sdk-nobody"))
    for call in (lambda: other.get("one"), lambda: next(iter(other.watch(timeout=300))), lambda: other.wait_for("one")):
        with pytest.raises(errors.Forbidden, match='User "sdk-nobody" cannot'):
            call()


def test_a_list_has_all_pages(clusters: Client[MiniCluster], namespace: str) -> None:
    for i in range(5):
        clusters.create(minicluster(f"n{i}"))
    assert names(clusters.list(limit=2)) == [f"n{i}" for i in range(5)]
    assert names(clusters.list(field_selector="metadata.name=n3")) == ["n3"]
    assert clusters.list(label_selector="of!=test") == []
    everywhere = clusters.list(all_namespaces=True, label_selector="of=test", limit=2)
    assert len([item for item in everywhere if item["metadata"]["namespace"] == namespace]) == 5


def test_apply_owns_fields(clusters: Client[MiniCluster], namespace: str) -> None:
    mine = minicluster("one")
    assert spec_of(clusters.apply(mine)).max_size == 4
    other = Client(MiniCluster, namespace, field_manager="another")
    with pytest.raises(errors.Conflict) as caught:
        other.apply(minicluster("one", max_size=8))
    assert [field for field, _ in caught.value.causes] == [".spec.maxSize"]
    assert '"fluxoperator"' in caught.value.causes[0][1]
    assert spec_of(other.apply(minicluster("one", max_size=8), force=True)).max_size == 8
    read = clusters.get("one")
    assert read.metadata is not None
    read.metadata.labels = {"now": "other"}
    labels = clusters.apply(read)["metadata"]["labels"]
    assert labels == {"of": "test", "now": "other"}, "another manager applied the first one too"
    other.apply(MiniCluster(metadata=kubernetes.V1ObjectMeta(name="one"), spec=read.spec))
    assert clusters.get("one")["metadata"]["labels"] == {"now": "other"}


def test_scaling(clusters: Client[MiniCluster], eventually: Eventually) -> None:
    clusters.create(minicluster("one"))
    assert replicas(clusters.get_scale("one")) == 1
    assert replicas(clusters.scale("one", 3)) == 3
    assert clusters.wait_for("one", lambda found: found.status is not None and found.status.size == 3, timeout=300)
    assert spec_of(clusters.get("one")).size == 3
    selector, core = clusters.pod_selector("one"), kubernetes.CoreV1Api()
    eventually(lambda: len(core.list_namespaced_pod(clusters.namespace, label_selector=selector).items) == 3)


def test_a_watch_survives_a_restart_of_the_api_server(
    clusters: Client[MiniCluster],
    restart: Callable[[], None],
    user: Callable[[str], Any],
    namespace: str,
    eventually: Eventually,
) -> None:
    rights: Any = kubernetes.RbacAuthorizationV1Api()
    rule = {"apiGroups": ["flux-framework.org"], "resources": ["miniclusters"], "verbs": ["list", "watch"]}
    rights.create_namespaced_role(namespace, {"metadata": {"name": "reader"}, "rules": [rule]})
    reader = {
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "sdk-reader"}],
    }
    rights.create_namespaced_role_binding(namespace, reader)
    clusters.create(minicluster("before"))
    follower = Client(MiniCluster, namespace, api_client=user("sdk-reader"))

    def allowed() -> bool:
        try:
            return bool(follower.list())
        except errors.Forbidden:  # the server has not taken notice of the rights yet
            return False

    eventually(allowed)

    def change() -> None:
        restart()
        clusters.create(minicluster("after"))
        clusters.delete("before")

    thread = threading.Thread(target=change)
    seen: List[Tuple[str, str]] = []
    wanted = {("ADDED", "before"), ("ADDED", "after"), ("DELETED", "before")}
    with follower.watch(timeout=300) as watch:
        for event in watch:
            if not seen:
                thread.start()
            seen.append((event.type, event.object["metadata"]["name"]))
            if wanted <= set(seen):
                break
    thread.join()
    assert sorted(event for event in seen if event[0] != "MODIFIED") == sorted(wanted)
    assert seen.index(("DELETED", "before")) > max(i for i, event in enumerate(seen) if event == ("ADDED", "before"))


def test_a_watch_from_a_version_that_is_too_old_lists(clusters: Client[MiniCluster]) -> None:
    clusters.create(minicluster("one"))
    with clusters.watch(resource_version="1", timeout=300) as watch:
        event = next(iter(watch))
    assert (event.type, event.object["metadata"]["name"]) == ("ADDED", "one")


def test_waiting(clusters: Client[MiniCluster]) -> None:
    clusters.create(minicluster("done", interactive=False, pod=None))
    requested = clusters.wait_for("done", "JobRequested", timeout=300)
    assert "True" in [c["status"] for c in requested["status"]["conditions"] if c["type"] == "JobRequested"]
    assert clusters.wait_for("done", "JobFinished=true", timeout=300)["metadata"]["name"] == "done"
    with pytest.raises(errors.WaitTimeout, match="MiniCluster done: Never: not in 0.5 s; last seen: .*JobFinished=True") as caught:
        clusters.wait_for("done", "Never", timeout=0.5)
    assert caught.value.last["metadata"]["name"] == "done"
    with pytest.raises(errors.NotFound, match="does not exist"):
        clusters.wait_for("absent", timeout=300)

    def never(found: MiniCluster) -> bool:
        with suppress(errors.NotFound):
            clusters.delete("done")
        return False

    with pytest.raises(errors.NotFound, match="MiniCluster done: never: it was deleted"):
        clusters.wait_for("done", never, timeout=300)
    clusters.wait_deleted("done", timeout=300)


def test_waiting_survives_a_restart_of_the_api_server(clusters: Client[MiniCluster], restart: Callable[[], None]) -> None:
    clusters.create(minicluster("one"))

    def change() -> None:
        restart()
        clusters.patch("one", {"metadata": {"labels": {"seen": "yes"}}})

    thread = threading.Thread(target=change)
    thread.start()
    found = clusters.wait_for("one", lambda item: item["metadata"]["labels"].get("seen") == "yes", timeout=300)
    thread.join()
    assert found["metadata"]["name"] == "one"


def test_the_asynchronous_client(namespace: str) -> None:
    async def main() -> None:
        clusters = AsyncClient(MiniCluster, namespace)
        await asyncio.gather(*(clusters.create(minicluster(f"n{i}")) for i in range(8)))
        assert len(await clusters.list(limit=3)) == 8
        seen = []
        async for event in clusters.watch("n3", timeout=300):
            seen.append(event.type)
            if event.type == "DELETED":
                break
            if len(seen) == 1:
                await clusters.delete("n3")
        assert (seen[0], seen[-1]) == ("ADDED", "DELETED")
        with pytest.raises(errors.NotFound):
            await clusters.get("n3")
        waiting = asyncio.ensure_future(clusters.wait_for("n4", "Never"))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(waiting, 1)
        assert (await clusters.wait_for("n5", "JobRequested", timeout=300))["metadata"]["name"] == "n5"
        await clusters.delete("n5", wait=True, timeout=300)

    asyncio.run(main())
    for thread in threading.enumerate():
        if thread.name.startswith("fluxoperator"):
            thread.join(60)
            assert not thread.is_alive()


def test_many_calls_at_once_keep_their_connections(namespace: str, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        clusters = AsyncClient(MiniCluster, namespace)
        await asyncio.gather(*(clusters.create(minicluster(f"n{i}")) for i in range(50)))
        for _ in range(3):
            found = await asyncio.gather(*(clusters.get(f"n{i}") for i in range(50)))
            assert len({item["metadata"]["uid"] for item in found}) == 50
        await clusters.delete_collection()

    asyncio.run(main())
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes_that_were_forked_use_connections_of_their_own(namespace: str) -> None:
    clusters = Client(MiniCluster, namespace)
    clusters.create(minicluster("one"))
    children = []
    for _ in range(6):
        child = os.fork()
        if not child:
            try:
                for _ in range(20):
                    clusters.get("one")
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    for _ in range(20):
        clusters.get("one")
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6


def test_the_api_class(namespace: str) -> None:
    api = FluxFrameworkOrgV1alpha1Api()
    assert spec_of(api.create_namespaced_mini_cluster(namespace, minicluster("one"))).size == 1
    assert replicas(api.patch_namespaced_mini_cluster_scale("one", namespace, {"spec": {"replicas": 2}})) == 2
    assert spec_of(api.read_namespaced_mini_cluster("one", namespace)).size == 2
    assert names(api.list_namespaced_mini_cluster(namespace, label_selector="of=test").items) == ["one"]
    assert namespace in [item["metadata"]["namespace"] for item in api.list_mini_cluster_for_all_namespaces().items]
    dry = api.patch_namespaced_mini_cluster("one", namespace, {"spec": {"size": 3}}, dry_run="All", field_validation="Strict")
    assert spec_of(dry).size == 3
    with pytest.raises(errors.Invalid, match="unknown field"):
        api.patch_namespaced_mini_cluster("one", namespace, {"spec": {"no": 3}}, field_validation="Strict")
    done = api.delete_namespaced_mini_cluster("one", namespace, propagation_policy="Background")
    assert isinstance(done, kubernetes.V1Status) and done.status == "Success"
    api.delete_collection_namespaced_mini_cluster(namespace)
    assert api.list_namespaced_mini_cluster(namespace).items == []
