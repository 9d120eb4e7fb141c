# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""``V1Condition`` of the installed ``kubernetes``: an entry in a status."""

from kubernetes.client import V1Condition

__all__ = ["V1Condition"]
