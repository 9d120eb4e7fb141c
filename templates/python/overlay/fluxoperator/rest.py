# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: use ``kubernetes.client.rest`` and ``fluxoperator.errors``."""

from . import _deprecated

_REST = "kubernetes.client.rest"

__getattr__ = _deprecated.lookup(
    __name__,
    {
        "ApiException": _deprecated.ERRORS["ApiException"],
        "ApiValueError": _deprecated.ERRORS["ApiValueError"],
        "RESTClientObject": (_REST, f"{_REST}.RESTClientObject"),
        "RESTResponse": (_REST, f"{_REST}.RESTResponse"),
    },
)
