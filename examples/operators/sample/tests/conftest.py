# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture(scope="session")
def kubectl_on_path():
    """Skips the test, or fails it in CI, where there is no kubectl."""
    if shutil.which("kubectl") is None:
        reason = "there is no kubectl on PATH: `make test` brings one"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
