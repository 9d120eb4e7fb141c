# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Plain JSON values, and what attributes of a model hold in their place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from importlib import import_module
from typing import Any, Dict, List, Optional, Tuple

SCALARS = frozenset({str, int, float, bool, type(None)})
VERSIONED = re.compile(r"([A-Z][A-Za-z0-9]*)?V[0-9]")
_RFC3339 = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:\.([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)

# What was read for an object of kubernetes: the object, what it was built from,
# and what it gave when it was new. Found by identity, so a list may be reordered.
Origin = Tuple[Any, Dict[str, Any], Dict[str, Any]]


class _Null(date):
    """The type of NULL: a date, as what ``isoformat`` gives is sent by kubernetes 36."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NULL"

    def __reduce__(self) -> str:
        return "NULL"

    def isoformat(self) -> Any:
        return None


# Assigned to an attribute it goes out as null, where None does not go out.
NULL: Any = _Null(1, 1, 1)


def plain(value: Any, origins: Optional[Dict[int, Origin]] = None) -> Any:
    """Gives a value as JSON has it, by JSON keys, as a copy.

    Takes models, the classes of any ``kubernetes`` version, mappings, lists, tuples,
    enums, dates and timestamps; anything else is given back as it is. Attributes
    that are ``None`` are left out; a ``None`` in a dict or list stays.

    Args:
        value (Any): what an attribute holds.
        origins (Optional[Dict[int, tuple]]): by id, the objects whose unknown keys
            and unchanged values are to be those that were read. Default None.

    Raises:
        ValueError: a timestamp has no time zone, which the API server refuses.
    """
    if type(value) in SCALARS:
        return value
    if isinstance(value, Mapping):
        whole = getattr(type(value), "_manifest", None)
        if whole is not None:
            return whole(value)
        return {key: plain(value[key], origins) for key in value}
    if isinstance(value, (list, tuple)):
        return [plain(item, origins) for item in value]
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "openapi_types") and hasattr(value, "attribute_map"):
        return _external(value, origins)
    return value


def _external(value: Any, origins: Optional[Dict[int, Origin]]) -> Dict[str, Any]:
    """Gives the JSON of an object of kubernetes, or of another legacy SDK."""
    names, out = value.attribute_map, {}
    for attr in value.openapi_types:
        item = getattr(value, attr)
        if item is not None:
            out[names[attr]] = plain(item, origins)
    if origins is None or id(value) not in origins:
        return out
    _, raw, new = origins[id(value)]
    for key, item in raw.items():
        unknown = key not in new and key not in out
        unchanged = key in new and key in out and out[key] == new[key]
        if unknown or unchanged:
            out[key] = plain(item)
    return out


def by_id(origins: List[Origin]) -> Dict[int, Origin]:
    """Gives origins as ``plain`` takes them."""
    return {id(origin[0]): origin for origin in origins}


def parse_time(text: str) -> datetime:
    """Reads an RFC 3339 timestamp, to the microsecond and with its time zone.

    Raises:
        ValueError: the text is not one.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError(f"not an RFC 3339 timestamp: {text!r}")
    day, time, fraction, zone = match.groups()
    micros = ((fraction or "") + "000000")[:6]
    zone = "+00:00" if zone in "Zz" else zone
    return datetime.fromisoformat(f"{day}T{time}.{micros}{zone}")


def format_time(value: datetime) -> str:
    """Writes an RFC 3339 timestamp, UTC as ``Z``.

    Raises:
        ValueError: the value has no time zone.
    """
    if value.utcoffset() is None:
        raise ValueError(f"a timestamp needs a time zone: {value!r}")
    text = value.isoformat()
    return text[:-6] + "Z" if text.endswith("+00:00") else text


def kubernetes_class(module: str, name: str) -> Any:
    """Gives the class of the installed ``kubernetes`` that has a name.

    Args:
        module (str): the module that was asked for the name, for the message.
        name (str): a name with an API version in it: ``V1ObjectMeta``.

    Raises:
        AttributeError: the name is not of that form, or ``kubernetes`` lacks it.
        ImportError: ``kubernetes`` is not installed.
    """
    found = None
    if VERSIONED.match(name):
        found = getattr(import_module("kubernetes.client.models"), name, None)
    if found is None:
        raise AttributeError(f"module {module!r} has no model {name!r}")
    return found
