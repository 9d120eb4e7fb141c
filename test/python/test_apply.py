# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Objects of which some fields are set, and server-side apply."""

from __future__ import annotations

import copy
import json

import pytest
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec, errors
from fluxoperator.client import Client, Object
from scripted import BASE, STATUS, always, manifest, model, status

TYPES = {"apiVersion": MiniCluster.API_VERSION, "kind": "MiniCluster"}


class Service(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Service", "services"


def read(**more):
    """Gives a MiniCluster as a server sends it, with all that the server maintains."""
    found = manifest(status=STATUS, **more)
    found["metadata"].update(managedFields=[{}], generation=1, creationTimestamp="2026-01-02T03:04:05Z", labels={"a": "b"})
    return found


# partial


def test_a_partial_object_has_what_is_set_and_no_more():
    assert dict(MiniCluster.partial()) == TYPES
    assert dict(MiniClusterSpec.partial(size=3)) == {"size": 3}
    assert dict(MiniClusterSpec.partial(containers=[{"image": "any"}], pod={"labels": {"a": "b"}})) == {
        "containers": [{"image": "any"}],
        "pod": {"labels": {"a": "b"}},
    }
    nested = MiniClusterSpec.partial(max_size=4, containers=[MiniClusterContainer.partial(run_flux=True)])
    whole = MiniCluster.partial(metadata=kubernetes.V1ObjectMeta(name="one"), spec=nested)
    assert dict(whole) == {**TYPES, "metadata": {"name": "one"}, "spec": {"maxSize": 4, "containers": [{"runFlux": True}]}}
    assert type(whole.spec.containers[0]) is MiniClusterContainer and whole.spec.size is None
    # The status has required values.
    assert dict(MiniCluster.partial(status={"size": 2})) == {**TYPES, "status": {"size": 2}}


def test_a_partial_object_is_checked():
    with pytest.raises(TypeError, match=r"MiniClusterSpec.partial\(\) got an unexpected keyword argument 'taks'"):
        MiniClusterSpec.partial(taks=3)
    with pytest.raises(errors.ValidationError, match=r"^spec.size: expected an integer, not str$"):
        MiniCluster.partial(metadata={"name": "one"}, spec={"size": "3"})
    with pytest.raises(errors.ValidationError) as caught:
        MiniClusterSpec.partial(restart_policy="Maybe", containers=[{"ports": ["a"]}, {"image": 5}])
    assert [path for path, _ in caught.value.problems] == ["containers[0].ports[0]", "containers[1].image", "restartPolicy"]
    with pytest.raises(errors.ValidationError, match="metadata.labls.*did you mean labels"):
        MiniCluster.partial(metadata={"labls": {}})


def test_a_kind_without_a_model_has_partial_objects_too():
    found = Service.partial(metadata={"name": "one"}, spec={"clusterIP": "None"})
    assert dict(found) == {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "one"}, "spec": {"clusterIP": "None"}}


# clean


def test_a_clean_object_has_nothing_of_the_servers():
    found = read()
    found["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "mine": "yes"}
    before = MiniCluster.from_dict(found)
    after = before.clean()
    meta = {"name": "one", "namespace": "default", "labels": {"a": "b"}, "annotations": {"mine": "yes"}}
    assert type(after) is MiniCluster and after == {**manifest(), "metadata": meta}
    assert before == found, "it is a copy"
    del found["metadata"]["annotations"]["mine"]
    assert "annotations" not in MiniCluster.from_dict(found).clean()["metadata"]
    assert after.to_yaml() == """\
apiVersion: flux-framework.org/v1alpha1
kind: MiniCluster
metadata:
  name: one
  namespace: default
  labels:
    a: b
  annotations:
    mine: "yes"
spec:
  containers:
  - image: any
"""
    assert dict(MiniCluster.partial().clean()) == TYPES


# apply


def test_apply_sends_what_a_user_describes(server):
    server.script = [always(manifest())]
    server.client().apply(MiniCluster.from_dict(read()), force=True)
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("PATCH", BASE + "/one")
    assert asked.headers["content-type"] == "application/apply-patch+yaml"
    assert asked.query == {"force": "true", "fieldManager": "fluxoperator", "fieldValidation": "Strict"}
    meta = {"name": "one", "namespace": "default", "labels": {"a": "b"}}
    assert asked.body == {**manifest(), "metadata": meta}


def test_a_partial_object_is_applied_as_it_is(server):
    server.script = [always(manifest())]
    partial = MiniCluster.partial(metadata={"name": "one"}, spec={"size": 3})
    server.client().apply(partial)
    assert server.asked[0].body == {**TYPES, "metadata": {"name": "one"}, "spec": {"size": 3}}
    assert server.asked[0].query["force"] == "false"


def test_the_status_is_applied_to_its_subresource(server):
    server.script = [always(manifest())]
    server.client().apply(MiniCluster.partial(metadata={"name": "one"}, status={"size": 2}), subresource="status")
    assert server.asked[0].path == BASE + "/one/status"
    assert server.asked[0].body["status"] == {"size": 2}


# extract


def entry(manager, fields, operation="Apply", **more):
    """Gives an entry of managedFields."""
    return {"manager": manager, "operation": operation, "fieldsV1": fields, "fieldsType": "FieldsV1", **more}


SPEC = {
    "size": 3,
    "tasks": 1,
    "atomic": [{"a": 1, "b": 2}],
    "map": {"mine": "1", "theirs": "2"},
    "emptied": {"theirs": "3"},
    "struct": {"x": 1},
    "ports": [
        {"port": 1, "protocol": "TCP", "name": "theirs"},
        {"port": 2, "protocol": "TCP", "name": "mine", "extra": "theirs"},
        {"port": 3, "protocol": "TCP"},
    ],
    "set": ["a", "b", 3],
}
MINE = {
    "f:metadata": {"f:labels": {"f:a": {}}, "f:finalizers": {".": {}, 'v:"mine"': {}}},
    "f:spec": {
        "f:size": {},
        "f:gone": {},
        "f:atomic": {},
        "f:struct": {},
        "f:map": {".": {}, "f:mine": {}},
        "f:emptied": {},
        "f:ports": {'k:{"port":2,"protocol":"TCP"}': {".": {}, "f:name": {}, "f:port": {}}, 'k:{"port":3,"protocol":"TCP"}': {}},
        "f:set": {'v:"b"': {}, "v:3": {}},
    },
}
THEIRS = {
    "f:metadata": {"f:finalizers": {'v:"theirs"': {}}},
    "f:spec": {
        "f:tasks": {},
        "f:map": {"f:theirs": {}},
        "f:emptied": {"f:theirs": {}},
        "f:ports": {'k:{"port":1,"protocol":"TCP"}': {".": {}, "f:name": {}}, 'k:{"port":2,"protocol":"TCP"}': {"f:extra": {}}},
        "f:set": {'v:"a"': {}},
    },
}


def managed(*entries):
    """Gives an object of two managers."""
    meta = {"name": "one", "namespace": "a", "uid": "x", "labels": {"a": "b", "c": "d"}, "finalizers": ["mine", "theirs"]}
    found = {"apiVersion": "v1", "kind": "Service", "metadata": {**meta, "managedFields": [*entries]}, "spec": SPEC}
    return Service.from_dict(copy.deepcopy(found))


def extracted(obj, *args, **options):
    """Gives what a client extracts, without sending anything."""
    return dict(Client(Service, field_manager="me").extract(obj, *args, **options))


def test_what_a_manager_applied_is_extracted():
    found = extracted(managed(entry("you", THEIRS, "Update"), entry("me", MINE)))
    assert found == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "one", "namespace": "a", "labels": {"a": "b"}, "finalizers": ["mine"]},
        "spec": {
            "size": 3,
            "atomic": [{"a": 1, "b": 2}],
            "struct": {"x": 1},
            "map": {"mine": "1"},
            "emptied": {},
            "ports": [{"port": 2, "protocol": "TCP", "name": "mine"}, {"port": 3, "protocol": "TCP"}],
            "set": ["b", 3],
        },
    }


def test_only_what_the_manager_applied_to_the_subresource_is_extracted():
    size, tasks = {"f:spec": {"f:size": {}}}, {"f:spec": {"f:tasks": {}}}
    obj = managed(entry("me", size, "Update"), entry("you", tasks), entry("me", size, subresource="status"))
    nothing = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "one", "namespace": "a"}}
    assert extracted(obj) == nothing
    assert extracted(obj, "you")["spec"] == {"tasks": 1}
    assert extracted(obj, subresource="status")["spec"] == {"size": 3}


def test_an_object_that_is_not_as_it_was_read_is_not_extracted():
    obj = managed(entry("me", MINE))
    for wrong in (obj.clean(), Service.from_dict({"kind": "Service"})):
        with pytest.raises(ValueError, match="no metadata.managedFields"):
            extracted(wrong)


def test_what_is_extracted_is_a_model_without_defaults(server):
    found = manifest()
    found["metadata"]["managedFields"] = [entry("fluxoperator", {"f:spec": {"f:containers": {}}})]
    partial = server.client().extract(MiniCluster.from_dict(found))
    assert type(partial.spec.containers[0]) is MiniClusterContainer
    assert partial["spec"] == {"containers": [{"image": "any"}]} and not server.asked


# diff


def test_a_diff_shows_what_apply_would_change(server):
    after = read()
    after["metadata"]["generation"] = 2
    after["spec"]["size"] = 3
    server.script = [always(after), always(read())]
    assert server.client().diff(model(), force=True) == """\
--- one (live)
+++ one (applied)
@@ -8,3 +8,4 @@
 spec:
   containers:
   - image: any
+  size: 3
"""
    assert [asked.method for asked in server.asked] == ["PATCH", "GET"]
    assert server.asked[0].query["dryRun"] == "All" and server.asked[0].query["force"] == "true"


def test_a_diff_without_changes_is_empty(server):
    server.script = [always(read())]
    assert server.client().diff(model(namespace="a")) == ""
    assert {asked.path.split("/")[5] for asked in server.asked} == {"a"}


def test_a_diff_of_a_new_object_is_all_of_it(server):
    server.script = [always(manifest()), always((404, status(404, "NotFound")))]
    shown = server.client().diff(model()).splitlines()
    assert shown[:3] == ["--- one (live)", "+++ one (applied)", "@@ -0,0 +1,8 @@"]
    assert [line[1:] for line in shown[3:]] == MiniCluster.from_dict(manifest()).clean().to_yaml().splitlines()


def test_a_diff_that_would_be_a_conflict_is_one(server):
    server.script = [always((409, status(409, "Conflict")))]
    with pytest.raises(errors.Conflict):
        server.client().diff(model())
    assert json.loads(server.asked[0].text)["metadata"]["name"] == "one"
