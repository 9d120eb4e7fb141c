# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a model holds beside its attributes: what was read, and how copies and pickles have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Type, TypeVar

from . import _check
from ._kind import Field
from ._wire import NULL, Origin, by_id, plain

if TYPE_CHECKING:
    from ._model import Model

    _M = TypeVar("_M", bound=Model)


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

    def __init__(self, other: Optional[Read] = None) -> None:
        self.extra: Dict[str, Any] = {}
        self.nulls: Dict[str, None] = {}
        self.raw: Dict[str, Any] = {}
        self.built: Dict[str, Any] = {}
        self._new: Dict[str, Any] = {}
        self._origins: List[Origin] = []
        if other is not None:  # to be changed apart from it
            for name in self.__slots__:
                setattr(self, name, getattr(other, name).copy())

    def held(self, attr: str) -> Any:
        """Gives what an attribute would hold: built if it was, else raw or None."""
        return self.built.get(attr, self.raw.get(attr))

    def take(self, attr: str, value: Any) -> None:
        """Takes a value for a deferred attribute as if it had been read."""
        self.raw[attr] = plain(value)
        self.built.pop(attr, None)
        self._new.pop(attr, None)

    def portable(self, fields: Mapping[str, Field]) -> None:
        """Leaves out the objects of kubernetes."""
        self.built = {a: v for a, v in self.built.items() if not fields[a].kind.built(v)}
        self._origins = []

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


def parse_each(cls: Any, manifest: Any, legacy: bool) -> Any:
    """Gives the model of a manifest, one key after the other: slower than ``_parse``, but it takes
    any mapping, and the names of attributes as keys.

    Args:
        cls (type): the model's class.
        manifest (Mapping[str, Any]): as from_dict takes it.
        legacy (bool): keys are known to be the names of attributes.

    Raises:
        WrongTypeError: an object or a list is expected where something else is.
    """
    if not isinstance(manifest, Mapping):
        raise _check.wrong_type("", "an object", manifest)
    read, model = Read(), cls._blank()
    legacy = legacy or not cls._snake.isdisjoint(manifest)
    for key in manifest:
        value, attr = manifest[key], cls._keys.get(key)
        if attr is None and legacy and key in cls._fields:
            attr = key
        if attr is None:
            read.extra[key] = plain(value)
        elif value is None:
            if not legacy:
                read.nulls[key] = None
        elif attr in cls._lazy and not legacy:
            read.raw[attr] = plain(value)
            cls._lazy[attr].__delete__(model)
        else:
            try:
                made = cls._fields[attr].kind.read(value, legacy=legacy)
            except _check.ValidationError as error:
                raise error.within(key) from None
            slot = cls._lazy.get(attr, cls._quiet.get(attr))
            setattr(model, attr, made) if slot is None else slot.__set__(model, made)
    model._read = read if read.raw or read.nulls or read.extra else None
    return model


def rest(model: Any, manifest: Dict[str, Any], unbuilt: Dict[str, Any], taken: int) -> Any:
    """Gives a model with what no attribute holds of the manifest that it is made of.

    Args:
        model (Model): its attributes are set, but for those that are built later.
        manifest (Dict[str, Any]): unknown keys and nulls of it are kept.
        unbuilt (Dict[str, Any]): by attribute, what is built later.
        taken (int): the number of keys that attributes hold.
    """
    cls = type(model)
    read = Read()
    read.raw = unbuilt
    if taken + len(unbuilt) != len(manifest):
        if not cls._snake.isdisjoint(manifest):
            return parse_each(cls, manifest, True)
        for key, value in manifest.items():
            if key not in cls._keys:
                read.extra[key] = plain(value)
            elif value is None:
                read.nulls[key] = None
    model._read = read
    return model


def problems(model: Any, path: str, rules: _check.Rules) -> Iterator[_check.ValidationError]:
    """Tells what is wrong with a model.

    Args:
        model (Model): it is checked to its depths.
        path (str): where it stands.
        rules (Mapping[str, Any]): constraints of what holds it.
    """
    if model._read is not None and not rules.get("x-kubernetes-preserve-unknown-fields"):
        known = model._fields or not hasattr(model, "KIND")  # a kind may come without a schema
        for key in model._read.extra if known else ():
            yield _check.unknown(path, type(model).__name__, str(key), model._keys)
    for attr, declared in model._fields.items():
        at, value = _check.join(path, declared.key), model._held(attr)
        if value is None or value is NULL:
            null = declared.key in model and declared.rules.get("nullable")
            if declared.default is ... and not null:
                yield _check.missing(at)
            continue
        for value in _views(model, attr, declared.key):
            try:
                value = declared.kind.convert(value, declared.rules)
                found = [*declared.kind.problems(value, declared.rules, at, deep=True)]
            except _check.ValidationError as error:
                found = [error.within(at)]
            yield from found
            if found:
                break


def _views(model: Any, attr: str, key: str) -> Iterator[Any]:
    """Gives what an attribute holds and, where that was built from what was read, what is
    written for it: that has keys which no class of kubernetes has, too."""
    yield model._held(attr)
    if model._read is not None and attr in model._read.built:
        yield model[key]


def parts(model: Model) -> Tuple[Dict[str, Any], Optional[Read]]:
    """Gives what attributes hold, without what is not built yet, and what was read."""
    held: Dict[str, Any] = {}
    for attr in model._fields:
        slot = model._lazy.get(attr)
        try:
            held[attr] = getattr(model, attr, None) if slot is None else slot.__get__(model)
        except AttributeError:  # not built
            pass
    held.update(getattr(model, "__dict__", {}))
    return held, model._read


def pickled(model: Model) -> Any:
    """Gives what a pickle of a model has: in place of the objects of kubernetes what is written
    for them, as another version of kubernetes may have other attributes."""
    held, read = parts(model)
    taken = [attr for attr in model._lazy if model._fields[attr].kind.built(held.get(attr))]
    if read is not None or taken:
        read = Read(read)
        for attr in taken:
            read.take(attr, model[model._fields[attr].key])
            del held[attr]
        read.portable(model._fields)
    return restored, (type(model), held, read)


def restored(cls: Type[_M], held: Dict[str, Any], read: Optional[Read]) -> _M:
    """Makes a model of its parts."""
    model = cls.__new__(cls)
    model._read = read
    for attr, value in held.items():
        slot = cls._quiet.get(attr)
        setattr(model, attr, value) if slot is None else slot.__set__(model, value)
    return model
