#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes a MiniCluster greater, and watches the operator follow."""

from kubernetes import config

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

config.load_kube_config()
client = MiniClusterClient()

client.create(
    MiniCluster(
        metadata={"name": "elastic"},
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
            print(f"{event.type}: {event.object.status.size} of {event.object.spec.size}")
            if event.object.status.size == 3:
                break
    client.wait_for("elastic", "JobWaitingForResources=False", timeout=600)
    print(f"{len(client.pods('elastic'))} pods")
finally:
    client.delete("elastic", wait=True)
