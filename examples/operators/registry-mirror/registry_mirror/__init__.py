# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The operator of RegistryMirrors: what they are made of is in ``mirror``."""

__version__ = "0.2.0"
