#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs jobs as several users of one MiniCluster, and keeps the output of each apart.

The first argument is how long to wait for the lead broker, in seconds; 600 by default.
"""

import sys

from kubernetes import config
from kubernetes.client import V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec, MiniClusterUser

config.load_kube_config()  # type: ignore[no-untyped-call]
client = MiniClusterClient()
users = ["alice", "bob"]

client.create(
    MiniCluster(
        metadata=V1ObjectMeta(name="shared"),
        spec=MiniClusterSpec(
            size=2,
            interactive=True,
            users=[MiniClusterUser(name=user) for user in users],
            containers=[MiniClusterContainer(image="ghcr.io/rse-ops/accounting:app-latest")],
        ),
    )
)
try:
    client.wait_ready("shared", timeout=float(sys.argv[1]) if sys.argv[1:] else 600)
    jobs = {user: client.submit("shared", ["whoami"], ["-n2"], user) for user in users}
    for user, job in jobs.items():
        result = client.flux("shared", ["job", "attach", job], user)
        print(f"{job} of {user}: {result.stdout.split()}")
finally:
    client.delete("shared", wait=True)
