# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the API server refuses, and how pods are confined."""

from __future__ import annotations

import json

import pytest
import yaml
from kubernetes import client as core
from registry_mirror_sdk import errors

from conftest import CONFIG, mirror
from registry_mirror.mirror import Mirror, Settings, wanted


@pytest.mark.parametrize("port", [2379, 6443, 10248, 10250, 10259, 30000, 32767])
def test_ports_of_kubernetes_are_refused(mirrors, port):
    """A listener on one would get what components of the node send to each other."""
    with pytest.raises(errors.Invalid) as refused:
        mirrors.create(mirror("quay", port))
    told = f"Invalid value: {port}: is a port of Kubernetes itself or of NodePorts"
    assert refused.value.causes == [("spec.port", told)]


@pytest.mark.parametrize("port", [2378, 2383, 5001, 10247, 10261, 29999, 32768])
def test_ports_beside_them_are_taken(mirrors, port):
    assert mirrors.create(mirror("quay", port)).spec.port == port


def test_credentials_are_not_sent_without_https(mirrors):
    with pytest.raises(errors.Invalid) as refused:
        mirrors.create(mirror("quay", 5002, "http://quay.io", credentials_secret="login"))
    assert "may not be sent to an upstream without https" in str(refused.value.causes)
    mirrors.create(mirror("quay", 5002, "https://quay.io", credentials_secret="login"))
    with pytest.raises(errors.Invalid):
        mirrors.patch("quay", {"spec": {"upstream": "http://quay.io"}})


def objections(template, namespace):
    """Tries to create a pod of a template, as JSON has it; gives what PodSecurity has against it."""
    spec = {key: value for key, value in template["spec"].items() if key != "serviceAccountName"}
    pod = {"metadata": {"name": "try", "labels": template["metadata"]["labels"]}, "spec": spec}
    try:
        core.CoreV1Api().create_namespaced_pod(namespace, pod, dry_run="All")
    except core.ApiException as error:
        return str(json.loads(error.body)["message"])
    return ""


def test_pods_are_restricted_but_for_the_port_of_the_node(namespace, kubectl, eventually):
    kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
    eventually(lambda: core.CoreV1Api().list_namespaced_service_account(namespace).items)
    one = Mirror("quay", "1-2", "https://quay.io", 5002, Settings(namespace), credentials_secret="login")
    made = {each.name: dict(each.body)["spec"].get("template") for each in wanted(one)}
    operator = yaml.safe_load((CONFIG / "manager/deployment.yaml").read_text())["spec"]["template"]
    assert objections(operator, namespace) == objections(made["registry-quay"], namespace) == ""
    said = objections(made["listener-quay"], namespace)
    assert said.endswith('violates PodSecurity "restricted:latest": hostPort (container "listener" uses hostPort 5002)')
