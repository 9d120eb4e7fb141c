# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs commands, and finds the Pythons that the tests run on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, Optional, Tuple

HERE = Path(__file__).resolve().parent
CURRENT = f"{sys.version_info[0]}.{sys.version_info[1]}"


class StepFailed(Exception):
    """A command ended with an error; its text is what the command printed."""


class NoInterpreter(Exception):
    """There is no Python of the version that is asked for."""


def run(*command: object, env: Optional[Dict[str, str]] = None, cwd: Path) -> str:
    """Runs a command and gives what it printed.

    Args:
        command (object): the program and its arguments.
        env (Optional[Dict[str, str]]): added to the environment. Default None.
        cwd (Path): where it runs.

    Raises:
        StepFailed: it could not be started or its exit code is not 0.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    inherited.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", **(env or {}))
    line = [str(word) for word in command]
    try:
        done = subprocess.run(
            line,
            cwd=cwd,
            env=inherited,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        raise StepFailed(f"{line[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise StepFailed(f"$ {' '.join(line)}\n{done.stdout}")
    return done.stdout


def candidates(version: str) -> Iterator[Path]:
    """Gives the places where an interpreter of a version like 3.9 may be."""
    if version == CURRENT:
        yield Path(sys.executable)
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        yield Path(directory, f"python{version}")
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/{version}*/bin/python"), reverse=True)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    yield cache / "flux-operator-python" / "bin" / f"python{version}"


def interpreter(version: str) -> Optional[Tuple[Path, str]]:
    """Finds an interpreter that can make virtual environments.

    Args:
        version (str): major and minor, as 3.9.

    Returns:
        Its path and full version, or None. A pyenv shim that is not enabled, an
        interpreter without ensurepip and one of another version are passed over.
    """
    probe = "import ensurepip, sys, venv; print('%d.%d.%d' % sys.version_info[:3])"
    for path in candidates(version):
        if not path.is_file():
            continue
        try:
            found = run(path, "-c", probe, cwd=HERE).strip()
        except StepFailed:
            continue
        if found.startswith(version + "."):
            return path, found
    return None
