# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What becomes of one mirror, or of two."""

from __future__ import annotations

import pytest
from kubernetes import client as core
from kubernetes.client import V1ObjectMeta, V1Service, V1ServicePort, V1ServiceSpec
from registry_mirror_sdk import errors
from registry_mirror_sdk.client import Client

from conftest import HOME, assert_exact, expected, mirror, stored
from registry_mirror.kinds import DaemonSet, PersistentVolumeClaim, Pod, Service, StatefulSet
from registry_mirror.mirror import MANAGER

pytestmark = pytest.mark.usefixtures("running")


def condition(found, kind="Applied"):
    return next((c.status, c.reason, c.message) for c in found.status.conditions if c.type == kind)


def uids():
    return {key: item["metadata"]["uid"] for key, item in stored().items()}


def test_the_five_objects_are_stored_as_they_are_to_be(ready, kubectl):
    made = ready("docker-hub", 5001, "https://registry-1.docker.io", credentials_secret="login", storage="50Gi")
    assert_exact([made])
    assert made.status.endpoint == "localhost:5001"
    assert made.status.service_endpoint == f"mirror-docker-hub.{HOME}.svc:5000"
    assert (made.status.ready_replicas, made.status.ready_nodes, made.status.observed_generation) == (1, 2, 1)
    assert condition(made) == ("True", "Applied", "all objects are as the spec says")
    assert "localhost:5001" in kubectl("get", "mirror", "docker-hub")
    # The server finds no difference either: diff fails if there is one.
    bodies = "---\n".join(Service.from_dict(body).to_yaml() for body in expected([made]).values())
    kubectl("diff", "--server-side", "--force-conflicts", f"--field-manager={MANAGER}", "-f", "-", input=bodies)


def test_a_long_name_with_dots(ready):
    made = ready("registry.of.a.team.with.a.long.name.internal.example.com", 5001)
    assert_exact([made])


def test_the_objects_follow_an_edit(ready, mirrors, eventually):
    before = ready("quay", 5002), uids()
    mirrors.patch("quay", {"spec": {"upstream": "https://ghcr.io", "port": 5003, "credentialsSecret": "ghcr"}})
    after = mirrors.wait_for("quay", lambda m: m.status.endpoint == "localhost:5003")
    assert_exact([after])
    assert before[1] == uids()
    mirrors.patch("quay", {"spec": {"credentialsSecret": None}})
    eventually(lambda: "secretKeyRef" not in str(stored()["StatefulSet", "registry-quay"]["spec"]))
    assert_exact([mirrors.get("quay")])
    assert mirrors.wait_for("quay").status.observed_generation == 3


def test_what_somebody_deletes_comes_back(ready, eventually):
    made, before = ready("quay", 5002), uids()
    for kind, name in before:
        if kind != "PersistentVolumeClaim":
            client = Client(next(k for k in (Service, StatefulSet, DaemonSet) if k.KIND == kind), HOME)
            client.delete(name)
    eventually(lambda: set(uids()) == set(before) and len({*uids().items()} & {*before.items()}) == 1)
    assert_exact([made])


def test_a_claim_comes_back_when_its_pod_lets_it_go(ready, mirrors, eventually):
    made, before = ready("quay", 5002), uids()
    claims = Client(PersistentVolumeClaim, HOME)
    claims.delete("registry-quay")
    waiting = mirrors.wait_for("quay", "Applied=False")
    assert condition(waiting)[1] == "Terminating" and "registry-quay" in condition(waiting)[2]
    Client(Pod, HOME).delete("registry-quay-0")
    mirrors.wait_for("quay", "Applied")
    key = "PersistentVolumeClaim", "registry-quay"
    assert uids()[key] != before[key]
    assert_exact([made])
    mirrors.wait_for("quay")


def test_what_somebody_changes_is_put_right_and_what_they_add_stays(ready, eventually):
    made = ready("quay", 5002)
    edit = {"metadata": {"annotations": {"theirs": "stays"}, "labels": {"app.kubernetes.io/instance": "x"}}}
    Client(Service, HOME).patch("mirror-quay", {**edit, "spec": {"selector": {"app.kubernetes.io/name": "x"}}})
    Client(StatefulSet, HOME).patch("registry-quay", {"spec": {"replicas": 3}})
    Client(DaemonSet, HOME).patch("listener-quay", {"metadata": {"labels": None, "ownerReferences": None}})
    assert_exact([made])
    assert stored()["Service", "mirror-quay"]["metadata"]["annotations"] == {"theirs": "stays"}


def test_two_mirrors_do_not_mix(ready, mirrors, eventually):
    one, two = ready("quay", 5002), ready("ghcr", 5003, "https://ghcr.io")
    assert_exact([one, two])
    before = {key: item["metadata"]["resourceVersion"] for key, item in stored().items() if "ghcr" in key[1]}
    mirrors.patch("quay", {"spec": {"port": 5009}})
    mirrors.wait_for("quay", lambda m: m.status.endpoint == "localhost:5009")
    mirrors.delete("quay")
    eventually(lambda: set(stored()) == set(before))
    assert_exact([two])
    assert before == {key: item["metadata"]["resourceVersion"] for key, item in stored().items()}


def test_a_mirror_that_is_made_anew_at_once_has_objects_of_its_own(ready, mirrors, eventually):
    old = ready("quay", 5002)
    mirrors.delete("quay")
    made = ready("quay", 5004, "https://ghcr.io")
    assert made.metadata.uid != old.metadata.uid
    assert_exact([made])


def test_two_that_want_the_same_port_are_told(ready, mirrors):
    ready("quay", 5002)
    mirrors.create(mirror("ghcr", 5002))
    told = "ListenersNotReady", "0 of 2 listeners are ready; port 5002 is also that of quay"
    mirrors.wait_for("ghcr", lambda m: m.status and condition(m, "Ready")[1:] == told)
    mirrors.delete("quay")
    mirrors.wait_for("ghcr")


def test_what_belongs_to_somebody_else_is_left_alone(mirrors, eventually):
    services = Client(Service, HOME)
    spec = V1ServiceSpec(ports=[V1ServicePort(port=1)], selector={"theirs": "yes"})
    theirs = V1Service(metadata=V1ObjectMeta(name="mirror-quay"), spec=spec)
    core.CoreV1Api().create_namespaced_service(HOME, theirs)
    made = mirrors.create(mirror("quay", 5002))
    told = mirrors.wait_for("quay", "Applied=False")
    assert condition(told)[1:] == ("NameTaken", "Service mirror-quay is there and belongs to somebody else")
    assert stored()["Service", "mirror-quay"]["spec"]["selector"] == {"theirs": "yes"}
    eventually(lambda: len(stored()) == 5)  # the others are made all the same

    events = core.CoreV1Api().list_namespaced_event("default", field_selector=f"involvedObject.uid={made.metadata.uid}")
    assert [(event.type, event.reason) for event in events.items] == [("Warning", "NameTaken")]
    services.delete("mirror-quay")
    mirrors.wait_for("quay", "Applied")
    assert_exact([made])


def test_why_the_registry_does_not_start_is_shown(ready, mirrors):
    ready("quay", 5002, credentials_secret="login")
    why = {"reason": "CreateContainerConfigError", "message": 'secret "login" not found'}
    container = {
        "name": "registry",
        "image": "x",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": {"waiting": why},
    }
    conditions = [{"type": kind, "status": "False"} for kind in ("Ready", "ContainersReady")]
    status = {"containerStatuses": [container], "conditions": conditions}
    strategic = "application/strategic-merge-patch+json"
    Client(Pod, HOME).patch("registry-quay-0", {"status": status}, strategic, subresource="status")
    told = mirrors.wait_for("quay", lambda m: "login" in condition(m, "Ready")[2])
    text = 'the pod registry-quay-0 is not ready: CreateContainerConfigError: secret "login" not found'
    assert condition(told, "Ready") == ("False", "RegistryNotReady", text)
    assert told.status.ready_replicas == 0


def test_a_volume_grows_if_its_class_lets_it(ready, mirrors, eventually):
    storage = core.StorageV1Api()
    for name, grows in (("grows", True), ("fixed", False)):
        body = core.V1StorageClass(
            metadata=V1ObjectMeta(name=name), provisioner="none.example.org", allow_volume_expansion=grows
        )
        storage.create_storage_class(body)
        ready(name, 5002 + grows, storage_class_name=name)
        mirrors.patch(name, {"spec": {"storage": "20Gi"}})
    assert mirrors.wait_for("grows", "Applied").metadata.generation == 2
    claims = {key[1]: item for key, item in stored().items() if key[0] == "PersistentVolumeClaim"}
    assert claims["registry-grows"]["spec"]["resources"]["requests"] == {"storage": "20Gi"}
    told = mirrors.wait_for("fixed", "Applied=False")
    assert condition(told)[1] == "Refused" and "PersistentVolumeClaim registry-fixed" in condition(told)[2]
    assert claims["registry-fixed"]["spec"]["resources"]["requests"] == {"storage": "10Gi"}
    for name in ("grows", "fixed"):
        storage.delete_storage_class(name)


def test_what_another_version_of_the_operator_made(operator, ready, mirrors, eventually):
    made = ready("quay", 5002)
    assert operator.stop() == 0
    mine, body = Client(StatefulSet, HOME, field_manager=MANAGER), expected([made])["StatefulSet", "registry-quay"]
    renamed = {**body, "metadata": {**body["metadata"], "name": "old-name"}}
    mine.apply(StatefulSet.from_dict(renamed))
    mine.delete("registry-quay", wait=True)
    mine.apply(StatefulSet.from_dict({**body, "spec": {**body["spec"], "serviceName": "another"}}))
    operator.start()
    told = mirrors.wait_for("quay", "Applied=False")
    assert condition(told)[1] == "Refused" and "StatefulSet registry-quay" in condition(told)[2]  # that is immutable
    eventually(lambda: ("StatefulSet", "old-name") not in stored())
    mine.delete("registry-quay")
    mirrors.wait_for("quay", "Applied")
    assert_exact([made])


@pytest.mark.parametrize(
    "spec, field",
    [
        ({"upstream": "quay.io"}, "spec.upstream"),
        ({"upstream": "https://quay.io/v2/"}, "spec.upstream"),
        ({"upstream": "ftp://quay.io"}, "spec.upstream"),
        ({"port": 80}, "spec.port"),
        ({"storage": "0"}, "spec.storage"),
        ({"credentialsSecret": "No"}, "spec.credentialsSecret"),
    ],
    ids=str,
)
def test_the_server_refuses(mirrors, spec, field):
    body = {"metadata": {"name": "bad"}, "spec": {"upstream": "https://quay.io", "port": 5002, **spec}}
    with pytest.raises(errors.Invalid) as refused:
        mirrors.create(
            type(mirror("bad", 5002)).from_dict(
                {"apiVersion": "registry.example.org/v1alpha1", "kind": "RegistryMirror", **body}
            )
        )
    assert refused.value.status == 422 and [cause[0] for cause in refused.value.causes] == [field]


def test_the_server_refuses_an_edit(mirrors):
    mirrors.create(mirror("quay", 5002, storage="2048Mi"))
    mirrors.create(mirror("ghcr", 5003, storage_class_name="fast"))
    mirrors.patch("quay", {"spec": {"storage": "2Gi"}})  # the same
    edits = [("quay", {"storage": "2047Mi"}), ("quay", {"storageClassName": "fast"})]
    edits += [("ghcr", {"storageClassName": "slow"}), ("ghcr", {"storageClassName": None})]
    for name, edit in edits:
        with pytest.raises(errors.Invalid) as refused:
            mirrors.patch(name, {"spec": edit})
        assert [cause[0] for cause in refused.value.causes] == [f"spec.{next(iter(edit))}"]
