# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The parts that models are made of: plain values, timestamps, constraints, the name."""

from datetime import date, datetime, timedelta, timezone
from enum import Enum
from inspect import signature
from typing import Any, Dict, List

import pytest
from runtime.python import _check, _wire, errors
from runtime.python._aio import AsyncClient
from runtime.python._client import Client
from runtime.python.tests.models import Part


class Color(Enum):
    RED = "red"


class Legacy:
    """An object of a legacy SDK, such as kubernetes 36."""

    openapi_types = {"some_name": "str", "other": "str"}
    attribute_map = {"some_name": "someName", "other": "other"}
    some_name, other = "x", None


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (1, 1),
        ((1, [2, None]), [1, [2, None]]),
        ({"a": {"b": (None,)}}, {"a": {"b": [None]}}),
        (Color.RED, "red"),
        (date(2024, 1, 2), "2024-01-02"),
        (datetime(2024, 1, 2, tzinfo=timezone.utc), "2024-01-02T00:00:00Z"),
        (Part(name="x"), {"name": "x", "count": 3}),
        (Legacy(), {"someName": "x"}),
        (_wire.NULL, None),
    ],
)
def test_plain(value: Any, plain: Any) -> None:
    assert _wire.plain(value) == plain
    assert _wire.plain([value]) == [plain]


def test_plain_copies() -> None:
    value: Dict[str, List[int]] = {"a": [1]}
    _wire.plain(value)["a"].append(2)
    assert value == {"a": [1]}


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"),
        ("2024-01-02t03:04:05z", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05.5+01:00", "2024-01-02T03:04:05.500000+01:00"),
        ("2024-01-02T03:04:05.123456789Z", "2024-01-02T03:04:05.123456Z"),
    ],
)
def test_timestamps(text: str, again: str) -> None:
    assert _wire.format_time(_wire.parse_time(text)) == again


@pytest.mark.parametrize("text", ["", "2024-01-02", "2024-01-02T03:04:05", "2024-13-02T03:04:05Z"])
def test_what_is_no_timestamp(text: str) -> None:
    with pytest.raises(ValueError):
        _wire.parse_time(text)


def test_a_timestamp_needs_a_time_zone() -> None:
    east = timezone(timedelta(hours=2))
    assert _wire.format_time(datetime(2024, 1, 2, tzinfo=east)) == "2024-01-02T00:00:00+02:00"
    with pytest.raises(ValueError, match="time zone"):
        _wire.format_time(datetime(2024, 1, 2))


@pytest.mark.parametrize("name", ["NoVersion", "v1Lower", "V1DoesNotExist"])
def test_a_class_that_kubernetes_does_not_have(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'm' has no model '{name}'"):
        _wire.kubernetes_class("m", name)


@pytest.mark.parametrize(
    ("value", "rules", "broken"),
    [
        ("abc", {"minLength": 4}, ["expected at least 4 characters, not 3"]),
        ("abc", {"maxLength": 3, "pattern": "^b"}, ["does not match ^b"]),
        ("abc", {"maxLength": 2, "pattern": "^b"}, ["expected at most 2 characters, not 3"]),
        (2**31, {"format": "int32"}, ["from -2147483648 to 2147483647, not 2147483648"]),
        (-(2**31), {"format": "int32"}, []),
        (2**63, {"format": "int64"}, ["not 9223372036854775808"]),
        (-(2**63), {"format": "int64"}, []),
        (float("nan"), {"minimum": 0}, ["expected a finite number, not nan"]),
        (float("-inf"), {"multipleOf": 2}, ["expected a finite number, not -inf"]),
        (1, {"minimum": 1, "exclusiveMinimum": True}, ["expected more than 1, not 1"]),
        (0, {"minimum": 1, "exclusiveMinimum": True}, ["expected at least 1, not 0"]),
        (2, {"maximum": 2, "exclusiveMaximum": True}, ["expected less than 2, not 2"]),
        (0.3, {"multipleOf": 0.1}, []),
        (7, {"multipleOf": 5}, ["expected a multiple of 5, not 7"]),
        ([1, 1], {"uniqueItems": True}, ["1 stands there twice"]),
        (
            [{"k": 1, "v": 1}, {"k": 1, "v": 2}],
            {"x-kubernetes-list-map-keys": ["k"]},
            ["{'k': 1} stands there twice"],
        ),
        ({}, {"minProperties": 1}, ["expected at least 1 entries, not 0"]),
        ("x", {"enum": ["y", None]}, ["expected one of 'y', None, not 'x'"]),
        (True, {"enum": [True]}, []),
    ],
)
def test_constraints(value: Any, rules: Dict[str, Any], broken: List[str]) -> None:
    found = [*_check.broken(value, rules)]
    assert len(found) == len(broken)
    for text, wanted in zip(found, broken):
        assert wanted in text


def test_paths() -> None:
    error = _check.missing("c").within("[0]").within("b").within("a")
    assert str(error) == "a.b[0].c: a value is required"
    assert error.problems == [("a.b[0].c", "a value is required")]


def test_errors_by_status() -> None:
    body = '{"code": 409, "reason": "AlreadyExists", "message": "no"}'
    error = errors.of(500, body)
    assert isinstance(error, errors.AlreadyExists) and isinstance(error, errors.Conflict)
    assert (error.status, error.reason, str(error)) == (
        409,
        "AlreadyExists",
        "no (409 AlreadyExists)",
    )
    assert type(errors.of(599, "<html>")).__name__ == "ServerError"
    assert type(errors.of(418, "")).__name__ == "ApiError"


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_the_field_manager_is_named_after_the_package(client: Any) -> None:
    assert signature(client).parameters["field_manager"].default == "python"
