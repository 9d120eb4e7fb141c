# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Models as fields of pydantic's models and as bodies of FastAPI."""

# FastAPI evaluates annotations in the module, so they are no strings here.

from typing import List, Optional

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter, ValidationError

from fluxoperator.models import (
    MiniCluster,
    MiniClusterContainer,
    MiniClusterList,
    MiniClusterSpec,
    MiniClusterStatus,
)

BODY = {"metadata": {"name": "m"}, "spec": {"containers": [{"image": "x"}]}}
WHOLE = {"apiVersion": MiniCluster.API_VERSION, "kind": MiniCluster.KIND, **BODY}


class Job(BaseModel):
    cluster: MiniCluster
    sidecars: Optional[List[MiniClusterContainer]] = None


app = FastAPI()


@app.post("/clusters")
def create(cluster: MiniCluster) -> MiniCluster:
    cluster.spec.size = 3
    return cluster


@app.get("/containers")
def containers() -> List[MiniClusterContainer]:
    return [MiniClusterContainer(image="x")]


def test_a_field_takes_models_and_manifests():
    job = Job(cluster=BODY, sidecars=[MiniClusterContainer(image="y")])
    assert type(job.cluster) is MiniCluster and type(job.cluster.spec) is MiniClusterSpec
    assert job.model_dump()["cluster"] == job.model_dump(mode="json")["cluster"] == WHOLE
    assert Job.model_validate_json(job.model_dump_json()) == job
    cluster = MiniCluster.from_dict(WHOLE)
    assert Job(cluster=cluster).cluster is cluster


def test_reading_keeps_what_was_there():
    stored = {**WHOLE, "metadata": {"name": "m", "creationTimestamp": "2024-01-02T03:04:05Z"}}
    assert Job(cluster=stored).model_dump()["cluster"] == stored


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"spec": {"containers": [{"image": 5}]}}, ("spec", "containers", 0, "image")),
        ({"spec": {"containers": {}}}, ("spec", "containers")),
        ({"spec": {}}, ("spec", "containers")),
        ({"spec": {"containers": [], "restartPolicy": "x"}}, ("spec", "restartPolicy")),
        ({"metadata": {"labels": {"a.b/c": 1}}}, ("metadata", "labels", "a.b/c")),
        (5, ()),
    ],
)
def test_an_error_has_the_place_of_each_problem(wrong, place):
    with pytest.raises(ValidationError) as caught:
        Job(cluster=wrong)
    (error,) = caught.value.errors()
    assert error["loc"] == ("cluster", *place)
    assert error["type"] == "value_error" and error["msg"]


def test_the_json_schema_describes_what_the_api_takes():
    schema = Job.model_json_schema()
    assert schema["properties"]["cluster"] == {"$ref": "#/$defs/MiniCluster"}
    assert set(schema["$defs"]) > {"MiniCluster", "MiniClusterSpec", "MiniClusterContainer"}
    spec = schema["$defs"]["MiniClusterSpec"]
    assert spec["required"] == ["containers"]
    assert spec["properties"]["containers"]["items"] == {"$ref": "#/$defs/MiniClusterContainer"}
    assert spec["properties"]["containers"]["maxItems"] == 64
    assert spec["properties"]["restartPolicy"]["enum"] == ["OnPodLoss", "Never"]
    size = spec["properties"]["size"]
    assert (size["type"], size["default"]) == ("integer", 1)
    assert size["description"].startswith("size is the number of pods")
    assert spec["properties"]["volumes"]["additionalProperties"]["$ref"].endswith("MiniClusterVolume")
    assert set(spec["properties"]) == set(MiniClusterSpec.attribute_map.values())


@pytest.mark.parametrize("mode", ["validation", "serialization"])
@pytest.mark.parametrize("cls", [MiniCluster, MiniClusterList, MiniClusterStatus])
def test_every_reference_of_the_json_schema_leads_somewhere(cls, mode):
    schema = TypeAdapter(cls).json_schema(mode=mode)

    def references(value):
        if isinstance(value, list):
            return {name for item in value for name in references(item)}
        if not isinstance(value, dict):
            return set()
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own | references([*value.values()])

    assert {name.rpartition("/")[2] for name in references(schema)} <= set(schema.get("$defs", {}))


def test_fastapi_takes_and_gives_models():
    http = TestClient(app)
    answer = http.post("/clusters", json=BODY)
    assert answer.status_code == 200
    assert answer.json() == {**WHOLE, "spec": {**WHOLE["spec"], "size": 3}}
    assert http.get("/containers").json() == [{"image": "x", "pullAlways": False}]


def test_fastapi_tells_what_is_wrong_with_a_body():
    wrong = {**BODY, "spec": {"containers": [{"image": 5}], "size": "x"}}
    answer = TestClient(app).post("/clusters", json=wrong)
    assert answer.status_code == 422
    assert [error["loc"] for error in answer.json()["detail"]] == [
        ["body", "spec", "containers", 0, "image"],
        ["body", "spec", "size"],
    ]


def test_fastapi_describes_models():
    described = TestClient(app).get("/openapi.json").json()
    schemas = described["components"]["schemas"]
    assert schemas["MiniCluster"]["properties"]["spec"]["$ref"] == "#/components/schemas/MiniClusterSpec"
    body = described["paths"]["/clusters"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"]["$ref"] == "#/components/schemas/MiniCluster"
