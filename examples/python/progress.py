#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Prints each state of a MiniCluster, from its creation until it has completed or failed."""

import sys
import time

from kubernetes import config
from kubernetes.client import V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

config.load_kube_config()  # type: ignore[no-untyped-call]
client = MiniClusterClient()

client.create(
    MiniCluster(
        metadata=V1ObjectMeta(name="hello-states"),
        spec=MiniClusterSpec(
            size=2,
            containers=[MiniClusterContainer(image="ghcr.io/rse-ops/accounting:app-latest", command="hostname")],
        ),
    )
)
try:
    began, phase = time.monotonic(), ""
    for state in client.progress("hello-states", timeout=600):
        phase = state.phase
        print(f"{time.monotonic() - began:6.1f} s  {phase:<10} {state.size} pods  {state.message}", flush=True)
    if phase == "Failed":
        sys.exit(1)
finally:
    client.delete("hello-states", wait=True)
