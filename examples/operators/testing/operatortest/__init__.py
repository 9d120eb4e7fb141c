# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs an operator as its own ServiceAccount on a real control plane, and watches it.

What is here are fixtures of pytest, in ``plugin``; the rest are their parts.
"""

from .proxy import Proxy
from .process import Operator

__version__ = "0.1.0"
__all__ = ["Operator", "Proxy"]
