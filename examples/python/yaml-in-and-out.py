#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Reads a MiniCluster from YAML, changes and checks it, creates it, and prints it as YAML."""

from pathlib import Path

from kubernetes import config
from kubernetes.client import V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster

config.load_kube_config()  # type: ignore[no-untyped-call]
client = MiniClusterClient()

manifest = Path(__file__).resolve().parents[1] / "minicluster" / "interactive.yaml"
minicluster = MiniCluster.from_yaml(manifest.read_text())
minicluster.metadata = V1ObjectMeta(name="from-yaml")
assert minicluster.spec is not None, f"{manifest} has no spec"
minicluster.spec.size = 2
minicluster.validate()

client.create(minicluster)
try:
    print(client.wait_for("from-yaml", "JobRunning", timeout=600).to_yaml())
finally:
    client.delete("from-yaml", wait=True)
