# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Models: what they take, read, write and refuse."""

import copy
import json
import pickle
from datetime import datetime, timezone
from typing import Any, Dict

import pytest
from runtime.python import _model
from runtime.python._check import ValidationError, WrongTypeError
from runtime.python._wire import NULL
from runtime.python.tests.models import Holder, Part, Sample

MANIFEST: Dict[str, Any] = {
    "apiVersion": "example.org/v1",
    "kind": "Sample",
    "metadata": {"name": "one", "creationTimestamp": "2024-01-02T03:04:05Z", "notThere": 1},
    "mainPart": {"name": "main", "count": 1, "inner": {"name": "in", "count": 2}},
    "parts": [{"name": "a", "count": 4}, {"name": "b", "unknown": {"c": None}}],
    "byName": {"x": {"name": "x", "count": 5}},
    "labels": {"a": "b"},
    "names": ["n"],
    "paused": False,
    "ratio": 0.5,
    "port": "http",
    "mode": "Off",
    "started": "2024-01-02T03:04:05.678901234Z",
    "anything": {"deep": [1, None, "text"]},
    "unknown": [None, {"a": 1}],
}


def test_what_is_not_given_has_its_default() -> None:
    made = Sample(main_part=Part(name="x"))
    assert made.names == ["a"] and made.mode == "On" and made.parts is None
    assert dict(made) == {
        "apiVersion": "example.org/v1",
        "kind": "Sample",
        "mainPart": {"name": "x", "count": 3},
        "names": ["a"],
        "mode": "On",
    }


def test_a_default_is_not_shared() -> None:
    first, second = Sample(main_part=Part(name="x")), Sample(main_part=Part(name="x"))
    assert first.names is not None
    first.names.append("b")
    assert second.names == ["a"]


def test_what_is_read_is_written() -> None:
    read = Sample.from_dict(MANIFEST)
    for same in (read, copy.deepcopy(read), pickle.loads(pickle.dumps(read))):
        assert dict(same) == MANIFEST
        assert json.loads(same.to_json()) == MANIFEST
        assert same == MANIFEST == read


def test_reading_builds_timestamps_when_they_are_asked_for() -> None:
    read = Sample.from_dict(MANIFEST)
    assert read.started == datetime(2024, 1, 2, 3, 4, 5, 678901, timezone.utc)
    assert read["started"] == MANIFEST["started"], "an unchanged one keeps its digits"
    read.started = datetime(2024, 1, 2, tzinfo=timezone.utc)
    assert read["started"] == "2024-01-02T00:00:00Z"


def test_a_change_of_one_attribute_changes_nothing_else() -> None:
    read = Sample.from_dict(MANIFEST)
    assert read.parts is not None
    read.parts[1].name = "c"
    read.paused = None
    wanted = copy.deepcopy(MANIFEST)
    wanted["parts"][1]["name"] = "c"
    del wanted["paused"]
    assert dict(read) == wanted


def test_a_null_that_was_read_goes_out_until_it_is_set() -> None:
    read = Part.from_dict({"name": "x", "count": None})
    assert read.count is None and dict(read) == {"name": "x", "count": None}
    read.count = 2
    assert dict(read) == {"name": "x", "count": 2}
    part = Part(name="x", inner=NULL)
    assert dict(part) == {"name": "x", "count": 3, "inner": None}
    assert json.loads(part.to_json()) == dict(part)


def test_a_required_value_may_be_null_where_the_api_says_so() -> None:
    assert dict(Holder(value=None)) == {"value": None}
    with pytest.raises(ValidationError, match="value: a value is required"):
        Holder()  # type: ignore[call-arg]  # pyright: ignore


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, ValidationError, "mainPart: a value is required"),
        ({"main_part": {"name": 1}}, WrongTypeError, "mainPart.name: expected a string, not int"),
        ({"main_part": [1]}, WrongTypeError, "mainPart: expected Part, not list"),
        ({"parts": [{"count": 0}]}, ValidationError, "parts[0].count: expected at least 1, not 0"),
        ({"labels": {"a": 1}}, WrongTypeError, "labels.a: expected a string, not int"),
        ({"names": ["a"] * 2}, ValidationError, "names: 'a' stands there twice"),
        ({"names": [*"abcd"]}, ValidationError, "names: expected at most 3 items, not 4"),
        ({"paused": 1}, WrongTypeError, "paused: expected a bool, not int"),
        ({"ratio": 1.5}, ValidationError, "ratio: expected at most 1, not 1.5"),
        ({"ratio": True}, WrongTypeError, "ratio: expected a number, not bool"),
        ({"port": 1.5}, WrongTypeError, "port: expected an integer or a string, not float"),
        ({"mode": "Auto"}, ValidationError, "mode: expected one of 'On', 'Off', not 'Auto'"),
        ({"started": "now"}, ValidationError, "started: not an RFC 3339 timestamp: 'now'"),
        ({"started": datetime(2024, 1, 1)}, ValidationError, "a timestamp needs a time zone"),
    ],
)
def test_a_constructor_refuses(given: Dict[str, Any], error: Any, message: str) -> None:
    if given:
        given = {"main_part": Part(name="x"), **given}
    with pytest.raises(error) as caught:
        Sample(**given)
    assert message in str(caught.value)


def test_validate_names_every_problem() -> None:
    read = Sample.from_dict({"mainPart": {"count": 0}, "mode": "Auto", "parts": [{"name": 7}]})
    with pytest.raises(ValidationError) as caught:
        read.validate()
    assert caught.value.problems == [
        ("mainPart.name", "a value is required"),
        ("mainPart.count", "expected at least 1, not 0"),
        ("parts[0].name", "expected a string, not int"),
        ("mode", "expected one of 'On', 'Off', not 'Auto'"),
    ]
    assert not isinstance(caught.value, WrongTypeError)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(TypeError):
        Part(name="x", other=1)  # type: ignore[call-arg]  # pyright: ignore
    with pytest.raises(AttributeError):
        Part(name="x").other = 1  # type: ignore[attr-defined]  # pyright: ignore


def test_mappings_become_models() -> None:
    inner: Any = {"name": "y"}
    made = Part(name="x", inner=inner)
    assert isinstance(made.inner, Part)
    assert made.inner.count is None, "defaults are the constructor's"


@pytest.mark.parametrize("manifest", [None, [], "text", 1])
def test_what_is_no_object_is_not_read(manifest: Any) -> None:
    with pytest.raises(WrongTypeError, match="expected an object"):
        Part.from_dict(manifest)


def test_a_wrong_shape_is_named_by_its_path() -> None:
    with pytest.raises(WrongTypeError, match=r"^parts\[1\]: expected Part, not int$"):
        Sample.from_dict({"parts": [{}, 1]})


def test_to_dict_is_read_again() -> None:
    made = Sample(main_part=Part(name="x"), by_name={"a": Part(name="y", count=9)})
    shown = made.to_dict()
    assert shown["main_part"] == {"name": "x", "count": 3, "inner": None}
    assert Sample.from_dict(shown) == made
    assert made.to_dict(serialize=True)["byName"] == {"a": {"name": "y", "count": 9, "inner": None}}
    assert "'main_part'" in made.to_str()


def test_yaml_is_read_again() -> None:
    read = Sample.from_dict(MANIFEST)
    assert Sample.from_yaml(read.to_yaml()) == read


def test_a_model_is_a_mapping() -> None:
    read = Sample.from_dict(MANIFEST)
    assert set(read) == set(MANIFEST) and len(read) == len(MANIFEST)
    assert "mainPart" in read and "main_part" not in read
    with pytest.raises(KeyError):
        read["main_part"]
    assert bool(Part.from_dict({}))
    assert repr(Part(name="x")) == "Part(name='x', count=3)"
    assert Part(name="x") != Holder(value="x")


def test_a_deleted_attribute_is_as_one_that_is_not_set() -> None:
    made = Part(name="x")
    del made.count
    assert dict(made) == {"name": "x"}
    assert json.loads(made.to_json()) == {"name": "x"}


def test_kubernetes_36_finds_what_was_read() -> None:
    read: Any = Sample.from_dict({"mainPart": {"name": "x"}, "unknown": 1, "labels": None})
    names = read.attribute_map
    assert names["kept:unknown"] == "unknown" and read.openapi_types["kept:unknown"] == "object"
    assert getattr(read, "kept:unknown") == 1 and getattr(read, "kept:labels") is NULL
    assert "kept:unknown" not in Sample.attribute_map


def test_a_kind_without_a_model_takes_whatever_it_is_given() -> None:
    class Pod(_model.Object):
        API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Pod", "pods"

    manifest = {"metadata": {"name": "x"}, "spec": {"containers": [{"name": "c"}]}}
    assert dict(Pod.from_dict(manifest)) == manifest


@pytest.mark.parametrize(
    ("given", "path", "near"),
    [
        ({"main_part": {"nmae": "x", "name": "y"}}, "mainPart.nmae", "name"),
        ({"parts": [{"name": "x", "cuont": 1}]}, "parts[0].cuont", "count"),
        ({"by_name": {"a": {"name": "x", "iner": {}}}}, "byName.a.iner", "inner"),
        (
            {"main_part": {"name": "x", "inner": {"name": "y", "coun": 1}}},
            "mainPart.inner.coun",
            "count",
        ),
    ],
)
def test_a_misspelt_key_is_told_with_the_nearest(given: Any, path: str, near: str) -> None:
    said = (path, f"Part has no such field, did you mean {near}?")
    given = {"main_part": Part(name="x"), **given}
    with pytest.raises(ValidationError) as caught:
        Sample(**given)
    assert caught.value.problems == [said]
    read = Sample.from_dict({Sample.attribute_map[attr]: value for attr, value in given.items()})
    with pytest.raises(ValidationError) as caught:
        read.validate()
    assert caught.value.problems == [said]


def test_what_a_newer_api_has_is_kept_through_a_change() -> None:
    read = Sample.from_dict(MANIFEST)
    read.paused = True
    assert dict(read) == {**MANIFEST, "paused": True}
    again = Sample(main_part=read.main_part, parts=read.parts)
    assert again["parts"] == MANIFEST["parts"], "a model given to a constructor is taken as it is"


def test_a_kind_without_a_schema_has_no_unknown_keys() -> None:
    class Pod(_model.Object):
        API_VERSION, GROUP, VERSION, KIND = "v1", "", "v1", "Pod"

    Pod.from_dict({"kind": "Pod", "spec": {}}).validate()
    with pytest.raises(ValidationError, match="kind: expected 'Pod', not 'Job'"):
        Pod.from_yaml("kind: Job")


def test_another_kind_is_refused() -> None:
    with pytest.raises(ValidationError, match="kind: expected 'Sample', not 'Job'"):
        Sample(kind="Job", main_part=Part(name="x"))
    read = Sample.from_dict({"kind": "Job", "apiVersion": "v1", "mainPart": {"name": "x"}})
    with pytest.raises(ValidationError) as caught:
        read.validate()
    assert [path for path, _ in caught.value.problems] == ["apiVersion", "kind"]


def deep(levels: int, key: str) -> Dict[str, Any]:
    value: Dict[str, Any] = {"name": "x"}
    for _ in range(levels):
        value = {"name": "x", key: value}
    return value


def cyclic() -> Dict[str, Any]:
    value: Dict[str, Any] = {}
    value["a"] = [value]
    return value


@pytest.mark.parametrize("manifest", [deep(10_000, "a"), deep(10_000, "inner"), cyclic()])
def test_what_is_nested_too_deeply_is_not_read(manifest: Dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        Part.from_dict(manifest)
    with pytest.raises(ValueError, match="anything: nested too deeply"):
        Sample(main_part=Part(name="x"), anything=manifest)
    made = Sample(main_part=Part(name="x"))
    made.anything = manifest
    with pytest.raises(ValueError, match="anything: nested too deeply"):
        made.validate()
    with pytest.raises(ValueError, match="nested too deeply"):
        made.to_json()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_json_has_no_such_number(number: float) -> None:
    part = Part(name="x")
    with pytest.raises(ValidationError, match="ratio: expected a finite number"):
        Sample(main_part=part, ratio=number)
    with pytest.raises(ValidationError, match="anything: JSON has no number"):
        Sample(main_part=part, anything=[{"a": number}])
    with pytest.raises(ValueError, match="JSON has no number"):
        Sample.from_dict({"unknown": number})
    with pytest.raises(ValueError, match="JSON has no number"):
        Sample.from_dict({"ratio": number}).to_json()
    for attr in ("ratio", "anything", "port"):
        made = Sample(main_part=part)
        setattr(made, attr, number)
        for write in (made.to_json, made.to_yaml, lambda: dict(made)):  # noqa: B023
            with pytest.raises(ValueError, match="JSON has no number"):
                write()
        with pytest.raises(ValidationError):
            made.validate()


class Mine:
    """An integer of another library."""

    def __index__(self) -> int:
        return 7


def test_what_counts_as_an_integer_is_taken() -> None:
    seven: Any = Mine()
    made = Sample(main_part={"name": "x", "count": seven}, port=seven)  # type: ignore[arg-type]  # pyright: ignore
    assert type(made.main_part.count) is int and type(made.port) is int
    made.main_part.count = seven
    made.validate()
    assert (
        json.loads(made.to_json())["mainPart"] == {"name": "x", "count": 7} == dict(made.main_part)
    )
