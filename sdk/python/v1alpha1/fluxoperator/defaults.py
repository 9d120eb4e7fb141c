# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: use ``MiniCluster.VERSION``."""

from . import _deprecated

_VERSION = "v1alpha1"

__getattr__ = _deprecated.lookup(
    __name__,
    {"flux_operator_api_version": (f"{__name__}:_VERSION", "fluxoperator.MiniCluster.VERSION")},
)
