# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Plain JSON values, and what attributes of a model hold in their place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from importlib import import_module
from math import isfinite
from operator import index
from typing import Any, Dict, List, Optional, Tuple

SCALARS = frozenset({str, int, float, bool, type(None)})
# What is JSON as it is. A float is not before it is known to be finite.
_JSON = SCALARS - {float}
# The keys of metadata that people set.
_TEXTS, _MAPS = {"generateName", "name", "namespace"}, {"annotations", "labels"}
# Patterns are compiled when they are first used: an import does not use them.
_RFC3339 = (
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
    enums, dates, timestamps and scalars of numpy; anything else is given back as it is. Attributes
    that are ``None`` are left out; a ``None`` in a dict or list stays.

    Args:
        value (Any): what an attribute holds.
        origins (Optional[Dict[int, tuple]]): by id, the objects whose unknown keys
            and unchanged values are to be those that were read. Default None.

    Raises:
        ValueError: a timestamp has no time zone, which the API server refuses, or a number is
            not finite, which JSON cannot represent, or values are nested too deeply or in
            themselves.
    """
    if type(value) in _JSON:
        return value
    try:
        return _plain(value, origins)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _plain(value: Any, origins: Optional[Dict[int, Origin]]) -> Any:
    cls = type(value)
    if cls in _JSON:
        return value
    if cls is dict:  # quicker than to ask for a Mapping
        return {key: v if type(v) in _JSON else _plain(v, origins) for key, v in value.items()}
    if isinstance(value, Mapping):
        whole = getattr(type(value), "_manifest", None)
        if whole is not None:
            return whole(value)
        return {key: _plain(value[key], origins) for key in value}
    if isinstance(value, (list, tuple)):
        return [_plain(item, origins) for item in value]
    if isinstance(value, Enum):
        return _plain(value.value, origins)
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "openapi_types") and hasattr(value, "attribute_map"):
        return _external(value, origins)
    value = native(value)
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"JSON has no number for {value}")
    return value


def native(value: Any) -> Any:
    """Gives a scalar of numpy, and any object that counts as an integer, as Python's own type has
    it: a bool, an int, a float or a str. Any other value is given back as it is."""
    cls = type(value)
    if cls in SCALARS:
        return value
    if cls.__module__ == "numpy" and getattr(value, "shape", None) == ():
        return value.item()
    if hasattr(cls, "__index__") and not isinstance(value, int):
        try:
            return index(value)
        except TypeError:  # an array
            pass
    return value


def _external(value: Any, origins: Optional[Dict[int, Origin]]) -> Dict[str, Any]:
    """Gives the JSON of an object of kubernetes, or of another legacy SDK."""
    names, out = value.attribute_map, {}
    for attr in value.openapi_types:
        item = getattr(value, attr)
        if item is not None:
            out[names[attr]] = _plain(item, origins)
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
    match = re.fullmatch(_RFC3339, text)
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


def versioned(name: str) -> bool:
    """Says whether a name begins like those of the classes of kubernetes: ``V1ObjectMeta``,
    ``CoreV1Event``."""
    at = name.find("V")
    while at >= 0 and not name[at + 1 : at + 2].isdigit():
        at = name.find("V", at + 1)
    return at == 0 or (at > 0 and name[0].isupper() and name[:at].isalnum())


def common(value: Any) -> bool:
    """Says whether a value is metadata of which every key is one that people set and every value
    is right, so that kubernetes need not be asked."""
    if value.__class__ is not dict:
        return False
    for key, item in value.items():
        if key in _MAPS and item.__class__ is dict:
            if not all(one.__class__ is str for one in item.values()):
                return False
        elif key not in _TEXTS or item.__class__ is not str:
            return False
    return True


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
    if versioned(name):
        found = getattr(import_module("kubernetes.client.models"), name, None)
    if found is None:
        raise AttributeError(f"module {module!r} has no model {name!r}")
    return found
