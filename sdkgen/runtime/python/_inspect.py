# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What ``typing``, ``inspect`` and ``help`` tell of a generated class, worked out when they ask:
type hints, the constructor's signature and the description of each attribute."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Optional, Type

from ._wire import kubernetes_class, versioned

if TYPE_CHECKING:
    from inspect import Signature

    from ._model import Model


class Annotations(Dict[str, Any]):
    """The annotations of a class, strings that are evaluated when they are first listed.

    ``typing.get_type_hints`` evaluates them in the class's module, which imports the models and
    classes of ``kubernetes`` that they name for type checkers only: modules of models would import
    each other, and ``kubernetes`` takes longer to load than everything else.
    """

    def __init__(self, annotations: Mapping[str, Any], module: str, home: str) -> None:
        super().__init__(annotations)
        self._module, self._home = module, home

    def _evaluate(self) -> None:
        names = _Names(vars(sys.modules[self._module]), self._home)
        for attr in super().keys():
            text = super().__getitem__(attr)
            if isinstance(text, str):
                self[attr] = eval(text, {}, names)

    # get_type_hints lists items; dict() lists keys, of a class that has an __iter__ of its own.

    def items(self) -> Any:
        self._evaluate()
        return super().items()

    def keys(self) -> Any:
        self._evaluate()
        return super().keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())


class _Names(Dict[str, Any]):
    """The names that annotations of a module may have."""

    def __init__(self, module: Mapping[str, Any], home: str) -> None:
        super().__init__(module)
        self._home = home

    def __missing__(self, name: str) -> Any:
        if name == "builtins":
            return import_module(name)
        if name in ("datetime", "_datetime"):
            return import_module("datetime").datetime
        models = vars(import_module(self._home))
        if name in models or not versioned(name):
            return models[name]
        try:
            return kubernetes_class(__name__, name)
        except (AttributeError, ImportError):  # of another version, or not installed
            return Any


class Slots(Dict[str, None]):
    """``__slots__`` of a class. ``help`` and ``inspect.getdoc`` take the description of an
    attribute from it."""

    def __init__(self, names: Any, module: str, owner: str) -> None:
        super().__init__(dict.fromkeys(names))
        self._owner = module, owner

    def __getitem__(self, attr: str) -> Any:
        return descriptions(*self._owner).get(attr)


@lru_cache(maxsize=1)
def descriptions(module: str, owner: str) -> Dict[str, str]:
    """Gives the description of each attribute of a class: the string below its declaration.

    It is read from the source, as holding the strings would take more memory than all else.
    Only the last result is kept.

    Args:
        module (str): the class's module.
        owner (str): name of the class.

    Returns:
        By attribute; empty if the source is not installed.
    """
    import ast
    from inspect import cleandoc

    spec = getattr(sys.modules.get(module), "__spec__", None)
    get_source = getattr(getattr(spec, "loader", None), "get_source", None)
    try:
        source = get_source(module) if get_source else None
    except ImportError:
        source = None
    found: Dict[str, str] = {}
    for node in ast.parse(source or "").body:
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for declared, below in zip(node.body, node.body[1:]):
                if isinstance(declared, ast.AnnAssign) and isinstance(below, ast.Expr):
                    text = getattr(below.value, "value", None)
                    if isinstance(declared.target, ast.Name) and isinstance(text, str):
                        found[declared.target.id] = cleandoc(text)
    return found


class Constructor:
    """The signature of a generated class: its attributes as keywords, with types and defaults."""

    def __get__(self, model: Optional[Model], owner: Type[Model]) -> Signature:
        from inspect import Parameter, Signature, signature
        from typing import get_type_hints

        for cls in owner.__mro__:
            if "__signature__" in vars(cls):
                break
            if "__init__" in vars(cls):  # of a class derived by hand
                own = signature(vars(cls)["__init__"])
                return own.replace(parameters=[*own.parameters.values()][1:])
        hints = get_type_hints(owner)
        parameters = [
            Parameter(
                attr,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.default is ... else field.default,
                annotation=hints[attr],
            )
            for attr, field in owner._fields.items()
        ]
        return Signature(parameters)
