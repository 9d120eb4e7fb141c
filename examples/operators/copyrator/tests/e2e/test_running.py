# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""How the operator runs: quietly, after it was away, beside others, and to its end."""

from __future__ import annotations

import socket
import sys
import time
import urllib.error
import urllib.request
from typing import Any, Callable

from conftest import Cluster
from kubernetes import client
from operatortest import Operator, Proxy

WRITES = {"create", "update", "patch", "delete", "deletecollection"}

Eventually = Callable[..., Any]


def test_is_at_rest_once_all_is_copied(
    cluster: Cluster, operator: Operator, proxy: Proxy, eventually: Eventually
) -> None:
    one, two = cluster.namespace(), cluster.namespace()
    # Sources are looked for in the namespaces of the copies too: they must not be taken for sources.
    cluster.rule(namespaces=[cluster.home, one, two])
    for n in range(5):
        cluster.create("configmap", f"it-{n}", data={"n": str(n)})
    operator.start()
    eventually(cluster.ready)
    versions = {place: it["metadata"]["resourceVersion"] for place, it in cluster.copies("configmap").items()}
    rule = cluster.rules.get("main-rule")
    assert len(versions) == 10
    proxy.reset()
    time.sleep(5)
    assert {p: it["metadata"]["resourceVersion"] for p, it in cluster.copies("configmap").items()} == versions
    assert cluster.rules.get("main-rule") == rule
    assert not {verb for verb, _ in proxy.counts} & WRITES, proxy.counts
    # What does not matter to a copy does not reach it.
    cluster.patch("configmap", "it-0", cluster.home, metadata={"annotations": {"note": "x"}})
    cluster.core.patch_namespace(one, {"metadata": {"annotations": {"note": "x"}}})
    cluster.rules.patch("main-rule", {"metadata": {"labels": {"note": "x"}}})
    time.sleep(3)
    assert not {verb for verb, _ in proxy.counts} & WRITES, proxy.counts


def test_catches_up_after_it_was_away(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    target = cluster.namespace()
    cluster.rule()
    cluster.rule("secrets", rule_type="secret")
    for name in ("kept", "changed", "gone", "unlabelled"):
        cluster.create("configmap", name, data={"k": "v"})
    cluster.create("secret", "of-gone-rule", data={"k": "eA=="})
    operator.start()
    eventually(lambda: cluster.ready() and cluster.ready("secrets"))
    assert operator.stop() == 0
    kept = cluster.get("configmap", "kept", target)
    cluster.patch("configmap", "changed", cluster.home, data={"k": "w"})
    cluster.delete("configmap", "gone", cluster.home)
    cluster.patch("configmap", "unlabelled", cluster.home, metadata={"labels": {"copyrator": None}})
    cluster.rules.delete("secrets")
    late = cluster.namespace()
    operator.start()
    places = {f"{namespace}/{name}" for namespace in (target, late) for name in ("kept", "changed")}
    eventually(lambda: cluster.copies("configmap").keys() == places and not cluster.copies("secret"))
    eventually(lambda: cluster.data("configmap", "changed", target) == {"k": "w"})
    assert cluster.get("configmap", "kept", target) == kept, "it was not touched"


def test_a_namespace_that_goes_is_left_alone(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    going, stays = cluster.namespace(), cluster.namespace()
    cluster.rule()
    cluster.create("configmap", "one", data={"k": "v"})
    hold: Any = {"metadata": {"name": "hold", "finalizers": ["test.com/hold"]}}
    cluster.core.create_namespaced_config_map(going, hold)
    operator.start()
    eventually(cluster.ready)
    cluster.core.delete_namespace(going)
    cluster.namespaces.remove(going)
    for n in range(5):
        cluster.create("configmap", f"late-{n}", data={"k": "v"})
    eventually(lambda: all(cluster.data("configmap", f"late-{n}", stays) for n in range(5)))
    eventually(cluster.ready)
    eventually(lambda: [it.metadata.name for it in cluster.core.list_namespaced_config_map(going).items] == ["hold"])
    assert '"level": "warning"' not in operator.log() and '"level": "error"' not in operator.log()
    cluster.core.patch_namespaced_config_map("hold", going, {"metadata": {"finalizers": None}})

    def gone() -> bool:
        return going not in {it.metadata.name for it in cluster.core.list_namespace().items}

    eventually(gone)
    assert '"level": "warning"' not in operator.log()
    # The same name again is another namespace.
    cluster.core.create_namespace({"metadata": {"name": going, "labels": {"test": cluster.home}}})
    cluster.namespaces.append(going)
    eventually(lambda: cluster.data("configmap", "one", going) == {"k": "v"})


def test_operators_keep_to_their_rules(
    cluster: Cluster, operator: Operator, proxy: Proxy, operators: Callable[..., Operator], eventually: Eventually,
    kubectl: Callable[..., str], render: Callable[..., str], service_account: Callable[[str, str], Proxy]
) -> None:
    """One for all rules of another namespace, and one for a single rule of this."""
    other = Cluster(cluster.namespace())
    kubectl("apply", "--server-side", "-f", "-", input=render(other.home))
    target = cluster.namespace()
    cluster.rule()
    cluster.rule("second", selector={"second": "true"})
    cluster.create("configmap", "ours", data={"k": "v"})
    cluster.create("configmap", "second", metadata={"labels": {"second": "true"}})
    other.rule(targets={"matchLabels": {"test": cluster.home}})
    other.create("configmap", "theirs", data={"k": "v"})
    operator.start()
    eventually(lambda: cluster.ready() and cluster.ready("second"))
    assert not other.copies("configmap")
    operator.kill()
    env = {"HEALTH_PORT": "0", "NAMESPACE": other.home}
    theirs = service_account(other.home, "copyrator")
    operators([sys.executable, "-m", "copyrator"], {**env, "KUBECONFIG": str(theirs.kubeconfig)}).start()
    eventually(other.ready)
    assert f"{target}/ours" in cluster.copies("configmap") and f"{target}/theirs" in other.copies("configmap")

    single = operators(
        [sys.executable, "-m", "copyrator", "--namespace", cluster.home, "--rule-name", "main-rule"],
        {"HEALTH_PORT": "0", "KUBECONFIG": str(proxy.kubeconfig)},
    )
    for rule in ("main-rule", "second"):
        cluster.rules.delete(rule)
    single.start()
    eventually(lambda: f"{target}/ours" not in cluster.copies("configmap"))
    assert f"{target}/second" in cluster.copies("configmap"), "it is of another rule"
    assert f"{target}/theirs" in other.copies("configmap")
    kubectl("delete", "--wait=false", "-f", "-", input=render(other.home))


def test_answers_probes_and_ends_when_asked(
    cluster: Cluster, proxy: Proxy, operators: Callable[..., Operator], eventually: Eventually
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def answer(path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    env = {"KUBECONFIG": str(proxy.kubeconfig), "NAMESPACE": cluster.home, "HEALTH_PORT": str(port)}
    operator = operators([sys.executable, "-m", "copyrator"], env)
    operator.start()
    eventually(lambda: answer("/readyz") == 200)
    assert (answer("/healthz"), answer("/")) == (200, 404)
    started = time.monotonic()
    assert operator.stop() == 0
    assert time.monotonic() - started < 30


def test_the_chart_s_deployment_is_accepted(cluster: Cluster, eventually: Eventually) -> None:
    apps = client.AppsV1Api()
    eventually(lambda: apps.read_namespaced_deployment("copyrator", cluster.home).status.available_replicas == 1)
    spec = apps.read_namespaced_deployment("copyrator", cluster.home).spec
    assert (spec.replicas, spec.strategy.type) == (1, "Recreate")
