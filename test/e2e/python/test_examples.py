# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The examples as users run them, on a real API server with the operator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable, Iterator

import kubernetes
import pytest

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster

Run = Callable[..., str]

pytestmark = pytest.mark.usefixtures("pods_stay")


@pytest.fixture
def run(checkout: Path, tmp_path: Path, kubeconfig: str) -> Run:
    """Gives a function that runs an example, with no other program in reach."""

    def function(name: str, *arguments: str, code: int = 0) -> str:
        command = [sys.executable, str(checkout / "examples" / "python" / name), *arguments]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={"KUBECONFIG": kubeconfig, "PATH": "", "HOME": os.environ.get("HOME", "")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=700,
        )
        assert done.returncode == code, done.stderr
        printed: str = done.stderr if code else done.stdout
        return printed

    return function


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Checks that an example deletes what it has made."""
    yield
    assert MiniClusterClient().list() == []


def test_wait_and_logs(run: Run, tmp_path: Path) -> None:
    assert "Completed: " in run("wait-and-logs.py")
    lines = (tmp_path / "hello.log").read_text().splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == [f"line {i} of 10" for i in range(1, 11)]
    assert lines[0].startswith("default/hello-0-")


def test_port_forward(run: Run) -> None:
    printed = run("port-forward.py")
    assert '"path":"/v1/"' in printed and '"port":5000' in printed
    assert printed.splitlines()[-1] == "HTTP/1.1 200 OK"


def test_scale(run: Run) -> None:
    printed = run("scale.py").splitlines()
    assert printed[-2] == "Running: 3 of 3" and printed[-1] == "3 pods"


def test_progress(run: Run) -> None:
    phases = [line.split()[2] for line in run("progress.py").splitlines()]
    order = ["Pending", "Creating", "Waiting", "Running", "Ending", "Completed"]
    assert phases[-1] == "Completed" and phases == sorted(phases, key=order.index)


def test_informer(run: Run) -> None:
    if int(kubernetes.__version__.split(".")[0]) < 37:
        assert "install kubernetes 37" in run("informer.py", code=1)
        return
    printed = run("informer.py").splitlines()
    assert printed[0] == "leading"
    assert printed[-3:] == [
        "changed: JobRequested, JobMiniClusterReady, JobFinished",
        "cached: MiniCluster of size 2",
        "left in the cache: 0",
    ]


def test_yaml_in_and_out(run: Run) -> None:
    printed = MiniCluster.from_yaml(run("yaml-in-and-out.py"))
    assert printed["metadata"]["name"] == "from-yaml"
    assert printed.spec and printed.spec.interactive and printed.spec.size == 2
    assert printed.status and printed.status.size == 2


def test_multi_user(run: Run) -> None:
    # There is no Flux here. It gets as far as asking for it, as the user that owns it.
    printed = run("multi-user.py", "3", code=1)
    assert printed.splitlines()[-1].endswith("the lead broker of shared is not up: sudo: not found")


def test_every_example_is_listed(checkout: Path) -> None:
    directory = checkout / "examples" / "python"
    text = (directory / "README.md").read_text()
    for script in directory.glob("*.py"):
        assert f"[{script.name}]({script.name})" in text
