# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs the operator by ``python -m copyrator``."""

import sys

from .cli import main

sys.exit(main())
