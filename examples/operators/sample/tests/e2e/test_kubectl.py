# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The seed's way: ``kubectl apply -k`` and ``kubectl delete -k``."""

from __future__ import annotations

from conftest import new

FINALIZER = "nuvolaris.org/sample-operator"


def test_a_sample_is_created_changed_and_deleted_by_kubectl(run, cluster, eventually, kubectl):
    operator = run("--apply", "kubectl")
    cluster.samples.create(new("obj", 2))
    eventually(lambda: cluster.ready("obj", 2))
    assert cluster.get("obj").status.message == "deployment.apps/demo-deploy created"
    assert "kubectl.kubernetes.io/last-applied-configuration" in cluster.deployment().metadata.annotations
    assert cluster.get("obj").metadata.finalizers == [FINALIZER]
    cluster.samples.patch("obj", {"spec": {"count": 3}})
    eventually(lambda: cluster.ready("obj", 3))
    assert cluster.get("obj").status.message == "deployment.apps/demo-deploy configured"

    cluster.samples.create(new("second", 4))
    eventually(lambda: cluster.waits("second", "obj"))
    kubectl("scale", "deploy/demo-deploy", "--replicas=7", "-n", cluster.namespace)
    eventually(lambda: cluster.ready("obj", 3))

    cluster.samples.delete("obj", wait=True, timeout=60)
    eventually(lambda: cluster.ready("second", 4))
    cluster.samples.delete("second", wait=True, timeout=60)
    assert cluster.deployment() is None, "the finalizer holds the Sample until its Deployment is deleted"
    assert "Forbidden" not in operator.log() and "cannot" not in operator.log()


def test_a_deletion_waits_for_the_operator_which_the_other_way_lets_go(run, cluster, eventually):
    operator = run("--apply", "kubectl")
    cluster.samples.create(new("obj", 2))
    eventually(lambda: cluster.ready("obj", 2))
    operator.process.kill()
    cluster.samples.delete("obj")
    assert cluster.get("obj").metadata.deletion_timestamp, "it is held"
    run()
    cluster.samples.wait_deleted("obj", timeout=60)
    eventually(lambda: cluster.deployment() is None)


def test_an_orphan_is_taken_over_by_kubectl_too(run, cluster, eventually):
    run("--apply", "kubectl")
    cluster.samples.create(new("first", 2))
    eventually(lambda: cluster.ready("first", 2))
    before = cluster.deployment().metadata.uid
    cluster.apps.patch_namespaced_deployment("demo-deploy", cluster.namespace, {"metadata": {"ownerReferences": None}})
    eventually(lambda: cluster.owner() == "first")
    assert cluster.deployment().metadata.uid == before
    cluster.samples.delete("first", wait=True, timeout=60)
