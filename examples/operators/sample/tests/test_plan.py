# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The pure functions: what is wanted, whose it is, and what the status says."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime, timedelta

import pytest
from nuvolaris.models import Sample

from sample_operator import plan
from sample_operator.plan import Claim

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BASE = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "demo-deploy", "labels": {"a": "b"}},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "nginx", "a": "b"}},
        "template": {"spec": {"containers": [{"name": "nginx", "image": "nginx", "ports": [{"containerPort": 80}]}]}},
    },
}


def sample(name="first", **more):
    meta = {"name": name, "namespace": "demo", "uid": f"uid-{name}", "generation": 3}
    meta["creationTimestamp"] = "2026-01-01T00:00:00Z"
    return Sample.from_dict({"metadata": {**meta, **more}, "spec": {"count": 2}})


FIRST, SECOND = Claim.of(sample()), Claim.of(sample("second"))


def live(**status):
    """What the API server has of FIRST's Deployment: with defaults, and what others wrote."""
    found = deepcopy(plan.marked(BASE, FIRST))
    found["metadata"].update(uid="d", generation=1, annotations={"x": "y"})
    container = found["spec"]["template"]["spec"]["containers"][0]
    container.update(imagePullPolicy="Always")
    container["ports"][0]["protocol"] = "TCP"
    found["status"] = {"observedGeneration": 1, **status}
    return found


def test_a_claim_has_what_the_sample_has():
    assert (FIRST.name, FIRST.namespace, FIRST.uid, FIRST.generation) == ("first", "demo", "uid-first", 3)
    assert FIRST.count == 2 and not FIRST.going
    assert Claim.of(sample(deletionTimestamp="2026-01-01T00:00:01Z")).going
    assert Claim.of(Sample.from_dict({**sample(), "spec": {}})).count == 1
    assert Claim.of(Sample.from_dict({**sample(), "spec": {"count": 0}})).count == 0
    with pytest.raises(ValueError, match="API server"):
        Claim.of(Sample(spec={"count": 1}))


def test_claims_are_sorted_by_age_then_by_name():
    later = Claim.of(sample("a", creationTimestamp="2026-01-01T00:00:01Z"))
    assert sorted([later, SECOND, FIRST]) == [FIRST, SECOND, later]


def test_a_marked_deployment_belongs_to_its_sample_alone():
    before = deepcopy(BASE)
    made = plan.marked(BASE, FIRST)
    assert before == BASE
    assert made["metadata"]["namespace"] == "demo"
    assert made["metadata"]["labels"] == {"a": "b", plan.MANAGED_BY: "sample-operator"}
    assert plan.belongs(made, FIRST) and not plan.belongs(made, SECOND)
    assert not plan.belongs(made, Claim.of(sample(uid="of-its-name-before")))
    assert not plan.belongs(BASE, FIRST) and not plan.belongs(None, FIRST)


def test_who_keeps_a_deployment_from_a_sample():
    assert plan.holder(None, FIRST) is None
    assert plan.holder(live(), FIRST) is None
    assert plan.holder(live(), SECOND) == "belongs to Sample first"
    assert plan.holder(BASE, FIRST) == "was not made by this operator"
    orphan = live()
    del orphan["metadata"]["ownerReferences"]
    assert plan.holder(orphan, SECOND) == "was not made by this operator", "a label is written by anybody"
    orphan["metadata"]["managedFields"] = [{"manager": "kubectl"}, {"manager": "sample-uid-first", "operation": "Apply"}]
    assert plan.holder(orphan, SECOND) is None
    orphan["metadata"]["ownerReferences"] = [{"kind": "Thing", "name": "x", "uid": "y"}]
    assert plan.holder(orphan, SECOND) is None, "an owner that is not the controller does not mind"


def test_what_is_wanted_may_be_among_other_things():
    wanted = plan.marked(BASE, FIRST)
    assert plan.contains(live(), wanted)
    sidecar = live()
    sidecar["spec"]["template"]["spec"]["containers"].insert(0, {"name": "log", "image": "log"})
    assert plan.contains(sidecar, wanted)


@pytest.mark.parametrize(
    "path, value",
    [
        (("spec", "replicas"), 7),
        (("metadata", "labels"), {}),
        (("metadata", "ownerReferences"), []),
        (("spec", "template", "spec", "containers"), []),
        (("spec", "template", "spec", "containers", 0, "image"), "other"),
        (("spec", "template", "spec", "containers", 0, "name"), "other"),
        (("spec", "template", "spec", "containers", 0, "ports"), []),
        (("spec", "template", "spec", "containers", 0, "ports", 0), {"containerPort": 81}),
        (("spec", "template", "spec", "containers", 0, "ports", 0), "80"),
    ],
)
def test_drift_is_seen(path, value):
    drifted = live()
    at = drifted
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert not plan.contains(drifted, plan.marked(BASE, FIRST))
    assert not plan.contains(None, plan.marked(BASE, FIRST))


def states(status):
    return {one.type: (one.status, one.reason) for one in status.conditions}


def test_the_status_of_one_that_is_ready():
    status = plan.status(FIRST, live(replicas=2, readyReplicas=2), "deployment.apps/demo-deploy created", NOW)
    assert status.message == "deployment.apps/demo-deploy created"
    assert (status.replicas, status.ready_replicas, status.observed_generation) == (2, 2, 3)
    assert status.selector == "a=b,app=nginx"
    assert states(status) == {"Ready": ("True", "AllReplicasReady"), "Conflict": ("False", "Owner")}
    status.validate()


@pytest.mark.parametrize(
    "seen",
    [
        {},
        {"replicas": 2},
        {"replicas": 2, "readyReplicas": 1},
        {"replicas": 3, "readyReplicas": 2},
        {"replicas": 2, "readyReplicas": 2, "observedGeneration": 0},
    ],
)
def test_the_status_of_one_that_is_not_ready_yet(seen):
    assert states(plan.status(FIRST, live(**seen), None, NOW))["Ready"] == ("False", "Progressing")


def test_what_was_done_last_is_kept_until_more_is_done():
    def then(status):
        return Claim.of(Sample.from_dict({**sample(), "status": status}))

    ready = live(replicas=2, readyReplicas=2)
    made = plan.status(FIRST, live(), "deployment.apps/demo-deploy created", NOW)
    assert plan.status(then(made), ready, None, NOW).message == "deployment.apps/demo-deploy created"
    waited = plan.conflict(FIRST, "waits", NOW)
    assert plan.status(then(waited), ready, None, NOW).message == "deployment.apps/demo-deploy unchanged"
    failed = plan.failure(FIRST, "failed", NOW)
    assert plan.status(then(failed), ready, None, NOW).message == "deployment.apps/demo-deploy unchanged"


def test_a_condition_keeps_its_time_while_its_status_stays():
    later = NOW + timedelta(hours=1)
    first = plan.status(FIRST, live(), None, NOW)
    again = Claim.of(Sample.from_dict({**sample(), "status": first}))
    second = plan.status(again, live(replicas=2, readyReplicas=2), None, later)
    assert [one.last_transition_time for one in second.conditions] == [later, NOW]
    same = Claim.of(Sample.from_dict({**sample(), "status": second}))
    assert plan.status(same, live(replicas=2, readyReplicas=2), None, later + timedelta(1)) == same.status


@pytest.mark.parametrize(
    "make, reason, waits", [(plan.conflict, "OwnedByAnother", "True"), (plan.failure, "ApplyFailed", "False")]
)
def test_the_status_of_one_without_a_deployment(make, reason, waits):
    status = make(FIRST, "why", NOW)
    assert states(status) == {"Ready": ("False", reason), "Conflict": (waits, reason)}
    assert (status.message, status.replicas, status.ready_replicas, status.selector) == ("why", 0, 0, None)
    status.validate()


def test_what_the_api_server_says_is_cut():
    for status in (plan.failure(FIRST, "x" * 100_000, NOW), plan.status(FIRST, live(), "x" * 100_000, NOW)):
        assert len(status.message) <= 1024
        assert all(len(one.message) < 32768 for one in status.conditions), "more than a condition may have"
