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
    with client.watch("elastic", timeout=600) as events:
        for event in events:
            spec, status = event.object.spec, event.object.status
            if spec is None or status is None:
                continue  # the operator has not seen it yet
            print(f"{event.type}: {status.size} of {spec.size}")
            if status.size == 3:
                break
    client.wait_for("elastic", "JobWaitingForResources=False", timeout=600)
    print(f"{len(client.pods('elastic'))} pods")
finally:
    client.delete("elastic", wait=True)
