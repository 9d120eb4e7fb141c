# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""How the fields that a generated class declares become its slots and tables."""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING, Any, Dict, Optional, Type, cast

from . import _check, _compile
from ._kind import MODELS, NATIVE, Field, Read, deferred
from ._wire import NULL

if TYPE_CHECKING:
    from inspect import Signature

    from ._model import Model

# Prefix of the attributes, never valid identifiers, under which kubernetes 36
# and older read what from_dict kept. They are made when they are asked for.
_KEPT = "kept:"


def field(key: str, type: str, *, default: Any = ..., rules: Optional[_check.Rules] = None) -> Any:
    """Declares an attribute of a generated model.

    Args:
        key (str): the JSON key.
        type (str): the type as ``openapi_types`` spells it: ``list[int]``.
        default (Any): what a constructor presets. Without it a value is required.
        rules (Optional[Mapping[str, Any]]): constraints, by the keywords of an OpenAPI
            schema: ``{"minimum": 1}``. Default None.
    """
    return Field(key, type, default, rules or {})


class _Names:
    """``openapi_types`` or ``attribute_map``, with what from_dict kept added.

    kubernetes 36 and older serialise the attributes that these name, in order, so
    an entry for a key at the end replaces what an attribute gave for it before.
    """

    def __init__(self, names: Dict[str, str], fixed: Optional[str]) -> None:
        self.names, self.fixed = names, fixed

    def __get__(self, model: Optional[Model], owner: Type[Model]) -> Dict[str, str]:
        if model is None or model._read is None:
            return self.names
        read, names = model._read, dict(self.names)
        for key in [*(owner._fields[a].key for a in read.raw), *read.nulls, *read.extra]:
            names[_KEPT + key] = self.fixed or key
            if not hasattr(owner, _KEPT + key):
                setattr(owner, _KEPT + key, _Kept(key))
        return names


class _Kept:
    """Gives kubernetes 36 and older what stands under a key, ``NULL`` for null."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __get__(self, model: Optional[Model], owner: Type[Model]) -> Any:
        if model is None or self.key not in model:
            return None
        value = model[self.key]
        return NULL if value is None else value


class _Constructor:
    """The signature of a generated class, made when ``inspect`` asks for it."""

    def __get__(self, model: Optional[Model], owner: Type[Model]) -> Signature:
        from inspect import signature

        made = signature(_compile.method(owner, "__init__"))
        return made.replace(parameters=[*made.parameters.values()][1:])


class Meta(ABCMeta):
    """Makes of the fields that a generated class declares its slots and tables."""

    def __new__(mcs, name: str, bases: Any, body: Dict[str, Any], **kwargs: Any) -> Any:
        fields = {a: body.pop(a) for a in [*body] if isinstance(body[a], Field)}
        home = body["__module__"].rpartition(".")[0]
        for field in fields.values():
            field.home = home if home.endswith(".models") else MODELS
        empty = getattr(bases[0], "_fields", None) == {} and "__slots__" not in body
        if fields or empty:
            types = {attr: field.type for attr, field in fields.items()}
            names = {attr: field.key for attr, field in fields.items()}
            body.update(
                __slots__=tuple(fields),
                __signature__=_Constructor(),
                _fields=fields,
                _keys={key: attr for attr, key in names.items()},
                _snake=frozenset(names) - frozenset(names.values()),
                _scalars={a for a in fields if types[a] in NATIVE},
                _lazy={},
                attribute_map=_Names(names, None),
                openapi_types=_Names(types, "object"),
            )
        cls: Any = super().__new__(mcs, name, bases, body, **kwargs)
        for attr, field in fields.items():
            if deferred(field.type):
                cls._lazy[attr] = slot = vars(cls)[attr]
                setattr(cls, attr, _lazy(attr, field, slot))
        return cls


def _lazy(attr: str, field: Field, slot: Any) -> property:
    """Wraps a slot so that what ``from_dict`` left for it is built when it is read."""

    def get(model: Model) -> Any:
        try:
            return slot.__get__(model)
        except AttributeError:
            value = cast(Read, model._read).build(attr, field)
            slot.__set__(model, value)
            return value

    return property(get, slot.__set__, lambda model: slot.__set__(model, None))
