# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The constraints of an OpenAPI schema, and the errors of values that break them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import isfinite
from typing import Any, List, Tuple

from ._wire import plain

# Where a value stands, as the API server writes it, and what is wrong with it.
Problem = Tuple[str, str]
Rules = Mapping[str, Any]

# What is wrong where a required value is not there.
MISSING = "a value is required"


class ValidationError(ValueError):
    """A value that the API does not allow.

    Attributes:
        problems (List[Tuple[str, str]]): the path of each value, such as
            ``spec.containers[0].image``, and what is wrong with it.
    """

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems: List[Problem] = [*problems]

    def __str__(self) -> str:
        lines = [f"{path}: {text}" if path else text for path, text in self.problems]
        return "\n".join(lines)

    def within(self, place: str) -> ValidationError:
        """Gives this error as one of the value that is at a place."""
        return type(self)(*((join(place, path), text) for path, text in self.problems))


class WrongTypeError(ValidationError, TypeError):
    """A value of a type that the API does not allow."""


def together(errors: Sequence[ValidationError]) -> ValidationError:
    """Gives one error of all problems: of a wrong type if each of the errors is."""
    wrong = all(isinstance(error, TypeError) for error in errors)
    made = WrongTypeError if wrong else ValidationError
    return made(*(problem for error in errors for problem in error.problems))


def join(place: str, path: str) -> str:
    """Gives the path of what is at a path of the value at a place."""
    dot = "." if place and path and path[0] != "[" else ""
    return place + dot + path


def missing(path: str) -> ValidationError:
    """Gives the error of a required value that is not there."""
    return ValidationError((path, MISSING))


def too_deep(path: str) -> ValidationError:
    """Gives the error of a value that is nested deeper than Python can follow, or in itself."""
    return ValidationError((path, "nested too deeply"))


def wrong_type(path: str, expected: str, value: Any) -> WrongTypeError:
    """Gives the error of a value that is not of the expected type."""
    return WrongTypeError((path, f"expected {expected}, not {type(value).__name__}"))


def unknown(path: str, owner: str, name: str, names: Iterable[str]) -> ValidationError:
    """Gives the error of a name that a type does not have.

    Args:
        path (str): of the value that has the name.
        owner (str): names the type.
        name (str): the unknown name.
        names (Iterable[str]): those that the type has.
    """
    return ValidationError((join(path, name), f"{owner} has no such field{nearest(name, names)}"))


def nearest(name: str, names: Iterable[str]) -> str:
    """Gives what a message on an unknown name ends with: the known one that is like it, if any."""
    from difflib import get_close_matches  # for an error only

    near = get_close_matches(name, names, 1)
    return f", did you mean {near[0]}?" if near else ""


def broken(value: Any, rules: Rules) -> Iterator[str]:
    """Tells what is wrong with a value that has the right type, without its members.

    Args:
        value (Any): plain or held by an attribute, not None.
        rules (Mapping[str, Any]): keywords of an OpenAPI schema.
    """
    if "enum" in rules and plain(value) not in rules["enum"]:
        allowed = ", ".join(map(repr, rules["enum"]))
        one_of = "one of " if len(rules["enum"]) > 1 else ""
        yield f"expected {one_of}{allowed}, not {plain(value)!r}"
    if isinstance(value, str):
        yield from _size(len(value), rules, "Length", "characters")
        # Python takes longer to match a pattern than the API server: not one that is too long.
        short = len(value) <= rules.get("maxLength", len(value))
        if short and "pattern" in rules and not _compiled(rules["pattern"]).search(value):
            yield f"{value!r} does not match {rules['pattern']}"
    elif isinstance(value, (int, float)):
        yield from _bounds(value, rules)
    elif isinstance(value, list):
        yield from _size(len(value), rules, "Items", "items")
        yield from _repeated(value, rules)
    elif isinstance(value, Mapping):
        yield from _size(len(value), rules, "Properties", "entries")
    elif isinstance(value, datetime) and value.utcoffset() is None:
        yield "a timestamp needs a time zone"


_compiled = lru_cache(maxsize=None)(re.compile)


def _size(size: int, rules: Rules, of: str, unit: str) -> Iterator[str]:
    if size < rules.get("min" + of, 0):
        yield f"expected at least {rules['min' + of]} {unit}, not {size}"
    if size > rules.get("max" + of, size):
        yield f"expected at most {rules['max' + of]} {unit}, not {size}"


# By format, the least and the greatest integer.
INTEGERS = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


def _bounds(value: float, rules: Rules) -> Iterator[str]:
    if isinstance(value, float) and not isfinite(value):
        yield f"expected a finite number, not {value}"
        return
    least, most = INTEGERS.get(rules.get("format", ""), (value, value))
    if not least <= value <= most:
        yield f"expected an integer from {least} to {most}, not {value}"
        return
    low, high = rules.get("minimum", value), rules.get("maximum", value)
    if value < low or (value == low and rules.get("exclusiveMinimum")):
        yield f"expected {'more than' if value == low else 'at least'} {low}, not {value}"
    if value > high or (value == high and rules.get("exclusiveMaximum")):
        yield f"expected {'less than' if value == high else 'at most'} {high}, not {value}"
    parts = value / rules.get("multipleOf", value or 1)
    if abs(parts - round(parts)) > 1e-9:  # as the API server decides it
        yield f"expected a multiple of {rules['multipleOf']}, not {value}"


def _repeated(items: List[Any], rules: Rules) -> Iterator[str]:
    keys = rules.get("x-kubernetes-list-map-keys")
    unique = rules.get("uniqueItems") or rules.get("x-kubernetes-list-type") == "set"
    if not keys and not unique:
        return
    seen = set()
    for item in map(plain, items):
        if keys and isinstance(item, dict):
            item = {key: item.get(key) for key in keys}
        if repr(item) in seen:
            yield f"{item!r} stands there twice"
        seen.add(repr(item))
