# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""An API server that does not know Samples yet. These tests take the definition away."""

from __future__ import annotations

from conftest import CONFIG, new, start


def test_it_waits_until_samples_are_known(install, namespace, service_account, operators, cluster, eventually, kubectl):
    install(namespace=namespace)
    kubectl("delete", "crd", "samples.nuvolaris.org")
    operator = start(service_account(namespace, "sample-operator"), operators, "-n", namespace)
    eventually(lambda: "waiting for samples.nuvolaris.org" in operator.log())
    kubectl("apply", "-k", str(CONFIG / "crd"))
    kubectl("wait", "--for=condition=Established", "crd/samples.nuvolaris.org")

    def create():
        cluster.samples.create(new("obj", 2))
        return True

    eventually(create)
    eventually(lambda: cluster.ready("obj", 2))
