# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: use ``kubernetes.client``."""

from . import _deprecated

__getattr__ = _deprecated.lookup(__name__, {"Configuration": _deprecated.NAMES["Configuration"]})
