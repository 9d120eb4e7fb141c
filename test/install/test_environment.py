# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is planted in a virtual environment below .tools/ is not run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Callable, Dict

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hack"))
from environment import Environment, key


class Planted(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.home = Path(place.name, "checkout", ".tools", "venv")
        self.cache = Path(place.name, "cache")
        self.made = 0
        self.assertTrue(self.remade())

    def create(self) -> None:
        """Makes what stands for an environment."""
        self.made += 1
        for name in ("bin", "site/pip/__pycache__"):
            (self.home / name).mkdir(parents=True)
        (self.home / "bin" / "python").symlink_to(sys.executable)
        for name in ("bin/pip", "site/pip/__init__.py", "site/pip/__pycache__/__init__.pyc", "pyvenv.cfg"):
            (self.home / name).write_text(name)

    def remade(self, wanted: str = "a==1", **environ: str) -> bool:
        before = self.made
        environment = Environment(self.home, wanted, environ or {"XDG_CACHE_HOME": str(self.cache)})
        if not environment.intact():
            environment.make(self.create)
        return self.made > before

    def test_planted(self) -> None:
        """Each of these would be run by the environment's next user, and survives no second call."""
        plants: Dict[str, Callable[[], object]] = {
            "a program": lambda: (self.home / "bin" / "git").write_text("#!/bin/sh\n"),
            "a patched program": lambda: (self.home / "bin" / "pip").write_text("#!/bin/sh\n"),
            "a .pth file": lambda: (self.home / "site" / "a.pth").write_text("import os\n"),
            "a module": lambda: (self.home / "site" / "pip" / "__init__.py").write_text("import os\n"),
            "bytecode": lambda: (self.home / "site/pip/__pycache__/__init__.pyc").write_bytes(b"x"),
            "a link": lambda: (self.home / "bin" / "mypy").symlink_to("/bin/true"),
            "another interpreter": self.swap,
            "a mode": lambda: (self.home / "bin" / "pip").chmod(0o755),
            "a file less": lambda: (self.home / "pyvenv.cfg").unlink(),
        }
        for name, plant in plants.items():
            with self.subTest(name):
                plant()
                self.assertTrue(self.remade())
                self.assertFalse(self.remade())

    def swap(self) -> None:
        (self.home / "bin" / "python").unlink()
        (self.home / "bin" / "python").symlink_to("/bin/true")

    def test_other_key(self) -> None:
        self.assertTrue(self.remade("a==2"))
        self.assertFalse(self.remade("a==2"))

    def test_no_cache(self) -> None:
        """Without a directory that is the user's, nothing is trusted."""
        for environ in {"HOME": ""}, {"XDG_CACHE_HOME": "relative"}:
            self.assertTrue(self.remade(**environ))
            self.assertTrue(self.remade(**environ))

    def test_moved(self) -> None:
        """An environment that comes from another checkout is not the one that was made here."""
        self.home.rename(self.home.with_name("other"))
        self.home = self.home.with_name("other")
        self.assertTrue(self.remade())

    def test_key(self) -> None:
        """What a requirements file or a package says is part of the key, not its name alone."""
        package = self.home.parent / "package"
        package.mkdir()
        file = package / "pyproject.toml"
        for argument in str(file), str(package):
            keys = set()
            for text in "a==1", "a==2":
                file.write_text(text)
                keys.add(key("3.13", ["-r", argument]))
            self.assertEqual(len(keys), 2)

    def test_command(self) -> None:
        """A real environment is kept; pip's failure is said, and what is half installed is not taken."""
        env = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
        home = self.home.with_name("real")
        command = [sys.executable, str(ROOT / "hack" / "environment.py"), str(home)]
        subprocess.run(command, env=env, check=True)
        before = home.stat().st_ino
        subprocess.run(command, env=env, check=True)
        self.assertEqual(home.stat().st_ino, before)
        done = subprocess.run([*command, "--no-index", "none-such"], env=env, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"environment: making {home}", done.stderr)
        self.assertFalse(Environment(home, key(sys.version, ["--no-index", "none-such"]), env).intact())


if __name__ == "__main__":
    unittest.main()
