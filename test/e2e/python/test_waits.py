# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Waits for MiniClusters that the operator refuses, that fail, end or are deleted."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec, PodSpec, errors
from fluxoperator.client import MiniClusterClient

RUN_FOR = "cluster.flux-framework.org/run-for"
EXIT_CODE = "cluster.flux-framework.org/exit-code"

# Seconds that a wait which cannot be met may take, where its timeout is minutes or more.
SOON = 60


@pytest.fixture
def client(namespace: str) -> MiniClusterClient:
    """Gives a client of the test's namespace."""
    return MiniClusterClient(namespace)


def minicluster(name: str, annotations: Optional[Dict[str, str]] = None, containers: int = 1) -> MiniCluster:
    """Gives a MiniCluster of two pods that run for a second, or as their annotations say."""
    images = [MiniClusterContainer(image="any", name=f"part-{i}") for i in range(containers)]
    spec = MiniClusterSpec(size=2, containers=images, pod=PodSpec(annotations=annotations))
    return MiniCluster(metadata=kubernetes.V1ObjectMeta(name=name), spec=spec)


def failures(calls: List[Callable[[], Any]]) -> List[errors.WaitFailed]:
    """Gives the errors of calls that have to fail soon."""
    found, began = [], time.monotonic()
    for call in calls:
        with pytest.raises(errors.WaitFailed) as caught:
            call()
        found.append(caught.value)
    assert time.monotonic() - began < SOON
    return found


def test_a_spec_that_the_operator_refuses_ends_every_wait(client: MiniClusterClient, tmp_path: Path) -> None:
    client.create(minicluster("refused", containers=2))
    calls: List[Callable[[], Any]] = [
        lambda: client.wait_ready("refused"),
        lambda: client.wait_finished("refused"),
        lambda: client.stream_output("refused", tmp_path / "log"),
        lambda: client.wait_for("refused", "JobRunning"),
        lambda: client.lead_broker("refused", timeout=300),
        lambda: list(client.logs("refused")),
    ]
    for error in failures(calls):
        assert error.reason == "Invalid" and "set runFlux in exactly one container" in error.message
        assert error.message in str(error)
    states = list(client.progress("refused"))
    assert (states[-1].phase, states[-1].reason) == ("Failed", "Invalid")


def test_a_minicluster_that_fails_is_no_success(client: MiniClusterClient, tmp_path: Path) -> None:
    client.create(minicluster("broken", {EXIT_CODE: "7"}))
    client.stream_output("broken", tmp_path / "log", timeout=300)
    with pytest.raises(errors.WaitFailed, match="exit code 7|PodFailurePolicy") as caught:
        client.wait_finished("broken")
    assert caught.value.reason == "Failed" and isinstance(caught.value.last, MiniCluster)
    calls = [lambda: client.wait_ready("broken"), lambda: client.wait_for("broken", "JobWaitingForResources=False")]
    assert [error.reason for error in failures(calls)] == ["Failed", "Failed"]
    assert client.wait_for("broken", "JobFinished")["metadata"]["name"] == "broken"
    assert len((tmp_path / "log").read_text().splitlines()) == 10


def test_a_minicluster_that_has_completed_does_not_run(client: MiniClusterClient) -> None:
    client.create(minicluster("done"))
    phases = [state.phase for state in client.progress("done", timeout=300)]
    assert phases[-1] == "Completed" and len(phases) > 1
    assert client.wait_finished("done")["metadata"]["name"] == "done"
    calls: List[Callable[[], Any]] = [
        lambda: client.wait_ready("done"),
        lambda: client.wait_for("done", "JobRunning"),
        lambda: client.wait_for("done", "JobWaitingForResources=False"),
    ]
    assert [error.reason for error in failures(calls)] == ["Completed"] * 3


def test_waits_end_when_the_minicluster_is_deleted(client: MiniClusterClient, caplog: pytest.LogCaptureFixture) -> None:
    client.create(minicluster("short", {RUN_FOR: "1h"}))
    client.wait_for("short", "JobRunning", timeout=300)
    caplog.set_level("DEBUG", "fluxoperator")
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(client.wait_finished, "short")
        while "waiting for MiniCluster short: JobFinished" not in caplog.text and not waiting.done():
            time.sleep(0.05)
        client.delete("short")
        with pytest.raises(errors.NotFound, match="MiniCluster short: JobFinished: it was deleted"):
            waiting.result()


def test_the_example_does_not_take_an_ended_job_for_success(checkout: Path, kubeconfig: str) -> None:
    script = checkout / "examples" / "python" / "scale.py"  # its pods end after a second here
    env = {"KUBECONFIG": kubeconfig, "PATH": "", "HOME": os.environ.get("HOME", "")}
    done = subprocess.run([sys.executable, str(script)], env=env, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 1
    assert "errors.WaitFailed: MiniCluster elastic: " in done.stderr.splitlines()[-1]


def test_what_a_wait_retries_is_logged(client: MiniClusterClient, checkout: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "fluxoperator")
    client.create(minicluster("long", {RUN_FOR: "20s"}))
    client.wait_for("long", "JobRunning", timeout=300)
    restart = [str(checkout / "bin" / "cluster"), "restart", "--kill", "kube-apiserver", "--pause", "2s"]
    thread = threading.Thread(target=subprocess.run, args=(restart,), kwargs={"check": True})
    thread.start()
    client.wait_finished("long", timeout=300)
    thread.join()
    assert any("no answer: " in text for _, _, text in caplog.record_tuples)
