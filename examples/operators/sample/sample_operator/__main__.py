# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""``python -m sample_operator`` is ``sample-operator``."""

import sys

from .cli import main

sys.exit(main())
