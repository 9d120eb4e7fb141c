# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the tests need of Go: the program of wire/, and the SDK of the API in testdata."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
RULES = HERE / "testdata" / "rules"

ONLY = ("--only", "crd,swagger,python")

Run = Callable[..., str]


def wire(run: Run, workdir: Path) -> Path:
    """Builds the program of wire/ and gives its path.

    Args:
        run (Callable): runs a command in a directory ``cwd``, raises if it fails.
        workdir (Path): where the program goes.
    """
    program = workdir / "wire"
    go = os.environ.get("GO", "go")
    run(go, "build", "-o", program, "./test/python/wire", cwd=CHECKOUT)
    return program


def rules(run: Run, workdir: Path) -> Path:
    """Makes the SDK of the API that has every rule.

    The directory is a project as a user of sdkgen has it; sdkgen skips what is unchanged
    since an earlier run.

    Args:
        run (Callable): runs a command in a directory ``cwd``, raises if it fails.
        workdir (Path): where the project goes.

    Returns:
        The project's directory: crd/ has the CustomResourceDefinition, sdk/ the package.

    Raises:
        FileNotFoundError: sdkgen is not there, ``make tools`` makes it.
    """
    tools = CHECKOUT / ".tools"
    if not (tools / "bin" / "sdkgen").is_file():
        raise FileNotFoundError(f"no sdkgen in {tools}: run `make tools` first")
    root = workdir / "rules"
    shutil.copytree(RULES, root, dirs_exist_ok=True)
    module = (CHECKOUT / "go.mod").read_text().splitlines(keepends=True)
    others = [line for line in module if "flux-framework/flux-operator" not in line]  # none in a directory of this checkout
    (root / "go.mod").write_text("module example.org/rules\n" + "".join(others))
    shutil.copy(CHECKOUT / "go.sum", root)
    run(tools / "bin" / "sdkgen", "generate", "-q", "--tools", tools, *ONLY, cwd=root)
    return root
