# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A Sample's life on a real API server."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml
from conftest import new, state
from kubernetes import client
from nuvolaris import errors
from nuvolaris.models import Sample

from sample_operator.kustomize import DEPLOY


def test_a_sample_is_created_changed_scaled_and_deleted(run, cluster, eventually, kubectl):
    operator = run()
    cluster.samples.create(new("obj", 2))
    eventually(lambda: cluster.ready("obj", 2))
    sample = cluster.get("obj")
    assert sample.status.message == "deployment.apps/demo-deploy created"
    assert sample.status.selector == "app=nginx"
    assert not sample.metadata.finalizers, "deletion hangs on nobody"
    made = cluster.deployment()
    base = yaml.safe_load((DEPLOY / "demo-deployment.yaml").read_text())
    assert made.spec.template.spec.containers[0].image == base["spec"]["template"]["spec"]["containers"][0]["image"]
    assert made.metadata.owner_references[0].uid == sample.metadata.uid

    cluster.samples.patch("obj", {"spec": {"count": 3}})
    eventually(lambda: cluster.ready("obj", 3))
    assert cluster.get("obj").status.message == "deployment.apps/demo-deploy configured"
    kubectl("scale", "sam/obj", "--replicas=0", "-n", cluster.namespace)
    eventually(lambda: cluster.ready("obj", 0))
    scale = cluster.samples.scale("obj", 4)
    assert scale.spec.replicas == 4
    eventually(lambda: cluster.samples.get_scale("obj").status.replicas == 4)
    assert cluster.samples.get_scale("obj").status.selector == "app=nginx"
    table = kubectl("get", "sam", "-n", cluster.namespace)
    assert table.split()[:6] == ["NAME", "COUNT", "AVAILABLE", "READY", "MESSAGE", "AGE"]

    key = "sample-operator.nuvolaris.org/last-handled-configuration"
    noted = {"spec": {"count": 4}}
    eventually(lambda: json.loads(cluster.get("obj").metadata.annotations[key]) == noted), "what kopf keeps is kept"

    cluster.samples.delete("obj", wait=True, timeout=30)
    eventually(lambda: cluster.deployment() is None)
    clean(operator)


def clean(operator):
    """Nothing was refused, and nothing went wrong."""
    lines = [json.loads(line) for line in operator.log().splitlines()]
    assert lines and not [line for line in lines if line["severity"] not in ("info", "debug")]


def test_the_count_is_one_unless_it_is_said(kubeconfig, cluster):
    made = cluster.samples.create(Sample.from_dict({**new("obj"), "spec": {}}))
    assert made.spec.count == 1


@pytest.mark.parametrize("count", [-1, 1001, "two", 1.5])
def test_a_wrong_count_is_refused_by_the_server_as_a_typed_error(cluster, count):
    with pytest.raises(errors.Invalid) as refused:
        cluster.samples.create(Sample.from_dict({**new("obj"), "spec": {"count": count}}))
    assert refused.value.status == 422
    assert "spec.count" in [field for field, _ in refused.value.causes]
    with pytest.raises(errors.ValidationError, match="count"):
        new("obj", count)


def test_drift_is_put_right(run, cluster, eventually, kubectl):
    run()
    cluster.samples.create(new("obj", 2))
    eventually(lambda: cluster.ready("obj", 2))
    image = cluster.deployment().spec.template.spec.containers[0].image
    kubectl("scale", "deploy/demo-deploy", "--replicas=5", "-n", cluster.namespace)
    eventually(lambda: cluster.ready("obj", 2))
    kubectl("set", "image", "deploy/demo-deploy", "nginx=other", "-n", cluster.namespace)
    eventually(lambda: cluster.deployment().spec.template.spec.containers[0].image == image)
    kubectl("label", "deploy/demo-deploy", "app.kubernetes.io/managed-by-", "-n", cluster.namespace)
    eventually(lambda: "app.kubernetes.io/managed-by" in (cluster.deployment().metadata.labels or {}))
    before = cluster.deployment().metadata.uid
    kubectl("delete", "deploy/demo-deploy", "-n", cluster.namespace)
    eventually(lambda: cluster.ready("obj", 2) and cluster.deployment().metadata.uid != before)


def events(cluster):
    """Gives the Events about Samples: name, reason, message."""
    found = client.CoreV1Api().list_namespaced_event(cluster.namespace).items
    about = [one for one in found if one.involved_object.kind == "Sample"]
    return [(one.involved_object.name, one.reason, one.message) for one in about]


def test_two_samples_do_not_fight_and_the_second_takes_over(run, cluster, eventually):
    operator = run()
    cluster.samples.create(new("first", 2))
    eventually(lambda: cluster.ready("first", 2))
    cluster.samples.create(new("second", 3))
    eventually(lambda: cluster.waits("second", "first"))
    cluster.samples.create(new("third", 4))
    eventually(lambda: cluster.waits("third", "first"))
    told = "deployment.apps/demo-deploy belongs to Sample first; this Sample waits until it is deleted"
    eventually(lambda: sorted(events(cluster)) == [(n, "OwnedByAnother", told) for n in ("second", "third")])
    cluster.samples.patch("second", {"spec": {"count": 5}})
    eventually(lambda: cluster.get("second").status.observed_generation == 2)
    assert cluster.ready("first", 2) and cluster.waits("second", "first")

    cluster.samples.delete("first")
    eventually(lambda: cluster.ready("second", 5))
    assert cluster.get("second").status.message == "deployment.apps/demo-deploy created"
    eventually(lambda: cluster.waits("third", "second"))
    cluster.samples.delete("second")
    eventually(lambda: cluster.ready("third", 4))
    clean(operator)


def test_a_deployment_of_another_is_left_alone(run, cluster, eventually, kubectl):
    kubectl("apply", "-n", cluster.namespace, "-f", str(DEPLOY / "demo-deployment.yaml"))
    run()
    cluster.samples.create(new("obj", 3))
    eventually(lambda: cluster.get("obj").status)
    assert state(cluster.get("obj")) == {"Ready": "False", "Conflict": "True"}
    assert "was not made by this operator" in cluster.get("obj").status.message
    assert cluster.replicas() == 1 and cluster.owner() is None
    kubectl("delete", "deploy/demo-deploy", "-n", cluster.namespace)
    eventually(lambda: cluster.ready("obj", 3))


def test_it_goes_on_where_it_was_killed(run, cluster, eventually, kubectl):
    operator = run()
    cluster.samples.create(new("kept", 2))
    eventually(lambda: cluster.ready("kept", 2))
    operator.process.kill()
    cluster.samples.patch("kept", {"spec": {"count": 4}})
    kubectl("delete", "deploy/demo-deploy", "-n", cluster.namespace)
    operator.process.start()
    eventually(lambda: cluster.ready("kept", 4))
    operator.process.kill()
    kubectl("scale", "deploy/demo-deploy", "--replicas=9", "-n", cluster.namespace)
    operator.process.start()
    eventually(lambda: cluster.ready("kept", 4))


def test_without_the_operator_a_deletion_does_not_hang(run, cluster, eventually):
    operator = run()
    cluster.samples.create(new("obj", 2))
    eventually(lambda: cluster.ready("obj", 2))
    assert operator.process.stop() == 0
    cluster.samples.delete("obj", wait=True, timeout=20)
    eventually(lambda: cluster.deployment() is None), "the garbage collector's work"


def test_an_orphan_is_taken_over_as_it_is(run, cluster, eventually):
    run()
    cluster.samples.create(new("first", 2))
    eventually(lambda: cluster.ready("first", 2))
    before = cluster.deployment().metadata.uid
    cluster.samples.delete("first", propagation="Orphan", wait=True, timeout=30)
    assert cluster.deployment().metadata.uid == before
    cluster.samples.create(new("second", 3))
    eventually(lambda: cluster.ready("second", 3))
    assert cluster.deployment().metadata.uid == before


def test_what_the_server_refuses_is_told_and_tried_again(run, cluster, eventually, tmp_path):
    base = shutil.copytree(DEPLOY, tmp_path / "deploy")
    manifest = base / "demo-deployment.yaml"
    manifest.write_text(
        manifest.read_text().replace("      labels:\n        app: nginx", "      labels:\n        app: other")
    )
    operator = run("--base", str(base))
    cluster.samples.create(new("obj", 2))
    eventually(lambda: cluster.get("obj").status)
    sample = cluster.get("obj")
    assert state(sample) == {"Ready": "False", "Conflict": "False"}
    assert "`selector` does not match template `labels`" in sample.status.message
    eventually(lambda: [(name, reason) for name, reason, _ in events(cluster)] == [("obj", "ApplyFailed")])
    eventually(lambda: operator.proxy.counts["patch", "deployments"] > 2)
    assert len(events(cluster)) == 1, "the same trouble is told once"
    operator.process.stop()
    run()
    eventually(lambda: cluster.ready("obj", 2))


def test_a_base_that_is_not_there_ends_the_operator(run, eventually):
    operator = run("--base", "/nowhere/at/all")
    eventually(lambda: not operator.process.running)
    assert operator.process.stop() == 2 and "reading the base /nowhere/at/all" in operator.log()


def test_pods_are_restricted(run, cluster, eventually, kubectl):
    kubectl("label", "namespace", cluster.namespace, "pod-security.kubernetes.io/enforce=restricted")
    run()
    cluster.samples.create(new("obj", 2))
    eventually(lambda: cluster.ready("obj", 2))


@pytest.mark.parametrize("way", ["api", "kubectl"])
def test_a_deployment_with_the_label_alone_is_left_alone(run, cluster, eventually, kubectl, way):
    """Anybody may write a label, or clone a Deployment with it."""
    kubectl("apply", "-n", cluster.namespace, "-f", str(DEPLOY / "demo-deployment.yaml"))
    kubectl("label", "deploy/demo-deploy", "app.kubernetes.io/managed-by=sample-operator", "-n", cluster.namespace)
    run("--apply", way)
    cluster.samples.create(new("obj", 3))
    eventually(lambda: cluster.get("obj").status)
    assert state(cluster.get("obj")) == {"Ready": "False", "Conflict": "True"}
    assert cluster.replicas() == 1 and cluster.owner() is None
    cluster.samples.delete("obj", wait=True, timeout=60)
    assert cluster.replicas() == 1, "it was not the operator's to delete"
