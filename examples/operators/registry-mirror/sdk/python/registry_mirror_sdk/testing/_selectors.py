# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Label selectors and field selectors."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping

from ._answers import Refused

Object = Dict[str, Any]
Test = Callable[[Object], bool]

_KEY = r"[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?"
_SET = re.compile(rf"({_KEY})\s+(in|notin)\s*\(([^)]*)\)")
_EQUAL = re.compile(rf"({_KEY})\s*(==|=|!=)\s*([-A-Za-z0-9_.]*)")
_EXISTS = re.compile(rf"(!?)\s*({_KEY})")


def labels(selector: str) -> Test:
    """Returns the test for a label selector. Raises Refused if it cannot be parsed."""
    tests = [_label(part.strip()) for part in re.split(r",(?![^(]*\))", selector) if part.strip()]
    return lambda obj: all(test(obj["metadata"].get("labels") or {}) for test in tests)


def _label(part: str) -> Callable[[Mapping[str, str]], bool]:
    if found := _SET.fullmatch(part):
        key, wanted = found[1], {value.strip() for value in found[3].split(",")}
        if found[2] == "in":
            return lambda has: has.get(key) in wanted
        return lambda has: has.get(key) not in wanted
    if found := _EQUAL.fullmatch(part):
        key, value = found[1], found[3]
        if found[2] == "!=":
            return lambda has: has.get(key) != value
        return lambda has: has.get(key) == value
    if found := _EXISTS.fullmatch(part):
        key, absent = found[2], bool(found[1])
        return lambda has: (key in has) is not absent
    raise Refused(400, f"unable to parse requirement: {part!r}")


def fields(selector: str, custom: bool) -> Test:
    """Returns the test for a field selector. Raises Refused if it cannot be parsed, or if the kind
    is a ``custom`` one and the field is neither metadata.name nor metadata.namespace."""
    tests: List[Test] = []
    for part in filter(None, selector.split(",")):
        found = re.fullmatch(r"([^=!]+)(==|=|!=)(.*)", part)
        if found is None:
            raise Refused(400, f"invalid selector: {selector!r}; can't understand {part!r}")
        path, wanted, equal = found[1], found[3], found[2] != "!="
        if custom and path not in ("metadata.name", "metadata.namespace"):
            raise Refused(400, f"field label not supported: {path}")
        tests.append(lambda obj, p=path, w=wanted, e=equal: (_at(obj, p) == w) is e)  # type: ignore[misc]
    return lambda obj: all(test(obj) for test in tests)


def _at(obj: Any, path: str) -> str:
    for key in path.split("."):
        obj = obj.get(key) if isinstance(obj, dict) else None
    return "" if obj is None else str(obj)
