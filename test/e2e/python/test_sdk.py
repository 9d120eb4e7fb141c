# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The SDK on a real API server, with the operator."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Dict, List

import pytest
from kubernetes import client
from kubernetes.client.rest import ApiException

from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

SCRIPT = "examples/python/create-minicluster-lammps.py"


def conditions(minicluster: Dict[str, Any]) -> List[str]:
    """Gives the types of the conditions that are true."""
    found = minicluster.get("status", {}).get("conditions", [])
    return [c["type"] for c in found if c["status"] == "True"]


def test_the_lammps_script_runs_to_its_end(checkout, eventually):
    core, batch, objects = client.CoreV1Api(), client.BatchV1Api(), client.CustomObjectsApi()
    where = ("flux-framework.org", "v1alpha1", "flux-operator", "miniclusters")
    try:
        core.create_namespace({"metadata": {"name": "flux-operator"}})
    except ApiException as error:
        assert error.status == 409
    subprocess.run([sys.executable, checkout / SCRIPT], check=True)
    try:
        read = lambda: objects.get_namespaced_custom_object(*where, "lammps")  # noqa: E731
        eventually(lambda: "JobRequested" in conditions(read()))
        job = batch.read_namespaced_job("lammps", "flux-operator")
        assert job.spec.active_deadline_seconds == 31500000
        assert (job.spec.completions, job.spec.parallelism) == (4, 4)
        assert job.spec.completion_mode == "Indexed"
        eventually(lambda: "JobFinished" in conditions(read()))
        assert MiniCluster.from_dict(read()).status.size == 4
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


def test_the_defaults_of_the_sdk_are_those_of_the_server(create):
    bare = {
        "apiVersion": "flux-framework.org/v1alpha1",
        "kind": "MiniCluster",
        "metadata": {"name": "bare"},
        "spec": {"containers": [{}], "interactive": True},
    }
    built = MiniCluster(
        metadata={"name": "built"},
        spec=MiniClusterSpec(containers=[MiniClusterContainer()], interactive=True),
    )
    stored = create(bare)["spec"]
    filled(dict(built)["spec"], stored)
    assert create(built)["spec"] == stored
    assert stored["deadlineSeconds"] == 31500000


def test_what_is_read_is_written_back(create, namespace):
    where = ("flux-framework.org", "v1alpha1", namespace, "miniclusters", "kept")
    objects = client.CustomObjectsApi()
    spec = {"containers": [{"image": "any"}], "interactive": True, "maxSize": 4}
    stored = create(MiniCluster(metadata={"name": "kept"}, spec=spec))
    while True:
        model = MiniCluster.from_dict(stored)
        assert dict(model) == stored
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


def test_a_value_that_the_spec_forbids_is_refused(create):
    manifest = {
        "apiVersion": "flux-framework.org/v1alpha1",
        "kind": "MiniCluster",
        "metadata": {"name": "wrong"},
        "spec": {"containers": [{"image": "any"}], "size": "four"},
    }
    with pytest.raises(ApiException) as caught:
        create(manifest)
    assert caught.value.status == 422
    assert "spec.size" in caught.value.body
