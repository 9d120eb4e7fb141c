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
from typing import Any, List, Optional, Tuple

from . import _check
from ._wire import (
    NULL,
    Origin,
    by_id,
    common,
    kubernetes_class,
    native,
    parse_time,
    plain,
    versioned,
)

# The package with the models of an API alone; each of several has one of its own.
MODELS = f"{__package__}.models"

_CONTAINER = r"(?i:(list|dict)[\[(](?:str, *)?(.+)[\])])"
NATIVE = {"str": str, "int": int, "float": float, "bool": bool, "object": object}
# Nearly every constructor is given one of these, and would load kubernetes to check it: objects of
# kubernetes are left to validate.
METADATA = ("V1ObjectMeta", "V1ListMeta")
_CALLED = {"str": "a string", "int": "an integer", "float": "a number", "bool": "a bool"}


class Field:
    """An attribute of a model, as its class declares it.

    Attributes:
        key (str): the JSON key.
        type (str): the type as ``openapi_types`` spells it.
        default (Any): what a constructor presets; ``...`` if a value is required.
        rules (Mapping[str, Any]): constraints, by the keywords of an OpenAPI schema.
        deprecated (str): what to use instead, "" if the attribute is not deprecated.
        home (str): the name of the package with the models that ``type`` may name.
    """

    __slots__ = ("key", "type", "default", "rules", "deprecated", "home")

    def __init__(
        self, key: str, type: str, default: Any, rules: _check.Rules, deprecated: str = ""
    ) -> None:
        self.key, self.type, self.default, self.rules = key, type, default, rules
        self.deprecated, self.home = deprecated, MODELS

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
            value = self.kind.convert(value, self.rules)
            problems = [*self.kind.problems(value, self.rules, self.key)]
        except _check.ValidationError as error:
            raise error.within(self.key) from None
        except RecursionError:
            raise _check.too_deep(self.key) from None
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
        container = re.fullmatch(_CONTAINER, spelling)
        self.name = container[1].lower() if container else spelling
        self.inner = Kind.of(container[2], home) if container else None
        self.native: Any = NATIVE.get(spelling)
        self.own: Any = None if container or not home else _own(spelling, home)
        self.external = self.own is None and versioned(self.name)
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
        """Converts each member of a list or dict."""
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

    def within(self, rules: _check.Rules) -> _check.Rules:
        """Gives the constraints of the members of a list or dict."""
        inner: _check.Rules = rules.get(
            "items" if self.name == "list" else "additionalProperties", {}
        )
        return inner

    def leaves(self, value: Any) -> Iterator[Tuple[Kind, Any]]:
        """Gives the kind and the value of each value that is neither a list nor a dict."""
        if self.inner is None:
            yield self, value
        elif value.__class__ is list or value.__class__ is dict:
            for item in value if value.__class__ is list else value.values():
                yield from self.inner.leaves(item)

    def unbuilt(self, value: Any) -> bool:
        """Says whether a value holds a mapping where a class of kubernetes belongs."""
        return any(kind.external and item.__class__ is dict for kind, item in self.leaves(value))

    def built(self, value: Any) -> bool:
        """Says whether a value holds an object of kubernetes."""
        objects = (
            hasattr(item, "openapi_types") for kind, item in self.leaves(value) if kind.external
        )
        return any(objects)

    def installed(self) -> bool:
        """Says whether the installed kubernetes has the class that this kind ends in."""
        if self.inner is not None:
            return self.inner.installed()
        from . import _kubernetes

        return _kubernetes.find(self.name) is not None

    def convert(self, value: Any, rules: _check.Rules) -> Any:
        """Gives a value given by hand with mappings made models, where models belong, and
        scalars of numpy made Python's own.

        It is the value itself, not a copy, if there is nothing to be made.

        Args:
            value (Any): what was given, not None.
            rules (Mapping[str, Any]): constraints, as those of a field.

        Raises:
            ValidationError: what was made breaks a constraint.
            WrongTypeError: it holds a value of a wrong type.
        """
        value = [*value] if isinstance(value, tuple) else native(value)
        if self.inner is not None:
            if not isinstance(value, list if self.name == "list" else dict):
                return value
            convert, members = self.inner.convert, self.within(rules)
            made = self._each(value, lambda item: convert(item, members))
            same = all(made[key] is value[key] for _, key in self._members(value))
            return value if same else made
        if self.name == "datetime" and isinstance(value, str):
            return _time(value)
        if self.own and isinstance(value, Mapping) and not hasattr(value, "openapi_types"):
            value = self.own.from_dict(value)
            found = [*value._problems("", rules)]
            if found:
                raise _check.together(found)
            if deprecates(self.own):
                from ._deprecation import given

                given(value)
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
        if self.native is object:
            yield from _unwritable(held, path)
        if self.inner is not None:
            rules = self.within(rules)
            for place, key in self._members(held):
                at = _check.join(path, place)
                yield from self.inner.problems(held[key], rules, at, deep)
        elif self.own is not None:
            if deep:
                yield from held._problems(path, rules)
        elif self.external and (deep or self.name not in METADATA or isinstance(held, Mapping)):
            yield from self._inside(held, path)

    def _inside(self, value: Any, path: str) -> Iterator[_check.ValidationError]:
        """Tells what is wrong with an object of kubernetes, or with a mapping for one."""
        if self.name == METADATA[0] and common(value):
            return
        from . import _kubernetes  # which the models alone do not need

        cls = _kubernetes.find(self.name)
        if cls is None:
            return
        mapping = isinstance(value, Mapping)
        if not mapping and self.name not in (c.__name__ for c in type(value).__mro__):
            yield _check.wrong_type(path, self.name, value)
            return
        yield from _kubernetes.unknown(cls, value, path)
        for key, member in _kubernetes.members(cls).items():
            item = value.get(key) if mapping else getattr(value, member.attr)
            if item is None or item is NULL:
                if member.required:
                    yield _check.missing(_check.join(path, key))
                continue
            at, kind = _check.join(path, key), Kind.of(member.type)
            try:
                item = kind.convert(item, member.rules)
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


def _is_null(value: Any, rules: _check.Rules) -> bool:
    return value is NULL or (value is None and bool(rules.get("nullable")))


def deferred(spelling: str) -> bool:
    """Says whether values hold timestamps or, by their names, classes of kubernetes."""
    inner = spelling.replace(")", "]").rstrip("]").replace("dict(str, ", "").replace("list[", "")
    return inner == "datetime" or versioned(inner)


def _unwritable(value: Any, path: str) -> Iterator[_check.ValidationError]:
    """Tells why JSON cannot have a value that may be anything."""
    try:
        plain(value)
    except ValueError as error:
        yield _check.ValidationError((path, str(error)))


def _time(text: str) -> datetime:
    try:
        return parse_time(text)
    except ValueError as error:
        raise _check.ValidationError(("", str(error))) from None


@lru_cache(maxsize=None)
def deprecates(cls: Any) -> bool:
    """Says whether a model's class, or one that its attributes hold, has something deprecated."""
    classes = [cls]
    for own in classes:  # which grows
        if hasattr(own, "__deprecated__") or any(f.deprecated for f in own._fields.values()):
            return True
        for field in own._fields.values():
            kind = field.kind
            while kind.inner is not None:
                kind = kind.inner
            if kind.own is not None and kind.own not in classes:
                classes.append(kind.own)
    return False


def _own(name: str, home: str) -> Any:
    """Gives the model of a package that has a name, or None."""
    found = vars(import_module(home)).get(name)
    return found if hasattr(found, "from_dict") else None
