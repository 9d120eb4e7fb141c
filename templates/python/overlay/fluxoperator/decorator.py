# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: the decorator that measures methods."""

from __future__ import annotations

import time
from functools import wraps
from typing import Any, Callable

from . import _deprecated


def _timed(method: Callable[..., Any]) -> Callable[..., Any]:
    """Has a method note in ``self.times``, by its name, the seconds that it took."""

    @wraps(method)
    def measured(self: Any, *args: Any, **kwargs: Any) -> Any:
        name, began = kwargs.pop("timed_name", method.__name__), time.monotonic()
        found = method(self, *args, **kwargs)
        self.times[name] = round(time.monotonic() - began, 3)
        return found

    return measured


__getattr__ = _deprecated.lookup(__name__, {"timed": (f"{__name__}:_timed", "time.monotonic")})
