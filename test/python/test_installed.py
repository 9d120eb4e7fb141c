# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a client tells of the schema that a server has."""

from __future__ import annotations

import asyncio
import copy
import os
from pathlib import Path

import pytest
import yaml

from fluxoperator import errors
from fluxoperator.client import AsyncMiniClusterClient, Client, Difference, Object
from scripted import always, status

CHECKOUT = Path(os.environ.get("FLUXOPERATOR_CHECKOUT", Path(__file__).resolve().parents[2]))
NAME = "flux-framework.org_miniclusters.yaml"
CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/miniclusters.flux-framework.org"
OPENAPI = "/openapi/v3/apis/flux-framework.org/v1alpha1"
FORBIDDEN = always((403, status(403, "Forbidden")))
ABSENT = always((404, status(404, "NotFound")))


class Service(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Service", "services"


@pytest.fixture(scope="module")
def installed():
    """Gives the CustomResourceDefinition of this release."""
    return yaml.safe_load((CHECKOUT / "config" / "crd" / "bases" / NAME).read_text())


@pytest.fixture
def crd(installed):
    """Gives one that a test may change."""
    return copy.deepcopy(installed)


def schema_of(crd):
    """Gives the schema in a CustomResourceDefinition."""
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def spec_of(crd):
    """Gives the schema of the spec."""
    return schema_of(crd)["properties"]["spec"]


def document(crd):
    """Gives the OpenAPI document that a server publishes for a definition, with the spec apart."""
    schema = schema_of(crd)
    gvk = {"group": "flux-framework.org", "version": "v1alpha1", "kind": "MiniCluster"}
    properties = {**schema["properties"], "spec": {"allOf": [{"$ref": "#/components/schemas/Spec"}], "description": "x"}}
    root = {**schema, "properties": properties, "x-kubernetes-group-version-kind": [gvk]}
    other = {"type": "object", "properties": {"self": {"$ref": "#/components/schemas/Other"}}}
    schemas = {"Other": other, "Root": root, "Spec": schema["properties"]["spec"]}
    return {"components": {"schemas": schemas}}


def test_a_server_of_the_same_release_has_the_same_fields(server, crd):
    server.script = [always(crd)]
    assert server.client().check() == []
    assert [(asked.method, asked.path) for asked in server.asked] == [("GET", CRD_PATH)]


def test_each_difference_is_told(server, crd):
    spec = spec_of(crd)["properties"]
    container = spec["containers"]["items"]
    del spec["flux"]["properties"]["optionFlags"], container["properties"]["runFlux"]
    spec["size"]["type"], spec["tasks"]["default"] = "string", 2
    spec["restartPolicy"]["enum"] = ["Never", "Sometimes"]
    container["required"] = ["image"]
    spec["containers"]["items"]["properties"]["new"] = {"type": "string"}
    spec["volumes"]["additionalProperties"]["properties"]["path"] = {"type": "boolean"}
    spec_of(crd)["required"] = []
    del schema_of(crd)["properties"]["status"]["properties"]["jobid"]
    server.script = [always(crd)]
    found = server.client().check()
    assert sorted(map(str, found)) == [
        "spec.containers.image: only the API server requires a value",
        "spec.containers.new: this package does not have this field",
        "spec.containers.runFlux: the API server does not have this field",
        "spec.containers: only this package requires a value",
        "spec.flux.optionFlags: the API server does not have this field",
        "spec.restartPolicy: values: Never, OnPodLoss in this package, Never, Sometimes on the API server",
        "spec.size: type: integer in this package, string on the API server",
        "spec.tasks: default: 1 in this package, 2 on the API server",
        "spec.volumes.path: type: string in this package, boolean on the API server",
        "status.jobid: the API server does not have this field",
    ]
    missing = {d.path: d.missing for d in found if d.missing}
    assert missing.pop("spec.containers.new") == "package"
    assert missing == dict.fromkeys(["spec.containers.runFlux", "spec.flux.optionFlags", "status.jobid"], "server")
    assert found[0] == Difference(found[0].path, found[0].problem, found[0].missing)


def test_what_the_server_keeps_unseen_is_not_missing(server, crd):
    spec_of(crd)["properties"]["flux"] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    server.script = [always(crd)]
    assert server.client().check() == []
    assert server.client().supports("spec.flux.anything.else")


SUPPORTED = [
    ("spec.flux.optionFlags", True),
    ("spec.flux.optionFlag", False),
    ("spec.flux.option_flags", False),
    ("spec.containers.image", True),
    ("spec.containers[0].image", True),
    ("spec.containers[*].commands.pre", True),
    ("spec.volumes[data].path", True),
    ("spec.volumes.path", True),
    ("spec.containers.resources.limits", True),
    ("spec.jobLabels", True),
    ("spec.jobLabels.a", False),
    ("spec.size.x", False),
    ("status.conditions.reason", True),
    ("metadata", True),
    ("metadata.labels", True),
    ("metadata.labls", False),
    ("kind", True),
    ("", False),
]


def test_a_path_is_supported_or_not(server, crd):
    server.script = [always(crd)]
    client = server.client()
    assert [(path, client.supports(path)) for path, _ in SUPPORTED] == SUPPORTED
    assert len(server.asked) == 1, "the schema is read once"
    del spec_of(crd)["properties"]["flux"]["properties"]["optionFlags"]
    assert client.supports("spec.flux.optionFlags")
    client.check()
    assert not client.supports("spec.flux.optionFlags")


@pytest.mark.parametrize("refusal", [FORBIDDEN, ABSENT])
def test_who_may_not_read_definitions_reads_the_openapi_document(server, crd, refusal):
    del spec_of(crd)["properties"]["flux"]["properties"]["optionFlags"]
    server.script = [refusal, always(document(crd))]
    client = server.client()
    assert [d.path for d in client.check()] == ["spec.flux.optionFlags"]
    assert not client.supports("spec.flux.optionFlags") and client.supports("spec.flux.logLevel")
    assert [asked.path for asked in server.asked] == [CRD_PATH, OPENAPI]


def test_a_kind_of_kubernetes_is_in_the_openapi_document(server):
    gvk = [{"group": "", "version": "v1", "kind": "Service"}]
    ports = {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/Port"}], "default": {}}}
    port = {"properties": {"port": {"type": "integer"}, "again": {"$ref": "#/components/schemas/Port"}}}
    root = {"properties": {"spec": {"properties": {"ports": ports}}}, "x-kubernetes-group-version-kind": gvk}
    server.script = [ABSENT, always({"components": {"schemas": {"Port": port, "Root": root}}})]
    client = Client(Service, api_client=server.api_client())
    assert client.supports("spec.ports.port") and not client.supports("spec.ports.prt")
    assert client.supports("spec.ports.again.again"), "it refers to itself"
    assert server.asked[1].path == "/openapi/v3/api/v1"
    with pytest.raises(TypeError, match="Service has no model"):
        client.check()


def test_a_kind_that_is_not_served_is_not_found(server, crd):
    message = "does not serve MiniCluster of flux-framework.org/v1alpha1"
    server.script = [ABSENT]
    with pytest.raises(errors.NotFound, match=message):
        server.client().check()
    other = copy.deepcopy(crd)
    other["spec"]["versions"][0]["name"] = "v1beta1"
    crd["spec"]["versions"][0]["served"] = False
    for found in (other, crd):
        server.script = [always(found)]
        with pytest.raises(errors.NotFound, match=message):
            server.client().supports("spec.size")


def test_the_asynchronous_client_has_the_same(server, crd):
    server.script = [always(crd)]
    client = AsyncMiniClusterClient(api_client=server.api_client())

    async def main():
        return await client.check(), await client.supports("spec.size")

    assert asyncio.run(main()) == ([], True)
