# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""YAML: what is read and written, and what is refused."""

import time
from typing import Any

import pytest
from runtime.python import _yaml
from runtime.python._check import ValidationError
from runtime.python.tests.models import Sample

NINE = "[" + ", ".join(["{}"] * 9) + "]"
# Each level has the one before nine times.
BOMB = f"a: &a {NINE.format(*'x' * 9)}\n" + "".join(
    f"{one}: &{one} {NINE.format(*['*' + before] * 9)}\n"
    for before, one in zip("abcdefg", "bcdefgh")
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1e3", {"a": 1000.0}),
        ("a: [y, no, On, 'y']", {"a": [True, False, True, "y"]}),
        ("a: 12:30:45", {"a": "12:30:45"}),
        ("a: 2024-01-01", {"a": "2024-01-01"}),
        ("a: [010, 0o10, 0x10, 1_000, -0b11]", {"a": [8, 8, 16, 1000, -3]}),
        ("a: ~", {"a": None}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("a: &x {b: 1}\nc: {<<: *x, b: 2}", {"a": {"b": 1}, "c": {"b": 2}}),
        ('{"json": ["too"]}', {"json": ["too"]}),
        ("a: " + "[" * 190 + "]" * 190, None),
        ("a: &x [1, 2]\nb: [" + "*x, " * 10_000 + "]", None),
    ],
)
def test_yaml(text: str, value: Any) -> None:
    read = _yaml.load(text)
    assert value is None or read == value
    assert _yaml.load(_yaml.dump(read)) == read


@pytest.mark.parametrize(
    "text", ["y", "1e3", "null", "2024-01-01", "a\nb\n", " x", "ü: [", "#", ""]
)
def test_text_stays_text_in_yaml(text: str) -> None:
    assert _yaml.load(_yaml.dump({"a": text})) == {"a": text}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "expected the node content"),
        ("---\na\n---\nb\n", "expected a single document"),
        ("!!python/object:x {}", "could not determine a constructor"),
        (BOMB, "aliases make the document too long"),
        (f"a: &x {'y' * 1000}\nb: [{'*x, ' * 1001}]", "aliases make the document too long"),
        ("a: &x [*x]", "an alias of the value that it is in"),
        ("a: " + "[" * 100_000, "nested more than 200 levels deep"),
        ("a: " + "{a: " * 10_000, "nested more than 200 levels deep"),
        ("a:\n" + "- " * 100_000, "nested more than 200 levels deep"),
        ("\n".join(" " * n + "a:" for n in range(1000)), "nested more than 200 levels deep"),
        ("a: 1\nb: 2\na: 3", "duplicate key 'a'"),
        ("x: [{a: 1, 'a': 2}]", "duplicate key 'a'"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=said):
        _yaml.load(text)
    assert time.process_time() - began < 2


def test_few_levels_that_are_left() -> None:
    def deeper(levels: int) -> Any:
        return deeper(levels - 1) if levels else _yaml.load("a: " + "[" * 150 + "]" * 150)

    with pytest.raises(ValueError, match="nested too deeply"):
        deeper(750)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: Job", "kind: expected 'Sample', not 'Job'"),
        ("kind: 1", "kind: expected 'Sample', not 1"),
        ("apiVersion: example.org/v2\nkind: Sample", "apiVersion: expected 'example.org/v1', not "),
    ],
)
def test_another_kind_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Sample.from_yaml(text)


def test_a_kind_may_be_left_out() -> None:
    assert dict(Sample.from_yaml("mode: Off")) == {"mode": False}
