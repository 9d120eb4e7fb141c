# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""An operator for Samples: each asks for a number of replicas of its namespace's Deployment."""

__version__ = "0.1.0"
