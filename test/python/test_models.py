# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""How models behave as Python objects."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

import pytest
import yaml
from kubernetes import client

from fluxoperator import models
from fluxoperator.models import (
    MiniCluster,
    MiniClusterContainer,
    MiniClusterList,
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


def conditions(*times):
    """Gives a manifest with conditions that changed at these times."""
    rest = {"message": "", "reason": "R", "status": "True", "type": "T"}
    status = {"jobid": "", "maximumSize": 1, "selector": "", "size": 1}
    status["conditions"] = [{"lastTransitionTime": time, **rest} for time in times]
    return {**MANIFEST, "status": status}


def test_defaults_are_those_of_the_api():
    spec = MiniClusterSpec(containers=[])
    assert (spec.deadline_seconds, spec.size, spec.tasks) == (31500000, 1, 1)
    assert (spec.cleanup, spec.interactive) == (False, False)
    assert spec.max_size is None
    assert MiniClusterSpec(containers=[], size=None).size is None


def test_root_kinds_know_what_they_are():
    model = MiniCluster()
    assert model.api_version == MiniCluster.API_VERSION == "flux-framework.org/v1alpha1"
    assert model.kind == MiniCluster.KIND == "MiniCluster"
    assert MiniCluster.GROUP == "flux-framework.org"
    assert MiniCluster.VERSION == "v1alpha1"
    assert MiniCluster.PLURAL == "miniclusters"
    assert MiniClusterList(items=[]).kind == MiniClusterList.KIND == "MiniClusterList"


def test_a_misspelt_keyword_or_attribute_raises():
    with pytest.raises(TypeError, match="deadline_second"):
        MiniClusterSpec(containers=[], deadline_second=1)
    spec = MiniClusterSpec(containers=[])
    with pytest.raises(AttributeError):
        spec.deadline_second = 1
    with pytest.raises(AttributeError):
        spec.deadline_second  # noqa: B018


def test_keys_of_a_manifest_are_keywords_too():
    given = {"apiVersion": MiniCluster.API_VERSION, "kind": "MiniCluster", "spec": {"containers": []}}
    assert dict(MiniCluster(**given)) == given
    spec = MiniClusterSpec(containers=[MiniClusterContainer(image="x", run_flux=True)])
    assert MiniClusterSpec(**spec) == spec
    assert MiniCluster(**MiniCluster(spec=spec, metadata={"name": "m"}))["metadata"] == {"name": "m"}
    with pytest.raises(TypeError, match="maxsize'.* did you mean max_size"):
        MiniClusterSpec(containers=[], **{"maxsize": 1})
    with pytest.raises(TypeError, match="'max_size' and 'maxSize', which are the same"):
        MiniClusterSpec(containers=[], max_size=1, **{"maxSize": 1})
    with pytest.raises(TypeError, match="maxSize: expected an integer"):
        MiniClusterSpec(containers=[], **{"maxSize": "x"})


def test_a_value_without_a_keyword_is_refused():
    for value in (True, None, {"image": "x"}):
        with pytest.raises(TypeError, match="keywords only"):
            MiniClusterContainer(value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: MiniClusterSpec(),
        lambda: MiniClusterSpec(containers=None),
        lambda: MiniClusterSpec.from_dict({"size": 1}).validate(),
        lambda: MiniClusterSpec.from_dict({"containers": None}).validate(),
        lambda: MiniCluster(spec={"size": 1}),
    ],
)
def test_a_missing_required_value_is_a_value_error(build):
    with pytest.raises(ValueError, match="containers: a value is required$"):
        build()


def test_what_lacks_a_required_value_can_be_read():
    assert dict(MiniClusterSpec.from_dict({"size": 1})) == {"size": 1}


def test_a_required_value_can_be_taken_away_and_validate_tells():
    spec = MiniClusterSpec(containers=[])
    spec.validate()
    del spec.containers
    with pytest.raises(ValueError, match="^containers: a value is required$"):
        spec.validate()


def test_a_class_made_from_a_model_may_have_its_own_constructor():
    class Named(MiniCluster):
        def __init__(self, name):
            super().__init__(metadata={"name": name})
            self.note = "not in the manifest"

    assert dict(Named("n"))["metadata"] == {"name": "n"}
    assert "note" not in Named("n")
    assert Named("n") == MiniCluster(metadata={"name": "n"})
    assert isinstance(Named.from_dict(MANIFEST), Named)
    assert copy.deepcopy(Named("n")).note == "not in the manifest"


def test_a_model_is_a_mapping_of_its_manifest():
    container = MiniClusterContainer(image="a", run_flux=True)
    spec = MiniClusterSpec(containers=[container], tasks=None)
    assert isinstance(spec, Mapping)
    assert list(spec) == [
        "cleanup",
        "containers",
        "deadlineSeconds",
        "interactive",
        "size",
    ]
    assert len(spec) == 5
    assert spec["containers"] == [{"image": "a", "pullAlways": False, "runFlux": True}]
    assert "tasks" not in spec
    assert "deadline_seconds" not in spec
    assert spec.get("tasks", 7) == 7
    assert dict(spec.items()) == dict(spec) == {**spec}
    with pytest.raises(KeyError):
        spec["tasks"]
    dict(spec)["containers"][0]["runFlux"] = None
    assert spec.containers[0].run_flux is True


def test_a_model_with_nothing_set_is_true():
    model = MiniCluster(api_version=None, kind=None)
    assert len(model) == 0
    assert model


def test_a_manifest_goes_through_unchanged():
    for text in (json.dumps(MANIFEST), yaml.safe_dump(MANIFEST)):
        model = MiniCluster.from_dict(yaml.safe_load(text))
        assert dict(model) == MANIFEST
        assert yaml.safe_load(yaml.safe_dump(dict(model))) == MANIFEST
        assert json.loads(json.dumps(dict(model))) == MANIFEST


def test_reading_fills_no_default_in():
    model = MiniCluster.from_dict({"spec": {"containers": []}})
    assert model.spec.size is None
    assert dict(model) == {"spec": {"containers": []}}


def test_values_keep_their_type():
    container = MiniCluster.from_dict(MANIFEST).spec.containers[0]
    assert container.ports == [8080]
    limits = container.resources.limits
    assert limits == {"cpu": 2, "memory": "4Gi"}
    assert type(limits["cpu"]) is int
    pod = MiniCluster.from_dict(MANIFEST).spec.pod
    assert type(pod.resources["nvidia.com/gpu"]) is int


def test_nested_values_become_models():
    spec = MiniCluster.from_dict(MANIFEST).spec
    assert type(spec) is MiniClusterSpec
    assert type(spec.containers[0]) is MiniClusterContainer
    assert spec.containers[0].volumes["data"].path == "/data"
    assert spec.size == 0


def test_what_is_given_is_copied():
    manifest = copy.deepcopy(MANIFEST)
    model = MiniCluster.from_dict(manifest)
    manifest["spec"]["containers"][0]["resources"]["limits"].clear()
    manifest["metadata"]["name"] = "x"
    assert dict(model) == MANIFEST


def test_metadata_becomes_the_class_of_kubernetes():
    model = MiniCluster.from_dict(MANIFEST)
    assert type(model.metadata) is client.V1ObjectMeta
    assert model.metadata.name == "m"
    assert model.metadata is model.metadata
    items = MiniClusterList.from_dict({"items": [MANIFEST]}).items
    assert items[0].metadata.name == "m"


def test_to_dict_is_the_legacy_one():
    given = MiniCluster.from_dict(MANIFEST).to_dict()
    assert given["api_version"] == MANIFEST["apiVersion"]
    assert given["status"] is None
    assert given["metadata"]["generate_name"] is None
    assert given["spec"]["containers"][0]["working_dir"] is None
    assert given["spec"]["containers"][0]["volumes"]["data"]["read_only"] is False
    assert set(given) == set(MiniCluster.openapi_types)
    named = MiniClusterSpec(containers=[]).to_dict(serialize=True)
    assert named["deadlineSeconds"] == 31500000
    assert named["maxSize"] is None


def test_to_dict_can_be_read_back():
    model = MiniCluster.from_dict(conditions("2024-01-02T03:04:05Z"))
    assert dict(MiniCluster.from_dict(model.to_dict())) == dict(model)
    meta = client.V1ObjectMeta(generate_name="m-")
    one = MiniClusterList(items=[MiniCluster(metadata=meta)])
    assert dict(MiniClusterList.from_dict(one.to_dict())) == dict(one)


def test_a_null_that_was_read_gives_way_to_a_value():
    meta = {"name": "m", "creationTimestamp": None}
    model = MiniCluster.from_dict({"metadata": meta})
    assert dict(model) == {"metadata": meta}
    model.metadata.name = "n"
    assert dict(model) == {"metadata": {**meta, "name": "n"}}
    model.metadata.creation_timestamp = datetime(2024, 1, 2, tzinfo=timezone.utc)
    written = {"name": "n", "creationTimestamp": "2024-01-02T00:00:00Z"}
    assert dict(model) == {"metadata": written}


def test_legacy_surface():
    spec = MiniClusterSpec(containers=[], local_vars_configuration=object())
    assert spec.attribute_map["deadline_seconds"] == "deadlineSeconds"
    assert MiniClusterSpec.openapi_types["deadline_seconds"] == "int"
    assert spec.openapi_types["containers"] == "list[MiniClusterContainer]"
    assert "deadline_seconds" in spec.to_str()


@pytest.mark.parametrize(
    "wrong", [{"spec": 1}, {"spec": []}, {"spec": {"containers": {}}}, {"metadata": 1}]
)
def test_a_wrong_shape_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="expected"):
        MiniCluster.from_dict(wrong).metadata  # noqa: B018
    with pytest.raises(TypeError, match="expected an object"):
        MiniCluster.from_dict([])


def test_equality_is_of_kind_and_manifest():
    one, other = MiniCluster.from_dict(MANIFEST), MiniCluster.from_dict(MANIFEST)
    assert one == other == MANIFEST
    other.spec.size = 1
    assert one != other
    assert MiniCluster(api_version=None, kind=None) != MiniClusterContainer(
        pull_always=None
    )
    assert one != "m"
    with pytest.raises(TypeError):
        hash(one)


@pytest.mark.parametrize("touch", [False, True])
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies(duplicate, touch):
    stored = {**MANIFEST, "metadata": {"name": "m", "future": 1}, "futureTop": 1}
    model = MiniCluster.from_dict(stored)
    if touch:
        assert model.metadata.name == "m"
    other = duplicate(model)
    assert dict(other) == stored
    other.metadata.labels = {"a": "b"}
    assert dict(other)["metadata"] == {"name": "m", "future": 1, "labels": {"a": "b"}}
    assert ("labels" in dict(model)["metadata"]) is (duplicate is copy.copy)


def test_pickle():
    stored = {**MANIFEST, "metadata": {"name": "m", "future": 1}, "futureTop": 1}
    for model in (MiniCluster.from_dict(stored), MiniClusterSpec(containers=[])):
        assert dict(pickle.loads(pickle.dumps(model))) == dict(model)


def test_repr_shows_what_is_set():
    assert repr(MiniClusterContainer(image="a")) == (
        "MiniClusterContainer(image='a', pull_always=False)"
    )
    assert "future" in repr(MiniCluster.from_dict({"future": 1}))


def test_the_signature_shows_every_attribute():
    parameters = inspect.signature(MiniClusterSpec).parameters
    assert parameters["deadline_seconds"].default == 31500000
    assert set(parameters) == set(MiniClusterSpec.attribute_map)


def test_timestamps_are_read_with_their_zone_and_written_as_they_came():
    times = [
        "2024-01-02T03:04:05Z",
        "2024-01-02T03:04:05.000000Z",
        "2024-01-02T03:04:05.123456789Z",
        "2024-01-02t05:04:05.5+02:00",
    ]
    model = MiniCluster.from_dict(conditions(*times))
    read = [item.last_transition_time for item in model.status.conditions]
    instant = datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    assert read[0] == read[1] == instant
    assert read[2] == instant.replace(microsecond=123456)
    assert read[3] == instant.replace(microsecond=500000)
    assert read[3].utcoffset() == timedelta(hours=2)
    assert dict(model) == conditions(*times)
    model.status.conditions[0].last_transition_time = instant + timedelta(hours=1)
    assert dict(model) == conditions("2024-01-02T04:04:05Z", *times[1:])


def test_a_timestamp_that_is_none_is_a_value_error():
    model = MiniCluster.from_dict(conditions("yesterday"))
    assert dict(model) == conditions("yesterday")
    with pytest.raises(ValueError, match="yesterday"):
        model.status.conditions  # noqa: B018


def test_a_timestamp_without_a_zone_is_a_value_error():
    meta = client.V1ObjectMeta(creation_timestamp=datetime(2024, 1, 2))
    with pytest.raises(ValueError, match="time zone"):
        dict(MiniCluster(metadata=meta))


def test_items_may_be_reordered():
    manifest = conditions("2024-01-02T03:04:05Z", "2025-01-02T03:04:05.000000Z")
    for number, item in enumerate(manifest["status"]["conditions"]):
        item["future"] = number
    model = MiniCluster.from_dict(manifest)
    model.status.conditions.reverse()
    expected = manifest["status"]["conditions"][::-1]
    assert model["status"]["conditions"] == expected
    del model.status.conditions[0]
    assert model["status"]["conditions"] == expected[1:]


def test_models_gives_the_classes_of_kubernetes_too():
    assert models.V1ObjectMeta is client.V1ObjectMeta
    assert models.CoreV1Event is client.CoreV1Event
    for name in ("MiniClusterr", "V1NoSuchClass", "v1_object_meta_", "ApiClient"):
        with pytest.raises(AttributeError, match=f"has no model '{name}'"):
            getattr(models, name)
