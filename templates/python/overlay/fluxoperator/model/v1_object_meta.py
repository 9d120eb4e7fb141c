# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""``V1ObjectMeta`` of the installed ``kubernetes``: what every object has."""

from kubernetes.client import V1ObjectMeta

__all__ = ["V1ObjectMeta"]
