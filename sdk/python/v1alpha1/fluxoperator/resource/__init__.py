# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: use ``MiniClusterClient``."""
