# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is never copied, from where, and where to only by name."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict, Set

import pytest
from clusters import HOME, Cluster, manifest, namespace, rule

from copyrator.objects import Key, Rule, Source
from copyrator.plan import plan
from copyrator.status import news, status

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
LABELS = {"labels": {"copy": "yes"}}


@pytest.mark.parametrize("kind, name, more", [
    ("secret", "s", {"type": "bootstrap.kubernetes.io/token"}),
    ("secret", "s", {"type": "kubernetes.io/service-account-token"}),
    ("secret", "s", {"type": "kubernetes.io/what-comes-next"}),
    ("secret", "s", {"type": "node.k8s.io/key"}),
    ("secret", "s", {"type": "helm.sh/release.v1"}),
    ("secret", "s", {"type": "istio.io/key-and-cert"}),
    ("secret", "s", {"metadata": {"annotations": {"kubernetes.io/service-account.name": "default"}}}),
    ("secret", "bootstrap-token-abcdef", {"type": "Opaque"}),
    ("secret", "sh.helm.release.v1.web.v3", {"type": "Opaque"}),
    ("secret", "s", {"metadata": {"labels": {"copy": "yes", "owner": "helm"}}}),
    ("secret", "s", {"metadata": {"labels": {"copy": "yes", "argocd.argoproj.io/secret-type": "cluster"}}}),
    ("secret", "kubeadm-certs", {}),
    ("configmap", "kube-root-ca.crt", {}),
    ("configmap", "istio-ca-root-cert", {}),
    ("configmap", "extension-apiserver-authentication", {}),
    ("configmap", "aws-auth", {}),
    ("configmap", "coredns", {}),
    ("configmap", "kubelet-config-1.23", {}),
    ("configmap", "sh.helm.release.v1.web.v3", {}),
])  # fmt: skip
def test_what_has_a_meaning_of_its_own_is_never_copied(kind: str, name: str, more: Dict[str, Any]) -> None:
    stored = manifest(kind, HOME, name, **{"metadata": LABELS, "data": {"k": "c2VjcmV0"}, **more})
    found = Source.of(kind, stored)
    assert found is not None and found.refused and not found.content
    stored["metadata"]["labels"] = {**stored["metadata"].get("labels", {}), "copy": "yes"}
    cluster = Cluster([namespace(HOME), namespace("a")], [rule(ruleType=kind)], {Key(kind, HOME, name): stored})
    assert plan(cluster.world()) == []


@pytest.mark.parametrize("kind, name, more", [
    ("secret", "s", {}), ("secret", "s", {"type": "Opaque"}), ("secret", "s", {"type": "example.com/licence"}),
    ("secret", "s", {"type": "kubernetes.io/tls"}), ("secret", "s", {"type": "kubernetes.io/dockerconfigjson"}),
    ("configmap", "bootstrap-token-abcdef", {}), ("configmap", "kubeadm-certs", {}),
    ("secret", "s", {"metadata": {"labels": {"owner": "me"}}}),
])  # fmt: skip
def test_what_is_only_data_is_copied(kind: str, name: str, more: Dict[str, Any]) -> None:
    found = Source.of(kind, manifest(kind, HOME, name, **more))
    assert found is not None and not found.refused


def targets(**more: Any) -> Set[str]:
    """Gives the namespaces where a rule makes copies."""
    namespaces = [namespace(it, team="x") for it in (HOME, "a", "kube-system", "kube-public")]
    source = manifest("configmap", "from", "s", metadata=LABELS)
    made = rule(namespaces=["from"], **more)
    cluster = Cluster([*namespaces, namespace("from")], [made], {Key("configmap", "from", "s"): source})
    return {action.key.namespace for action in plan(cluster.world())}


def test_reserved_namespaces_get_copies_only_by_name() -> None:
    assert targets() == targets(targets={}) == targets(targets={"matchLabels": {"team": "x"}}) == {"a"}
    assert targets(targets={"matchExpressions": [{"key": "team", "operator": "Exists"}]}) == {"a"}
    assert targets(targetNamespaces=["kube-system", HOME, "is-not-there"]) == {"kube-system", HOME}
    assert targets(targetNamespaces=["kube-public"], targets={}) == {"a", "kube-public"}


def test_what_was_copied_to_a_reserved_namespace_before_is_removed() -> None:
    source = manifest("configmap", "from", "s", metadata=LABELS)
    named = rule(namespaces=["from"], targetNamespaces=["kube-system"])
    spaces = [namespace(it) for it in ("from", "kube-system")]
    cluster = Cluster(spaces, [named], {Key("configmap", "from", "s"): source})
    assert all(cluster.take(action) for action in plan(cluster.world()))
    cluster.rules = [rule(namespaces=["from"])]
    (action,) = plan(cluster.world())
    assert (action.verb, action.key.namespace) == ("delete", "kube-system")


def test_rules_copy_only_from_namespaces_that_the_operator_was_told_of() -> None:
    def asked(*allowed: str) -> Set[str]:
        made = Rule.of(rule(namespaces=[HOME, "a", "kube-system"]), frozenset(allowed))
        assert {*made.refused} == {HOME, "a", "kube-system"} - {it.namespace for it in made.queries}
        return {query.namespace for query in made.queries}

    assert asked() == {HOME}
    assert asked("a") == asked("*") == {HOME, "a"}
    assert asked("*", "kube-system") == {HOME, "a", "kube-system"}


def test_what_is_refused_is_told() -> None:
    token = manifest("secret", HOME, "t", metadata=LABELS, type="bootstrap.kubernetes.io/token")
    plain = manifest("secret", HOME, "s", metadata=LABELS, type="Opaque")
    spaces = [namespace(it, team="x") for it in (HOME, "a", "kube-system")]
    made = rule(ruleType="secret", targets={"matchLabels": {"team": "x"}}, namespaces=[HOME, "kube-system"])
    cluster = Cluster(spaces, [made], {Key("secret", HOME, it["metadata"]["name"]): it for it in (token, plain)})
    world = cluster.world()
    found = status(world, world.rules["main-rule"], {}, NOW)
    refused = next(it for it in found.conditions or () if it.type == "Refused")
    assert (found.sources, refused.status, refused.reason) == (1, "True", "NeverCopied")
    assert "Secret home/t: Secrets of type bootstrap.kubernetes.io/token are never copied" in refused.message
    assert "Namespace kube-system: reserved, and not listed in targetNamespaces" in refused.message
    assert "Namespace kube-system: not listed in --source-namespaces of the operator" in refused.message
    assert [reason for reason, _ in news(None, found)] == ["NeverCopied"]


def test_content_is_not_in_what_is_printed() -> None:
    assert "c2VjcmV0" not in repr(Source.of("secret", manifest("secret", HOME, "s", data={"k": "c2VjcmV0"})))
