#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Creates a virtual environment, or keeps the one of an earlier run with the same packages.

    hack/environment.py DIRECTORY [ARGUMENT OF pip install ...]

A file in the environment holds its key: Python's version, pip's arguments and the files that these name.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, Sequence


class Environment:
    """A virtual environment in a directory, with the packages installed there.

    Attributes:
        home (Path): the directory.
        python (Path): the environment's interpreter.
    """

    def __init__(self, home: Path, key: str) -> None:
        """Names an environment.

        Arguments:
            home: the directory.
            key: names the packages: another key is another environment.
        """
        self.home = home.absolute()
        self.python = self.home / "bin" / "python"
        self._key = f"{self.home}\n{key}"
        self._file = self.home / "environment.key"

    def complete(self) -> bool:
        """Whether the environment is installed at this path with this key."""
        return self._file.is_file() and self._file.read_text() == self._key

    def make(self, create: Callable[[], None]) -> None:
        """Creates the environment anew.

        Arguments:
            create: creates the environment, and installs into it.
        """
        shutil.rmtree(self.home, ignore_errors=True)
        create()
        self._file.write_text(self._key)


def key(version: str, arguments: Sequence[str]) -> str:
    """Names an environment by its Python, what pip is given, and the files that this names."""
    text = [version, *arguments]
    for argument in map(Path, arguments):
        for file in (argument, argument / "pyproject.toml"):
            if file.is_file():
                text.append(file.read_text())
    return "\n".join(text)


def main(home: str, *arguments: str) -> int:
    """Makes the environment with the Python that runs this, or finds it; gives the exit code."""
    environment = Environment(Path(home), key(sys.version, arguments))

    def create() -> None:
        subprocess.run([sys.executable, "-m", "venv", str(environment.home)], check=True)
        if arguments:
            pip = [str(environment.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *arguments], check=True)

    try:
        if not environment.complete():
            environment.make(create)
    except subprocess.CalledProcessError as error:
        print(f"environment: making {home}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY [ARGUMENT OF pip install ...]")
    sys.exit(main(*sys.argv[1:]))
