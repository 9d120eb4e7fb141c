# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of models, and where pydantic finds their problems."""

from typing import Any

import pytest
from pydantic import TypeAdapter
from runtime.python import _model, _schema
from runtime.python._kind import Kind
from runtime.python.tests.models import Holder, Part, Sample


def test_a_model_may_refer_to_itself() -> None:
    schema = TypeAdapter(Part).json_schema()
    assert schema["$ref"] == "#/$defs/Part"
    part = schema["$defs"]["Part"]
    assert part["properties"]["inner"] == {"$ref": "#/$defs/Part"}
    assert part["properties"]["name"] == {
        "type": "string",
        "description": "name of the part,\non two lines.",
    }
    assert part["description"] == "A part of a Sample."
    assert part["required"] == ["name"]


def test_every_type_has_a_schema() -> None:
    found = TypeAdapter(Sample).json_schema()["properties"]
    assert found["metadata"]["type"] == "object"
    assert found["parts"] == {"type": "array", "items": {"$ref": "#/$defs/Part"}}
    assert found["byName"] == {"type": "object", "additionalProperties": {"$ref": "#/$defs/Part"}}
    assert found["labels"]["additionalProperties"] == {"type": "string"}
    names = {"type": "array", "items": {"type": "string"}, "maxItems": 3, "uniqueItems": True}
    assert found["names"] == {**names, "default": ["a"]}
    assert found["paused"] == {"type": "boolean"}
    assert found["ratio"] == {"type": "number", "maximum": 1}
    assert found["port"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert found["mode"] == {"type": "string", "enum": ["On", "Off"], "default": "On"}
    assert found["started"] == {"type": "string", "format": "date-time"}
    assert found["anything"] == {}
    holder = TypeAdapter(Holder).json_schema()["properties"]["value"]
    assert holder == {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("spelling", "rules", "schema"),
    [
        ("int", {"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ("float", {"maximum": 1, "exclusiveMaximum": True}, {"exclusiveMaximum": 1}),
        ("str", {"pattern": r"\A[a-z]\\\.A\Z"}, {"pattern": r"^[a-z]\\\.A$"}),
        ("object", {"type": "object"}, {"type": "object"}),
    ],
)
def test_constraints_are_spelled_as_json_schema_has_them(
    spelling: str, rules: Any, schema: Any
) -> None:
    found = _schema._value(Kind.of(spelling), rules, lambda model: {})
    assert found == {**_schema._type(Kind.of(spelling), rules, lambda model: {}), **schema}


@pytest.mark.parametrize(
    ("path", "value", "place", "there"),
    [
        ("", 1, (), 1),
        ("a.b[1].c", {"a": {"b": [0, {"c": 2}]}}, ("a", "b", 1, "c"), 2),
        ("a.b", {"a": {}}, ("a", "b"), None),
        ("a.b/c.d", {"a": {"b/c.d": 1}}, ("a", "b/c.d"), 1),
        ("a.x[0]", {"a": {"x[0]": 1, "x": [2]}}, ("a", "x[0]"), 1),
        ("[0][1]", [[1, 2]], (0, 1), 2),
        ("[3].a", [], (3, "a"), None),
    ],
)
def test_the_place_of_a_problem(path: str, value: Any, place: Any, there: Any) -> None:
    assert _schema._place(path, value) == (place, there)


def test_a_derived_class_is_described_as_its_base() -> None:
    class Derived(Part):
        """Derived by hand."""

    schema = TypeAdapter(Derived).json_schema()
    assert schema["title"] == "Derived" and schema["description"] == "Derived by hand."
    assert schema["properties"]["name"]["description"].startswith("name of the part")
    assert type(TypeAdapter(Derived).validate_python({"name": "x"})) is Derived


def test_a_kind_without_a_model_takes_whatever_it_is_given() -> None:
    class Pod(_model.Object):
        API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Pod", "pods"

    manifest = {"metadata": {"name": "x"}, "spec": {"containers": []}}
    assert dict(TypeAdapter(Pod).validate_python(manifest)) == manifest
