# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the operator may do, and may not."""

from __future__ import annotations

import socket
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import CONFIG, new

MAY = [
    *[(verb, "samples.nuvolaris.org", None) for verb in ("get", "list", "watch", "patch")],
    ("patch", "samples.nuvolaris.org/status", None),
    *[(verb, "deployments.apps", "demo-deploy") for verb in ("get", "list", "watch", "create", "patch", "delete")],
    ("create", "events", None),
]
MAY_NOT = [
    *[(verb, "samples.nuvolaris.org", None) for verb in ("create", "update", "delete", "deletecollection")],
    ("update", "samples.nuvolaris.org/status", None),
    ("update", "samples.nuvolaris.org/finalizers", None),
    ("patch", "samples.nuvolaris.org/scale", None),
    *[(verb, "deployments.apps", "other") for verb in ("get", "patch", "delete")],
    *[(verb, "deployments.apps", None) for verb in ("list", "watch", "create", "deletecollection")],
    ("update", "deployments.apps", "demo-deploy"),
    *[(verb, "pods", None) for verb in ("get", "list", "create", "delete")],
    *[(verb, "secrets", None) for verb in ("get", "list")],
    *[(verb, "events", None) for verb in ("list", "patch")],
    *[(verb, "namespaces", None) for verb in ("get", "list", "watch")],
    *[(verb, "customresourcedefinitions.apiextensions.k8s.io", None) for verb in ("get", "list", "watch")],
    ("create", "rolebindings.rbac.authorization.k8s.io", None),
]


@pytest.fixture
def may(namespace, install, can_i):
    install(namespace=namespace)
    user = f"system:serviceaccount:{namespace}:sample-operator"
    return lambda right, where: can_i(right[0], right[1], name=right[2], as_user=user, namespace=where)


def allowed(rights, may):
    """Gives those of some rights that there are."""
    with ThreadPoolExecutor(4) as pool:
        return [right for right, there in zip(rights, pool.map(may, rights), strict=True) if there]


def test_it_may_do_what_it_does_in_its_namespace_and_nothing_else(may, namespace, eventually):
    eventually(lambda: may(MAY[0], namespace))
    assert allowed(MAY, lambda right: may(right, namespace)) == MAY
    assert allowed(MAY_NOT, lambda right: may(right, namespace)) == []
    assert allowed(MAY, lambda right: may(right, "kube-system")) == []


def test_cluster_wide_it_may_do_the_same_everywhere(kubectl, can_i, eventually):
    kubectl("apply", "-k", str(CONFIG / "default"))
    user = "system:serviceaccount:sample-operator:sample-operator"

    def may(right):
        return can_i(right[0], right[1], name=right[2], as_user=user, namespace="kube-system")

    eventually(lambda: may(MAY[0]))
    assert allowed(MAY, may) == MAY
    assert allowed(MAY_NOT, may) == []


def test_it_asks_for_nothing_that_it_may_not(run, cluster, eventually):
    operator = run()
    cluster.samples.create(new("obj"))
    eventually(lambda: cluster.ready("obj", 1))
    cluster.samples.delete("obj")
    eventually(lambda: cluster.deployment() is None)
    asked = {(verb, resource.replace("samples", "samples.nuvolaris.org")) for verb, resource in operator.proxy.counts}
    known = {(verb, resource.partition(".apps")[0]) for verb, resource, _ in MAY}
    assert {pair for pair in asked if not pair[1].startswith("/")} <= known


def test_it_answers_probes_and_ends_when_told(run, eventually):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    operator = run("--liveness", f"http://127.0.0.1:{port}/healthz")

    def answers():
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).status == 200
        except OSError:
            return False

    eventually(answers)
    assert operator.process.stop() == 0
