# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Killed at random, many at once, and an API server that goes away."""

from __future__ import annotations

import random
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from conftest import CONFIG, Cluster, new, start, state
from kubernetes import client
from nuvolaris.errors import Conflict, NotFound

KILLS, MANY, ROOMS = 20, 200, 6


@pytest.fixture
def everywhere(kubectl, service_account, operators, eventually):
    """Gives the operator for all namespaces, started."""
    kubectl("apply", "-k", str(CONFIG / "default"))
    return start(service_account("sample-operator", "sample-operator"), operators, "--all-namespaces")


@pytest.fixture
def rooms(kubeconfig):
    """Gives ``rooms(count)``: so many namespaces, which end with the test."""
    core, made = client.CoreV1Api(), []

    def function(count):
        names = [f"room-{uuid.uuid4().hex[:8]}" for _ in range(count)]
        made.extend(names)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda name: core.create_namespace({"metadata": {"name": name}}), names))
        return [Cluster(name) for name in names]

    yield function
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(core.delete_namespace, made))


def change(room):
    """Does one of the things that people do."""
    name = random.choice(["a", "b", "c"])
    try:
        random.choice(
            [
                lambda: room.samples.create(new(name, random.randint(0, 4))),
                lambda: room.samples.patch(name, {"spec": {"count": random.randint(0, 4)}}),
                lambda: room.samples.scale(name, random.randint(0, 4)),
                lambda: room.samples.delete(name),
                lambda: room.apps.delete_namespaced_deployment("demo-deploy", room.namespace),
                lambda: room.apps.patch_namespaced_deployment("demo-deploy", room.namespace, {"spec": {"replicas": 9}}),
            ]
        )()
    except (Conflict, NotFound, client.ApiException) as error:
        assert error.status in (404, 409)


def right(room):
    """Says whether a namespace is as its Samples ask: one has the Deployment, the others wait for it."""
    samples = room.samples.list()
    holder = room.owner()
    if not samples:
        return room.deployment() is None
    if holder not in [sample.metadata.name for sample in samples]:
        return False
    for sample in samples:
        name = sample.metadata.name
        if not (room.ready(name, sample.spec.count) if name == holder else room.waits(name, holder)):
            return False
    return len(room.apps.list_namespaced_deployment(room.namespace).items) == 1


def test_killed_again_and_again_it_comes_right(everywhere, rooms, eventually):
    seed = random.randrange(10**6)
    print("seed", seed)
    random.seed(seed)
    rooms = rooms(ROOMS)
    for kill in range(KILLS):
        if kill % 2:  # every second time it is killed while it begins
            eventually(lambda: everywhere.proxy.counts["watch", "samples"])
        until = time.monotonic() + random.uniform(0.5, 2)
        while time.monotonic() < until:
            change(random.choice(rooms))
            time.sleep(random.uniform(0, 0.1))
        everywhere.process.kill()
        for room in rooms:
            change(room)
        everywhere.proxy.reset()
        everywhere.process.start()
    for room in rooms:
        eventually(partial(right, room), timeout=120)
    assert any(room.samples.list() for room in rooms)


def test_two_hundred_at_once_and_a_restart_of_the_api_server(everywhere, rooms, eventually, restart, figures):
    rooms = rooms(MANY)
    eventually(lambda: everywhere.proxy.counts["watch", "samples"])
    everywhere.proxy.reset()
    samples = rooms[0].samples

    def create(room):
        samples.create(new("obj", 2), namespace=room.namespace)

    begun = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(create, rooms))
    created = time.monotonic()
    eventually(lambda: are_ready(samples, 2), timeout=180)
    done = time.monotonic()
    counts = everywhere.proxy.counts
    figures(
        "200 Samples",
        {
            "created, 8 at a time": f"{created - begun:.1f} s",
            "until all 200 are ready": f"{done - begun:.1f} s",
            **{f"{verb} {what}": counts[verb, what] for verb, what in sorted(counts) if not what.startswith("/")},
            "calls in all": sum(counts.values()),
            "calls for each Sample": f"{sum(counts.values()) / MANY:.1f}",
        },
    )
    assert all(room.replicas() == 2 for room in rooms)
    assert counts["patch", "deployments"] <= MANY * 1.5 and sum(counts.values()) < MANY * 12

    with ThreadPoolExecutor(4) as pool:
        for room in rooms[: MANY // 2]:
            samples.patch("obj", {"spec": {"count": 1}}, namespace=room.namespace)
        gone = pool.submit(restart)
        for room in rooms[MANY // 2 :]:
            eventually(partial(patched, samples, room))
        gone.result()
    eventually(lambda: are_ready(samples, 1), timeout=180)
    assert all(room.replicas() == 1 and room.owner() == "obj" for room in rooms)
    assert everywhere.process.running


def are_ready(samples, count):
    """Says whether all Samples of all namespaces say that they are ready with so many replicas."""
    found = [one for one in samples.list(all_namespaces=True) if one.metadata.namespace.startswith("room-")]
    told = [one for one in found if one.status and one.status.ready_replicas == count == one.spec.count]
    return len([one for one in told if state(one)["Ready"] == "True"]) == MANY


def patched(samples, room):
    """Asks for one replica, also of an API server that is away."""
    try:
        return samples.patch("obj", {"spec": {"count": 1}}, namespace=room.namespace)
    except client.ApiException as error:
        assert error.status in (0, 401, 403, 429, 500, 503), error
        return None
