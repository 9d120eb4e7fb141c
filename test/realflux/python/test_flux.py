# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The Python client against MiniClusters on real Flux brokers. The operator runs already; IMAGE has Flux."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any, Iterator, List, Tuple

import pytest
from kubernetes import client, config
from kubernetes.client import V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.errors import WaitFailed
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

IMAGE = os.environ["IMAGE"]
EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


@pytest.fixture
def flux() -> Iterator[MiniClusterClient]:
    """Gives a client for a namespace of the test's own."""
    config.load_kube_config()  # type: ignore[no-untyped-call]
    namespace = f"python-{uuid.uuid4().hex[:8]}"
    core = client.CoreV1Api()
    core.create_namespace(client.V1Namespace(metadata=V1ObjectMeta(name=namespace)))
    yield MiniClusterClient(namespace)
    core.delete_namespace(namespace)


def cluster(**spec: Any) -> MiniCluster:
    """Makes the MiniCluster fx; command is that of its container."""
    container = MiniClusterContainer(image=IMAGE, command=spec.pop("command", None))
    return MiniCluster(metadata=V1ObjectMeta(name="fx"), spec=MiniClusterSpec(containers=[container], **spec))


def test_interactive(flux: MiniClusterClient) -> None:
    """wait_ready, submit and flux work as soon as they return; a failing command raises with its exit code."""
    flux.create(cluster(size=2, interactive=True))
    flux.wait_ready("fx", timeout=60)
    job = flux.submit("fx", ["hostname"], ["-N2"])
    assert sorted(flux.flux("fx", ["job", "attach", job]).stdout.split()) == ["fx-0", "fx-1"]
    with pytest.raises(subprocess.CalledProcessError) as failed:
        flux.flux("fx", ["run", "sh", "-c", "exit 7"])
    assert failed.value.returncode == 7


def test_stream_output(flux: MiniClusterClient, tmp_path: Path) -> None:
    """stream_output writes lines while the command runs, and returns when it has ended."""
    flux.create(cluster(command="for i in 1 2 3 4; do echo line $i; sleep 1; done"))
    times: List[Tuple[float, str]] = []

    class Lines:
        def write(self, text: str) -> int:
            if text.startswith("line"):
                times.append((time.monotonic(), text))
            return len(text)

        def flush(self) -> None:
            pass

    flux.stream_output("fx", Lines(), timeout=60)  # type: ignore[arg-type]
    assert [text for _, text in times] == [f"line {i}" for i in range(1, 5)]
    assert times[-1][0] - times[0][0] > 2.5
    assert flux.wait_finished("fx", timeout=60).status


def test_kill_while_waiting(flux: MiniClusterClient) -> None:
    """wait_finished raises when a command that was killed has failed the MiniCluster."""
    flux.create(cluster(command="kill -9 $$"))
    with pytest.raises(WaitFailed) as failed:
        flux.wait_finished("fx", timeout=60)
    assert failed.value.reason == "Failed"


@pytest.mark.parametrize("script", ["multi-user.py", "scale.py", "wait-and-logs.py"])
def test_examples(flux: MiniClusterClient, script: str, tmp_path: Path) -> None:
    """The examples of this repository end well."""
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / script)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=180,
    )
    print(result.stdout)
    assert result.returncode == 0
    if script == "multi-user.py":
        assert result.stdout.count("alice") == 3 and result.stdout.count("bob") == 3
