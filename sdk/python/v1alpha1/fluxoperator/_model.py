# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The base class of every model in fluxoperator.

A generated model holds data only: its attributes, their JSON keys, their types
and a constructor. What it does is written here once. Nothing outside the
standard library is imported; ``kubernetes`` is looked up when an attribute that
holds one of its classes is first read.

What goes out
    A model is a mapping of its manifest, so ``dict(model)`` is what the API
    server is to store. ``kubernetes`` takes that three ways: 37 and newer read
    a request body as a mapping, and a model found anywhere else through the
    function attribute ``_openapi_generator_to_dict``; 36 and older go through
    ``openapi_types`` and ``attribute_map``. All three give the same JSON.
What comes in
    ``from_dict`` keeps what no attribute stands for, and the text of what it
    does not have to interpret, so reading an object, changing one attribute and
    writing it back changes that attribute only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Optional, Type, TypeVar

from . import _wire

_M = TypeVar("_M", bound="Model")

# The attribute by which kubernetes 37 finds the function that gives a model's
# JSON: it sits on to_dict and on that function, each pointing at the other.
_RECIPROCAL = "_openapi_generator_to_dict"

# Prefix of the attributes, never valid identifiers, under which kubernetes 36
# and older read what from_dict kept.
_KEPT = "kept:"


class Model(Mapping[str, Any]):
    """A part of a Kubernetes object, and a mapping of its manifest.

    Attributes have Python names and hold models, lists, dicts and scalars; they
    can be set at any time. As a mapping the model has JSON keys and plain values:
    ``None`` is left out, what is nested is a copy. A model is true even when
    nothing in it is set. A name that the type does not have raises, as a keyword
    (``TypeError``) and as an attribute (``AttributeError``).

    An attribute named ``items``, ``values`` or ``get`` hides the method of that
    name; ``dict(model)``, ``model[key]``, ``in`` and iteration always work.

    Attributes:
        openapi_types (Dict[str, str]): type of each attribute.
        attribute_map (Dict[str, str]): JSON key of each attribute.
    """

    __slots__ = ("_read", "__weakref__")

    openapi_types: ClassVar[Dict[str, str]] = {}
    attribute_map: ClassVar[Dict[str, str]] = {}
    _keys: ClassVar[Dict[str, str]] = {}
    _read: Optional[_wire.Read]

    if TYPE_CHECKING:
        # Lets a field of one of these names have its own type.
        items: Any
        values: Any
        get: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Prepares a generated class; one derived from it by hand is left alone.

        What the constructor demands may not be ``None``, neither there nor later,
        and leaving it out is a ``ValueError`` as in the legacy generator's models.
        """
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "attribute_map" not in own or "__init__" not in own:
            return
        names: Dict[str, str] = own["attribute_map"]
        defaults = own["__init__"].__kwdefaults__
        for attr in names:
            if attr not in defaults:
                defaults[attr] = None
                setattr(cls, attr, _required(attr, own[attr]))
        cls._keys = {key: attr for attr, key in names.items()}
        setattr(cls, "attribute_map", _Names(names, None))
        setattr(cls, "openapi_types", _Names(own["openapi_types"], "object"))

    @classmethod
    def from_dict(cls: Type[_M], manifest: Mapping[str, Any]) -> _M:
        """Builds the model that a manifest describes.

        Nested objects become models or, where the type is one of Kubernetes' own,
        the class of the installed ``kubernetes``. Keys that the type does not have
        are kept and go out again. No default is filled in: what the manifest does
        not set, or sets to null, is ``None``. The attribute names that ``to_dict``
        gives are understood too.

        Args:
            manifest (Mapping[str, Any]): an object as decoded from JSON or YAML.
                It is copied, later changes to it do not reach the model.

        Returns:
            A new model of this class.

        Raises:
            ValueError: a required value is missing.
            TypeError: an object or a list is expected where something else is.
        """
        return cls._parse(manifest, False)

    @classmethod
    def _parse(cls: Type[_M], manifest: Mapping[str, Any], legacy: bool) -> _M:
        """Does from_dict; legacy if the keys are known to be attribute names."""
        if not isinstance(manifest, Mapping):
            found = type(manifest).__name__
            raise TypeError(f"{cls.__name__}: expected an object, not {found}")
        given = {key: manifest[key] for key in manifest}
        names, types = cls.attribute_map, cls.openapi_types
        legacy = legacy or any(k in names and k not in cls._keys for k in given)
        self = cls.__new__(cls)
        self._read = read = _wire.Read()
        for attr, key in names.items():
            value = given.pop(key, None)
            if legacy and key != attr:
                other = given.pop(attr, None)
                value = other if value is None else value
            kind = _wire.Kind.of(types[attr])
            if value is None:
                setattr(self, attr, None)
            elif kind.deferred and not legacy:
                read.raw[attr] = _wire.plain(value)
            else:
                where = f"{cls.__name__}.{attr}"
                setattr(self, attr, kind.read(value, where, legacy=legacy))
        read.extra = _wire.plain(given)
        return self

    def to_dict(self, serialize: bool = False) -> Dict[str, Any]:
        """Gives every attribute by its Python name, as the legacy generator did.

        Args:
            serialize (bool): name the attributes by their JSON keys. Default False.

        Returns:
            A dict with nested dicts, unset attributes as ``None``. This is not what
            the API server takes, and unknown keys are not in it: see ``dict(model)``.
        """
        names = type(self).attribute_map
        return {
            key if serialize else attr: _legacy(getattr(self, attr), serialize)
            for attr, key in names.items()
        }

    def to_str(self) -> str:
        """Gives ``to_dict()`` in lines for people to read."""
        from pprint import pformat

        return pformat(self.to_dict())

    def _manifest(self) -> Dict[str, Any]:
        """Gives the whole manifest: JSON keys and plain values, all copies."""
        out = {}
        for attr, key in type(self).attribute_map.items():
            value = self._plain(attr)
            if value is not None:
                out[key] = value
        if self._read is not None:
            out.update(_wire.plain(self._read.extra))
        return out

    setattr(to_dict, _RECIPROCAL, _manifest)
    setattr(_manifest, _RECIPROCAL, to_dict)

    def _held(self, attr: str) -> Any:
        """Gives an attribute's value, or what was read for it and not built yet."""
        try:
            return object.__getattribute__(self, attr)
        except AttributeError:
            return None if self._read is None else self._read.held(attr)

    def _plain(self, attr: str) -> Any:
        """Gives an attribute's value as it stands in the manifest, or ``None``."""
        value = self._held(attr)
        if value is None or self._read is None:
            return _wire.plain(value)
        return self._read.plain(attr, value)

    if not TYPE_CHECKING:  # or every misspelt attribute would pass a type checker

        def __getattr__(self, name: str) -> Any:
            """Builds an attribute that ``from_dict`` left for when it is read."""
            if name == "_read":
                return None
            if name.startswith(_KEPT):
                key = name[len(_KEPT) :]
                return self[key] if key in self else None
            if name not in type(self).attribute_map:
                return object.__getattribute__(self, name)
            if self._read is None or self._read.held(name) is None:
                return None
            value = self._read.build(name, type(self).openapi_types[name])
            setattr(self, name, value)
            return value

    def __delattr__(self, name: str) -> None:
        setattr(self, name, None)

    def __getitem__(self, key: str) -> Any:
        attr = self._keys.get(key)
        value = None if attr is None else self._plain(attr)
        if value is not None:
            return value
        if attr is None and self._read is not None:
            return _wire.plain(self._read.extra[key])
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        for attr, key in type(self).attribute_map.items():
            if self._held(attr) is not None:
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
            return bool(self._manifest() == _wire.plain(other))
        return NotImplemented

    def __repr__(self) -> str:
        held = {attr: self._held(attr) for attr in type(self).attribute_map}
        shown = [f"{a}={value!r}" for a, value in held.items() if value is not None]
        if self._read is not None and self._read.extra:
            shown.append(f"**{self._read.extra!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> Any:
        held = {}
        for attr in type(self).attribute_map:
            try:
                held[attr] = object.__getattribute__(self, attr)
            except AttributeError:  # left by from_dict, and in _read
                continue
        held.update(getattr(self, "__dict__", {}))
        return _restore, (type(self), held, self._read)


def _restore(cls: Type[_M], held: Dict[str, Any], read: Optional[_wire.Read]) -> _M:
    """Makes the copy of a model for copy and pickle."""
    model = cls.__new__(cls)
    model._read = read
    for attr, value in held.items():
        setattr(model, attr, value)
    return model


def _legacy(value: Any, serialize: bool) -> Any:
    """Gives a value as to_dict shows it."""
    if isinstance(value, (list, tuple)):
        return [_legacy(item, serialize) for item in value]
    if isinstance(value, dict):
        return {key: _legacy(item, serialize) for key, item in value.items()}
    if hasattr(value, "to_dict"):
        return value.to_dict(serialize=True) if serialize else value.to_dict()
    return value


def _required(attr: str, slot: Any) -> property:
    """Wraps the slot of a required attribute so that it refuses ``None``."""

    def assign(model: Model, value: Any) -> None:
        if value is None:
            raise ValueError(f"Invalid value for `{attr}`, must not be `None`")
        slot.__set__(model, value)

    return property(slot.__get__, assign)


class _Names:
    """``openapi_types`` or ``attribute_map``, with what from_dict kept added.

    kubernetes 36 and older serialise the attributes that these name, in order, so
    an entry for a key at the end replaces what an attribute gave for it before.
    """

    __slots__ = ("names", "fixed")

    def __init__(self, names: Dict[str, str], fixed: Optional[str]) -> None:
        self.names = names
        self.fixed = fixed

    def __get__(self, model: Optional[Model], owner: type) -> Dict[str, str]:
        if model is None or model._read is None:
            return self.names
        read, names = model._read, type(model).attribute_map
        keys = [*(names[attr] for attr in read.raw), *read.extra]
        return {**self.names, **{_KEPT + key: self.fixed or key for key in keys}}
