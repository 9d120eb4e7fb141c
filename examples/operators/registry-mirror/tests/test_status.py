# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from datetime import datetime, timezone

import pytest
from registry_mirror_sdk.models import RegistryMirror
from test_mirror import mirror

from registry_mirror.cache import Seen
from registry_mirror.status import Problem, build, waiting

UP = {"observedGeneration": 2, "readyReplicas": 1, "updatedReplicas": 1}
ON_ALL = {"observedGeneration": 2, "desiredNumberScheduled": 3, "numberReady": 3, "updatedNumberScheduled": 3}
THEN, NOW = datetime(2026, 1, 1, tzinfo=timezone.utc), datetime(2026, 1, 2, tzinfo=timezone.utc)
ONE = mirror()


def source(**status):
    return RegistryMirror.from_dict({"metadata": {"name": "quay", "uid": "1-2", "generation": 4}, "status": status})


def look(registry=UP, listeners=ON_ALL, pod=None):
    seen = [
        Seen("StatefulSet", ONE.registry_name, generation=2, status=registry),
        Seen("DaemonSet", ONE.listener_name, generation=2, status=listeners),
        Seen("Pod", ONE.pod_name, status=pod or {}),
    ]
    return {each.key: each for each in seen}.get


def conditions(status):
    return {c["type"]: (c["status"], c["reason"], c["message"]) for c in status["conditions"]}


def test_all_is_well():
    status = build(source(), ONE, look(), [], [])
    assert {c: said[0] for c, said in conditions(status).items()} == {"Applied": "True", "Ready": "True"}
    assert (status["readyReplicas"], status["readyNodes"], status["observedGeneration"]) == (1, 3, 4)
    assert status["endpoint"] == "localhost:5002"
    assert status["serviceEndpoint"] == "mirror-quay.mirrors.svc:5000"


def test_nothing_is_there_yet():
    status = build(source(), ONE, lambda key: None, [], [])
    assert conditions(status)["Ready"] == ("False", "RegistryNotReady", "the pod registry-quay-0 is not ready")
    assert (status["readyReplicas"], status["readyNodes"]) == (0, 0)


@pytest.mark.parametrize("change", [{"observedGeneration": 1}, {"readyReplicas": 0}, {"updatedReplicas": 0}], ids=str)
def test_the_registry_is_ready_with_its_last_spec_only(change):
    status = build(source(), ONE, look(registry={**UP, **change}), [], [])
    assert conditions(status)["Ready"][:2] == ("False", "RegistryNotReady")


@pytest.mark.parametrize(
    "change", [{"observedGeneration": 1}, {"numberReady": 2}, {"updatedNumberScheduled": 2}], ids=str
)
def test_listeners_are_ready_on_all_nodes_with_their_last_spec_only(change):
    status = build(source(), ONE, look(listeners={**ON_ALL, **change}), [], [])
    assert conditions(status)["Ready"][:2] == ("False", "ListenersNotReady")


def test_mirrors_that_want_the_same_port_are_named():
    status = build(source(), ONE, look(listeners={**ON_ALL, "numberReady": 0}), [], ["b", "a"])
    assert conditions(status)["Ready"][2] == "0 of 3 listeners are ready; port 5002 is also that of a, b"


def test_why_the_pod_waits_is_said():
    pod = {
        "containerStatuses": [
            {"state": {"waiting": {"reason": "CreateContainerConfigError", "message": 'secret "x" not found'}}}
        ]
    }
    status = build(source(), ONE, look(registry={}, pod=pod), [], [])
    assert conditions(status)["Ready"][2].endswith(': CreateContainerConfigError: secret "x" not found')


def test_why_a_pod_waits():
    assert waiting({}) == ""
    assert (
        waiting(
            {"containerStatuses": [{"state": {"running": {}}}], "conditions": [{"type": "Ready", "status": "True"}]}
        )
        == ""
    )
    unscheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node"}
    assert waiting({"conditions": [unscheduled]}) == "Unschedulable: no node"


def test_problems_are_all_said():
    problems = [Problem("Refused", "a: no"), Problem("NameTaken", "b: taken")]
    assert conditions(build(source(), ONE, look(), problems, []))["Applied"] == ("False", "Refused", "a: no; b: taken")


def test_a_condition_keeps_its_time_until_its_status_changes():
    first = build(source(), ONE, look(), [], [], THEN)
    assert build(source(**first), ONE, look(), [], [], NOW) == first
    later = build(source(**first), ONE, look(registry={}), [], [], NOW)
    times = {c["type"]: c["lastTransitionTime"] for c in later["conditions"]}
    assert times == {"Applied": "2026-01-01T00:00:00Z", "Ready": "2026-01-02T00:00:00Z"}
