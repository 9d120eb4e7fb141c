# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The base classes of every model.

A generated model declares its fields; what it does is written here once. Nothing
outside the standard library is imported: ``kubernetes`` is looked up when an
attribute that holds one of its classes is first read.

Encoding
    A model is a mapping of its manifest, so ``dict(model)`` is what the API
    server is to store. ``kubernetes`` takes that three ways: 37 and newer read
    a request body as a mapping, and a model found anywhere else through the
    function attribute ``_openapi_generator_to_dict``; 36 and older go through
    ``openapi_types`` and ``attribute_map``. All three give the same JSON.
Decoding
    ``from_dict`` keeps what no attribute stands for, and the text of what it
    does not have to interpret, so reading an object, changing one attribute and
    writing it back changes that attribute only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Dict,
    FrozenSet,
    List,
    Optional,
    Type,
    TypeVar,
    cast,
)

from . import _check, _compile, _legacy, _parts
from ._kind import Field
from ._meta import Deprecated as Deprecated
from ._meta import DeprecatedHeld as DeprecatedHeld
from ._meta import Held as Held
from ._meta import Meta
from ._meta import field as field
from ._parts import Read, problems
from ._wire import plain

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
    from typing_extensions import deprecated as deprecated

    # At run time, Python 3.14 would load much for the text that it is bound to.
    _M = TypeVar("_M", bound="Model")
else:

    def dataclass_transform(**_):
        return lambda cls: cls

    def deprecated(instead):
        """Declares that a class is deprecated: constructing one warns, and reading does not."""

        def mark(cls):
            cls.__deprecated__ = instead
            return cls

        return mark


# The attribute by which kubernetes 37 finds the function that gives a model's
# JSON: it sits on to_dict and on that function, each pointing at the other.
_RECIPROCAL = "_openapi_generator_to_dict"


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
class Model(Mapping[str, Any], metaclass=Meta, abstract=True):
    """A part of a Kubernetes object, and a mapping of its manifest.

    Attributes have Python names and hold models, lists, dicts and scalars. The
    constructor checks what it is given and makes models of dicts. Attributes can be
    set at any time; ``validate`` checks them. As a mapping the model has JSON keys and
    plain values, all copies. ``None`` means not set and is not written, ``NULL``
    is written as null. A null that was read shows as ``None``, and is written again as
    long as the attribute is ``None``. A model is true even when nothing in it is set. A name
    that the type does not have raises, as a keyword (``TypeError``) and as an attribute
    (``AttributeError``).

    An attribute named ``items``, ``values`` or ``get`` hides the method of that
    name; ``dict(model)``, ``model[key]``, ``in`` and iteration always work.

    Attributes:
        openapi_types (Dict[str, str]): type of each attribute.
        attribute_map (Dict[str, str]): JSON key of each attribute.
        CEL_RULES (Dict[str, List[Dict[str, Any]]]): by JSON key, "" for the whole, the
            ``x-kubernetes-validations``, which the API server evaluates.
    """

    __slots__ = ("_read", "__weakref__")

    openapi_types: ClassVar[Dict[str, str]] = {}
    attribute_map: ClassVar[Dict[str, str]] = {}
    CEL_RULES: ClassVar[Dict[str, List[Dict[str, Any]]]] = {}
    _fields: ClassVar[Dict[str, Field]] = {}
    _keys: ClassVar[Dict[str, str]] = {}
    _snake: ClassVar[FrozenSet[str]] = frozenset()
    _lazy: ClassVar[Dict[str, Any]] = {}  # slots of deferred attributes
    _quiet: ClassVar[Dict[str, Any]] = {}  # of deprecated ones, what sets them without a warning
    _read: Optional[Read]

    if TYPE_CHECKING:
        # Lets a field of one of these names have its own type.
        items = values = get = cast(Any, None)
    else:  # or a type checker would let every misspelt name pass

        def __init__(self, **values: Any) -> None:
            _compile.method(type(self), "__init__")(self, **values)

    @classmethod
    def from_dict(cls: Type[_M], manifest: Mapping[str, Any]) -> _M:
        """Builds the model that a manifest describes.

        Nested objects become models or, where the type is one of Kubernetes' own,
        the class of the installed ``kubernetes``. Keys that the type does not have
        are kept and written back. No default is filled in: what the manifest does
        not set, or sets to null, is ``None``. Only the shape is checked, as another
        version of the API may allow more: see ``validate``. The attribute names that
        ``to_dict`` gives are understood too.

        Args:
            manifest (Mapping[str, Any]): an object as decoded from JSON or YAML.
                It is copied, later changes to it do not reach the model.

        Raises:
            WrongTypeError: an object or a list is expected where something else is.
            ValueError: it is nested too deeply or in itself, or a number is not finite.
        """
        try:
            return cls._parse(manifest, False)
        except RecursionError:
            raise _check.too_deep("") from None

    @classmethod
    def partial(cls: Type[_M], **values: Any) -> _M:
        """Builds a model that has nothing but what it is given: for ``Client.apply``.

        No default is filled in and no value is required, in nested dicts neither. Names, types and
        values are checked. A root kind has its ``apiVersion`` and ``kind``.

        Args:
            values (Any): attributes, as the constructor takes them. Nested models are given as
                dicts or as made by ``partial``; those that a constructor made have its defaults.

        Raises:
            TypeError: there is no such attribute.
            ValidationError: the API does not allow a value.
        """
        from ._partial import build

        made: _M = build(cls, values)
        return made

    def validate(self) -> None:
        """Checks everything in this model against the API's schema.

        Keys that the type does not have are problems, too. An object of a newer API, which was read
        with such keys, can be changed and written without this call: no client makes it.

        Inside the classes of ``kubernetes``, and mappings that stand for them, it checks what the
        installed version tells of them: types, required values and unknown keys. What needs the
        API server is left to it: ``CEL_RULES``, and enumerations and bounds of Kubernetes' own.

        Raises:
            ValidationError: with all problems, a line each; a ``WrongTypeError`` if
                they are wrong types only.
        """
        try:
            found = [*self._problems("", {})]
        except RecursionError:
            found = [_check.too_deep("")]
        if found:
            raise _check.together(found)

    def _problems(self, path: str, rules: _check.Rules) -> Iterator[_check.ValidationError]:
        """Tells what is wrong with this model, which stands at a path and has these rules there."""
        return problems(self, path, rules)

    def to_dict(self, serialize: bool = False) -> Dict[str, Any]:
        """Gives every attribute by its Python name, as the legacy generator did.

        Args:
            serialize (bool): name the attributes by their JSON keys. Default False.

        Returns:
            A dict with nested dicts, unset attributes as ``None``. This is not what
            the API server takes, and unknown keys are not in it: see ``dict(model)``.
        """
        return {
            field.key if serialize else attr: _legacy.to_dict(getattr(self, attr), serialize)
            for attr, field in self._fields.items()
        }

    def to_str(self) -> str:
        """Gives ``to_dict()`` in lines for people to read."""
        from pprint import pformat

        return pformat(self.to_dict())

    @classmethod
    def from_yaml(cls: Type[_M], text: str) -> _M:
        """Builds the model that one YAML or JSON document describes: see ``from_dict``.

        Scalars are read as ``kubectl`` reads them, so a timestamp stays text.

        Raises:
            ValidationError: ``kind`` or ``apiVersion`` is that of another type.
            ValueError: the text is not one YAML document of that shape, has a key twice, is nested
                too deeply or much longer with its aliases expanded.
            ModuleNotFoundError: PyYAML, which ``kubernetes`` brings, is not installed.
        """
        from ._yaml import load

        made = cls.from_dict(load(text))
        for key, name in (("apiVersion", "API_VERSION"), ("kind", "KIND")):
            wanted = getattr(cls, name, None)
            if wanted and key in made and made[key] != wanted:
                raise _check.ValidationError((key, f"expected {wanted!r}, not {made[key]!r}"))
        return made

    def to_yaml(self) -> str:
        """Gives the manifest as YAML for ``kubectl apply -f -``."""
        from ._yaml import dump

        return dump(self._manifest())

    def _manifest(self) -> Dict[str, Any]:
        """Gives the whole manifest: JSON keys and plain values, all copies."""
        if self._read is None:
            try:
                return self._build()
            except AttributeError:  # one was deleted
                pass
        return {key: self[key] for key in self}

    setattr(to_dict, _RECIPROCAL, _manifest)
    setattr(_manifest, _RECIPROCAL, to_dict)

    def to_json(self) -> str:
        """Gives the manifest as JSON, as ``json.dumps(dict(model))`` does but faster."""
        if self._read is None:
            parts: List[str] = []
            try:
                self._json(parts)
                return "".join(parts)
            except (AttributeError, TypeError, RecursionError):  # deleted, or of another type
                pass
        return _compile.json_writers()[1](self._manifest())

    # What follows is replaced in a generated class by its own when first called.

    @classmethod
    def _blank(cls: Type[_M]) -> _M:
        model: _M = _compile.method(cls, "_blank").__get__(None, cls)()
        return model

    @classmethod
    def _parse(cls: Type[_M], manifest: Mapping[str, Any], legacy: bool) -> _M:
        """Does from_dict; legacy if the keys are known to be attribute names."""
        model: _M = _compile.method(cls, "_parse").__get__(None, cls)(manifest, legacy)
        return model

    def _build(self) -> Dict[str, Any]:
        made: Dict[str, Any] = _compile.method(type(self), "_build")(self)
        return made

    def _json(self, out: List[str]) -> None:
        _compile.method(type(self), "_json")(self, out)

    def _held(self, attr: str) -> Any:
        """Gives an attribute's value, or what was read for it and not built yet."""
        slot = self._lazy.get(attr)
        if slot is None:
            return getattr(self, attr, None)
        try:
            return slot.__get__(self)
        except AttributeError:
            return cast(Read, self._read).held(attr)

    def _null(self, key: str) -> None:
        """Makes a key as if null had been read for it."""
        self._read = self._read or Read()
        self._read.nulls[key] = None

    def __getitem__(self, key: str) -> Any:
        attr, read = self._keys.get(key), self._read
        value = None if attr is None else self._held(attr)
        if attr is not None and value is not None:
            return plain(value) if read is None else read.plain(attr, value)
        if read is not None and key in read.nulls:
            return None
        if attr is None and read is not None:
            return plain(read.extra[key])
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        nulls: Mapping[str, None] = {} if self._read is None else self._read.nulls
        for key, attr in self._keys.items():
            if self._held(attr) is not None or key in nulls:
                yield key
        if self._read is not None:
            yield from self._read.extra

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Model):
            related = isinstance(other, type(self)) or isinstance(self, type(other))
            return related and self._manifest() == other._manifest()
        if isinstance(other, Mapping):
            return bool(self._manifest() == plain(other))
        return NotImplemented

    def __repr__(self) -> str:
        from ._show import shown

        return shown(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Shows the model in IPython and Jupyter."""
        from ._show import pretty

        pretty(self, printer)

    def __replace__(self: _M, **changes: Any) -> _M:
        """Gives a copy with other values, which are checked: ``copy.replace`` of Python 3.13."""
        made = self.__copy__()
        for name, value in changes.items():
            attr = _compile.attribute(type(self), name)
            field = self._fields[attr]
            unset = value is None and field.default is not ...
            setattr(made, attr, None if unset else field.accept(value))
        return made

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Lets pydantic check and write models: as fields, and as bodies of FastAPI."""
        from ._schema import core_schema

        return core_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Dict[str, Any]:
        from ._schema import json_schema

        return json_schema(cls, handler)

    def __reduce__(self) -> Any:
        return _parts.pickled(self)

    def __copy__(self: _M) -> _M:
        return _parts.restored(type(self), *_parts.parts(self))

    def __deepcopy__(self: _M, memo: Dict[int, Any]) -> _M:
        from copy import deepcopy  # which called this, so it is loaded

        return _parts.restored(type(self), *deepcopy(_parts.parts(self), memo))


class Object(Model, abstract=True):
    """A root kind: what can be created, read and deleted by itself.

    Derive a class that sets the attributes below, and no more, for a kind that has no model
    here, such as one of Kubernetes itself. Its objects are mappings of whatever ``from_dict``
    is given, and a ``Client`` does for them what it does for the others.

    Attributes:
        API_VERSION (str): group and version, as ``apiVersion`` has them.
        GROUP, VERSION, KIND (str): what the API server knows the kind by.
        PLURAL (str): the resource in paths; "" for the kind of a list.
        NAMESPACED (bool): its objects are in namespaces.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        items = values = get = cast(Any, None)
    API_VERSION: ClassVar[str]
    GROUP: ClassVar[str]
    VERSION: ClassVar[str]
    KIND: ClassVar[str]
    PLURAL: ClassVar[str] = ""
    NAMESPACED: ClassVar[bool] = True

    def clean(self: _M) -> _M:
        """Returns a copy without ``status`` and the metadata that the API server and kubectl
        maintain, such as ``managedFields`` and ``uid``: ``clean().to_yaml()`` is for git."""
        from ._partial import clean

        return type(self).from_dict(clean(self))
