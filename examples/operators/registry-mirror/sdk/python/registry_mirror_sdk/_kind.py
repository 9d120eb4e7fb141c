# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The types of attributes: how values are read, made of what is given, and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import Enum
from functools import lru_cache
from importlib import import_module
from typing import Any, Dict, List, Optional, Tuple

from . import _check
from ._wire import NULL, VERSIONED, Origin, by_id, kubernetes_class, parse_time, plain

# The package with the models of an API alone; each of several has one of its own.
MODELS = f"{__package__}.models"

_CONTAINER = re.compile(r"(list|dict)[\[(](?:str, *)?(.+)[\])]", re.IGNORECASE)
NATIVE = {"str": str, "int": int, "float": float, "bool": bool, "object": object}
# Checked by validate only: nearly every constructor is given one, and would load kubernetes for it.
METADATA = ("V1ObjectMeta", "V1ListMeta")
_CALLED = {"str": "a string", "int": "an integer", "float": "a number", "bool": "a bool"}


class Field:
    """An attribute of a model, as its class declares it.

    Attributes:
        key (str): the JSON key.
        type (str): the type as ``openapi_types`` spells it.
        default (Any): what a constructor presets; ``...`` if a value is required.
        rules (Mapping[str, Any]): constraints, by the keywords of an OpenAPI schema.
        home (str): the name of the package with the models that ``type`` may name.
    """

    __slots__ = ("key", "type", "default", "rules", "home")

    def __init__(self, key: str, type: str, default: Any, rules: _check.Rules) -> None:
        self.key, self.type, self.default, self.rules = key, type, default, rules
        self.home = MODELS

    @property
    def kind(self) -> Kind:
        """What ``type`` means."""
        return Kind.of(self.type, self.home)

    def accept(self, value: Any) -> Any:
        """Gives what the attribute holds for a value given to a constructor.

        Raises:
            ValidationError: the value is missing or breaks a constraint.
            WrongTypeError: it has the wrong type.
        """
        if _is_null(value, self.rules):
            return value
        if value is ... or value is None:
            raise _check.missing(self.key)
        try:
            value = self.kind.convert(value)
        except _check.ValidationError as error:
            raise error.within(self.key) from None
        problems = [*self.kind.problems(value, self.rules, self.key)]
        if problems:
            raise _check.together(problems)
        return value


class Kind:
    """A type as ``openapi_types`` spells it.

    Attributes:
        name (str): list, dict, datetime, a scalar or a class.
        inner (Optional[Kind]): of the members of a list or dict.
        native (Any): the class of a scalar, ``object`` for any value, or None.
        own (Any): the model's class, or None.
        external (bool): it is a class of ``kubernetes``.
        deferred (bool): it holds timestamps or classes of ``kubernetes``, which are
            built when they are asked for.
    """

    __slots__ = ("name", "inner", "native", "own", "external", "deferred")

    def __init__(self, spelling: str, home: str) -> None:
        container = _CONTAINER.fullmatch(spelling)
        self.name = container[1].lower() if container else spelling
        self.inner = Kind.of(container[2], home) if container else None
        self.native: Any = NATIVE.get(spelling)
        self.own: Any = None if container or not home else _own(spelling, home)
        self.external = self.own is None and VERSIONED.match(self.name) is not None
        self.deferred = deferred(spelling)

    @staticmethod
    @lru_cache(maxsize=None)
    def of(spelling: str, home: str = "") -> Kind:
        """Gives the kind of a spelling.

        Args:
            spelling (str): as ``openapi_types`` has it.
            home (str): the name of the package with the models that it may name. By default
                it names none, but classes of kubernetes.
        """
        return Kind(spelling, home)

    def read(self, value: Any, origins: Optional[List[Origin]] = None, legacy: bool = False) -> Any:
        """Builds what an attribute of this kind holds.

        Args:
            value (Any): what stands in the manifest, or has been built already.
            origins (Optional[List[tuple]]): takes the objects of kubernetes that are
                built, for ``plain``. Default None.
            legacy (bool): keys are attribute names, as ``to_dict`` gives them.

        Raises:
            ValidationError: a timestamp is malformed, or kubernetes refuses a value.
            WrongTypeError: an object or a list is expected where something else is.
        """
        if value is None or self.native:
            return plain(value)
        if self.inner is None:
            return self._read_one(value, origins, legacy)
        if not isinstance(value, (list, tuple) if self.name == "list" else Mapping):
            raise _check.wrong_type("", self.called({}), value)
        read = self.inner.read
        return self._each(value, lambda item: read(item, origins, legacy))

    def _each(self, value: Any, make: Any) -> Any:
        """Gives a list or dict of what is made of each member of one."""
        out = {}
        for place, key in self._members(value):
            try:
                out[key] = make(value[key])
            except _check.ValidationError as error:
                raise error.within(place) from None
        return [*out.values()] if self.name == "list" else out

    def _members(self, value: Any) -> Iterator[Tuple[str, Any]]:
        """Gives the path and the key of each member of a list or dict."""
        if self.name == "list":
            return ((f"[{i}]", i) for i in range(len(value)))
        return ((str(key), key) for key in value)

    def _read_one(self, value: Any, origins: Optional[List[Origin]], legacy: bool) -> Any:
        if self.name == "datetime":
            return _time(value) if isinstance(value, str) else value
        if hasattr(value, "openapi_types"):
            return value
        if not isinstance(value, Mapping):
            raise _check.wrong_type("", self.called({}), value)
        if self.own is not None:
            return self.own._parse(value, legacy)
        try:
            cls = kubernetes_class(__name__, self.name)
        except (ImportError, AttributeError):  # not installed, or too old for it
            return plain(value)
        from . import _kubernetes  # which the models alone do not need

        values = {}
        for key, member in _kubernetes.members(cls).items():
            item = value.get(key, value.get(member.attr))
            if item is not None:
                try:
                    made = Kind.of(member.type).read(item, origins)
                except _check.ValidationError as error:
                    raise error.within(key) from None
                values[member.attr] = made if member.held is None else member.held(made)
        try:
            built = cls(**values)
        except ValueError:
            problems = [*self._inside(value, "")]
            if problems:
                raise _check.together(problems) from None
            raise
        if origins is not None:
            origins.append((built, plain(value), plain(built, by_id(origins))))
        return built

    def convert(self, value: Any) -> Any:
        """Gives a value given by hand with mappings made models, where models belong.

        It is the value itself, not a copy, if there is nothing to be made.

        Raises:
            ValidationError: what was made breaks a constraint.
            WrongTypeError: it holds a value of a wrong type.
        """
        if isinstance(value, tuple):
            value = [*value]
        if self.inner is not None:
            if not isinstance(value, list if self.name == "list" else dict):
                return value
            made = self._each(value, self.inner.convert)
            same = all(made[key] is value[key] for _, key in self._members(value))
            return value if same else made
        if self.name == "datetime" and isinstance(value, str):
            return _time(value)
        if self.own and isinstance(value, Mapping) and not hasattr(value, "openapi_types"):
            value = self.own.from_dict(value)
            value.validate()
        return value

    def problems(
        self, value: Any, rules: _check.Rules, path: str, deep: bool = False
    ) -> Iterator[_check.ValidationError]:
        """Tells what is wrong with a value.

        Args:
            value (Any): what an attribute holds.
            rules (Mapping[str, Any]): constraints, as those of a field.
            path (str): where the value stands.
            deep (bool): look into models, and into metadata, too. Default False.
        """
        held: Any = value.value if isinstance(value, Enum) else value
        if _is_null(held, rules):
            return
        if not self._fits(held, rules):
            yield _check.wrong_type(path, self.called(rules), held)
            return
        for text in _check.broken(held, rules):
            yield _check.ValidationError((path, text))
        if self.inner is not None:
            rules = rules.get("items" if self.name == "list" else "additionalProperties", {})
            for place, key in self._members(held):
                at = _check.join(path, place)
                yield from self.inner.problems(held[key], rules, at, deep)
        elif self.own is not None:
            if deep:
                yield from held._problems(path)
        elif self.external and (deep or self.name not in METADATA):
            yield from self._inside(held, path)

    def _inside(self, value: Any, path: str) -> Iterator[_check.ValidationError]:
        """Tells what is wrong with an object of kubernetes, or with a mapping for one."""
        from . import _kubernetes  # which the models alone do not need

        cls = _kubernetes.find(self.name)
        if cls is None:
            return
        mapping = isinstance(value, Mapping)
        if not mapping and self.name not in (c.__name__ for c in type(value).__mro__):
            yield _check.wrong_type(path, self.name, value)
            return
        for name, text in _kubernetes.unknown(cls, value).items():
            yield _check.ValidationError((_check.join(path, name), text))
        for key, member in _kubernetes.members(cls).items():
            item = value.get(key) if mapping else getattr(value, member.attr)
            if item is None or item is NULL:
                if member.required:
                    yield _check.missing(_check.join(path, key))
                continue
            at, kind = _check.join(path, key), Kind.of(member.type)
            try:
                item = kind.convert(item)
            except _check.ValidationError as error:
                yield error.within(at)
            else:
                yield from kind.problems(item, member.rules, at, deep=True)

    def _fits(self, value: Any, rules: _check.Rules) -> bool:
        """Says whether a value has this type."""
        if rules.get("x-kubernetes-int-or-string"):
            return isinstance(value, (int, str)) and value.__class__ is not bool
        if rules.get("type") == "object":
            return isinstance(value, Mapping)
        if self.native in (int, float):
            return isinstance(value, (int, self.native)) and value.__class__ is not bool
        if self.native or self.own:
            return isinstance(value, self.native or self.own)
        if self.name == "datetime":
            return isinstance(value, datetime)
        if self.name == "list":
            return isinstance(value, list)
        instance = self.inner is None and hasattr(value, "openapi_types")
        return instance or isinstance(value, Mapping)

    def called(self, rules: _check.Rules) -> str:
        """Gives the words for a value of this type."""
        if rules.get("x-kubernetes-int-or-string"):
            return "an integer or a string"
        if self.own or self.name == "datetime":
            return self.name
        name = rules.get("type", self.name)
        return _CALLED.get(name, "a list" if name == "list" else "an object")


class Read:
    """What ``from_dict`` found and no attribute holds.

    Attributes:
        extra (Dict[str, Any]): the keys that the type does not have.
        nulls (Dict[str, None]): the keys that are null.
        raw (Dict[str, Any]): by attribute, what stood there for those of a deferred
            kind. It stays after the attribute has been built, to be compared with.
        built (Dict[str, Any]): by attribute, what was built from raw.
    """

    __slots__ = ("extra", "nulls", "raw", "built", "_new", "_origins")

    def __init__(self) -> None:
        self.extra: Dict[str, Any] = {}
        self.nulls: Dict[str, None] = {}
        self.raw: Dict[str, Any] = {}
        self.built: Dict[str, Any] = {}
        self._new: Dict[str, Any] = {}
        self._origins: List[Origin] = []

    def held(self, attr: str) -> Any:
        """Gives what an attribute would hold: built if it was, else raw or None."""
        return self.built.get(attr, self.raw.get(attr))

    def build(self, attr: str, field: Field) -> Any:
        """Builds a deferred attribute from what was read for it, once."""
        if attr not in self.built:
            try:
                value = field.kind.read(self.raw[attr], self._origins)
            except _check.ValidationError as error:
                raise error.within(field.key) from None
            self.built[attr] = value
            self._new[attr] = plain(value, by_id(self._origins))
        return self.built[attr]

    def plain(self, attr: str, value: Any) -> Any:
        """Gives an attribute's value for the manifest: as read if it is unchanged."""
        now = plain(value, by_id(self._origins) if self._origins else None)
        unchanged = attr in self._new and now == self._new[attr]
        return plain(self.raw[attr]) if unchanged else now


def _is_null(value: Any, rules: _check.Rules) -> bool:
    return value is NULL or (value is None and bool(rules.get("nullable")))


def deferred(spelling: str) -> bool:
    """Says whether values hold timestamps or, by their names, classes of kubernetes."""
    inner = spelling.replace(")", "]").rstrip("]").replace("dict(str, ", "").replace("list[", "")
    return inner == "datetime" or VERSIONED.match(inner) is not None


def _time(text: str) -> datetime:
    try:
        return parse_time(text)
    except ValueError as error:
        raise _check.ValidationError(("", str(error))) from None


def _own(name: str, home: str) -> Any:
    """Gives the model of a package that has a name, or None."""
    found = vars(import_module(home)).get(name)
    return found if hasattr(found, "from_dict") else None
