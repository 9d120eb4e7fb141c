# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What attributes may hold: nothing, null, what is given, and what is refused."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from fluxoperator import NULL, ValidationError, WrongTypeError
from fluxoperator.models import (
    ContainerResources,
    MiniCluster,
    MiniClusterContainer,
    MiniClusterSpec,
)

MANIFEST = {
    "apiVersion": "flux-framework.org/v1alpha1",
    "kind": "MiniCluster",
    "metadata": {"name": "m"},
    "spec": {
        "containers": [
            {
                "image": "a",
                "ports": [8080],
                "resources": {"limits": {"cpu": 2, "memory": "4Gi"}},
                "volumes": {"data": {"path": "/data", "readOnly": False}},
            }
        ],
        "pod": {"resources": {"nvidia.com/gpu": 1, "memory": "1Gi"}},
        "size": 0,
    },
}


def test_assigning_none_unsets():
    model = MiniCluster.from_dict({**MANIFEST, "status": None})
    assert model.status is None
    assert model["status"] is None
    assert dict(model) == {**MANIFEST, "status": None}
    assert json.loads(model.to_json()) == dict(model)
    model.metadata = None
    model.status = model.status  # what is read is what is written
    model.spec.size = None
    del model.spec.containers[0].image
    assert model.metadata is None
    assert "image" not in model["spec"]["containers"][0]
    assert "image" not in json.loads(model.to_json())["spec"]["containers"][0]
    assert set(model) == {"apiVersion", "kind", "spec", "status"}
    assert "size" not in model["spec"]


def test_null_goes_out_as_null_and_none_does_not():
    spec = MiniClusterSpec(containers=[], size=None, tasks=NULL, max_size=0)
    spec.deadline_seconds = NULL
    assert spec["tasks"] is None
    assert dict(spec) == {
        "cleanup": False,
        "containers": [],
        "deadlineSeconds": None,
        "interactive": False,
        "maxSize": 0,
        "tasks": None,
    }
    for same in (copy.deepcopy(spec), pickle.loads(pickle.dumps(spec))):
        assert same.tasks is NULL
        assert dict(same) == dict(spec)
    assert not NULL
    assert repr(NULL) == "NULL"
    assert spec.to_dict()["tasks"] is None
    assert dict(MiniClusterSpec.from_dict(dict(spec))) == dict(spec)


def test_what_a_constructor_is_given_is_checked():
    with pytest.raises(WrongTypeError, match="^size: expected an integer, not str$"):
        MiniClusterSpec(containers=[], size="4")
    with pytest.raises(TypeError, match="^size: expected an integer, not bool$"):
        MiniClusterSpec(containers=[], size=True)
    with pytest.raises(ValueError, match=r"^containers\[1\]: expected MiniClusterContainer"):
        MiniClusterSpec(containers=[MiniClusterContainer(), 1])
    with pytest.raises(WrongTypeError, match="^spec: expected MiniClusterSpec, not Mini"):
        MiniCluster(spec=MiniClusterContainer())
    with pytest.raises(WrongTypeError, match="^limits.cpu: expected an integer or a str"):
        ContainerResources(limits={"cpu": 0.5})
    with pytest.raises(ValidationError) as caught:
        MiniCluster(spec={"size": "4", "containers": [{"image": "a"}, {"image": 5}]})
    assert caught.value.problems == [
        ("spec.containers[1].image", "expected a string, not int"),
        ("spec.size", "expected an integer, not str"),
    ]
    assert str(caught.value).splitlines()[0] == (
        "spec.containers[1].image: expected a string, not int"
    )


def test_dicts_given_to_a_constructor_become_models():
    given = [{"image": "a", "command": "b"}]
    spec = MiniCluster(spec={"containers": given}).spec
    assert type(spec) is MiniClusterSpec
    assert spec.containers[0].image == "a"
    assert dict(spec) == {"containers": given}
    held = [MiniClusterContainer()]
    assert MiniClusterSpec(containers=held).containers is held


def test_validate_tells_all_that_is_wrong():
    model = MiniCluster.from_dict(MANIFEST)
    model.validate()
    model.spec.size = "4"
    model.spec.containers[0].ports.append("http")
    model.spec.containers.append(None)
    with pytest.raises(WrongTypeError) as caught:
        model.validate()
    assert [path for path, _ in caught.value.problems] == [
        "spec.containers[0].ports[1]",
        "spec.containers[1]",
        "spec.size",
    ]


def test_yaml_both_ways():
    model = MiniCluster.from_yaml(MiniCluster.from_dict(MANIFEST).to_yaml())
    assert dict(model) == MANIFEST
    text = "spec: {containers: [{image: 2024-01-02, command: 'yes'}], size: 2}"
    spec = MiniCluster.from_yaml(text).spec
    assert (spec.containers[0].image, spec.size) == ("2024-01-02", 2)
    for value in ("yes", "1e3", "0o17", "2024-01-01", "null", "~", "1_000", "12:30:45", "a\nb"):
        container = MiniClusterContainer(command=value)
        assert MiniClusterContainer.from_yaml(container.to_yaml()) == container
    for wrong in ("a: b: c", "1\n---\n2"):
        with pytest.raises(ValueError):
            MiniCluster.from_yaml(wrong)
