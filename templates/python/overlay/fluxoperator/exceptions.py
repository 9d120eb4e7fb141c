# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: use ``fluxoperator.errors``."""

from . import _deprecated

_ERRORS = "fluxoperator.errors"

__getattr__ = _deprecated.lookup(
    __name__,
    {
        **_deprecated.ERRORS,
        "NotFoundException": (f"{_ERRORS}:NotFound", f"{_ERRORS}.NotFound"),
        "UnauthorizedException": (f"{_ERRORS}:Unauthorized", f"{_ERRORS}.Unauthorized"),
        "ForbiddenException": (f"{_ERRORS}:Forbidden", f"{_ERRORS}.Forbidden"),
        "ServiceException": (f"{_ERRORS}:ServerError", f"{_ERRORS}.ServerError"),
    },
)
