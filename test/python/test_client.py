# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The API class and the typed client against a server that answers as a test tells it to."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from kubernetes import client as kubernetes
from kubernetes.config import kube_config

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec, _context
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import AsyncClient, AsyncMiniClusterClient, Client, MiniClusterClient, Object
from scripted import BASE, STATUS, always, change, listed, manifest, model, status

STRICT = {"fieldValidation": "Strict"}

# kinds of others


class Service(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Service", "services"


def test_a_client_serves_a_kind_that_has_no_model(server):
    meta = {"name": "one", "uid": "1", "resourceVersion": "5"}
    said = {"apiVersion": "v1", "kind": "Service"}
    server.script = [always({**said, "metadata": meta}), always(listed({"metadata": meta}))]
    client = Client(Service, api_client=server.api_client())
    spec = kubernetes.V1ServiceSpec(cluster_ip="None", ports=[kubernetes.V1ServicePort(port=1, target_port="a")])
    stored = client.apply(Service.from_dict({**said, "metadata": {"name": "one"}, "spec": spec}))
    assert type(stored) is Service and dict(stored) == {**said, "metadata": meta}
    assert (server.asked[0].method, server.asked[0].path) == ("PATCH", "/api/v1/namespaces/default/services/one")
    assert server.asked[0].body["spec"] == {"clusterIP": "None", "ports": [{"port": 1, "targetPort": "a"}]}
    # The API server leaves out of lists what the items of its own kinds are.
    assert [dict(item) for item in client.list()] == [{**said, "metadata": meta}]


# the API class


def test_operations_have_the_names_and_arguments_of_the_official_client():
    found = {
        name: [p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty][1:-1]
        for name, method in vars(FluxFrameworkOrgV1alpha1Api).items()
        if not name.startswith("_")
    }
    official = {
        name.replace("job", "mini_cluster"): [
            p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty and p.name != "kwargs"
        ][1:]
        for name, method in vars(kubernetes.BatchV1Api).items()
        if "_namespaced_job" in name and not name.endswith("_with_http_info") or name == "list_job_for_all_namespaces"
    }
    scale = {name: args for name, args in found.items() if name.endswith("_scale")}
    assert scale == {
        "read_namespaced_mini_cluster_scale": ["name", "namespace"],
        "replace_namespaced_mini_cluster_scale": ["name", "namespace", "body"],
        "patch_namespaced_mini_cluster_scale": ["name", "namespace", "body"],
    }
    for name in found.keys() - scale.keys():
        known = {"name", "namespace", "body"} & set(inspect.signature(getattr(kubernetes.BatchV1Api, name.replace("mini_cluster", "job"))).parameters)
        assert [arg for arg in official[name] if arg in known] == found[name], name


def test_the_api_class_sends_and_reads_what_operations_say(server):
    server.script = [always(manifest())]
    api = FluxFrameworkOrgV1alpha1Api(server.api_client())
    assert isinstance(api.create_namespaced_mini_cluster("default", model(), dry_run="All"), MiniCluster)
    assert isinstance(api.patch_namespaced_mini_cluster("one", "default", {"spec": {}}, force=True), MiniCluster)
    api.patch_namespaced_mini_cluster("one", "default", [{"op": "test"}], field_validation="Warn")
    api.patch_namespaced_mini_cluster_status("one", "default", {}, content_type="application/apply-patch+yaml")
    sent = [(asked.method, asked.path, asked.query, asked.headers["content-type"]) for asked in server.asked]
    assert sent == [
        ("POST", BASE, {"dryRun": "All", **STRICT}, "application/json"),
        ("PATCH", BASE + "/one", {"force": "true", **STRICT}, "application/merge-patch+json"),
        ("PATCH", BASE + "/one", {"fieldValidation": "Warn"}, "application/json-patch+json"),
        ("PATCH", BASE + "/one/status", STRICT, "application/apply-patch+yaml"),
    ]
    assert server.asked[0].body == dict(model())


def test_the_api_class_gives_classes_of_kubernetes(server):
    api = FluxFrameworkOrgV1alpha1Api(server.api_client())
    scale = {"kind": "Scale", "metadata": {"name": "one"}, "spec": {"replicas": 3}, "status": {"replicas": 2}}
    server.script = [always(scale)]
    found = api.read_namespaced_mini_cluster_scale("one", "default")
    assert isinstance(found, kubernetes.V1Scale)
    assert (found.spec.replicas, found.status.replicas) == (3, 2)
    found.spec.replicas = 4
    api.replace_namespaced_mini_cluster_scale("one", "default", found)
    assert server.asked[-1].body["spec"] == {"replicas": 4}
    server.script = [always({"kind": "Status", "status": "Success", "details": {"uid": "x"}})]
    body = kubernetes.V1DeleteOptions(propagation_policy="Orphan")
    done = api.delete_namespaced_mini_cluster("one", "default", body)
    assert isinstance(done, kubernetes.V1Status) and done.details.uid == "x"
    assert server.asked[-1].body == {"propagationPolicy": "Orphan"}
    server.script = [always(manifest())]
    assert isinstance(api.delete_namespaced_mini_cluster("one", "default"), MiniCluster)
    server.script = [always(listed(manifest()))]
    assert api.delete_collection_namespaced_mini_cluster("default").items[0] == manifest()
    assert api.list_mini_cluster_for_all_namespaces(_continue="x").items[0].spec.containers[0].image == "any"
    assert server.asked[-1].query == {"continue": "x"}


def test_an_option_that_an_operation_does_not_have_is_refused(server):
    api = FluxFrameworkOrgV1alpha1Api(server.api_client())
    with pytest.raises(TypeError, match="'labelSelector'"):
        api.list_namespaced_mini_cluster("default", labelSelector="a=b")
    with pytest.raises(TypeError, match="'force'"):
        api.create_namespaced_mini_cluster("default", model(), force=True)
    assert not server.asked


# the client


def test_the_namespace_of_the_object_wins(server):
    server.script = [always(manifest())]
    found = server.client()
    found.create(model())
    found.create(model(), namespace="b")
    found.create(model(namespace="a"))
    found.create(model(namespace="a"), namespace="a")
    homes = [asked.path.split("/")[5] for asked in server.asked]
    assert homes == ["default", "b", "a", "a"]
    with pytest.raises(ValueError, match="'a', not 'b'"):
        found.create(model(namespace="a"), namespace="b")


def test_a_cluster_scoped_kind_has_no_namespace(server):
    class Scoped(MiniCluster):
        GROUP, VERSION, KIND, PLURAL, NAMESPACED = "", "v1", "Scoped", "scopeds", False

    server.script = [always(manifest())]
    found = Client(Scoped, api_client=server.api_client())
    found.get("one")
    assert server.asked[0].path == "/api/v1/scopeds/one"
    with pytest.raises(ValueError, match="Scoped"):
        found.get("one", namespace="default")
    with pytest.raises(ValueError):
        server.client().list(all_namespaces=True, namespace="default")


def test_a_list_follows_its_pages(server):
    server.script = [
        always(listed(manifest("a"), **{"continue": "next"})),
        always(listed(manifest("b"))),
    ]
    found = server.client().list(label_selector="a=b", field_selector="metadata.name!=c", limit=1)
    assert [item["metadata"]["name"] for item in found] == ["a", "b"]
    selectors = {"labelSelector": "a=b", "fieldSelector": "metadata.name!=c", "limit": "1"}
    assert [asked.query for asked in server.asked] == [selectors, {**selectors, "continue": "next"}]


def test_a_list_that_expires_is_read_again_as_a_whole(server):
    server.script = [
        always(listed(manifest("a"), **{"continue": "next"})),
        always((410, status(410, "Expired", metadata={"continue": "inconsistent"}))),
        always(listed(manifest("a"), manifest("b"))),
    ]
    found = server.client().list(limit=1, all_namespaces=True)
    assert [item["metadata"]["name"] for item in found] == ["a", "b"]
    assert server.asked[-1].query == {}
    assert server.asked[-1].path == "/apis/flux-framework.org/v1alpha1/miniclusters"


def test_an_object_without_a_name_cannot_be_applied_or_replaced(server):
    nameless = MiniCluster(spec=MiniClusterSpec(containers=[MiniClusterContainer()]))
    for call in (server.client().apply, server.client().replace):
        with pytest.raises(ValueError, match="MiniCluster: metadata.name is required"):
            call(nameless)
    assert not server.asked


@pytest.mark.parametrize("wrong, found", [("one", "str"), (5, "int"), (MiniClusterSpec(containers=[]), "MiniClusterSpec"), ({"kind": "Job"}, "Job")])
def test_what_is_not_an_object_of_the_kind_is_not_sent(server, wrong, found):
    for call in (server.client().create, server.client().apply, server.client().replace):
        with pytest.raises(TypeError, match=f"expected a MiniCluster, not {found}"):
            call(wrong)
    assert not server.asked


def test_each_write_says_who_writes(server):
    server.script = [always(manifest())]
    found = Client(MiniCluster, api_client=server.api_client(), field_manager="me")
    found.create(model())
    found.replace(model())
    found.patch("one", {"status": {}}, subresource="status")
    found.patch("one", [])
    server.script = [always({"kind": "Scale", "spec": {"replicas": 2}})]
    assert found.scale("one", 2).spec.replicas == 2
    assert {asked.query["fieldManager"] for asked in server.asked} == {"me"}
    assert [asked.path[len(BASE):] for asked in server.asked] == ["", "/one", "/one/status", "/one", "/one/scale"]


def writes(client, **options):
    """Sends a write of each kind that the server validates the fields of."""
    client.create(model(), **options)
    client.replace(model(), **options)
    client.patch("one", {"spec": {}}, **options)
    client.apply(model(), **options)


def test_a_write_is_strict_about_fields_unless_told_otherwise(server):
    server.script = [always(manifest())]
    writes(server.client())
    writes(server.client(), field_validation="Warn")
    writes(Client(MiniCluster, api_client=server.api_client(), field_validation="Ignore"))
    assert [asked.query["fieldValidation"] for asked in server.asked] == ["Strict"] * 4 + ["Warn"] * 4 + ["Ignore"] * 4


def test_a_dry_run_says_so(server):
    server.script = [always(manifest())]
    writes(server.client())
    assert all("dryRun" not in asked.query for asked in server.asked)
    writes(server.client(), dry_run=True)
    server.client().delete("one", dry_run=True, wait=True)
    assert [asked.query["dryRun"] for asked in server.asked[4:]] == ["All"] * 5
    server.client().delete("one", dry_run=True, uid="uid-one")
    assert server.asked[-1].body["dryRun"] == ["All"] and len(server.asked) == 10


def test_delete_collection_says_which_and_returns_them(server):
    item = {key: value for key, value in manifest().items() if key not in ("apiVersion", "kind")}
    server.script = [always(listed(item)), always(status(200, "Success"))]
    found = server.client().delete_collection("a=b", "metadata.name=one", propagation="Orphan", grace=0, dry_run=True)
    assert found == [manifest()] and type(found[0]) is MiniCluster
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("DELETE", BASE)
    selectors = {"labelSelector": "a=b", "fieldSelector": "metadata.name=one"}
    assert asked.query == {**selectors, "propagationPolicy": "Orphan", "gracePeriodSeconds": "0", "dryRun": "All"}
    assert server.client().delete_collection(namespace="other") == []
    assert server.asked[1].path == BASE.replace("default", "other")
    assert server.asked[1].query == {"propagationPolicy": "Background"}


def test_the_minicluster_clients_take_what_a_client_takes(server):
    server.script = [always(manifest())]
    options = {"api_client": server.api_client(), "field_manager": "me", "field_validation": "Warn"}
    MiniClusterClient("b", **options).create(model())
    asyncio.run(AsyncMiniClusterClient("b", **options).create(model(), dry_run=True))
    asyncio.run(AsyncClient(MiniCluster, "b", **options).apply(model(), field_validation="Ignore"))
    assert {asked.path.split("/")[5] for asked in server.asked} == {"b"}
    assert {asked.query["fieldManager"] for asked in server.asked} == {"me"}
    assert [asked.query["fieldValidation"] for asked in server.asked] == ["Warn", "Warn", "Ignore"]


# the namespace

CONTEXTS = """\
apiVersion: v1
kind: Config
current-context: {current}
clusters: [{{name: here, cluster: {{server: "{url}/"}}}}, {{name: there, cluster: {{server: "http://elsewhere"}}}}]
users: [{{name: nobody, user: {{token: none}}}}]
contexts:
- {{name: a, context: {{cluster: here, user: nobody, namespace: team-a}}}}
- {{name: b, context: {{cluster: here, user: nobody{second}}}}}
- {{name: c, context: {{cluster: there, user: nobody, namespace: team-c}}}}
"""


@pytest.mark.parametrize(
    "current, second, wanted",
    [
        ("a", "", "team-a"),
        ("b", "", "default"),
        ("b", ", namespace: team-b", "team-b"),
        ("c", ", namespace: team-a", "team-a"),  # another was loaded; both to this server say team-a
        ("c", ", namespace: team-b", "default"),
        ("gone", "", "default"),
    ],
)
def test_the_namespace_is_that_of_the_context(server, tmp_path, monkeypatch, current, second, wanted):
    path = tmp_path / "config"
    path.write_text(CONTEXTS.format(url=server.url, current=current, second=second))
    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(path))
    server.script = [always(manifest())]
    found = Client(MiniCluster, api_client=server.api_client())
    found.get("one")
    found.get("one", namespace="mine")
    assert Client(MiniCluster, "given", server.api_client()).namespace == "given"
    assert [asked.path.split("/")[5] for asked in server.asked] == [wanted, "mine"]
    assert found.namespace == wanted


@pytest.mark.parametrize("text", ["", "[]", "a: [", "contexts: [{name: a}]"])
def test_a_kubeconfig_that_was_not_loaded_does_not_matter(server, tmp_path, monkeypatch, text):
    path = tmp_path / "config"
    path.write_text(text)
    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(path))
    assert server.client().namespace == "default"


def test_in_a_pod_the_namespace_is_the_pods(tmp_path, monkeypatch):
    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "none"))
    monkeypatch.setattr(_context, "_POD", tmp_path / "namespace")
    configuration = kubernetes.Configuration()
    configuration.host = "https://[fd00::1]:443"
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    assert _context.namespace(configuration) == "default"
    (tmp_path / "namespace").write_text("mine\n")
    assert _context.namespace(configuration) == "mine"
    configuration.host = "https://elsewhere"
    assert _context.namespace(configuration) == "default"


def test_the_selector_of_pods_is_the_one_of_the_scale(server):
    server.script = [always({"status": {"selector": "a=b"}}), always({"status": {"replicas": 0}})]
    assert server.client().pod_selector("one") == "a=b"
    with pytest.raises(LookupError, match="MiniCluster one"):
        server.client().pod_selector("one")


def test_delete_says_how_and_waits_for_the_object_that_was_there(server):
    server.script = [always({"kind": "Status", "details": {"uid": "uid-one"}})]
    server.client().delete("one", propagation="Foreground", grace=0)
    assert server.asked[0].query == {"propagationPolicy": "Foreground", "gracePeriodSeconds": "0"}
    again = manifest()
    again["metadata"]["uid"] = "uid-two"
    server.script += [
        always(listed(manifest())),
        lambda asked: iter([change("MODIFIED", manifest(version="11")), change("DELETED", manifest(version="12"))]),
    ]
    server.client().delete("one", wait=True)
    server.script = [always(manifest()), always(listed(again))]
    server.client().delete("one", wait=True)


def test_delete_says_of_which_object(server):
    server.script = [always({"kind": "Status"})]
    server.client().delete("one", grace=0, uid="uid-one", resource_version="11")
    only = {"uid": "uid-one", "resourceVersion": "11"}
    asked = server.asked[0]
    assert asked.body == {"propagationPolicy": "Background", "gracePeriodSeconds": 0, "preconditions": only}
    assert not asked.query, "the server does not read it where there is a body"
