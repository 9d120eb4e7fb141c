# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What goes over the wire through the installed kubernetes, whatever its version."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kubernetes import client

from fluxoperator.model.v1_object_meta import V1ObjectMeta
from fluxoperator.models import (
    MiniCluster,
    MiniClusterContainer,
    MiniClusterList,
    MiniClusterSpec,
)

# The checkout; matrix.py, which runs a copy of the tests elsewhere, names it.
CHECKOUT = Path(
    os.environ.get("FLUXOPERATOR_CHECKOUT", Path(__file__).resolve().parents[2])
)

GROUP, VERSION, PLURAL = "flux-framework.org", "v1alpha1", "miniclusters"
COLLECTION = f"/apis/{GROUP}/{VERSION}/namespaces/flux-operator/{PLURAL}"
WHERE = (GROUP, VERSION, "flux-operator", PLURAL)

LAMMPS = {
    "apiVersion": "flux-framework.org/v1alpha1",
    "kind": "MiniCluster",
    "metadata": {"name": "lammps", "namespace": "flux-operator"},
    "spec": {
        "cleanup": False,
        "containers": [
            {
                "command": "lmp -v x 2 -v y 2 -v z 2 -in in.reaxc.hns -nocite",
                "cores": 2,
                "image": "ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
                "pullAlways": False,
                "runFlux": True,
                "workingDir": "/home/flux/examples/reaxff/HNS",
            }
        ],
        "deadlineSeconds": 31500000,
        "interactive": False,
        "size": 4,
        "tasks": 2,
    },
}

# An object as a newer API server might give it: fields that no type here has, at
# every level, and values whose text is not what Python would write.
STORED = {
    "apiVersion": "flux-framework.org/v1alpha1",
    "futureTop": [1, {"deep": None}],
    "kind": "MiniCluster",
    "metadata": {
        "creationTimestamp": "2024-02-29T12:00:00.000000Z",
        "futureMeta": {"a": 1},
        "managedFields": [
            {
                "apiVersion": "flux-framework.org/v1alpha1",
                "fieldsV1": {"f:spec": {"f:size": {}}},
                "futureEntry": True,
                "manager": "kubectl",
                "operation": "Update",
                "time": "2024-02-29T12:00:00Z",
            }
        ],
        "name": "lammps",
        "resourceVersion": "41",
    },
    "spec": {
        "containers": [{"futureContainer": "x", "image": "a", "ports": [8080]}],
        "futureSpec": 1.0,
        "size": 4,
    },
    "status": {
        "conditions": [
            {
                "futureCondition": 1,
                "lastTransitionTime": "2024-02-29T12:00:00Z",
                "message": "",
                "reason": "Ready",
                "status": "True",
                "type": "JobRunning",
            }
        ],
        "jobid": "1",
        "maximumSize": 4,
        "selector": "",
        "size": 4,
    },
}


def minicluster() -> MiniCluster:
    """Builds what LAMMPS is the manifest of."""
    return MiniCluster(
        metadata=V1ObjectMeta(name="lammps", namespace="flux-operator"),
        spec=MiniClusterSpec(size=4, tasks=2, containers=[container()]),
    )


def container() -> MiniClusterContainer:
    return MiniClusterContainer(
        cores=2,
        image="ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
        working_dir="/home/flux/examples/reaxff/HNS",
        command="lmp -v x 2 -v y 2 -v z 2 -in in.reaxc.hns -nocite",
        run_flux=True,
    )


def sanitized(value):
    return client.ApiClient().sanitize_for_serialization(value)


def test_the_example_creates_the_minicluster(recorder, tmp_path):
    script = CHECKOUT / "examples" / "python" / "create-minicluster-lammps.py"
    ran = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "KUBECONFIG": str(recorder.kubeconfig)},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    sent = [request for request in recorder.requests if request.method == "POST"]
    assert [request.path for request in sent] == [COLLECTION]
    assert sent[0].body == LAMMPS
    assert "null" not in sent[0].text


def test_a_model_is_a_request_body(recorder):
    api, model = recorder.api(), minicluster()
    api.create_namespaced_custom_object(*WHERE, model)
    api.replace_namespaced_custom_object(*WHERE, "lammps", model)
    api.patch_namespaced_custom_object(*WHERE, "lammps", model)
    api.create_cluster_custom_object(GROUP, VERSION, PLURAL, model)
    assert [request.body for request in recorder.requests] == [LAMMPS] * 4


def test_a_model_inside_a_plain_dict_goes_out_right(recorder):
    mixed = {**LAMMPS, "spec": minicluster().spec}
    deep = {**LAMMPS, "spec": {**LAMMPS["spec"], "containers": [container()]}}
    for body in (mixed, deep, {"spec": {"any": {"depth": [container()]}}}):
        recorder.api().create_namespaced_custom_object(*WHERE, body)
    assert recorder.requests[0].body == LAMMPS
    assert recorder.requests[1].body == LAMMPS
    inner = LAMMPS["spec"]["containers"][0]
    assert recorder.requests[2].body == {"spec": {"any": {"depth": [inner]}}}


def test_sanitize_for_serialization_gives_the_manifest():
    assert sanitized(minicluster()) == LAMMPS
    assert sanitized([minicluster()]) == [LAMMPS]
    assert sanitized({"a": {"b": minicluster()}}) == {"a": {"b": LAMMPS}}
    assert sanitized(MiniClusterList(items=[minicluster()])) == {
        "apiVersion": "flux-framework.org/v1alpha1",
        "items": [LAMMPS],
        "kind": "MiniClusterList",
    }


def test_plain_dicts_may_stand_for_models_and_classes_of_kubernetes(recorder):
    model = MiniCluster(metadata=dict(LAMMPS["metadata"]), spec=dict(LAMMPS["spec"]))
    recorder.api().create_namespaced_custom_object(*WHERE, model)
    assert recorder.requests[0].body == LAMMPS == dict(model)


def test_classes_of_kubernetes_come_out_as_their_manifest():
    owner = client.V1OwnerReference(api_version="v1", kind="Pod", name="p", uid="u")
    meta = V1ObjectMeta(
        generate_name="lammps-", labels={"a_b": "c"}, owner_references=[owner]
    )
    expected = {
        "generateName": "lammps-",
        "labels": {"a_b": "c"},
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
        ],
    }
    assert sanitized(meta) == expected
    model = MiniCluster(metadata=meta)
    assert model["metadata"] == expected
    assert sanitized(model)["metadata"] == expected


def test_read_modify_write_changes_what_was_changed_and_nothing_else(recorder):
    path = f"{COLLECTION}/lammps"
    recorder.objects[path] = STORED
    api = recorder.api()

    read = MiniCluster.from_dict(api.get_namespaced_custom_object(*WHERE, "lammps"))
    api.replace_namespaced_custom_object(*WHERE, "lammps", read)
    assert recorder.requests[-1].body == STORED

    expected = copy.deepcopy(STORED)
    read.spec.size = expected["spec"]["size"] = 8
    read.metadata.labels = expected["metadata"]["labels"] = {"team": "hpc"}
    read.status.conditions[0].message = "m"
    expected["status"]["conditions"][0]["message"] = "m"
    api.replace_namespaced_custom_object(*WHERE, "lammps", read)
    assert recorder.requests[-1].body == expected
    assert sanitized(read) == expected == dict(read)


def test_replacing_what_was_read_forgets_it():
    read = MiniCluster.from_dict(STORED)
    read.metadata = V1ObjectMeta(name="other")
    read.status = None
    assert dict(read)["metadata"] == sanitized(read)["metadata"] == {"name": "other"}
    assert "status" not in dict(read)
    assert "status" not in sanitized(read)


@pytest.mark.parametrize("text", ["'", '"""', "\\", "{{x}}", "\n", "__import__('os')"])
def test_text_goes_out_as_it_is(recorder, text):
    model = minicluster()
    model.spec.containers[0].environment = {text: text}
    recorder.api().create_namespaced_custom_object(*WHERE, model)
    sent = recorder.requests[0].body["spec"]["containers"][0]
    assert sent["environment"] == {text: text}
    again = MiniCluster.from_dict(recorder.requests[0].body)
    assert again.spec.containers[0].environment == {text: text}
