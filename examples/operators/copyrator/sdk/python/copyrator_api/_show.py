# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""How models are shown to people: on one line if they fit, else a line for each part."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from ._kind import METADATA

# Columns that a line has, where nobody says otherwise.
WIDTH = 88
# Which manager set what: it is long, and says nothing of the object itself.
_MANAGED = ("managed_fields", "managedFields")

# What begins a value, the members with the text before each, and what ends it.
Parts = Tuple[str, List[Tuple[str, Any]], str]


def shown(value: Any, width: int = WIDTH, indent: str = "", before: str = "") -> str:
    """Gives the representation of a value, without managedFields.

    Args:
        value (Any): a model, or what an attribute of one holds.
        width (int): columns of a line; one without parts may be longer. Default 88.
        indent (str): what lines after the first begin with. Default "".
        before (str): what stands before the value, which begins the result. Default "".
    """
    parts = _parts(value)
    if parts is None:
        return before + repr(value)
    start, members, end = parts
    line = before + start + ", ".join(shown(one, 1 << 30, "", name) for name, one in members) + end
    if len(indent) + len(line) <= width or not members:
        return line
    inner = indent + "    "
    lines = [inner + shown(one, width - 1, inner, name) + "," for name, one in members]
    return "\n".join([before + start, *lines, indent + end])


def pretty(value: Any, printer: Any) -> None:
    """Writes the representation of a value to IPython's printer, in its width.

    Args:
        value (Any): a model.
        printer (Any): what IPython hands to ``_repr_pretty_``.
    """
    for number, line in enumerate(shown(value, printer.max_width).splitlines()):
        if number:
            printer.break_()
        printer.text(line)


def _parts(value: Any) -> Optional[Parts]:
    """Gives the parts of a value, or None if it has none."""
    name = type(value).__name__
    if hasattr(value, "_fields") and hasattr(value, "_held"):
        return f"{name}(", _attributes(value), ")"
    if isinstance(value, list):
        return "[", [("", item) for item in value], "]"
    if isinstance(value, dict):
        return "{", [(f"{key!r}: ", item) for key, item in value.items()], "}"
    if hasattr(value, "openapi_types"):
        held = {attr: getattr(value, attr, None) for attr in value.openapi_types}
        return f"{name}(", _set(held), ")"
    return None


def _attributes(model: Any) -> List[Tuple[str, Any]]:
    """Gives what is set in a model."""
    held = {}
    for attr, field in model._fields.items():
        held[attr] = model._held(attr)
        if field.type in METADATA and isinstance(held[attr], dict):  # it was not built yet
            held[attr] = {k: v for k, v in held[attr].items() if k not in _MANAGED}
    members = _set(held)
    if model._read is not None and model._read.extra:
        members.append(("**", model._read.extra))
    return members


def _set(held: Any) -> List[Tuple[str, Any]]:
    return [(f"{a}=", v) for a, v in held.items() if v is not None and a not in _MANAGED]
