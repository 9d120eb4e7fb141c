# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Names that SDKs of openapi-generator have, and what replaces each."""

from __future__ import annotations

import warnings
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from typing import Any, Callable, Mapping, Tuple, TypeVar, cast

_C = TypeVar("_C", bound=Callable[..., Any])
_within: ContextVar[bool] = ContextVar("within", default=False)
_PACKAGE = __name__.rpartition(".")[0]


class ApiAttributeError(AttributeError):
    """An attribute that does not exist. Nothing raises it; kubernetes 29 does not have it."""


# By name, the module that has it and what to use in its place.
ERRORS = {
    "ApiException": ("kubernetes.client", f"{_PACKAGE}.errors.ApiError"),
    "ApiTypeError": ("kubernetes.client", "TypeError"),
    "ApiValueError": ("kubernetes.client", "ValueError"),
    "ApiKeyError": ("kubernetes.client", "KeyError"),
    "ApiAttributeError": (__name__, "AttributeError"),
    "OpenApiException": ("kubernetes.client", f"{_PACKAGE}.errors.ApiError"),
}
NAMES = {
    **ERRORS,
    "ApiClient": ("kubernetes.client", "kubernetes.client.ApiClient"),
    "Configuration": ("kubernetes.client", "kubernetes.client.Configuration"),
}


def lookup(module: str, names: Mapping[str, Tuple[str, str]]) -> Callable[..., Any]:
    """Returns the ``__getattr__`` of a module whose names are deprecated.

    Args:
        module (str): the module's name, for messages.
        names (Mapping[str, Tuple[str, str]]): by deprecated name, the module that has it, with
            a name of its own after a colon where that differs, and what to use in its place.
    """

    def find(name: str, level: int = 2) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, instead = names[name]
        text = f"{module}.{name} is deprecated: use {instead}"
        warnings.warn(text, DeprecationWarning, stacklevel=level)
        home, _, other = home.partition(":")
        return getattr(import_module(home), other or name)

    return find


def replaced(instead: str) -> Callable[[_C], _C]:
    """Returns a decorator of deprecated functions. A call warns and names what to use
    ``instead``; the calls that the function itself makes do not."""

    def decorate(function: _C) -> _C:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not _within.get():
                text = f"{function.__qualname__} is deprecated: use {instead}"
                warnings.warn(text, DeprecationWarning, stacklevel=2)
            token = _within.set(True)
            try:
                return function(*args, **kwargs)
            finally:
                _within.reset(token)

        return cast(_C, call)

    return decorate
