# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Copies follow rules, sources and namespaces."""

from __future__ import annotations

import subprocess
from typing import Any, Callable

import yaml
from conftest import MANAGED_BY, Cluster
from operatortest import Operator

ARTICLES_RULE = """
apiVersion: test.com/v1
kind: CopyratorRule
metadata:
  name: main-rule
  labels:
    module: copyrator
ruleType: configmap
selector:
  copyrator: "true"
namespace: default
"""

Eventually = Callable[..., Any]


def test_a_rule_copies_to_every_active_namespace(
    cluster: Cluster, operator: Operator, eventually: Eventually, kubectl: Callable[..., str]
) -> None:
    apply = ["kubectl", "apply", "--namespace", cluster.home, "--filename", "-"]
    refused = subprocess.run(apply, input=ARTICLES_RULE, capture_output=True, text=True)
    assert refused.returncode and 'unknown field "namespace"' in refused.stderr
    rule = {**yaml.safe_load(ARTICLES_RULE), "namespaces": [cluster.home]}
    del rule["namespace"]
    kubectl(*apply[1:], input=yaml.safe_dump(rule))
    before = cluster.namespace()
    cluster.create("configmap", "first", data={"k": "v"})
    cluster.create("configmap", "unlabelled", metadata={"labels": {"copyrator": "false"}})
    operator.start()
    eventually(cluster.ready)
    active = {it.metadata.name for it in cluster.core.list_namespace().items if it.status.phase == "Active"}
    reserved = {it for it in active if it.startswith("kube-")} | {cluster.home}
    assert {before, "default"} < active and "kube-system" in reserved
    assert cluster.copies("configmap").keys() >= {f"{it}/first" for it in active - reserved}
    assert not cluster.copies("configmap").keys() & {f"{it}/first" for it in reserved}
    after = cluster.namespace()
    eventually(lambda: cluster.data("configmap", "first", after) == {"k": "v"})
    cluster.create("configmap", "second", data={"k": "w"})
    for namespace in (before, after):
        eventually(lambda: cluster.data("configmap", "second", namespace) == {"k": "w"})
    cluster.patch("configmap", "first", cluster.home, data={"k": None, "l": "x"})
    for namespace in (before, after):
        eventually(lambda: cluster.data("configmap", "first", namespace) == {"l": "x"})
    cluster.delete("configmap", "second", cluster.home)
    eventually(lambda: not [it for it in cluster.copies("configmap") if it.endswith("/second")])
    assert cluster.data("configmap", "first", after) == {"l": "x"}
    cluster.rules.delete("main-rule")
    eventually(lambda: not cluster.copies("configmap"))
    assert cluster.data("configmap", "first", cluster.home) == {"l": "x"}
    assert operator.stop() == 0
    assert '"level": "error"' not in operator.log()


def test_data_and_type_are_kept_exactly(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    target = cluster.namespace()
    cluster.rule()
    cluster.rule("secrets", rule_type="secret")
    theirs = {"labels": {"copyrator": "true", "app": "x"}, "annotations": {"theirs": "only"}}
    cluster.create("configmap", "binary", metadata=theirs, data={"text": "ä\n"}, binaryData={"b": "AAEC/w=="})
    cluster.create("configmap", "fixed", data={"k": "v"}, immutable=True)
    cluster.create("configmap", "empty")
    cluster.create("secret", "opaque", data={"k": "AP8="}, stringData={"s": "text"})
    tls = {"tls.crt": "Y2VydA==", "tls.key": "a2V5"}
    cluster.create("secret", "tls", type="kubernetes.io/tls", data=tls, immutable=True)
    docker = {".dockerconfigjson": "e30="}
    cluster.create("secret", "registry", type="kubernetes.io/dockerconfigjson", data=docker)
    account = {"labels": {"copyrator": "true"}, "annotations": {"kubernetes.io/service-account.name": "copyrator"}}
    cluster.create("secret", "token", type="kubernetes.io/service-account-token", metadata=account)
    cluster.core.patch_namespaced_config_map(
        "kube-root-ca.crt", cluster.home, {"metadata": {"labels": {"copyrator": "true"}}}
    )
    operator.start()
    eventually(lambda: cluster.ready() and cluster.ready("secrets"))
    found = {*cluster.copies("configmap"), *cluster.copies("secret")}
    names = ["binary", "fixed", "empty", "opaque", "tls", "registry"]
    assert found == {f"{target}/{it}" for it in names}, "no token and no root certificate"
    for kind in ("configmap", "secret"):
        for place, copy in cluster.copies(kind).items():
            source = cluster.get(kind, place.split("/")[1], cluster.home)
            assert source
            for key in ("data", "binaryData", "immutable", "type"):
                assert copy.get(key) == source.get(key), (place, key)
            assert copy["metadata"]["labels"].items() >= source["metadata"]["labels"].items()
            assert "theirs" not in copy["metadata"]["annotations"]

    # What the server does not let be changed is made again.
    for name, change in {"fixed": {"data": {"k": "w"}}, "tls": {"type": "Opaque", "data": {"k": "eA=="}}}.items():
        kind = "secret" if name == "tls" else "configmap"
        cluster.delete(kind, name, cluster.home)
        source = cluster.create(kind, name, immutable=True, **change)
        eventually(lambda: cluster.data(kind, name, target) == change["data"])
        copy = cluster.get(kind, name, target)
        assert copy and copy["immutable"] and copy.get("type") == source.get("type")


def test_rules_change(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    team, other = cluster.namespace(team="x"), cluster.namespace()
    cluster.create("configmap", "one", data={"k": "1"})
    cluster.create("configmap", "two", other, metadata={"labels": {"app": "x"}})
    cluster.create("secret", "three", data={"k": "eA=="})
    cluster.rule()
    operator.start()

    def copied(*places: str) -> None:
        eventually(lambda: {*cluster.copies("configmap"), *cluster.copies("secret")} == {*places})

    def change(**fields: Any) -> None:
        cluster.rules.patch("main-rule", fields)

    copied(f"{team}/one", f"{other}/one")
    change(targets={"matchLabels": None, "matchExpressions": [{"key": "team", "operator": "In", "values": ["x"]}]})
    copied(f"{team}/one")
    cluster.core.patch_namespace(other, {"metadata": {"labels": {"team": "x"}}})
    copied(f"{team}/one", f"{other}/one")
    cluster.core.patch_namespace(other, {"metadata": {"labels": {"team": None}}})
    copied(f"{team}/one")
    change(namespaces=[other, "is-not-there"], selector={"copyrator": None, "app": "x"})
    copied(f"{team}/two")
    change(ruleType="secret", namespaces=None, selector={"app": None, "copyrator": "true"})
    copied(f"{team}/three")
    eventually(cluster.ready)
    cluster.patch("secret", "three", cluster.home, metadata={"labels": {"copyrator": None}})
    copied()


def test_a_copy_that_was_edited_is_put_back(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    target = cluster.namespace()
    cluster.rule()
    cluster.create("configmap", "one", data={"k": "v"})
    operator.start()
    eventually(cluster.ready)
    cluster.patch("configmap", "one", target, data={"k": "x", "more": "y"})
    eventually(lambda: cluster.data("configmap", "one", target) == {"k": "v"})
    cluster.delete("configmap", "one", target)
    eventually(lambda: cluster.data("configmap", "one", target) == {"k": "v"})
    change = {"labels": {"copyrator": None, "theirs": "kept"}, "annotations": {"copyrator.test.com/source": None}}
    cluster.patch("configmap", "one", target, metadata=change)

    def restored() -> bool:
        found = cluster.get("configmap", "one", target)
        assert found
        source = found["metadata"]["annotations"].get("copyrator.test.com/source")
        return found["metadata"]["labels"].get("copyrator") == "true" and source == f"{cluster.home}/one"

    eventually(restored)
    copy = cluster.get("configmap", "one", target)
    assert copy and copy["metadata"]["labels"]["theirs"] == "kept"

    # Without its label it is a copy no more: it stays, and the rule says so.
    cluster.patch("configmap", "one", target, metadata={"labels": {MANAGED_BY: None}}, data={"k": "mine"})
    eventually(lambda: cluster.condition("Conflict")["status"] == "True")
    assert cluster.data("configmap", "one", target) == {"k": "mine"}


def test_what_others_have_made_stays(
    cluster: Cluster, operator: Operator, eventually: Eventually, kubectl: Callable[..., str]
) -> None:
    target, free = cluster.namespace(), cluster.namespace()
    theirs = cluster.create("configmap", "one", target, data={"their": "own"}, metadata={"labels": {}})
    cluster.rule()
    cluster.create("configmap", "one", data={"k": "v"})
    operator.start()
    conflict = eventually(lambda: (cluster.condition("Conflict") or {}).get("status") == "True" and cluster.condition("Conflict"))
    assert conflict["reason"] == "NameTaken" and f"ConfigMap {target}/one" in conflict["message"]
    eventually(lambda: cluster.data("configmap", "one", free) == {"k": "v"})
    ready = eventually(lambda: (it := cluster.condition("Ready"))["message"].startswith("1 of 2") and it)
    assert (ready["status"], ready["reason"]) == ("False", "Conflict")
    events = eventually(lambda: cluster.core.list_namespaced_event(cluster.home, field_selector="reason=NameTaken").items)
    assert len(events) == 1 and events[0].involved_object.name == "main-rule" and events[0].type == "Warning"
    columns = kubectl("get", "copyr", "--namespace", cluster.home).split("\n")[1].split()
    assert columns[:6] == ["main-rule", "configmap", "1", "1", "False", "True"]
    assert cluster.get("configmap", "one", target) == theirs
    cluster.delete("configmap", "one", target)
    eventually(cluster.ready)
    assert cluster.data("configmap", "one", target) == {"k": "v"}


def test_one_of_two_that_want_a_copy_wins(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    one, two, target = cluster.namespace(), cluster.namespace(), cluster.namespace()
    for of in (one, two):
        cluster.create("configmap", "same", of, data={"of": of})
    cluster.rule(namespaces=[one])  # it is the older, or of the same second the first by name
    cluster.rule("second", namespaces=[two])
    operator.start()
    eventually(lambda: cluster.data("configmap", "same", target) == {"of": one})
    message = eventually(lambda: (cluster.condition("Conflict", "second") or {}).get("message"))
    assert f"ConfigMap {target}/same: rule main-rule copies that of {one}, not that of {two}" in message
    cluster.rules.delete("main-rule")
    eventually(lambda: cluster.data("configmap", "same", target) == {"of": two})
    assert cluster.data("configmap", "same", one) == {"of": one}, "it is an original"
