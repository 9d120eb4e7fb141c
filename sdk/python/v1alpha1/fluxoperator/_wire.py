# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Plain JSON values on one side, what attributes of a model hold on the other.

``plain`` goes to the wire, ``Kind.read`` comes from it, and ``Read`` remembers
what was read so that what nobody touched goes back as it came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from functools import lru_cache
from importlib import import_module
from typing import Any, Dict, List, Optional, Tuple

_SCALARS = frozenset({str, int, float, bool, type(None)})
_NATIVE = frozenset(
    {"str", "int", "float", "bool", "object", "date", "bytes", "file", "Any"}
)
_CONTAINER = re.compile(r"(list|dict)[\[(](?:str, *)?(.+)[\])]", re.IGNORECASE)
_VERSIONED = re.compile(r"([A-Z][A-Za-z0-9]*)?V[0-9]")
_RFC3339 = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:\.([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)

# What was read for an object of kubernetes: the object, what it was built from,
# and what it gave when it was new. Found by identity, so a list may be reordered.
_Origin = Tuple[Any, Dict[str, Any], Dict[str, Any]]


def plain(value: Any, origins: Optional[Dict[int, _Origin]] = None) -> Any:
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
    if type(value) in _SCALARS:
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


def _external(value: Any, origins: Optional[Dict[int, _Origin]]) -> Dict[str, Any]:
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


class Kind:
    """A type as ``openapi_types`` spells it, and how values of it are read.

    Attributes:
        deferred (bool): it holds timestamps or classes of ``kubernetes``, which are
            built when they are asked for.
    """

    __slots__ = ("name", "inner", "own", "deferred", "native")

    def __init__(self, spelling: str, external: bool) -> None:
        container = _CONTAINER.fullmatch(spelling)
        self.name = container[1].lower() if container else spelling
        self.inner: Optional[Kind] = None
        if container:
            self.inner = Kind.of(container[2], external)
        self.own = None if external or container else _own(spelling)
        self.native = spelling in _NATIVE
        self.deferred: bool = not (self.native or self.own)
        if self.inner is not None:
            self.deferred = self.inner.deferred

    @staticmethod
    @lru_cache(maxsize=None)
    def of(spelling: str, external: bool = False) -> Kind:
        """Gives the kind of a spelling; external for one that kubernetes wrote."""
        return Kind(spelling, external)

    def read(
        self,
        value: Any,
        where: str,
        origins: Optional[List[_Origin]] = None,
        legacy: bool = False,
    ) -> Any:
        """Builds what an attribute of this kind holds.

        Args:
            value (Any): what stands in the manifest, or has been built already.
            where (str): the attribute, for messages.
            origins (Optional[List[tuple]]): takes the objects of kubernetes that are
                built, for ``plain``. Default None.
            legacy (bool): keys are attribute names, as ``to_dict`` gives them.
                Default False.

        Raises:
            ValueError: a required value is missing or a timestamp is malformed.
            TypeError: an object or a list is expected where something else is.
        """
        if value is None or self.native:
            return plain(value)
        if self.inner is None:
            return self._read_one(value, where, origins, legacy)
        if self.name == "list":
            if not isinstance(value, (list, tuple)):
                raise TypeError(f"{where}: expected a list, not {_type(value)}")
            return [self.inner.read(item, where, origins, legacy) for item in value]
        if not isinstance(value, Mapping):
            raise TypeError(f"{where}: expected an object, not {_type(value)}")
        read = self.inner.read
        return {key: read(value[key], where, origins, legacy) for key in value}

    def _read_one(
        self, value: Any, where: str, origins: Optional[List[_Origin]], legacy: bool
    ) -> Any:
        if self.name == "datetime":
            return parse_time(value) if isinstance(value, str) else value
        if hasattr(value, "openapi_types"):
            return value
        if not isinstance(value, Mapping):
            raise TypeError(f"{where}: expected an object, not {_type(value)}")
        if self.own is not None:
            return self.own._parse(value, legacy)
        try:
            cls = kubernetes_class(__name__, self.name)
        except (ImportError, AttributeError):  # not installed, or too old for it
            return plain(value)
        values = {}
        for attr, spelling in cls.openapi_types.items():
            item = value.get(cls.attribute_map[attr], value.get(attr))
            if item is not None:
                values[attr] = Kind.of(spelling, True).read(item, where, origins)
        built = cls(**values)
        if origins is not None:
            origins.append((built, plain(value), plain(built, _by_id(origins))))
        return built


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
    if _VERSIONED.match(name):
        found = getattr(import_module("kubernetes.client.models"), name, None)
    if found is None:
        raise AttributeError(f"module {module!r} has no model {name!r}")
    return found


def _own(name: str) -> Any:
    """Gives the model of this package that has a name, or None."""
    found = vars(import_module(".models", __package__)).get(name)
    return found if hasattr(found, "from_dict") else None


def _by_id(origins: List[_Origin]) -> Dict[int, _Origin]:
    return {id(origin[0]): origin for origin in origins}


def _type(value: Any) -> str:
    return type(value).__name__


class Read:
    """What ``from_dict`` found and no attribute holds.

    Attributes:
        extra (Dict[str, Any]): the keys that the type does not have.
        raw (Dict[str, Any]): by attribute, what stood there for those of a deferred
            kind. It stays after the attribute has been built, to be compared with.
        built (Dict[str, Any]): by attribute, what was built from raw.
    """

    __slots__ = ("extra", "raw", "built", "_new", "_origins")

    def __init__(self) -> None:
        self.extra: Dict[str, Any] = {}
        self.raw: Dict[str, Any] = {}
        self.built: Dict[str, Any] = {}
        self._new: Dict[str, Any] = {}
        self._origins: List[_Origin] = []

    def held(self, attr: str) -> Any:
        """Gives what an attribute would hold: built if it was, else raw or None."""
        return self.built.get(attr, self.raw.get(attr))

    def build(self, attr: str, spelling: str) -> Any:
        """Builds a deferred attribute from what was read for it, once."""
        if attr not in self.built:
            value = Kind.of(spelling).read(self.raw[attr], attr, self._origins)
            self.built[attr] = value
            self._new[attr] = plain(value, _by_id(self._origins))
        return self.built[attr]

    def plain(self, attr: str, value: Any) -> Any:
        """Gives an attribute's value for the manifest: as read if it is unchanged."""
        now = plain(value, _by_id(self._origins) if self._origins else None)
        unchanged = attr in self._new and now == self._new[attr]
        return plain(self.raw[attr]) if unchanged else now
