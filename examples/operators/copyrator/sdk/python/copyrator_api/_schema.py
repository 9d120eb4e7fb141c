# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Models as fields of pydantic's models and as bodies of FastAPI, with their JSON Schema.

Only pydantic calls what is here, so it has been imported before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar
from functools import partial
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Tuple, Type, Union

from . import _check
from ._inspect import descriptions
from ._kind import Kind
from ._wire import plain

if TYPE_CHECKING:
    from ._model import Model

Schema = Dict[str, Any]

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
# Constraints that JSON Schema spells as OpenAPI does.
_SAME = (
    *("enum", "format", "minLength", "maxLength", "minimum", "maximum", "multipleOf"),
    *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)
# The models whose schemas are being made, each of which may refer to itself.
_OPEN: ContextVar[FrozenSet[str]] = ContextVar("_OPEN", default=frozenset())


def core_schema(cls: Type[Model]) -> Any:
    """Gives pydantic's schema of a model: it takes models and manifests, and checks those, and
    is written as its manifest."""
    from pydantic_core import core_schema as core

    written = core.plain_serializer_function_ser_schema(dict)
    check = partial(_checked, cls)
    return core.no_info_plain_validator_function(check, ref=_ref(cls), serialization=written)


def _ref(cls: Type[Model]) -> str:
    """Gives the name by which schemas refer to a model. Pydantic shows what is before the colon."""
    return f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"


def _checked(cls: Type[Model], value: Any) -> Model:
    """Gives the model of a value that pydantic is given.

    A root kind's ``apiVersion`` and ``kind`` are filled in; the API server fills in the rest.

    Raises:
        pydantic_core.ValidationError: with the place of each problem.
    """
    if isinstance(value, cls):
        return value
    try:
        made = cls.from_dict(value)
        for attr in ("api_version", "kind"):
            if hasattr(cls, "API_VERSION") and getattr(made, attr, "") is None:
                setattr(made, attr, cls._fields[attr].default)
        made.validate()
    except _check.ValidationError as error:
        raise _of_pydantic(cls, value, error) from None
    return made


def _of_pydantic(cls: Type[Model], value: Any, error: _check.ValidationError) -> Exception:
    """Gives the error of pydantic that tells the same problems."""
    from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

    details = []
    for path, text in error.problems:
        place, found = _place(path, value)
        kind = PydanticCustomError("value_error", "{error}", {"error": text})
        details.append(InitErrorDetails(type=kind, loc=place, input=found))
    return ValidationError.from_exception_data(cls.__name__, details)


def _place(path: str, value: Any) -> Tuple[Tuple[Union[int, str], ...], Any]:
    """Gives the keys and indices of a path, and what is there in a manifest, or None."""
    place: List[Union[int, str]] = []
    while path:
        keys = [*map(str, value)] if isinstance(value, Mapping) else []
        # A key may have dots and brackets itself.
        known = [key for key in keys if re.match(re.escape(key) + r"($|[.\[])", path)]
        part = max(known, key=len) if known else re.split(r"(?<=.)[.\[]", path, maxsplit=1)[0]
        index = None if known else re.fullmatch(r"\[(\d+)\]", part)
        place.append(int(index[1]) if index else part)
        try:
            value = value[place[-1]]
        except (KeyError, IndexError, TypeError):
            value = None
        path = path[len(part) :].removeprefix(".")
    return tuple(place), value


def json_schema(cls: Type[Model], handler: Callable[[Any], Schema]) -> Schema:
    """Gives the JSON Schema of a model's manifest.

    Args:
        cls (type): the model's class.
        handler (Callable[[Any], Dict[str, Any]]): gives the JSON Schema of one of pydantic's
            schemas, and collects the definitions that it refers to.
    """
    from pydantic import TypeAdapter
    from pydantic_core import core_schema as core

    def refer(model: Type[Model]) -> Schema:
        ref = _ref(model)
        if ref in _OPEN.get():
            return handler(core.definition_reference_schema(ref))
        return handler(core.definitions_schema(TypeAdapter(model).core_schema, []))

    token = _OPEN.set(_OPEN.get() | {_ref(cls)})
    try:
        return _object(cls, refer)
    finally:
        _OPEN.reset(token)


def _object(cls: Type[Model], refer: Callable[[Type[Model]], Schema]) -> Schema:
    """Gives the JSON Schema of a model, in which refer gives those of others."""
    own = next(c for c in cls.__mro__ if "_fields" in vars(c))
    about = descriptions(own.__module__, own.__qualname__)
    schema: Schema = {"title": cls.__name__, "type": "object", "properties": {}}
    schema["description"] = getdoc(cls) or ""
    required = []
    for attr, field in cls._fields.items():
        found = _value(field.kind, field.rules, refer)
        if attr in about:
            found["description"] = about[attr]
        if field.deprecated:
            found["deprecated"] = True
        if field.default is ...:
            required.append(field.key)
        elif field.default is not None:
            found["default"] = plain(field.default)
        schema["properties"][field.key] = found
    if required:
        schema["required"] = required
    if hasattr(cls, "__deprecated__"):
        schema["deprecated"] = True
    return schema


def _value(kind: Kind, rules: _check.Rules, refer: Callable[[Type[Model]], Schema]) -> Schema:
    """Gives the JSON Schema of what an attribute holds."""
    found = _type(kind, rules, refer)
    found.update({key: rules[key] for key in _SAME if key in rules})
    for bound in ("Minimum", "Maximum"):
        if rules.get("exclusive" + bound):
            found["exclusive" + bound] = found.pop(bound.lower())
    if rules.get("x-kubernetes-list-type") == "set":
        found["uniqueItems"] = True
    if "pattern" in rules:  # it is Python's here
        ends = {"A": "^", "Z": "$"}
        found["pattern"] = re.sub(r"\\(.)", lambda m: ends.get(m[1], m[0]), rules["pattern"])
    return {"anyOf": [found, {"type": "null"}]} if rules.get("nullable") else found


def _type(kind: Kind, rules: _check.Rules, refer: Callable[[Type[Model]], Schema]) -> Schema:
    """Gives the JSON Schema of a type, without its own constraints."""
    if rules.get("x-kubernetes-int-or-string"):
        return {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    if kind.inner is not None:
        key = "items" if kind.name == "list" else "additionalProperties"
        members = _value(kind.inner, rules.get(key, {}), refer)
        return {"type": "array" if kind.name == "list" else "object", key: members}
    if kind.own:
        return refer(kind.own)
    if kind.name == "datetime":
        return {"type": "string", "format": "date-time"}
    if kind.external:
        return {"type": "object", "title": kind.name}
    if kind.name in _TYPES:
        return {"type": _TYPES[kind.name]}
    return {"type": rules["type"]} if "type" in rules else {}
