# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the tests on a cluster share. The operator runs there already."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Tuple

import pytest
from kubernetes import client, config

ADMISSION = ("admissionregistration.k8s.io", "v1")
STAY = "pods-stay"
GROUP, VERSION, PLURAL = "flux-framework.org", "v1alpha1", "miniclusters"


@pytest.fixture(scope="session")
def checkout() -> Path:
    """Gives the root of the repository."""
    return Path(os.environ["FLUXOPERATOR_CHECKOUT"])


@pytest.fixture(scope="session", autouse=True)
def kubeconfig() -> str:
    """Loads the kubeconfig that KUBECONFIG names, and gives its path."""
    config.load_kube_config(os.environ["KUBECONFIG"])  # type: ignore[no-untyped-call]
    return os.environ["KUBECONFIG"]


@pytest.fixture(scope="session")
def remove() -> Callable[[str], None]:
    """Gives a function that removes a namespace, and before it the MiniClusters in it.

    Deleting the namespace alone would not do: an API server that was just started does
    not tell of definitions for some seconds, and what is of a kind that the namespace
    controller has not heard of then stays for ever.
    """

    def function(name: str) -> None:
        client.CustomObjectsApi().delete_collection_namespaced_custom_object(GROUP, VERSION, name, PLURAL)
        client.CoreV1Api().delete_namespace(name)

    return function


@pytest.fixture
def namespace(remove: Callable[[str], None]) -> Iterator[str]:
    """Gives a namespace of the test's own."""
    name = f"sdk-{uuid.uuid4().hex[:8]}"
    client.CoreV1Api().create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=name)))
    yield name
    remove(name)


@pytest.fixture
def user(checkout: Path) -> Callable[[str], Any]:
    """Gives a function that makes an ApiClient of a user with a name and no rights."""

    def function(name: str) -> Any:
        command = [str(checkout / "bin" / "cluster"), "kubeconfig", "--user", name, "--group", "sdk-none"]
        path = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        connect: Any = config.new_client_from_config
        return connect(config_file=path)

    return function


@pytest.fixture
def create(namespace: str) -> Callable[[Any], Dict[str, Any]]:
    """Gives a function that creates a MiniCluster and returns what the server stored."""

    objects: Any = client.CustomObjectsApi()  # kubernetes 37 declares object as what it returns

    def function(body: Any) -> Dict[str, Any]:
        stored: Dict[str, Any] = objects.create_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, body)
        return stored

    return function


@pytest.fixture
def eventually() -> Callable[[Callable[[], Any]], Any]:
    """Gives a function that asks until the answer is true, five minutes long, and returns it."""

    def function(ask: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + 300
        while True:
            answer = ask()
            if answer:
                return answer
            assert time.monotonic() < deadline, f"it is still {answer!r}"
            time.sleep(0.2)

    return function


@pytest.fixture(scope="module")
def pods_stay(kubeconfig: str) -> Iterator[None]:
    """Keeps pods in the namespace default running until they are deleted, except those of MiniClusters "hello"."""
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
    objects, core = client.CustomObjectsApi(), client.CoreV1Api()
    plurals: Dict[str, Tuple[str, Any]] = {
        "mutatingadmissionpolicies": ("MutatingAdmissionPolicy", policy),
        "mutatingadmissionpolicybindings": ("MutatingAdmissionPolicyBinding", {"policyName": STAY}),
    }
    for plural, (kind, spec) in plurals.items():
        body = {"apiVersion": "/".join(ADMISSION), "kind": kind, "metadata": {"name": STAY}, "spec": spec}
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
        objects.delete_cluster_custom_object(*ADMISSION, plural, STAY)
