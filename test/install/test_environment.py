# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A virtual environment below .tools/ is kept while its packages are the same."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hack"))
from environment import Environment, key


class Environments(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.home = Path(place.name, "checkout", ".tools", "venv")
        self.assertTrue(self.recreated())

    def recreated(self, packages: str = "a==1") -> bool:
        environment = Environment(self.home, packages)
        if environment.complete():
            return False
        environment.make(lambda: self.home.mkdir(parents=True))
        return True

    def test_kept(self) -> None:
        self.assertFalse(self.recreated())

    def test_other_key(self) -> None:
        self.assertTrue(self.recreated("a==2"))
        self.assertFalse(self.recreated("a==2"))

    def test_moved(self) -> None:
        """An environment that comes from another checkout is not the one that was made here."""
        self.home.rename(self.home.with_name("other"))
        self.home = self.home.with_name("other")
        self.assertTrue(self.recreated())

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
        home = self.home.with_name("real")
        command = [sys.executable, str(ROOT / "hack" / "environment.py"), str(home)]
        subprocess.run(command, check=True)
        before = home.stat().st_ino
        subprocess.run(command, check=True)
        self.assertEqual(home.stat().st_ino, before)
        done = subprocess.run([*command, "--no-index", "none-such"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"environment: making {home}", done.stderr)
        self.assertFalse(Environment(home, key(sys.version, ["--no-index", "none-such"])).complete())


if __name__ == "__main__":
    unittest.main()
