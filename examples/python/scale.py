#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes a MiniCluster greater, and watches the operator follow."""

from kubernetes import config
from kubernetes.client import V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

config.load_kube_config()  # type: ignore[no-untyped-call]
client = MiniClusterClient()

client.create(
    MiniCluster(
        metadata=V1ObjectMeta(name="elastic"),
        spec=MiniClusterSpec(
            size=1,
            max_size=4,
            interactive=True,
            containers=[MiniClusterContainer(image="ghcr.io/rse-ops/accounting:app-latest")],
        ),
    )
)
try:
    client.wait_for("elastic", "JobRunning", timeout=600)
    client.scale("elastic", 3)
    for state in client.progress("elastic", timeout=600):
        print(f"{state.phase}: {state.size} of 3")
        if state.size == 3:
            break
    # The two new pods are pending now. Raises WaitFailed if the MiniCluster ends first.
    client.wait_for("elastic", "JobWaitingForResources=False", timeout=600)
    print(f"{len(client.pods('elastic'))} pods")
finally:
    client.delete("elastic", wait=True)
