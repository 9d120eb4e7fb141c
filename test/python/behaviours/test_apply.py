# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Who owns which fields, on both servers."""

from __future__ import annotations

import pytest

from fluxoperator import MiniCluster, errors

UPDATE = 'conflict with "suite" using flux-framework.org/v1alpha1: .spec.size'


def config(meta=None, **spec):
    """Gives a configuration with what is told and no more."""
    said = {"apiVersion": MiniCluster.API_VERSION, "kind": "MiniCluster"}
    body = {**said, "metadata": {"name": "one", **(meta or {})}}
    return {**body, "spec": spec} if spec else body


def owners(obj):
    """Gives fieldsV1 by manager, operation and subresource."""
    found = obj["metadata"].get("managedFields") or ()
    assert {each["apiVersion"] for each in found} <= {MiniCluster.API_VERSION, "v1"}
    assert {each["fieldsType"] for each in found} <= {"FieldsV1"} and all("time" in e or e["subresource"] == "scale" for e in found)
    return {(e["manager"], e["operation"], e.get("subresource", "")): e["fieldsV1"] for e in found}


def test_an_applied_object_has_its_fields_owned(clusters):
    containers = [{"image": "any", "ports": [80]}]
    meta = {"labels": {"a": "1", "b": "2"}, "finalizers": ["x.example/y"], "annotations": {}}
    found = clusters.apply(config(meta, size=2, containers=containers, flux={"logLevel": 7}))
    assert found["spec"]["tasks"] == 1 and found["metadata"]["generation"] == 1
    fields = owners(found)
    wanted = {"f:containers": {}, "f:flux": {"f:logLevel": {}}, "f:size": {}}
    named = {"f:annotations": {}, "f:finalizers": {'v:"x.example/y"': {}}, "f:labels": {"f:a": {}, "f:b": {}}}
    assert fields == {("suite", "Apply", ""): {"f:metadata": named, "f:spec": wanted}}
    del meta["annotations"]  # or the API server counts a change
    found = clusters.apply(config(meta, size=2, containers=containers, flux={"logLevel": 7}))
    assert clusters.apply(config(meta, size=2, containers=containers, flux={"logLevel": 7})) == found


def test_updates_own_what_they_change(clusters, other, made):
    found = clusters.create(made(meta={"labels": {"a": "1"}}))
    fields = owners(found)[("suite", "Update", "")]
    assert fields["f:metadata"] == {"f:labels": {".": {}, "f:a": {}}}
    assert fields["f:spec"]["."] == {} and fields["f:spec"]["f:containers"] == {}
    assert fields["f:spec"]["f:maxSize"] == {}
    found = owners(other.patch("one", {"spec": {"maxSize": 8, "flux": {"logLevel": 7}}, "metadata": {"labels": {"b": "2"}}}))
    assert "f:maxSize" not in found["suite", "Update", ""]["f:spec"]
    assert found["other", "Update", ""]["f:metadata"] == {"f:labels": {"f:b": {}}}
    assert found["other", "Update", ""]["f:spec"]["f:maxSize"] == {}
    found = owners(other.patch("one", {"metadata": {"labels": None}}))
    assert "f:metadata" not in found["suite", "Update", ""] and "f:metadata" not in found["other", "Update", ""]
    status = {"jobid": "", "maximumSize": 4, "selector": "", "size": 1}
    found = owners(other.patch("one", {"status": status}, subresource="status"))
    named = {"f:jobid": {}, "f:maximumSize": {}, "f:selector": {}, "f:size": {}, ".": {}}
    assert found["other", "Update", "status"] == {"f:status": named}
    other.scale("one", 3)
    found = owners(clusters.get("one"))
    assert found["other", "Update", "scale"] == {"f:spec": {"f:size": {}}}
    assert "f:size" not in found["suite", "Update", ""]["f:spec"]


def test_a_field_of_another_is_a_conflict(clusters, other):
    clusters.apply(config(size=2, maxSize=4, tasks=2, containers=[{"image": "a"}]))
    with pytest.raises(errors.Conflict, match='Apply failed with 1 conflict: conflict with "suite": .spec.maxSize') as caught:
        other.apply(config(size=2, maxSize=8))
    assert caught.value.causes == [(".spec.maxSize", 'conflict with "suite"')]
    with pytest.raises(errors.Conflict, match="Apply failed with 2 conflicts") as caught:
        other.apply(config(tasks=3, maxSize=8))
    assert sorted(field for field, _ in caught.value.causes) == [".spec.maxSize", ".spec.tasks"]
    found = other.apply(config(size=2, maxSize=8), force=True)
    assert found["spec"]["maxSize"] == 8
    assert owners(found) == {
        ("suite", "Apply", ""): {"f:spec": {"f:containers": {}, "f:size": {}, "f:tasks": {}}},
        ("other", "Apply", ""): {"f:spec": {"f:maxSize": {}, "f:size": {}}},
    }
    with pytest.raises(errors.Conflict):
        clusters.apply(config(size=2, maxSize=4, containers=[{"image": "a"}]))


def test_a_field_that_is_not_applied_any_more_goes(clusters, other):
    meta = {"labels": {"a": "1", "b": "2"}, "annotations": {"x": "y"}}
    clusters.apply(config(meta, size=2, tasks=2, containers=[{"image": "a"}], logging={"quiet": True}))
    other.apply(config({"labels": {"b": "2"}}))
    found = clusters.apply(config({"labels": {"a": "1"}}, size=2, containers=[{"image": "a"}]))
    assert found["metadata"]["labels"] == {"a": "1", "b": "2"}, "another manager owns the label too"
    assert not found["metadata"].get("annotations")
    assert found["spec"]["tasks"] == 1, "the default again"
    assert "logging" not in found["spec"] or not found["spec"]["logging"].get("quiet")
    found = other.apply(config({"labels": {"c": "3"}}))
    assert found["metadata"]["labels"] == {"a": "1", "c": "3"}


def test_an_update_takes_a_field_from_who_applied_it(clusters, other):
    clusters.apply(config(size=2, containers=[{"image": "a"}]))
    found = owners(clusters.patch("one", {"spec": {"size": 3}}))
    assert found["suite", "Apply", ""] == {"f:spec": {"f:containers": {}}}
    assert found["suite", "Update", ""] == {"f:spec": {"f:size": {}}}
    with pytest.raises(errors.Conflict, match=UPDATE):
        clusters.apply(config(size=2, containers=[{"image": "a"}]))
    assert clusters.apply(config(size=3, containers=[{"image": "a"}]))["spec"]["size"] == 3


def test_an_apply_takes_the_version_and_the_path_into_account(clusters, made):
    first = clusters.create(made())
    clusters.patch("one", {"spec": {"size": 2}})
    path = clusters._path(None, "one")
    stale = config({"resourceVersion": first["metadata"]["resourceVersion"]}, size=2)
    kind = "application/apply-patch+yaml"
    with pytest.raises(errors.Conflict, match="the object has been modified"):
        clusters.transport.request("PATCH", path, {"fieldManager": "suite", "force": True}, stale, kind)
    with pytest.raises(errors.BadRequest, match="managedFields must be nil"):
        clusters.transport.request("PATCH", path, {"fieldManager": "suite"}, config({"managedFields": [{"manager": "x"}]}), kind)
    with pytest.raises(errors.Invalid, match="fieldManager"):
        clusters.transport.request("PATCH", path, {}, config(size=2), kind)
    status = {"jobid": "", "maximumSize": 4, "selector": "", "size": 1}
    body = {**config(), "status": status}
    found = clusters.transport.request("PATCH", path + "/status", {"fieldManager": "suite"}, body, kind)
    assert found["status"] == status
    named = {"f:jobid": {}, "f:maximumSize": {}, "f:selector": {}, "f:size": {}}
    assert owners(found)["suite", "Apply", "status"] == {"f:status": named}
