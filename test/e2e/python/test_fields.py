# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Which fields the server takes, and who owns them: validation, warnings, schemas and applies."""

from __future__ import annotations

import copy
import json
import subprocess
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple

import pytest
import urllib3
import yaml
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, errors
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import Client

GROUP = "older.example.org"
MISSPELT = 'unknown field "spec.containers[0].comand"'


class Older(MiniCluster):
    """A MiniCluster of a server whose definition is older than this package."""

    GROUP, API_VERSION = GROUP, f"{GROUP}/v1alpha1"


class Sent(NamedTuple):
    """A request, and the warnings that its answer brought."""

    method: str
    url: str
    warnings: List[str]


@pytest.fixture
def clusters(namespace: str) -> Client[MiniCluster]:
    """Gives a client of the test's namespace."""
    return Client(MiniCluster, namespace)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> List[Sent]:
    """Gives the requests that are sent."""
    seen: List[Sent] = []
    send: Any = urllib3.HTTPConnectionPool.urlopen

    def urlopen(pool: Any, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        answer = send(pool, method, url, *args, **kwargs)
        seen.append(Sent(method, url, answer.headers.getlist("Warning")))
        return answer

    monkeypatch.setattr(urllib3.HTTPConnectionPool, "urlopen", urlopen)
    return seen


def misspelt(name: str) -> MiniCluster:
    """Gives a MiniCluster with a field that the API does not have, as one may read it."""
    spec = {"containers": [{"image": "any", "comand": "true"}]}
    return MiniCluster.from_dict({**MiniCluster.partial(metadata={"name": name}), "spec": spec})


def image_only(found: MiniCluster) -> bool:
    """Says whether the server has dropped the unknown field."""
    container: Dict[str, Any] = found["spec"]["containers"][0]
    return container["image"] == "any" and "comand" not in container


def test_an_unknown_field_is_refused(clusters: Client[MiniCluster], namespace: str, wire: List[Sent]) -> None:
    created = clusters.create(MiniCluster.partial(metadata={"name": "one"}, spec={"containers": [{"image": "any"}]}))
    api = FluxFrameworkOrgV1alpha1Api()
    changed = misspelt("one")
    calls: List[Callable[[], Any]] = [
        lambda: clusters.create(misspelt("two")),
        lambda: clusters.replace(MiniCluster.from_dict({**changed, "metadata": created["metadata"]})),
        lambda: clusters.patch("one", {"spec": changed["spec"]}),
        lambda: api.create_namespaced_mini_cluster(namespace, misspelt("two")),
        lambda: api.patch_namespaced_mini_cluster("one", namespace, {"spec": changed["spec"]}),
    ]
    wire.clear()
    for call in calls:
        with pytest.raises((errors.BadRequest, errors.Invalid), match="strict decoding error.*comand"):
            call()
    with pytest.raises(errors.ApiError, match="comand: field not declared in schema"):
        clusters.apply(changed)
    assert [sent.method for sent in wire] == ["POST", "PUT", "PATCH", "POST", "PATCH", "PATCH"]
    assert all("fieldValidation=Strict" in sent.url for sent in wire), wire
    with pytest.raises(errors.NotFound):
        clusters.get("two")


def test_an_unknown_field_is_dropped_with_a_warning_on_request(clusters: Client[MiniCluster], wire: List[Sent]) -> None:
    with pytest.warns(errors.ServerWarning) as caught:
        assert image_only(clusters.create(misspelt("one"), field_validation="Warn"))
        assert image_only(clusters.patch("one", {"spec": misspelt("one")["spec"]}, field_validation="Warn"))
    assert [str(each.message) for each in caught] == [MISSPELT], "once"
    assert caught[0].filename == __file__
    assert [sent.warnings for sent in wire] == [["299 - " + json.dumps(MISSPELT)]] * 2
    assert all("fieldValidation=Warn" in sent.url for sent in wire)


def test_an_unknown_field_is_dropped_without_a_word_on_request(namespace: str, wire: List[Sent]) -> None:
    clusters = Client(MiniCluster, namespace, field_validation="Ignore")
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.ServerWarning)
        assert image_only(clusters.create(misspelt("one")))
    assert [sent.warnings for sent in wire] == [[]] and "fieldValidation=Ignore" in wire[0].url


# an older definition


@pytest.fixture
def older(checkout: Path, namespace: str, eventually: Callable[[Callable[[], Any]], Any]) -> Iterator[Client[Older]]:
    """Gives a client of a kind whose definition lacks fields that this package has."""
    crd = yaml.safe_load((checkout / "config/crd/bases/flux-framework.org_miniclusters.yaml").read_text())
    crd["metadata"] = {"name": f"miniclusters.{GROUP}"}
    crd["spec"]["group"] = GROUP
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    del spec["flux"]["properties"]["optionFlags"], spec["maxSize"]
    del spec["containers"]["items"]["properties"]["launcher"]
    spec["deadlineSeconds"]["default"] = 60
    spec["added"] = {"type": "string"}
    definitions = kubernetes.ApiextensionsV1Api()
    definitions.create_custom_resource_definition(crd)
    client = Client(Older, namespace)

    def served() -> bool:
        try:
            return client.list() == []
        except errors.NotFound:
            return False

    eventually(served)
    yield client
    definitions.delete_custom_resource_definition(f"miniclusters.{GROUP}")


def test_a_server_with_an_older_definition_says_what_it_lacks(
    older: Client[Older],
    clusters: Client[MiniCluster],
    user: Callable[[str], Any],
    namespace: str,
    eventually: Callable[[Callable[[], Any]], Any],
) -> None:
    assert clusters.check() == [] and clusters.supports("spec.flux.optionFlags")
    wanted = [
        "spec.containers.launcher: the API server does not have this field",
        "spec.deadlineSeconds: default: 31500000 in this package, 60 on the API server",
        "spec.flux.optionFlags: the API server does not have this field",
        "spec.maxSize: the API server does not have this field",
        "spec.added: this package does not have this field",
    ]
    nobody = Client(Older, namespace, api_client=user("sdk-nobody"))
    with pytest.raises(errors.Forbidden):
        nobody.list()

    def published() -> Any:
        try:
            return nobody.check()
        except errors.NotFound:  # a definition comes into the OpenAPI document later
            return None

    for found in (older.check(), eventually(published)):
        assert sorted(map(str, found)) == sorted(wanted)
    for client in (older, nobody):
        assert not client.supports("spec.flux.optionFlags") and client.supports("spec.flux.logLevel")
        assert not client.supports("spec.maxSize") and client.supports("spec.added")

    spec = {"maxSize": 4, "containers": [{"image": "any", "launcher": True}]}
    obj = Older.from_dict({"apiVersion": Older.API_VERSION, "kind": "MiniCluster", "metadata": {"name": "one"}, "spec": spec})
    with pytest.raises(errors.BadRequest, match='unknown field "spec.containers\\[0\\].launcher", unknown field "spec.maxSize"'):
        older.create(obj)
    with pytest.warns(errors.ServerWarning) as caught:
        assert "maxSize" not in older.create(obj, field_validation="Warn")["spec"]
    assert [str(each.message)[14:] for each in caught] == ['"spec.containers[0].launcher"', '"spec.maxSize"']


# applying


def fields_of(found: MiniCluster, manager: str) -> Any:
    """Gives what managedFields say that a manager has applied."""
    entries = found["metadata"]["managedFields"]
    (entry,) = (e for e in entries if e["manager"] == manager and e["operation"] == "Apply")
    assert entry["fieldsType"] == "FieldsV1"
    return entry["fieldsV1"]


def test_applied_fields_are_those_of_go(clusters: Client[MiniCluster], checkout: Path) -> None:
    """The same file is what test/e2e compares the fields with that the apply configuration of Go gives."""
    cases = json.loads((checkout / "test/e2e/testdata/applied.json").read_text())
    for name, case in cases.items():
        values = copy.deepcopy(case["applied"])
        values["metadata"]["name"] = name
        stored = clusters.apply(MiniCluster.partial(**values))
        assert fields_of(stored, "fluxoperator") == case["fieldsV1"], name
        again = clusters.apply(clusters.extract(stored))
        assert again["spec"] == stored["spec"] and fields_of(again, "fluxoperator") == case["fieldsV1"]


def test_extract_change_and_apply_again(clusters: Client[MiniCluster], namespace: str) -> None:
    spec = {"size": 1, "max_size": 4, "containers": [{"image": "any", "run_flux": True}], "job_labels": {"a": "b"}}
    clusters.apply(MiniCluster.partial(metadata={"name": "one", "labels": {"mine": "yes"}}, spec=spec))
    other = Client(MiniCluster, namespace, field_manager="other")
    both = other.apply(MiniCluster.partial(metadata={"name": "one", "labels": {"theirs": "yes"}}, spec={"tasks": 3}), force=True)
    mine = clusters.extract(both)
    assert dict(mine["metadata"]) == {"name": "one", "namespace": namespace, "labels": {"mine": "yes"}}
    assert set(mine["spec"]) == {"size", "maxSize", "containers", "jobLabels"}, "no defaults, nothing of others"
    assert dict(other.extract(both)["spec"]) == {"tasks": 3}
    assert "spec" not in clusters.extract(both, "nobody")
    assert mine.spec is not None
    mine.spec.job_labels, mine.spec.max_size = None, 8
    after = clusters.apply(mine)["spec"]
    assert (after["maxSize"], after["tasks"], "jobLabels" in after) == (8, 3, False)


def test_a_dry_run_changes_nothing(clusters: Client[MiniCluster], eventually: Callable[[Callable[[], Any]], Any]) -> None:
    wanted = MiniCluster.partial(metadata={"name": "one"}, spec={"containers": [{"image": "any"}]})
    assert clusters.diff(wanted).startswith("--- one (live)\n+++ one (applied)\n@@ -0,0 ")
    assert clusters.create(wanted, dry_run=True)["spec"]["tasks"] == 1
    assert clusters.list() == []
    stored = clusters.apply(wanted)
    assert clusters.diff(wanted) == ""
    changed = MiniCluster.partial(metadata={"name": "one"}, spec={"tasks": 3, "containers": [{"image": "any"}]})
    shown = clusters.diff(changed).splitlines()
    assert [line for line in shown[3:] if line[0] != " "] == ["-  tasks: 1", "+  tasks: 3"]
    clusters.patch("one", {"spec": {"tasks": 4}}, dry_run=True)

    def replaced() -> bool:
        read = clusters.get("one")
        try:
            changed = MiniCluster.from_dict({**read, "spec": {**read["spec"], "tasks": 5}})
            return bool(clusters.replace(changed, dry_run=True)["spec"]["tasks"] == 5)
        except errors.Conflict:  # the operator wrote in between
            return False

    eventually(replaced)
    clusters.delete("one", dry_run=True, wait=True)
    assert clusters.delete_collection(dry_run=True)[0]["metadata"]["name"] == "one"
    assert clusters.get("one")["metadata"]["uid"] == stored["metadata"]["uid"]
    assert clusters.get("one")["spec"]["tasks"] == 1


def test_a_collection_is_deleted(clusters: Client[MiniCluster]) -> None:
    for name, label in (("a", "x"), ("b", "x"), ("c", "y")):
        meta = {"name": name, "labels": {"of": label}}
        clusters.apply(MiniCluster.partial(metadata=meta, spec={"containers": [{"image": "any"}]}))
    assert [found["metadata"]["name"] for found in clusters.delete_collection("of=x")] == ["a", "b"]
    for name in "ab":
        clusters.wait_deleted(name)
    assert [found["metadata"]["name"] for found in clusters.list()] == ["c"]


def test_clean_yaml_is_taken_by_kubectl(clusters: Client[MiniCluster], namespace: str) -> None:
    clusters.apply(MiniCluster.partial(metadata={"name": "one"}, spec={"containers": [{"image": "any"}]}))
    clusters.wait_for("one", "JobRequested")
    found = clusters.get("one")
    assert {"status", "spec"} <= set(found) and found["metadata"]["managedFields"]
    text = found.clean().to_yaml()
    kept = yaml.safe_load(text)
    assert set(kept) == {"apiVersion", "kind", "metadata", "spec"}
    assert set(kept["metadata"]) <= {"name", "namespace", "labels", "annotations", "finalizers"}
    kept["metadata"]["name"] = "two"
    command = ["kubectl", "create", "--dry-run=server", "--validate=strict", "-o", "name", "-f", "-"]
    ran = subprocess.run(command, input=yaml.safe_dump(kept), text=True, stdout=subprocess.PIPE, check=True)
    assert ran.stdout.strip() == "minicluster.flux-framework.org/two"
