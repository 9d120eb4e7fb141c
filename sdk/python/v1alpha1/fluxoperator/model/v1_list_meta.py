# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""``V1ListMeta`` of the installed ``kubernetes``: what every list has."""

from kubernetes.client import V1ListMeta

__all__ = ["V1ListMeta"]
