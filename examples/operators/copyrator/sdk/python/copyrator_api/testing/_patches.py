# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""JSON merge patch (RFC 7386) and JSON patch (RFC 6902)."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, List, Tuple

from ._answers import Refused


def merge(target: Any, patch: Any) -> Any:
    """Returns a value after a merge patch. Neither argument is changed."""
    if not isinstance(patch, dict):
        return deepcopy(patch)
    out = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merge(out.get(key), value)
    return out


def apply(target: Any, operations: Any) -> Any:
    """Returns a value after a JSON patch. Raises Refused if an operation cannot be done."""
    if not isinstance(operations, list):
        raise Refused(400, "a JSON patch is a list of operations")
    root = {"": deepcopy(target)}
    for each in operations:
        try:
            _operate(root, each["op"], each)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            text = "the server rejected our request due to an error in our request"
            raise Refused(422, text) from error
    return root[""]


def _operate(root: Any, name: str, each: Any) -> None:
    holder, key = _find(root, each["path"])
    if name == "remove":
        holder.pop(key)
    elif name == "test":
        if holder[key] != each["value"]:
            raise ValueError(f"testing value {each['path']} failed")
    elif name == "replace":
        holder[key]  # raises if it does not exist
        holder[key] = deepcopy(each["value"])
    elif name in ("add", "copy", "move"):
        if name == "add":
            value = deepcopy(each["value"])
        else:
            source, old = _find(root, each["from"])
            value = source.pop(old) if name == "move" else deepcopy(source[old])
            holder, key = _find(root, each["path"])
        if isinstance(holder, list):
            if key > len(holder):
                raise IndexError(key)
            holder.insert(key, value)
        else:
            holder[key] = value
    else:
        raise ValueError(f"unexpected kind: {name}")


def _find(root: Any, path: str) -> Tuple[Any, Any]:
    """Returns what holds the value at a path, and its key there."""
    names: List[str] = [name.replace("~1", "/").replace("~0", "~") for name in path.split("/")]
    holder = root
    for name in names[:-1]:
        holder = holder[int(name) if isinstance(holder, list) else name]
    if not isinstance(holder, (dict, list)):
        raise TypeError(path)
    last = names[-1]
    if isinstance(holder, list):
        return holder, len(holder) if last == "-" else int(last)
    return holder, last
