# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The examples as users run them, on a real API server with the operator."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Tuple

import pytest
from kubernetes import client as kubernetes

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster

Run = Callable[..., str]

ADMISSION = ("admissionregistration.k8s.io", "v1")
NAME = "examples-stay"


@pytest.fixture(scope="module", autouse=True)
def pods_stay(kubeconfig: str) -> Iterator[None]:
    """Has the pods of the examples run until they are deleted, but for one that is to end."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    annotations = 'Object.metadata{annotations: {"cluster.flux-framework.org/run-for": "1h"}}'
    policy = {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConstraints": {
            "resourceRules": [rule],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
        },
        "matchConditions": [{"name": "stays", "expression": '!object.metadata.generateName.startsWith("hello-")'}],
        "mutations": [
            {
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {"expression": f"Object{{metadata: {annotations}}}"},
            }
        ],
    }
    objects, core = kubernetes.CustomObjectsApi(), kubernetes.CoreV1Api()
    plurals: Dict[str, Tuple[str, Any]] = {
        "mutatingadmissionpolicies": ("MutatingAdmissionPolicy", policy),
        "mutatingadmissionpolicybindings": ("MutatingAdmissionPolicyBinding", {"policyName": NAME}),
    }
    for plural, (kind, spec) in plurals.items():
        body = {"apiVersion": "/".join(ADMISSION), "kind": kind, "metadata": {"name": NAME}, "spec": spec}
        objects.create_cluster_custom_object(*ADMISSION, plural, body)
    probe: Any = {
        "metadata": {"generateName": "probe-"},
        "spec": {"containers": [{"name": "main", "image": "any"}]},
    }
    deadline = time.monotonic() + 60  # until the server has taken it up
    while True:
        metadata = core.create_namespaced_pod("default", probe, dry_run="All").metadata
        if metadata and metadata.annotations:
            break
        assert time.monotonic() < deadline, "pods are created without the annotation"
        time.sleep(0.2)
    yield
    for plural in plurals:
        objects.delete_cluster_custom_object(*ADMISSION, plural, NAME)


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
    assert printed[-2].endswith("D: 3 of 3") and printed[-1] == "3 pods"


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
