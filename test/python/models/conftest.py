# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Go, asked by the tests of the models: see test/python/wire."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Callable, List

import pytest
from hypothesis import HealthCheck, Phase, settings

# The same examples on every run; matrix.py wants more of them once.
settings.register_profile(
    "matrix",
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    max_examples=int(os.environ.get("FLUXOPERATOR_EXAMPLES", "10")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("matrix")

Wire = Callable[..., List[str]]


@pytest.fixture(scope="session")
def wire() -> Wire:
    """Gives a function that runs a verb of wire on JSON values and gives its lines."""

    def ask(*arguments: str, values: Any = ()) -> List[str]:
        ran = subprocess.run(
            [os.environ["FLUXOPERATOR_WIRE"], *arguments],
            input="".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert ran.returncode == 0, ran.stderr.decode()
        return ran.stdout.decode().rstrip("\n").split("\n")

    return ask


@pytest.fixture(scope="session")
def crd() -> str:
    """Gives the file of the CustomResourceDefinition of the API with every rule."""
    (file,) = Path(os.environ["FLUXOPERATOR_RULES"], "crd").glob("*.yaml")
    return str(file)
