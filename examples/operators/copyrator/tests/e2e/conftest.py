# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""An operator that is installed from the chart, and the objects of a test."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

import pytest
from copyrator_api.client import Client
from copyrator_api.models import CopyratorRule
from kubernetes import client
from operatortest import Operator, Proxy

CHART = Path(__file__).parents[2] / "chart"
MANAGED_BY = "app.kubernetes.io/managed-by"
METHODS = {"configmap": "config_map", "secret": "secret"}

Manifest = Dict[str, Any]


class Cluster:
    """Objects of a test, as an administrator makes them. Those of all its namespaces go with it.

    Rules are in ``home``, and copy only to namespaces of the test if nothing else is asked for.
    """

    def __init__(self, home: str) -> None:
        self.home, self.core = home, client.CoreV1Api()
        self.rules: Client[CopyratorRule] = Client(CopyratorRule, home)
        self.namespaces: List[str] = []

    def namespace(self, **labels: str) -> str:
        """Makes a namespace."""
        name = f"test-{uuid.uuid4().hex[:8]}"
        metadata = {"name": name, "labels": {"test": self.home, **labels}}
        self.core.create_namespace({"metadata": metadata})
        self.namespaces.append(name)
        return name

    def rule(self, name: str = "main-rule", everywhere: bool = False, **more: Any) -> CopyratorRule:
        """Makes a rule, by default for ConfigMaps of its namespace with copyrator=true."""
        fields = {"rule_type": "configmap", "selector": {"copyrator": "true"}, **more}
        if not everywhere:
            fields.setdefault("targets", {"matchLabels": {"test": self.home}})
        return self.rules.create(CopyratorRule(metadata={"name": name}, **fields))

    def create(self, kind: str, name: str, namespace: Optional[str] = None, **more: Any) -> Manifest:
        """Makes a source, or what more says."""
        metadata = {"name": name, "labels": {"copyrator": "true"}, **more.pop("metadata", {})}
        body = {"metadata": metadata, **more}
        return self._call("create_namespaced", kind, namespace or self.home, body)

    def get(self, kind: str, name: str, namespace: str) -> Optional[Manifest]:
        """Reads an object; None if there is none."""
        try:
            return self._call("read_namespaced", kind, name, namespace)
        except client.ApiException as error:
            if error.status == 404:
                return None
            raise

    def patch(self, kind: str, name: str, namespace: str, **change: Any) -> Manifest:
        """Changes an object."""
        return self._call("patch_namespaced", kind, name, namespace, change)

    def delete(self, kind: str, name: str, namespace: str) -> None:
        """Deletes an object."""
        self._call("delete_namespaced", kind, name, namespace)

    def data(self, kind: str, name: str, namespace: str) -> Optional[Dict[str, str]]:
        """Gives the data of an object; None if there is no such object."""
        found = self.get(kind, name, namespace)
        return found and (found.get("data") or {})

    def copies(self, kind: str) -> Dict[str, Manifest]:
        """Gives all copies of the operator's, by namespace and name."""
        selector = f"{MANAGED_BY}=copyrator,copyrator.test.com/namespace={self.home}"
        method = getattr(self.core, f"list_{METHODS[kind]}_for_all_namespaces")
        found = client.ApiClient().sanitize_for_serialization(method(label_selector=selector))
        return {f"{it['metadata']['namespace']}/{it['metadata']['name']}": it for it in found["items"]}

    def condition(self, type: str, rule: str = "main-rule") -> Any:
        """Gives a condition of a rule as it is written, of its last generation; None before."""
        found: Mapping[str, Any] = self.rules.get(rule)
        status = found.get("status") or {}
        if status.get("observedGeneration") != found["metadata"]["generation"]:
            return None
        return next(it for it in status["conditions"] if it["type"] == type)

    def ready(self, rule: str = "main-rule") -> bool:
        """Says whether a rule is told to be Ready."""
        found = self.condition("Ready", rule)
        return bool(found and found["status"] == "True")

    def close(self) -> None:
        """Removes the namespaces that were made."""
        for name in self.namespaces:
            self.core.delete_namespace(name)

    def _call(self, verb: str, kind: str, *args: Any) -> Manifest:
        found = getattr(self.core, f"{verb}_{METHODS[kind]}")(*args)
        read: Manifest = client.ApiClient().sanitize_for_serialization(found)
        return read


@pytest.fixture(scope="session")
def render() -> Callable[..., str]:
    """Gives ``render(namespace, *args)``: what helm makes of the chart."""

    def function(namespace: str, *args: str) -> str:
        command = [os.environ["HELM"], "template", "copyrator", str(CHART), "--namespace", namespace, *args]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return function


@pytest.fixture
def cluster(namespace: str, kubectl: Callable[..., str], render: Callable[..., str]) -> Iterator[Cluster]:
    """Gives a cluster where the chart is installed in the namespace of the test."""
    kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
    kubectl("apply", "--server-side", "-f", "-", input=render(namespace))
    made = Cluster(namespace)
    yield made
    made.close()
    kubectl("delete", "--wait=false", "-f", "-", input=render(namespace))


@pytest.fixture
def proxy(cluster: Cluster, service_account: Callable[[str, str], Proxy]) -> Proxy:
    """Gives the way to the API server as the chart's ServiceAccount."""
    return service_account(cluster.home, "copyrator")


@pytest.fixture
def operator(cluster: Cluster, proxy: Proxy, operators: Callable[..., Operator]) -> Operator:
    """Gives the operator, which has not been started. It may copy from all namespaces of the test."""
    env = {"KUBECONFIG": str(proxy.kubeconfig), "NAMESPACE": cluster.home, "HEALTH_PORT": "0", "SOURCE_NAMESPACES": "*"}
    return operators([sys.executable, "-m", "copyrator"], env)
