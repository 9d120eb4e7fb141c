# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The chart gives the operator what it needs, and nothing else."""

from __future__ import annotations

from typing import Callable, Dict, List

import yaml
from conftest import Cluster

ALL = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]


def test_least_privilege(cluster: Cluster, can_i: Callable[..., bool]) -> None:
    user = f"system:serviceaccount:{cluster.home}:copyrator"
    other = cluster.namespace()
    copied = ["get", "list", "watch", "create", "update", "delete"]
    everywhere: Dict[str, List[str]] = {"configmaps": copied, "secrets": copied, "namespaces": ["list", "watch"]}
    for resource, verbs in everywhere.items():
        for verb in ALL:
            allowed = can_i(verb, resource, as_user=user, all_namespaces=True)
            assert allowed == (verb in verbs), (verb, resource)
    at_home: Dict[str, List[str]] = {
        "copyrators.test.com": ["list", "watch"],
        "copyrators.test.com/status": ["patch"],
        "events": ["create"],
    }
    for resource, verbs in at_home.items():
        for verb in ALL:
            assert can_i(verb, resource, as_user=user, namespace=cluster.home) == (verb in verbs), (verb, resource)
        assert not any(can_i(verb, resource, as_user=user, namespace=other) for verb in verbs), resource
    for verb, resource in [
        ("create", "pods"), ("create", "serviceaccounts/token"), ("get", "serviceaccounts"), ("get", "leases"),
        ("impersonate", "users"), ("escalate", "clusterroles"), ("bind", "clusterroles"), ("*", "*"),
        ("get", "customresourcedefinitions.apiextensions.k8s.io"), ("create", "deployments"), ("get", "nodes"),
    ]:  # fmt: skip
        assert not can_i(verb, resource, as_user=user, namespace=cluster.home), (verb, resource)


def test_of_one_rule_it_reads_that_one(
    cluster: Cluster, can_i: Callable[..., bool], kubectl: Callable[..., str], render: Callable[..., str]
) -> None:
    kubectl("apply", "--server-side", "-f", "-", input=render(cluster.home, "--set", "ruleName=main-rule"))
    user, verbs = f"system:serviceaccount:{cluster.home}:copyrator", {"": ["list", "watch"], "/status": ["patch"]}
    for subresource, expected in verbs.items():
        for name, of in {"main-rule": expected, "other": []}.items():
            asked = {"as_user": user, "namespace": cluster.home, "name": name}
            assert [verb for verb in ALL if can_i(verb, f"copyrators.test.com{subresource}", **asked)] == of


def test_the_chart_passes_the_source_namespaces(render: Callable[..., str]) -> None:
    def args(*more: str) -> List[str]:
        made = [*yaml.safe_load_all(render("home", *more))]
        (pod,) = [it["spec"]["template"]["spec"] for it in made if it["kind"] == "Deployment"]
        found: List[str] = pod["containers"][0]["args"]
        return found

    assert not [it for it in args() if "source" in it], "from its own namespace alone"
    assert "--source-namespaces=a,b" in args("--set", "sourceNamespaces={a,b}")
