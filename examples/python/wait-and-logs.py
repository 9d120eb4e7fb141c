#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs a command in a MiniCluster, writes its log to a file, and says how it ended."""

from kubernetes import config
from kubernetes.client import V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

config.load_kube_config()  # type: ignore[no-untyped-call]
client = MiniClusterClient()

client.create(
    MiniCluster(
        metadata=V1ObjectMeta(name="hello"),
        spec=MiniClusterSpec(
            size=2,
            containers=[MiniClusterContainer(image="ghcr.io/rse-ops/accounting:app-latest", command="hostname")],
        ),
    )
)
try:
    # Each line is written as it comes, until the lead broker ends.
    client.stream_output("hello", "hello.log", timeout=600)
    finished = client.wait_finished("hello", timeout=600)
    status = finished.status
    for condition in (status.conditions if status else None) or []:
        if condition.type == "JobFinished":
            print(f"{condition.reason}: {condition.message}")
finally:
    client.delete("hello", wait=True)
