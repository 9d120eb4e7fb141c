# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Warns of what is deprecated in an API: at the line that constructs a model with it or sets it.

Reading an object warns of nothing, as nobody can change what the API server has. Only a model's
class that has something deprecated uses this module.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Iterator, Optional, cast


def warn(text: str) -> None:
    """Issues a ``DeprecationWarning`` at the line that called into this package."""
    frame = sys._getframe(1)
    while frame.f_back and _is_ours(f"{frame.f_globals.get('__name__')}"):
        frame = frame.f_back
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    file, module = frame.f_code.co_filename, names.get("__name__")
    warnings.warn_explicit(text, DeprecationWarning, file, frame.f_lineno, module, registry)


def _is_ours(module: str) -> bool:
    """Says whether a module is one of the runtime, or the methods that it has compiled."""
    return module.startswith((f"{__package__}._", "methods of "))


def attribute(cls: Any, attr: str) -> str:
    """Gives the text of the warning about an attribute."""
    return f"{cls.__name__}.{attr} is deprecated: {cls._fields[attr].deprecated}"


def whole(cls: Any) -> str:
    """Gives the text of the warning about a class, "" if it is not deprecated."""
    text = getattr(cls, "__deprecated__", "")
    return text and f"{cls.__name__} is deprecated: {text}"


def given(model: Any) -> None:
    """Warns of what is deprecated in a mapping that was given in place of a model.

    Args:
        model (Model): what was made of it.
    """
    for text in _found(model):
        warn(text)


def _found(model: Any) -> Iterator[str]:
    cls = type(model)
    if whole(cls):
        yield whole(cls)
    for attr, field in model._fields.items():
        value = model._held(attr)
        if value is None:
            continue
        if field.deprecated:
            yield attribute(cls, attr)
        for kind, item in field.kind.leaves(value):
            if kind.own and isinstance(item, kind.own):
                yield from _found(item)


class Attribute:
    """A deprecated attribute of a model's class: setting it warns."""

    __slots__ = ("_attr", "_inner", "_slot")

    @property
    def __doc__(self) -> Optional[str]:  # type: ignore[override]
        """The description of the attribute, as ``help`` shows it."""
        return cast(Optional[str], self._slot.__objclass__.__slots__[self._attr])

    def __init__(self, attr: str, inner: Any, slot: Any) -> None:
        self._attr, self._inner, self._slot = attr, inner, slot

    def __get__(self, model: Any, owner: Any) -> Any:
        return self if model is None else self._inner.__get__(model, owner)

    def __set__(self, model: Any, value: Any) -> None:
        if value is not None:
            warn(attribute(self._slot.__objclass__, self._attr))
        self._inner.__set__(model, value)

    def __delete__(self, model: Any) -> None:
        self._inner.__delete__(model)
