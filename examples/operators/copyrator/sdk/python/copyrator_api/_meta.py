# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""How the fields that a generated class declares become its slots and tables."""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING, Any, Dict, Generic, Optional, Type, TypeVar, Union, cast, overload

from . import _check
from ._inspect import Annotations, Constructor, Slots
from ._kind import MODELS, Field, deferred
from ._legacy import Names
from ._parts import Read

if TYPE_CHECKING:
    from typing_extensions import Self, deprecated

    from ._model import Model

    T = TypeVar("T")
    # Only mypy takes this for true. It finds no type for a constructor in a decorated __set__.
    MYPY = False

    class Held(Generic[T]):
        """The type of an attribute that holds an object of a class of ``kubernetes``, or with
        ``Optional`` None. It may be given as a dict too, and is read as an object."""

        @overload
        def __get__(self, model: None, owner: Any) -> Self: ...

        @overload
        def __get__(self, model: object, owner: Any) -> T: ...

        def __get__(self, model: Any, owner: Any) -> Any: ...

        def __set__(self, model: Any, value: Union[T, Dict[str, Any]]) -> None: ...

    class Deprecated(Generic[T]):
        """The type of a deprecated attribute: pyright reports where it is set (PEP 702)."""

        @overload
        def __get__(self, model: None, owner: Any) -> Self: ...

        @overload
        def __get__(self, model: object, owner: Any) -> T: ...

        def __get__(self, model: Any, owner: Any) -> Any: ...

        if MYPY:

            def __set__(self, model: Any, value: T) -> None: ...

        else:

            @deprecated("The attribute is deprecated: its description says what to use instead.")
            def __set__(self, model: Any, value: T) -> None: ...

    class DeprecatedHeld(Held[T]):
        """The same of an attribute that holds an object of a class of ``kubernetes``."""

        if not MYPY:

            @deprecated("The attribute is deprecated: its description says what to use instead.")
            def __set__(self, model: Any, value: Union[T, Dict[str, Any]]) -> None: ...

else:

    class Held:
        def __class_getitem__(cls, hint):
            return hint

    Deprecated = DeprecatedHeld = Held


def field(
    key: str,
    type: str,
    *,
    default: Any = ...,
    rules: Optional[_check.Rules] = None,
    deprecated: str = "",
) -> Any:
    """Declares an attribute of a generated model.

    Args:
        key (str): the JSON key.
        type (str): the type as ``openapi_types`` spells it: ``list[int]``.
        default (Any): what a constructor presets. Without it a value is required.
        rules (Optional[Mapping[str, Any]]): constraints, by the keywords of an OpenAPI
            schema: ``{"minimum": 1}``. Default None.
        deprecated (str): what to use instead of a deprecated attribute. Default "".
    """
    return Field(key, type, default, rules or {}, deprecated)


class Meta(ABCMeta):
    """Makes of the fields that a generated class declares its slots and tables.

    ``Model`` and ``Object`` are abstract: they have neither. A class derived directly from them
    stands for a type of the API, with or without fields. One derived from such a class by hand
    has the tables of its base.
    """

    def __new__(
        mcs, name: str, bases: Any, body: Dict[str, Any], abstract: bool = False, **kwargs: Any
    ) -> Any:
        fields = {attr: body.pop(attr) for attr in [*body] if isinstance(body[attr], Field)}
        if fields or not (abstract or hasattr(bases[0], "__signature__")):
            body.update(_tables(name, body, fields))
        cls: Any = super().__new__(mcs, name, bases, body, **kwargs)
        for attr, field in fields.items():
            slot = vars(cls)[attr]
            if deferred(field.type):
                cls._lazy[attr] = slot
                setattr(cls, attr, _Deferred(attr, field, slot))
            if field.deprecated:
                from ._deprecation import Attribute

                cls._quiet[attr] = inner = vars(cls)[attr]
                setattr(cls, attr, Attribute(attr, inner, slot))
        return cls


def _tables(name: str, body: Dict[str, Any], fields: Dict[str, Field]) -> Dict[str, Any]:
    """Gives what a class of the API has beside the body that declares its fields."""
    module = body["__module__"]
    home = module.rpartition(".")[0]
    home = home if home.endswith(".models") else MODELS
    identity = {"apiVersion": body.get("API_VERSION"), "kind": body.get("KIND")}
    for field in fields.values():
        field.home = home
        if identity.get(field.key):
            field.rules = {**field.rules, "enum": [identity[field.key]]}
    types = {attr: field.type for attr, field in fields.items()}
    names = {attr: field.key for attr, field in fields.items()}
    return {
        "__slots__": Slots(fields, module, name),
        "__signature__": Constructor(),
        "__annotations__": Annotations(body.get("__annotations__", {}), module, home),
        "_fields": fields,
        "_keys": {key: attr for attr, key in names.items()},
        "_snake": frozenset(names) - frozenset(names.values()),
        "_lazy": {},
        "_quiet": {},
        "attribute_map": Names(names),
        "openapi_types": Names(types, others="object"),
    }


class _Deferred:
    # An attribute whose value is built when it is read: of what from_dict left for it, or of a
    # mapping that was given for an object of kubernetes.

    __slots__ = ("_attr", "_field", "_slot")

    @property
    def __doc__(self) -> Optional[str]:  # type: ignore[override]
        """The description of the attribute, as ``help`` shows it."""
        return cast(Optional[str], self._slot.__objclass__.__slots__[self._attr])

    def __init__(self, attr: str, field: Field, slot: Any) -> None:
        self._attr, self._field, self._slot = attr, field, slot

    def __get__(self, model: Optional[Model], owner: Type[Model]) -> Any:
        if model is None:
            return self
        try:
            value = self._slot.__get__(model)
        except AttributeError:
            value = cast(Read, model._read).build(self._attr, self._field)
            self._slot.__set__(model, value)
            return value
        kind = self._field.kind
        if value is not None and kind.unbuilt(value) and kind.installed():
            self.__set__(model, value)
            return self.__get__(model, owner)
        return value

    def __set__(self, model: Model, value: Any) -> None:
        self._slot.__set__(model, value)
        if value is not None and self._field.kind.unbuilt(value):
            model._read = Read(model._read)
            model._read.take(self._attr, value)
            self._slot.__delete__(model)

    def __delete__(self, model: Model) -> None:
        self._slot.__set__(model, None)
