# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The operator as it is installed: with its manifests, as its ServiceAccount."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from kubernetes import client
from nuvolaris.client import Client
from nuvolaris.errors import NotFound
from nuvolaris.models import Sample, SampleSpec

CONFIG = Path(__file__).parents[2] / "config"


def new(name, count=1):
    """Gives a Sample to be created."""
    return Sample(metadata=client.V1ObjectMeta(name=name), spec=SampleSpec(count=count))


def state(sample):
    """Gives the statuses of a Sample's conditions, by type."""
    found = (sample.status.conditions if sample.status else None) or []
    return {one.type: one.status for one in found}


class Cluster:
    """What a test asks about a namespace, as the administrator."""

    def __init__(self, namespace):
        self.namespace = namespace
        self.samples = Client(Sample, namespace)
        self.apps = client.AppsV1Api()

    def deployment(self):
        """Gives the Deployment, None if there is none."""
        try:
            return self.apps.read_namespaced_deployment("demo-deploy", self.namespace)
        except client.ApiException as error:
            assert error.status == 404
            return None

    def replicas(self):
        """Gives how many replicas the Deployment is to have, None if there is none."""
        found = self.deployment()
        return found and found.spec.replicas

    def owner(self):
        """Gives the name of the Sample that the Deployment belongs to, None if it does not."""
        found = self.deployment()
        owners = (found.metadata.owner_references if found else None) or []
        return owners[0].name if len(owners) == 1 and owners[0].controller else None

    def get(self, name):
        """Gives a Sample, None if it is not there."""
        try:
            return self.samples.get(name)
        except NotFound:
            return None

    def ready(self, name, count):
        """Says whether a Sample has its Deployment, with so many replicas, and says so."""
        sample = self.get(name)
        if sample is None or self.owner() != name or self.replicas() != count or sample.status is None:
            return False
        told = sample.status.observed_generation, sample.status.ready_replicas, state(sample)
        return told == (sample.metadata.generation, count, {"Ready": "True", "Conflict": "False"})

    def waits(self, name, holder):
        """Says whether a Sample waits for another to let the Deployment go, and says so."""
        sample = self.get(name)
        if sample is None or sample.status is None or state(sample) != {"Ready": "False", "Conflict": "True"}:
            return False
        return f"belongs to Sample {holder};" in sample.status.message and sample.status.ready_replicas == 0


@pytest.fixture
def cluster(namespace):
    """Gives what a test asks about its namespace."""
    return Cluster(namespace)


@pytest.fixture
def install(kubectl, tmp_path):
    """Gives ``install(*components, namespace=…)``: applies config/namespaced for a namespace."""

    def function(*components, namespace):
        directory = Path(shutil.copytree(CONFIG, tmp_path / "config", dirs_exist_ok=True)) / "overlay"
        directory.mkdir(exist_ok=True)
        overlay = {"resources": ["../namespaced"], "components": list(components)}
        (directory / "kustomization.yaml").write_text(yaml.safe_dump(overlay))
        made = [*yaml.safe_load_all(kubectl("kustomize", str(directory)))]
        for one in made:
            if one["metadata"].get("namespace") == "demo":
                one["metadata"]["namespace"] = namespace
            for subject in one.get("subjects", []):
                subject["namespace"] = namespace
        kubectl("apply", "-f", "-", input=yaml.safe_dump_all(made))

    return function


@pytest.fixture
def run(namespace, install, service_account, operators):
    """Gives ``run(*arguments)``: the operator, started for the test's namespace, and its proxy."""

    def function(*arguments):
        kubectl_way = "kubectl" in arguments
        install(*(["../kubectl"] if kubectl_way else []), namespace=namespace)
        return start(service_account(namespace, "sample-operator"), operators, "--namespace", namespace, *arguments)

    return function


def start(proxy, operators, *arguments):
    """Starts the operator behind a proxy."""
    argv = [sys.executable, "-m", "sample_operator", *arguments]
    operator = operators(argv, {"KUBECONFIG": str(proxy.kubeconfig)})
    operator.start()
    return SimpleNamespace(process=operator, proxy=proxy, log=operator.log)
