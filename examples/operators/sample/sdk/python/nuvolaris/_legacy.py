# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What ``kubernetes`` 36 and older, and code written for the generator of those years, read of a
model: ``openapi_types``, ``attribute_map`` and ``to_dict``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Type

from ._wire import NULL

if TYPE_CHECKING:
    from ._model import Model


class Names:
    """``openapi_types`` or ``attribute_map``. An object that was read has more than its class.

    ``kubernetes`` 36 and older write what ``getattr`` gives for each name in ``openapi_types``, in
    their order, under the key in ``attribute_map``. So what was read and no attribute holds has a
    name here, too; at the end, where it replaces what an attribute of the same key gave.
    """

    def __init__(self, names: Dict[str, str], others: Optional[str] = None) -> None:
        """Takes the names of a class, and what is told of other keys; by default the key."""
        self.names, self.others = names, others

    def __get__(self, model: Optional[Model], owner: Type[Model]) -> Dict[str, str]:
        if model is None or model._read is None:
            return self.names
        read = model._read
        unbuilt = (owner._fields[attr].key for attr in read.raw)
        others = {
            _attribute(owner, key): self.others or key
            for key in (*unbuilt, *read.nulls, *read.extra)
        }
        return {**self.names, **others}


def _attribute(owner: Any, key: str) -> str:
    """Gives the name of the attribute that has what was read for a key.

    The class gets it when it is first asked for. ``__getattr__`` would need no attribute, but
    makes every other access slower. It is no identifier, so no field has the same name.
    """
    name = f"kept:{key}"
    if not hasattr(owner, name):
        setattr(owner, name, property(lambda model: _value(model, key)))
    return name


def _value(model: Model, key: str) -> Any:
    """Gives what stands in a model's manifest under a key, ``NULL`` for null."""
    if key not in model:
        return None
    value = model[key]
    return NULL if value is None else value


def to_dict(value: Any, serialize: bool) -> Any:
    """Gives a value as ``Model.to_dict`` shows it."""
    if isinstance(value, (list, tuple)):
        return [to_dict(item, serialize) for item in value]
    if isinstance(value, dict):
        return {key: to_dict(item, serialize) for key, item in value.items()}
    if hasattr(value, "to_dict"):
        return value.to_dict(serialize=True) if serialize else value.to_dict()
    return None if value is NULL else value
