# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Waits and progress of MiniClusters against a server that answers as a test tells it to."""

from __future__ import annotations

import dataclasses
import io
import time
from typing import Any, Dict, Iterator, Optional

import pytest

from fluxoperator import errors
from fluxoperator.client import MiniClusterClient, Progress
from scripted import STATUS, Asked, always, change, listed, manifest, quiet

# Reasons of JobMiniClusterReady without a Job.
REFUSED = "spec.containers: Required value: exactly one container runs Flux"


def conditions(version: str, generation: int = 1, **reasons: str) -> Dict[str, Any]:
    """Gives a MiniCluster with the conditions that the operator sets, by reason.

    Defaults are those of a MiniCluster whose objects are being created. A condition is True for
    the reasons that say so; JobMiniClusterReady has a message for what is refused.
    """
    true = {"Seen", "PodsPending", "Suspended", "Created", "Completed", "Failed"}
    given = {
        "JobRequested": "Seen",
        "JobWaitingForResources": "NoJob",
        "JobMiniClusterReady": "Creating",
        "JobRunning": "NoJob",
        "JobFinished": "NotFinished",
        **reasons,
    }
    found = []
    for kind, reason in given.items():
        is_true = reason in true and (kind, reason) != ("JobRunning", "PodsPending")
        is_true = is_true or (kind, reason) == ("JobRunning", "PodsReady")
        message = {"Invalid": REFUSED, "Failed": "BackoffLimitExceeded: exit code 7"}.get(reason, "")
        condition = {"type": kind, "status": str(is_true), "reason": reason, "message": message}
        found.append({**condition, "observedGeneration": 1, "lastTransitionTime": "2026-01-02T03:04:05Z"})
    cluster = manifest(version=version, status={**STATUS, "conditions": found})
    cluster["metadata"]["generation"] = generation
    return cluster


CREATING = conditions("6")
WAITING = conditions("7", JobWaitingForResources="PodsPending", JobMiniClusterReady="Created", JobRunning="PodsPending")
RUNNING = conditions("8", JobWaitingForResources="PodsReady", JobMiniClusterReady="Created", JobRunning="PodsReady")
GONE = {"JobWaitingForResources": "Ended", "JobMiniClusterReady": "Created", "JobRunning": "Ended"}
ENDING = conditions("9", **GONE)
COMPLETED = conditions("10", **GONE, JobFinished="Completed")
FAILED = conditions("11", **GONE, JobFinished="Failed")
INVALID = conditions("12", JobMiniClusterReady="Invalid")

NAMES = ["JobRunning", "JobMiniClusterReady", "JobWaitingForResources=False", "JobFinished"]


@pytest.fixture
def client(server) -> MiniClusterClient:
    """Gives a client that leads to the scripted server."""
    return MiniClusterClient(api_client=server.api_client())


def after(*changes: Dict[str, Any], first: Optional[Dict[str, Any]] = None) -> Any:
    """Gives steps: a list with the first object, its changes, and silence."""
    items = [change("MODIFIED", found) for found in changes]
    return [always(listed(first or manifest())), lambda asked: iter(items), quiet]


def waits(client: MiniClusterClient) -> Dict[str, Any]:
    """Gives each way to wait, by name, with its default timeout."""
    return {
        "wait_ready": lambda: client.wait_ready("one"),
        "wait_finished": lambda: client.wait_finished("one"),
        **{name: lambda name=name: client.wait_for("one", name) for name in NAMES},
        "function": lambda: client.wait_for("one", lambda found: found.status.size == 4),
    }


@pytest.mark.parametrize("how", ["wait_ready", "wait_finished", *NAMES, "function"])
def test_every_wait_for_a_refused_minicluster_ends_with_the_reason(server, client, how):
    server.script = after(CREATING, INVALID)
    began = time.monotonic()
    with pytest.raises(errors.WaitFailed) as caught:
        waits(client)[how]()
    assert time.monotonic() - began < 10
    assert (caught.value.reason, caught.value.message) == ("Invalid", REFUSED)
    assert caught.value.last == INVALID and REFUSED in str(caught.value)


@pytest.mark.parametrize("how", ["wait_ready", "wait_finished", "JobRunning", "JobWaitingForResources=False", "function"])
def test_every_wait_for_a_failed_minicluster_ends_with_the_reason(server, client, how):
    server.script = after(WAITING, FAILED)
    with pytest.raises(errors.WaitFailed, match="Failed: BackoffLimitExceeded: exit code 7") as caught:
        waits(client)[how]()
    assert caught.value.reason == "Failed"


@pytest.mark.parametrize("how", ["wait_ready", "JobRunning", "JobWaitingForResources=False", "function"])
def test_what_has_completed_does_not_run_any_more(server, client, how):
    server.script = after(COMPLETED)
    with pytest.raises(errors.WaitFailed, match="cannot be met any more: Completed"):
        waits(client)[how]()


@pytest.mark.parametrize("how", ["wait_ready", "wait_finished", *NAMES, "function"])
def test_every_wait_for_a_deleted_minicluster_ends(server, client, how):
    server.script = [always(listed(manifest())), lambda asked: iter([change("DELETED", WAITING)])]
    with pytest.raises(errors.NotFound, match="it was deleted"):
        waits(client)[how]()


def test_an_ended_job_is_not_waited_for_and_its_end_is_told_if_it_comes_soon(server, client):
    server.script = [always(listed(ENDING)), quiet]
    began = time.monotonic()
    with pytest.raises(errors.WaitFailed) as caught:
        client.wait_for("one", timeout=0.5)
    assert caught.value.reason == "Ended" and time.monotonic() - began < 3
    server.script = [always(listed(ENDING)), *after(FAILED, first=ENDING)]
    with pytest.raises(errors.WaitFailed, match="^MiniCluster one: JobRunning: .*: Failed: BackoffLimit"):
        client.wait_for("one")


def test_waits_that_are_met_are_no_failures(server, client):
    for name, found in [
        ("JobFinished", FAILED),
        ("JobRequested", FAILED),
        ("JobRunning=False", ENDING),
        ("JobWaitingForResources=False", RUNNING),
        ("JobMiniClusterReady=False", INVALID),
    ]:
        server.script = after(found)
        assert client.wait_for("one", name) == found
    server.script = after(WAITING, COMPLETED)
    assert client.wait_finished("one") == COMPLETED
    server.script = after(RUNNING, FAILED)
    assert client.wait_for("one", lambda found: found.status.conditions[4].reason == "Failed") == FAILED


@pytest.mark.parametrize(
    "changes",
    [
        [conditions("6", generation=2, JobMiniClusterReady="Invalid")],  # of the spec before
        [conditions("6", JobMiniClusterReady="Rejected"), conditions("7", JobMiniClusterReady="Conflict")],
        [conditions("6", JobMiniClusterReady="Invalid", JobRunning="PodsPending")],  # the Job goes on
        [conditions("6", JobMiniClusterReady="SpecChanged", JobRunning="PodsPending")],
    ],
)
def test_what_may_pass_is_waited_for(server, client, changes):
    server.script = after(*changes, RUNNING)
    assert client.wait_for("one") == RUNNING


def test_a_changed_spec_is_final_for_the_condition_that_says_so(server, client):
    server.script = after(conditions("6", JobMiniClusterReady="SpecChanged", JobRunning="PodsReady"))
    with pytest.raises(errors.WaitFailed, match="SpecChanged"):
        client.wait_for("one", "JobMiniClusterReady")


def test_a_time_out_tells_why_the_operator_is_not_ready(server, client):
    server.script = after(conditions("6", JobMiniClusterReady="Rejected"))
    with pytest.raises(errors.WaitTimeout, match=r"JobMiniClusterReady=False \(Rejected\)"):
        client.wait_for("one", timeout=0.3)


def test_a_minicluster_can_be_waited_for_until_it_is_deleted(server, client):
    server.script = [always(listed(FAILED)), lambda asked: iter([change("DELETED", FAILED)])]
    client.wait_deleted("one")


# the lead broker


def owned(*by: Optional[str]) -> Dict[str, Any]:
    """Gives the metadata of what objects own, by their UIDs."""
    return {"ownerReferences": [{"uid": uid} for uid in by if uid]}


def pods(*found: Dict[str, str]) -> Dict[str, Any]:
    """Gives a list of pods by phase."""
    meta = {"labels": {"batch.kubernetes.io/job-completion-index": "0"}}
    items = [
        {
            "metadata": {**meta, "name": each["name"], "creationTimestamp": each["at"], **owned(each.get("by"))},
            "status": {"phase": each["phase"]},
        }
        for each in found
    ]
    return {"items": items}


def answers(cluster: Dict[str, Any], found: Dict[str, Any]) -> Any:
    """Gives a step for a MiniCluster and the pods that it has."""

    def step(asked: Asked) -> Any:
        if asked.path.endswith("/scale"):
            return {"status": {"selector": "a=b"}}
        if asked.path.endswith("/log"):
            return (400, {"kind": "Status", "code": 400, "reason": "BadRequest", "message": "the log of " + asked.path})
        if "/pods/" in asked.path:
            return {"spec": {"containers": [{"name": "one"}]}, "status": {"phase": "Failed"}}
        return found if asked.path.endswith("/pods") else cluster

    return step


OLD = {"name": "z-old", "at": "2026-01-02T03:04:05Z", "phase": "Failed"}
NEW = {"name": "a-new", "at": "2026-01-02T03:05:05Z", "phase": "Running"}


def test_the_lead_broker_is_the_newest_pod_that_has_not_failed(server, client):
    server.script = [answers(RUNNING, pods(NEW, {**OLD, "phase": "Running"}))]
    assert client.lead_broker("one") == "a-new"
    server.script = [answers(RUNNING, pods(OLD))]
    with pytest.raises(errors.WaitTimeout, match="MiniCluster one has no lead broker"):
        client.lead_broker("one")


@pytest.mark.parametrize("own", [True, False])
def test_pods_of_a_minicluster_that_was_deleted_are_left_out(server, client, own):
    mine, theirs = ({**pod, "phase": "Running", "by": by} for pod, by in ((NEW, "job"), (OLD, "old-job")))
    owner = RUNNING["metadata"]["uid"] if own else "deleted"
    jobs = [{"metadata": {"uid": "job", **owned(owner)}}, (404, {"reason": "NotFound"}), (403, {"reason": "Forbidden"})]

    def found(job: Any, *these: Dict[str, str]) -> Any:
        step = answers(RUNNING, pods(*these))
        server.script = [lambda asked: job if "/jobs/" in asked.path else step(asked)]
        return [pod["metadata"]["name"] for pod in client.pods("one")]

    assert [found(job, theirs, mine) for job in jobs] == [["a-new"] if own else [], [], ["a-new", "z-old"]]
    assert found(jobs[1], NEW) == ["a-new"]


@pytest.mark.parametrize("cluster, reason", [(INVALID, "Invalid"), (FAILED, "Failed"), (ENDING, "Ended")])
def test_what_needs_a_pod_ends_if_there_will_be_none(server, client, cluster, reason):
    server.script = [answers(cluster, pods())]
    calls = (
        lambda: client.lead_broker("one", timeout=60),
        lambda: client.stream_output("one", io.StringIO()),
        lambda: list(client.logs("one")),
        lambda: client.flux("one", ["jobs"]),
    )
    began = time.monotonic()
    for call in calls:
        with pytest.raises(errors.WaitFailed) as caught:
            call()
        assert caught.value.reason == reason
    assert time.monotonic() - began < 10


def test_the_output_of_a_lead_broker_that_failed_is_streamed(server, client):
    server.script = [answers(FAILED, pods(OLD))]
    with pytest.raises(errors.BadRequest, match="the log of .*/z-old/log"):
        client.stream_output("one", io.StringIO())


# progress


def test_progress_yields_each_state_until_the_last(server, client):
    again = {**RUNNING, "metadata": {**RUNNING["metadata"], "resourceVersion": "20"}}
    server.script = after(CREATING, WAITING, RUNNING, again, ENDING, FAILED)
    found = list(client.progress("one"))
    assert [state.phase for state in found] == ["Pending", "Creating", "Waiting", "Running", "Ending", "Failed"]
    assert [state.finished for state in found] == [False] * 5 + [True]
    assert found[0] == Progress("Pending") and found[3] == Progress("Running", "PodsReady", "", 1)
    assert found[-1].message == "BackoffLimitExceeded: exit code 7"
    with pytest.raises(dataclasses.FrozenInstanceError):
        found[0].phase = "Running"


def test_progress_of_a_refused_minicluster_ends_as_failed(server, client):
    server.script = after(INVALID)
    assert list(client.progress("one"))[-1] == Progress("Failed", "Invalid", REFUSED, 1)
    server.script = after(COMPLETED)
    assert list(client.progress("one"))[-1].phase == "Completed"


def test_progress_of_what_is_gone_is_an_error(server, client):
    server.script = [always(listed())]
    with pytest.raises(errors.NotFound, match="MiniCluster one: progress: it does not exist"):
        list(client.progress("one"))
    server.script = after(RUNNING)
    with pytest.raises(errors.WaitTimeout, match="progress: not in 0.3 s"):
        list(client.progress("one", timeout=0.3))


def test_leaving_progress_ends_its_watch(server, client):
    def endless(asked: Asked) -> Iterator[Any]:
        yield change("MODIFIED", WAITING)
        raise EOFError

    server.script = [always(listed(manifest())), endless]
    states = client.progress("one")
    assert [next(states).phase, next(states).phase] == ["Pending", "Waiting"]
    states.close()
    assert server.ended.wait(60)
