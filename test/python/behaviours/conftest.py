# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""One suite on two servers: the fake one of ``fluxoperator.testing`` and, where the variable
FLUXOPERATOR_CLUSTER is set, the API server that KUBECONFIG leads to."""

from __future__ import annotations

import os
import uuid
from typing import Any, Callable, Iterator

import pytest
from kubernetes import client as kubernetes
from kubernetes import config

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec
from fluxoperator.client import Client
from fluxoperator.testing import FakeServer

SERVERS = ["fake", *(["cluster"] if os.environ.get("FLUXOPERATOR_CLUSTER") else [])]


@pytest.fixture(params=SERVERS)
def api_client(request: Any) -> Any:
    """Gives an ApiClient of each server."""
    if request.param == "fake":
        return FakeServer().api_client
    connect: Any = config.new_client_from_config
    return connect(config_file=os.environ["KUBECONFIG"])


@pytest.fixture
def namespace(api_client: Any) -> Iterator[str]:
    """Gives a namespace of the test's own."""
    name, core = f"like-{uuid.uuid4().hex[:8]}", kubernetes.CoreV1Api(api_client)
    core.create_namespace({"metadata": {"name": name}})
    yield name
    found: Any = Client(MiniCluster, name, api_client)
    for item in found.list():
        if item["metadata"].get("finalizers"):
            found.patch(item["metadata"]["name"], {"metadata": {"finalizers": None}})
    found.delete_collection()
    core.delete_namespace(name)


@pytest.fixture
def clusters(api_client: Any, namespace: str) -> Client[MiniCluster]:
    """Gives a client of the test's namespace."""
    return Client(MiniCluster, namespace, api_client, field_manager="suite")


@pytest.fixture
def other(api_client: Any, namespace: str) -> Client[MiniCluster]:
    """Gives a client with another field manager."""
    return Client(MiniCluster, namespace, api_client, field_manager="other")


@pytest.fixture
def made() -> Callable[..., MiniCluster]:
    """Gives a function that makes a MiniCluster of a name, values of its spec and metadata."""

    def function(name: str = "one", meta: Any = None, **spec: Any) -> MiniCluster:
        spec = {"containers": [MiniClusterContainer(image="any")], "interactive": True, "max_size": 4, **spec}
        metadata = {"name": name, "labels": {"of": "suite"}, **(meta or {})}
        return MiniCluster(metadata=metadata, spec=MiniClusterSpec(**spec))

    return function
