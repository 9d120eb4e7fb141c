#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Keeps a cache of the MiniClusters in one of several replicas, by the informer and the leader
election of ``kubernetes`` 37 or newer."""

import os
import sys
import threading
import uuid
from typing import Any

import kubernetes
from kubernetes import config
from kubernetes.client import CoordinationV1Api, CustomObjectsApi, V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterList, MiniClusterSpec

if int(kubernetes.__version__.split(".")[0]) < 37:
    sys.exit(f"kubernetes {kubernetes.__version__} has no lease lock and informer for this: install kubernetes 37")

from kubernetes.informer import ADDED, DELETED, MODIFIED, SharedInformer
from kubernetes.leaderelection.electionconfig import Config
from kubernetes.leaderelection.leaderelection import LeaderElection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

NAMESPACE, LEASE, NAME = "default", "minicluster-cache", "hello-informer"
KIND = MiniCluster.GROUP, MiniCluster.VERSION, NAMESPACE, MiniCluster.PLURAL


def list_miniclusters(namespace: str, **query: Any) -> MiniCluster:
    """Lists, or with ``watch`` opens a watch. The informer reads the events as the class that is
    annotated."""
    answer: Any = CustomObjectsApi().list_namespaced_custom_object(*KIND, **query)
    found: Any = answer if query.get("watch") else MiniClusterList.from_dict(answer)
    result: MiniCluster = found
    return result


config.load_kube_config()  # type: ignore[no-untyped-call]

leading = threading.Event()
election: Any = LeaderElection(
    Config(  # type: ignore[no-untyped-call]
        LeaseLock(LEASE, NAMESPACE, f"replica-{uuid.uuid4().hex[:8]}"),  # type: ignore[no-untyped-call]
        lease_duration=15,
        renew_deadline=10,
        retry_period=2,
        onstarted_leading=leading.set,
        onstopped_leading=lambda: os._exit(1),  # another replica leads now
    )
)
threading.Thread(target=election.run, daemon=True).start()
leading.wait()  # the other replicas wait here
print("leading", flush=True)

finished, deleted = threading.Event(), threading.Event()


def changed(minicluster: MiniCluster) -> None:
    """Prints the conditions that are True."""
    conditions = (minicluster.status.conditions if minicluster.status else None) or []
    true = [condition.type for condition in conditions if condition.status == "True"]
    print(f"changed: {', '.join(true)}", flush=True)
    if "JobFinished" in true:
        finished.set()


informer: Any = SharedInformer(list_miniclusters, NAMESPACE)  # type: ignore[no-untyped-call]
informer.add_event_handler(ADDED, changed)
informer.add_event_handler(MODIFIED, changed)
informer.add_event_handler(DELETED, lambda minicluster: deleted.set())
informer.start()

client = MiniClusterClient(NAMESPACE)
client.create(
    MiniCluster(
        metadata=V1ObjectMeta(name=NAME),
        spec=MiniClusterSpec(
            size=2,
            containers=[MiniClusterContainer(image="ghcr.io/rse-ops/accounting:app-latest", command="hostname")],
        ),
    )
)
try:
    if not finished.wait(600):
        sys.exit("the MiniCluster has not finished")
    cached = informer.cache.get_by_key(f"{NAMESPACE}/{NAME}")  # no request
    print(f"cached: {type(cached).__name__} of size {cached.spec.size}")
finally:
    client.delete(NAME, wait=True)
deleted.wait(60)
print(f"left in the cache: {len(informer.cache.list())}")
CoordinationV1Api().delete_namespaced_lease(LEASE, NAMESPACE)
