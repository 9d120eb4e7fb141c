# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes a package of the runtime, without any generated SDK: ``runtime.python``, whose module
``models`` is the one that lies here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from runtime.python.tests import models  # noqa: E402

sys.modules["runtime.python.models"] = models
