# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What both servers do with lists and watches."""

from __future__ import annotations

import asyncio
import threading

import pytest

from fluxoperator import MiniCluster, errors
from fluxoperator.client import AsyncClient

LABELS = {"a": {"x": "1", "y": "1"}, "b": {"x": "2"}, "c": {"y": "1"}}


def names(found):
    return [item["metadata"]["name"] for item in found]


@pytest.fixture
def several(clusters, made):
    """Gives a client of a namespace with three objects."""
    for name, labels in LABELS.items():
        clusters.create(made(name, {"labels": labels}))
    return clusters


@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        ("x=1", "a"),
        ("x==2", "b"),
        ("x!=1", "bc"),
        ("x", "ab"),
        ("!x", "c"),
        ("x in (1, 2)", "ab"),
        ("x notin (1)", "bc"),
        ("y=1,x", "a"),
        ("x in (1,2),y!=1", "b"),
        ("", "abc"),
    ],
)
def test_a_label_selector(several, selector, wanted):
    assert names(several.list(label_selector=selector)) == [*wanted]


def test_a_field_selector(several, namespace):
    assert names(several.list(field_selector="metadata.name=b")) == ["b"]
    assert names(several.list(field_selector=f"metadata.name!=b,metadata.namespace={namespace}")) == ["a", "c"]
    with pytest.raises(errors.BadRequest, match="field label not supported: spec.tasks"):
        several.list(field_selector="spec.tasks=1")
    for selector in ("a=b=c", "x in 1"):
        with pytest.raises(errors.BadRequest):
            several.list(label_selector=selector)


def test_a_list_comes_in_pages_of_one_state(several, made, namespace):
    path = several._path(None)
    page = several.transport.request("GET", path, {"limit": 2})
    assert names(page["items"]) == ["a", "b"] and page["kind"] == "MiniClusterList"
    assert page["apiVersion"] == MiniCluster.API_VERSION and page["metadata"]["remainingItemCount"] == 1
    several.create(made("d"))
    rest = several.transport.request("GET", path, {"limit": 2, "continue": page["metadata"]["continue"]})
    assert names(rest["items"]) == ["c"] and rest["metadata"]["continue"] == ""
    assert rest["metadata"]["resourceVersion"] == page["metadata"]["resourceVersion"]
    assert names(several.list(limit=1)) == ["a", "b", "c", "d"]
    everywhere = several.list(all_namespaces=True, limit=3)
    assert len([item for item in everywhere if item["metadata"]["namespace"] == namespace]) == 4


def test_a_watch_tells_what_happens(several, made):
    with several.watch(label_selector="x", timeout=30) as watch:
        seen = [watch.following() for _ in range(2)]
        assert [(e.type, e.object["metadata"]["name"]) for e in seen] == [("ADDED", "a"), ("ADDED", "b")]
        several.patch("a", {"spec": {"size": 2}})
        several.patch("c", {"metadata": {"labels": {"x": "9"}}})
        several.patch("b", {"metadata": {"labels": {"x": None}}})
        several.patch("b", {"spec": {"size": 2}})
        several.delete("a")
        seen = [watch.following() for _ in range(4)]
    found = [(e.type, e.object["metadata"]["name"], e.object["spec"]["size"]) for e in seen]
    assert found == [("MODIFIED", "a", 2), ("ADDED", "c", 1), ("DELETED", "b", 1), ("DELETED", "a", 2)]
    versions = [int(e.object["metadata"]["resourceVersion"]) for e in seen]
    assert versions == sorted(set(versions))
    assert seen[2].object["metadata"]["labels"] == {"x": "2"}, "as it was when it was selected"


def test_a_watch_starts_at_a_resource_version(several):
    first = several.patch("a", {"spec": {"size": 2}})
    several.patch("b", {"spec": {"size": 3}})
    with several.watch(resource_version=first["metadata"]["resourceVersion"], timeout=30) as watch:
        event = watch.following()
    assert (event.type, event.object["metadata"]["name"]) == ("MODIFIED", "b")
    assert [e.type for e in several.watch("c", timeout=0.5)] == ["ADDED"]


def test_a_dry_run_and_no_change_are_no_events(several):
    with several.watch("a", timeout=30) as watch:
        watch.following()
        several.patch("a", {"spec": {"size": 2}}, dry_run=True)
        several.patch("a", {"spec": {"size": 1}})
        several.delete("a", dry_run=True)
        several.patch("a", {"spec": {"size": 4}})
        assert watch.following().object["spec"]["size"] == 4


def first(call):
    """Gives a condition that no object meets, and that makes a call when it first sees one."""
    calls = [call]

    def never(found):
        while calls:
            calls.pop()()
        return False

    return never


def test_waiting(clusters, made):
    clusters.create(made())
    change = first(lambda: clusters.patch("one", {"spec": {"size": 3}}))
    assert clusters.wait_for("one", lambda found: change(found) or found.spec.size == 3, timeout=30).spec.size == 3
    with pytest.raises(errors.WaitTimeout, match="Never: not in 0.5 s"):
        clusters.wait_for("one", "Never", timeout=0.5)
    with pytest.raises(errors.NotFound, match="never: it was deleted"):
        clusters.wait_for("one", first(lambda: clusters.delete("one")), timeout=30)
    with pytest.raises(errors.NotFound, match="does not exist"):
        clusters.wait_for("one", "Never", timeout=30)
    clusters.create(made())
    clusters.delete("one", wait=True, timeout=30)


def test_the_asynchronous_client(api_client, namespace, made):
    async def main():
        clusters = AsyncClient(MiniCluster, namespace, api_client)
        await asyncio.gather(*(clusters.create(made(f"n{i}")) for i in range(8)))
        assert len(await clusters.list(limit=3)) == 8
        seen = []
        async for event in clusters.watch("n3", timeout=30):
            seen.append(event.type)
            if event.type == "DELETED":
                break
            await clusters.delete("n3")
        assert seen == ["ADDED", "DELETED"]
        with pytest.raises(errors.NotFound):
            await clusters.get("n3")
        waiting = asyncio.ensure_future(clusters.wait_for("n4", "Never"))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(waiting, 0.5)

    asyncio.run(main())


def test_streams_that_are_ended_end_no_other_call_of_their_threads(api_client, namespace, made):
    async def main():
        clusters = AsyncClient(MiniCluster, namespace, api_client)
        await clusters.create(made())
        for _ in range(5):
            waits = [asyncio.ensure_future(clusters.wait_for("one", "Never")) for _ in range(8)]
            await asyncio.sleep(0.2)
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
            changes = ({"metadata": {"labels": {"of": str(n)}}} for n in range(8))
            await asyncio.gather(*(clusters.patch("one", change) for change in changes))

    asyncio.run(main())


def test_threads_lose_no_write(clusters, made):
    clusters.create(made(size=0, max_size=100))

    def count():
        for _ in range(5):
            while True:
                found = clusters.get("one")
                found.spec.tasks += 1
                try:
                    clusters.replace(found)
                    break
                except errors.Conflict:
                    continue

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clusters.get("one").spec.tasks == 21
