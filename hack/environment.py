#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes a virtual environment, or takes the one of an earlier run if no file in it has changed since.

    hack/environment.py DIRECTORY [ARGUMENT OF pip install ...]

A file that says "ready" inside an environment proves nothing: whoever plants a program there plants that file
too. The checksum of the environment is therefore kept outside of the checkout, in the user's cache directory.
Without one (neither XDG_CACHE_HOME nor HOME), every run makes the environment anew.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, Iterator, Mapping, Optional, Sequence


class Environment:
    """A virtual environment in a directory, with the packages installed there.

    Attributes:
        home (Path): the directory.
        python (Path): the environment's interpreter.
    """

    def __init__(self, home: Path, key: str, environ: Mapping[str, str] = os.environ) -> None:
        """Names an environment.

        Arguments:
            home: the directory.
            key: names the packages: another key is another environment.
            environ: environment variables, which lead to the user's cache directory.
        """
        self.home = home.absolute()
        self.python = self.home / "bin" / "python"
        self._key = key
        self._seal = _seal(self.home, environ)

    def intact(self) -> bool:
        """Whether the environment has that key and no file has changed since seal()."""
        if self._seal is None or not self._seal.is_file():
            return False
        return self._seal.read_text() == self._checksum()

    def make(self, create: Callable[[], None]) -> None:
        """Makes the environment anew and seals it.

        Arguments:
            create: makes the environment where there is none, and installs into it.
        """
        shutil.rmtree(self.home, ignore_errors=True)
        create()
        self.seal()

    def seal(self) -> None:
        """Takes the environment as it is now for the right one."""
        if self._seal is None:
            return
        self._seal.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        scratch = self._seal.with_name(f"{self._seal.name}.{os.getpid()}")
        scratch.write_text(self._checksum())
        scratch.replace(self._seal)

    def _checksum(self) -> str:
        total = hashlib.sha256(self._key.encode())
        for path in _files(self.home):
            total.update(f"\n{path.relative_to(self.home)}\0{_content(path)}".encode())
        return total.hexdigest()


def _seal(home: Path, environ: Mapping[str, str]) -> Optional[Path]:
    cache = environ.get("XDG_CACHE_HOME") or (environ.get("HOME") and f"{environ['HOME']}/.cache")
    if not cache or not os.path.isabs(cache):
        return None
    name = hashlib.sha256(str(home).encode()).hexdigest()
    return Path(cache, "flux-operator-environments", name)


def _files(directory: Path) -> Iterator[Path]:
    """What lies below a directory and is no directory itself, sorted."""
    for path in sorted(directory.iterdir()) if directory.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        else:
            yield path


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return f"{path.stat().st_mode & 0o777:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


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
        if not environment.intact():
            environment.make(create)
    except subprocess.CalledProcessError as error:
        print(f"environment: making {home}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY [ARGUMENT OF pip install ...]")
    sys.exit(main(*sys.argv[1:]))
