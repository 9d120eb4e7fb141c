# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The SDK on a real API server, with the operator."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

Eventually = Callable[[Callable[[], Any]], Any]

SCRIPT = "examples/python/create-minicluster-lammps.py"


def conditions(minicluster: Dict[str, Any]) -> List[str]:
    """Gives the types of the conditions that are true."""
    found = minicluster.get("status", {}).get("conditions", [])
    return [c["type"] for c in found if c["status"] == "True"]


def test_the_lammps_script_runs_to_its_end(checkout: Path, eventually: Eventually) -> None:
    core, batch = client.CoreV1Api(), client.BatchV1Api()
    objects: Any = client.CustomObjectsApi()
    where = ("flux-framework.org", "v1alpha1", "flux-operator", "miniclusters")
    try:
        core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name="flux-operator")))
    except ApiException as error:
        assert error.status == 409
    subprocess.run([sys.executable, checkout / SCRIPT], check=True)
    try:
        read: Callable[[], Any] = lambda: objects.get_namespaced_custom_object(*where, "lammps")  # noqa: E731
        eventually(lambda: "JobRequested" in conditions(read()))
        job = batch.read_namespaced_job("lammps", "flux-operator").spec
        assert job and job.active_deadline_seconds == 31500000
        assert (job.completions, job.parallelism) == (4, 4)
        assert job.completion_mode == "Indexed"
        eventually(lambda: "JobFinished" in conditions(read()))
        status = MiniCluster.from_dict(read()).status
        assert status and status.size == 4
    finally:
        objects.delete_namespaced_custom_object(*where, "lammps")
        eventually(lambda: not batch.list_namespaced_job("flux-operator", field_selector="metadata.name=lammps").items)


def filled(sent: Any, stored: Any, at: str = "spec") -> None:
    """Checks that all that was sent is stored, and all that is stored was sent."""
    if isinstance(sent, dict):
        assert sent.keys() == stored.keys(), at
        for key, value in sent.items():
            filled(value, stored[key], f"{at}.{key}")
    elif isinstance(sent, list):
        assert len(sent) == len(stored), at
        for i, value in enumerate(sent):
            filled(value, stored[i], f"{at}[{i}]")
    else:
        assert (type(sent), sent) == (type(stored), stored), at


def test_the_defaults_of_the_sdk_are_those_of_the_server(create: Callable[[Any], Dict[str, Any]]) -> None:
    bare = {
        "apiVersion": "flux-framework.org/v1alpha1",
        "kind": "MiniCluster",
        "metadata": {"name": "bare"},
        "spec": {"containers": [{}], "interactive": True},
    }
    built = MiniCluster(
        metadata=client.V1ObjectMeta(name="built"),
        spec=MiniClusterSpec(containers=[MiniClusterContainer()], interactive=True),
    )
    stored = create(bare)["spec"]
    filled(dict(built)["spec"], stored)
    assert create(built)["spec"] == stored
    assert stored["deadlineSeconds"] == 31500000


def test_what_is_read_is_written_back(create: Callable[[Any], Dict[str, Any]], namespace: str) -> None:
    where = ("flux-framework.org", "v1alpha1", namespace, "miniclusters", "kept")
    objects: Any = client.CustomObjectsApi()
    spec = MiniClusterSpec(containers=[MiniClusterContainer(image="any")], interactive=True, max_size=4)
    stored = create(MiniCluster(metadata=client.V1ObjectMeta(name="kept"), spec=spec))
    while True:
        model = MiniCluster.from_dict(stored)
        assert dict(model) == stored
        assert model.spec and model.metadata
        model.spec.size = 3
        model.metadata.labels = {"changed": "yes"}
        try:
            written = objects.replace_namespaced_custom_object(*where, model)
            break
        except ApiException as error:
            assert error.status == 409  # the operator wrote in between
            stored = objects.get_namespaced_custom_object(*where)
    assert written["spec"] == {**stored["spec"], "size": 3}
    assert written["metadata"]["labels"] == {"changed": "yes"}


def test_a_value_that_the_spec_forbids_is_refused(create: Callable[[Any], Dict[str, Any]]) -> None:
    manifest = {
        "apiVersion": "flux-framework.org/v1alpha1",
        "kind": "MiniCluster",
        "metadata": {"name": "wrong"},
        "spec": {"containers": [{"image": "any"}], "size": "four"},
    }
    with pytest.raises(ApiException) as caught:
        create(manifest)
    assert caught.value.status == 422
    assert "spec.size" in str(caught.value.body)
