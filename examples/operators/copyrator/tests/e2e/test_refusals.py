# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is refused, and that a rule says so."""

from __future__ import annotations

import base64
import sys
import uuid
from typing import Any, Callable, Dict

from conftest import Cluster
from operatortest import Operator, Proxy

Eventually = Callable[..., Any]


def refused(cluster: Cluster) -> str:
    """Gives the message of the condition Refused; "" while it is not true."""
    found = cluster.condition("Refused")
    return str(found["message"]) if found and found["status"] == "True" else ""


def test_credentials_of_the_cluster_are_never_copied(
    cluster: Cluster, proxy: Proxy, operators: Callable[..., Operator], eventually: Eventually
) -> None:
    """Who may write a labelled Secret must not come by a bootstrap token in kube-system."""
    name, drawn = f"plain-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex
    token = {"token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true"}
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in token.items()}
    cluster.create("secret", "bootstrap-token-abcdef", type="bootstrap.kubernetes.io/token", data=encoded)
    cluster.create("secret", "release", type="helm.sh/release.v1", data={"release": "eA=="})
    cluster.create("secret", name, stringData={"password": drawn})
    target = cluster.namespace()
    names = [target, "kube-system"]
    cluster.rule(rule_type="secret", target_namespaces=names, targets={"matchLabels": {"test": "none"}})
    env = {"KUBECONFIG": str(proxy.kubeconfig), "NAMESPACE": cluster.home, "HEALTH_PORT": "0", "LOG_LEVEL": "debug"}
    operator = operators([sys.executable, "-m", "copyrator"], env)
    operator.start()
    eventually(lambda: cluster.ready() and refused(cluster))
    assert cluster.copies("secret").keys() == {f"{it}/{name}" for it in names}
    for what in ("bootstrap-token-abcdef: Secrets of type bootstrap.kubernetes.io/token", "release: Secrets of type helm.sh/"):
        assert f"Secret {cluster.home}/{what}" in refused(cluster)

    def told() -> Dict[str, str]:
        return {it.reason: it.message for it in cluster.core.list_namespaced_event(cluster.home).items}

    eventually(lambda: "bootstrap.kubernetes.io/token" in told().get("NeverCopied", ""))
    shown = [operator.log(), str(cluster.core.list_namespaced_event(cluster.home)), str(cluster.rules.get("main-rule"))]
    secrets = [drawn, token["token-secret"]]
    for value in [*secrets, *(base64.b64encode(it.encode()).decode() for it in secrets)]:
        assert not [it for it in shown if value in it], "a value of a Secret is in the log, an Event or the status"
    cluster.rules.delete("main-rule")
    eventually(lambda: not cluster.copies("secret"))


def test_a_namespace_of_kubernetes_is_no_target_by_its_labels(
    cluster: Cluster, operator: Operator, eventually: Eventually
) -> None:
    cluster.create("configmap", "one", data={"k": "v"})
    by_name = {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}
    cluster.rule(targets=by_name)
    operator.start()
    eventually(lambda: "Namespace kube-system: reserved, and not listed in targetNamespaces" in refused(cluster))
    assert not cluster.copies("configmap")
    cluster.rules.patch("main-rule", {"targetNamespaces": ["kube-system"]})
    eventually(lambda: {*cluster.copies("configmap")} == {"kube-system/one"})
    eventually(lambda: cluster.ready() and not refused(cluster))
    cluster.rules.patch("main-rule", {"targetNamespaces": None})
    eventually(lambda: not cluster.copies("configmap"))


def test_rules_copy_from_no_other_namespace_unless_the_operator_is_told_so(
    cluster: Cluster, proxy: Proxy, operators: Callable[..., Operator], eventually: Eventually
) -> None:
    """Who may write rules reads no Secret of another namespace by them."""
    theirs, given, target = cluster.namespace(), cluster.namespace(), cluster.namespace(get="yes")
    for namespace in (theirs, given):
        cluster.create("secret", f"of-{namespace}", namespace, data={"k": "eA=="})
    cluster.rule(rule_type="secret", namespaces=[theirs, given], targets={"matchLabels": {"get": "yes"}})
    env = {"KUBECONFIG": str(proxy.kubeconfig), "NAMESPACE": cluster.home, "HEALTH_PORT": "0"}
    operators([sys.executable, "-m", "copyrator", "--source-namespaces", given], env).start()
    eventually(cluster.ready)
    assert {*cluster.copies("secret")} == {f"{target}/of-{given}"}
    assert refused(cluster) == f"Namespace {theirs}: not listed in --source-namespaces of the operator"


def test_a_clone_of_a_copy_stays(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    """Created from what `kubectl get --output yaml` printed, with another name or in another namespace."""
    target, other = cluster.namespace(get="yes"), cluster.namespace()
    cluster.create("configmap", "one", data={"k": "v"})
    cluster.rule(targets={"matchLabels": {"get": "yes"}})
    operator.start()
    eventually(cluster.ready)
    copy = cluster.get("configmap", "one", target)
    assert copy
    kept = {"labels": copy["metadata"]["labels"], "annotations": copy["metadata"]["annotations"]}
    for name, namespace in (("clone", target), ("one", other)):
        cluster.create("configmap", name, namespace, metadata=kept, data={"k": "mine"})
    operator.kill()
    operator.start()
    cluster.create("configmap", "two", data={"k": "v"})
    eventually(lambda: cluster.data("configmap", "two", target) == {"k": "v"})
    cluster.rules.delete("main-rule")
    eventually(lambda: cluster.data("configmap", "one", target) is None)
    assert cluster.data("configmap", "clone", target) == cluster.data("configmap", "one", other) == {"k": "mine"}
