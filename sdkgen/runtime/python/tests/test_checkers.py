# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""ruff, mypy and pyright have nothing to say of the runtime, nor of its tests."""

import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

RUNTIME = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--no-cache"],
        ["ruff", "format", "--check", "--no-cache"],
        ["mypy", "--cache-dir", str(Path(sys.prefix, "mypy_cache", "runtime"))],
        ["pyright", "--pythonpath", sys.executable],
    ],
    ids=" ".join,
)
def test_nothing_is_found(command: List[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=RUNTIME,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
