# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What both servers do with writes."""

from __future__ import annotations

import warnings

import pytest

from fluxoperator import errors

STATUS = {"jobid": "x", "maximumSize": 4, "selector": "a=b", "size": 1}
STRICT = r'strict decoding error: .*unknown field "spec.containers\[0\].imgae"'


def version(obj):
    return obj["metadata"]["resourceVersion"]


def generation(obj):
    return obj["metadata"]["generation"]


def test_create_fills_in_what_the_server_knows(clusters, made, namespace):
    stored = clusters.create(made(meta={"uid": "mine", "generation": 7, "resourceVersion": ""}))
    meta = stored["metadata"]
    assert meta["uid"] not in ("", "mine") and generation(stored) == 1 and int(version(stored)) > 0
    assert meta["namespace"] == namespace and meta["creationTimestamp"].endswith("Z")
    assert stored["spec"]["flux"]["connectTimeout"] == "5s" if "flux" in stored["spec"] else True
    assert stored["spec"]["size"] == 1 and stored["spec"]["containers"][0]["pullAlways"] is False
    assert clusters.get("one") == stored
    bare = {"apiVersion": stored["apiVersion"], "kind": "MiniCluster", "metadata": {"name": "bare"}}
    path = clusters._path(None)
    sent = {**bare, "spec": {"containers": [{"logs": None}], "tasks": None, "flux": {}}, "status": STATUS}
    found = clusters.transport.request("POST", path, {}, sent)
    assert "status" not in found, "the status has an endpoint of its own"
    assert found["spec"]["tasks"] == 1 and "logs" not in found["spec"]["containers"][0]
    assert found["spec"]["flux"]["connectTimeout"] == "5s"


def test_create_names_an_object(clusters, made):
    names = {clusters.create(made(None, {"generateName": "run-"}))["metadata"]["name"] for _ in range(2)}
    assert len(names) == 2 and all(len(name) == 9 and name.startswith("run-") for name in names)
    with pytest.raises(errors.AlreadyExists, match=f'miniclusters.flux-framework.org "{min(names)}" already exists'):
        clusters.create(made(min(names)))
    for name in ("Not_A_Name", "", "a" * 254):
        with pytest.raises(errors.Invalid, match="metadata.name"):
            clusters.create(made(name))


@pytest.mark.parametrize("call", ["get", "delete", "get_scale", "patch"])
def test_what_does_not_exist_is_not_found(clusters, call):
    with pytest.raises(errors.NotFound, match='miniclusters.flux-framework.org "absent" not found') as caught:
        getattr(clusters, call)("absent", *([{}] if call == "patch" else []))
    assert (caught.value.status, caught.value.reason) == (404, "NotFound")


def test_replace_wants_the_last_version(clusters, made):
    first = clusters.create(made())
    first.spec.size = 2
    second = clusters.replace(first)
    assert generation(second) == 2 and version(second) != version(first)
    assert second["metadata"]["uid"] == first["metadata"]["uid"]
    with pytest.raises(errors.Conflict, match="the object has been modified; please apply your changes"):
        clusters.replace(first)
    assert version(clusters.replace(second)) == version(second), "nothing has changed"
    second.metadata.labels = {"of": "other"}
    third = clusters.replace(second)
    assert generation(third) == 2 and third["metadata"]["labels"] == {"of": "other"}
    with pytest.raises(errors.Invalid, match="metadata.resourceVersion: Invalid value: .*must be specified for an update"):
        clusters.replace(made())
    with pytest.raises(errors.NotFound):
        clusters.replace(made("absent", {"resourceVersion": version(third)}))


def test_a_merge_patch(clusters, made):
    first = clusters.create(made(tasks=3))
    found = clusters.patch("one", {"metadata": {"annotations": {"a": "b"}}, "spec": {"tasks": None}})
    assert found["metadata"]["annotations"] == {"a": "b"} and found["spec"]["tasks"] == 1
    assert generation(found) == 2
    assert version(clusters.patch("one", {})) == version(found)
    assert "annotations" not in clusters.patch("one", {"metadata": {"annotations": None}})["metadata"]
    with pytest.raises(errors.Conflict, match="the object has been modified"):
        clusters.patch("one", {"metadata": {"resourceVersion": version(first)}, "spec": {"tasks": 5}})
    containers = [{"image": "a"}, {"image": "b", "name": "c"}]
    assert len(clusters.patch("one", {"spec": {"containers": containers}})["spec"]["containers"]) == 2


def test_a_json_patch(clusters, made):
    clusters.create(made(meta={"annotations": {"a/b": "1"}}))
    operations = [
        {"op": "test", "path": "/spec/size", "value": 1},
        {"op": "replace", "path": "/spec/size", "value": 2},
        {"op": "add", "path": "/spec/containers/-", "value": {"name": "b"}},
        {"op": "add", "path": "/spec/containers/0", "value": {"name": "a"}},
        {"op": "copy", "from": "/metadata/annotations/a~1b", "path": "/metadata/annotations/c"},
        {"op": "move", "from": "/metadata/annotations/a~1b", "path": "/metadata/annotations/d"},
        {"op": "remove", "path": "/metadata/labels/of"},
    ]
    found = clusters.patch("one", operations)
    assert [c.get("name") for c in found["spec"]["containers"]] == ["a", None, "b"]
    assert found["metadata"]["annotations"] == {"c": "1", "d": "1"} and found["spec"]["size"] == 2
    assert not found["metadata"].get("labels")
    for wrong in ({"op": "test", "path": "/spec/size", "value": 5}, {"op": "remove", "path": "/spec/absent"}):
        with pytest.raises(errors.Invalid):
            clusters.patch("one", [wrong])
    assert version(clusters.get("one")) == version(found)


def test_an_unknown_field(clusters, made):
    sent = dict(made())
    sent["spec"]["containers"][0]["imgae"] = "x"
    for call in (
        lambda: clusters.create(sent),
        lambda: clusters.transport.request("POST", clusters._path(None), {"fieldValidation": "Strict"}, sent),
    ):
        with pytest.raises(errors.BadRequest, match=STRICT):
            call()
    with pytest.warns(errors.ServerWarning, match=r'unknown field "spec.containers\[0\].imgae"'):
        stored = clusters.create(sent, field_validation="Warn")
    assert "imgae" not in stored["spec"]["containers"][0]
    patch = {"metadata": {"nmae": "x"}, "spec": {"sise": 3}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert version(clusters.patch("one", patch, field_validation="Ignore")) == version(stored)
    with pytest.raises(errors.Invalid, match='unknown field "spec.sise"'):
        clusters.patch("one", patch)
    with pytest.raises(errors.BadRequest, match=STRICT):
        clusters.replace({**sent, "metadata": stored["metadata"]})
    with pytest.raises(errors.ApiError, match="field not declared in schema"):
        clusters.apply(sent)


@pytest.mark.parametrize(
    ("spec", "field", "text"),
    [
        ({"size": "four"}, "spec.size", "integer"),
        ({"containers": "one"}, "spec.containers", ""),
        ({"containers": [{"image": "x" * 2000}]}, "spec.containers[0].image", "1024"),
        ({"containers": [{"ports": [80] * 101}]}, "spec.containers[0].ports", "100"),
        ({"containers": [{"commands": {"runFluxAsRoot": 1}}]}, "spec.containers[0].commands.runFluxAsRoot", "bool"),
        ({"containers": [{"environment": {"a": 1}}]}, "spec.containers[0].environment.a", "string"),
        ({"containers": None}, "spec.containers", ""),
    ],
)
def test_a_value_that_the_schema_forbids(clusters, made, spec, field, text):
    stored = clusters.create(made())
    with pytest.raises(errors.Invalid, match='MiniCluster.flux-framework.org "one" is invalid') as caught:
        clusters.patch("one", {"spec": spec})
    assert caught.value.status == 422
    assert field in dict(caught.value.causes) and text in dict(caught.value.causes)[field]
    assert version(clusters.get("one")) == version(stored)


def test_what_does_not_fit_the_path_is_a_bad_request(clusters, made):
    path, stored = clusters._path(None), clusters.create(made())
    with pytest.raises(errors.Invalid, match='kind: Invalid value: "Job": must be MiniCluster'):
        clusters.transport.request("POST", path, {}, {**made("two"), "kind": "Job"})
    for change in ({"apiVersion": "flux-framework.org/v9"}, {"metadata": {"name": "a", "namespace": "b"}}):
        with pytest.raises(errors.BadRequest):
            clusters.transport.request("POST", path, {}, {**made("two"), **change})
    with pytest.raises(errors.BadRequest):
        clusters.transport.request("PUT", f"{path}/one", {}, {**stored, "metadata": {**stored["metadata"], "name": "two"}})
    with pytest.raises(errors.ApiError) as caught:
        clusters.patch("one", {}, content_type="application/strategic-merge-patch+json")
    assert caught.value.status == 415


def test_the_status_has_an_endpoint_of_its_own(clusters, made):
    clusters.create(made())
    found = clusters.patch("one", {"status": STATUS, "spec": {"size": 3}, "metadata": {"labels": {"a": "b"}}}, subresource="status")
    assert found["status"] == STATUS and found["spec"]["size"] == 1 and generation(found) == 1
    assert found["metadata"]["labels"] == {"of": "suite"}
    found = clusters.patch("one", {"status": None, "spec": {"size": 3}})
    assert found["status"] == STATUS and found["spec"]["size"] == 3 and generation(found) == 2
    with pytest.raises(errors.Invalid) as caught:
        clusters.patch("one", {"status": {"jobid": None}}, subresource="status")
    assert "status.jobid" in dict(caught.value.causes)


def test_the_scale_subresource(clusters, made):
    clusters.create(made())
    assert clusters.get_scale("one").spec.replicas == 1
    with pytest.raises(LookupError, match="no selector"):
        clusters.pod_selector("one")
    scale = clusters.scale("one", 3)
    assert (scale.spec.replicas, scale.status.replicas) == (3, 0)
    assert scale.metadata.name == "one" and scale.metadata.resource_version == version(clusters.get("one"))
    clusters.patch("one", {"status": STATUS}, subresource="status")
    assert clusters.pod_selector("one") == "a=b" and clusters.get_scale("one").status.replicas == 1
    stored = clusters.get("one")
    assert stored["spec"]["size"] == 3 and generation(stored) == 2
    with pytest.raises(errors.Invalid, match=".spec.size: Invalid value: -1: should be a non-negative integer"):
        clusters.scale("one", -1)


def test_a_dry_run_changes_nothing(clusters, made):
    tried = clusters.create(made(), dry_run=True)
    assert tried["metadata"]["uid"] and tried["spec"]["size"] == 1 and "resourceVersion" not in tried["metadata"]
    with pytest.raises(errors.NotFound):
        clusters.get("one")
    stored = clusters.create(made())
    stored.spec.size = 2
    assert clusters.replace(stored, dry_run=True)["spec"]["size"] == 2
    assert clusters.patch("one", {"spec": {"size": 3}}, dry_run=True)["spec"]["size"] == 3
    assert clusters.apply(made(size=4), dry_run=True, force=True)["spec"]["size"] == 4
    assert clusters.apply(made("two"), dry_run=True)["metadata"]["name"] == "two"
    clusters.delete("one", dry_run=True)
    clusters.delete_collection(dry_run=True)
    with pytest.raises(errors.Invalid):
        clusters.patch("one", {"spec": {"size": "x"}}, dry_run=True)
    assert version(clusters.get("one")) == version(stored)
    assert [item["metadata"]["name"] for item in clusters.list()] == ["one"]


def test_a_deletion_can_have_preconditions(clusters, made):
    first = clusters.create(made())
    for wrong in ({"uid": "other"}, {"resource_version": "1"}):
        with pytest.raises(errors.Conflict, match="[Pp]recondition"):
            clusters.delete("one", **wrong)
    clusters.delete("one", uid=first["metadata"]["uid"], resource_version=version(first))
    with pytest.raises(errors.NotFound):
        clusters.get("one")
    assert clusters.create(made())["metadata"]["uid"] != first["metadata"]["uid"]


def test_a_finalizer_keeps_an_object(clusters, made):
    first = clusters.create(made(meta={"finalizers": ["suite.example/wait"]}))
    clusters.delete("one")
    kept = clusters.get("one")
    assert kept["metadata"]["deletionTimestamp"] and version(kept) != version(first)
    clusters.delete("one")
    clusters.patch("one", {"metadata": {"deletionTimestamp": None}})
    assert clusters.get("one")["metadata"]["deletionTimestamp"] == kept["metadata"]["deletionTimestamp"]
    clusters.patch("one", {"metadata": {"finalizers": None}})
    with pytest.raises(errors.NotFound):
        clusters.get("one")


def test_a_collection_is_deleted_by_selectors(clusters, made):
    for name, of in (("a", "x"), ("b", "x"), ("c", "y")):
        clusters.create(made(name, {"labels": {"of": of}}))
    gone = clusters.delete_collection(label_selector="of=x", field_selector="metadata.name!=b")
    assert [item["metadata"]["name"] for item in gone] == ["a"]
    assert [item["metadata"]["name"] for item in clusters.list()] == ["b", "c"]
    clusters.delete_collection()
    assert clusters.list() == []
