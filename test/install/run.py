#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Tests the ways to install sdkgen (wheel, pre-commit hook, GitHub Action), the workflows and what they publish.

Makes a virtual environment with requirements.txt below .tools/install/, kept from run to run, and runs the
tests there. With --all, the wheels of all platforms are built.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TESTS = [path.stem for path in sorted(HERE.glob("test_*.py"))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="test/install/run.py")
    parser.add_argument("--all", action="store_true", help="build the wheels of all platforms")
    parser.add_argument("names", nargs="*", default=TESTS, help="tests, as unittest names them")
    args = parser.parse_args()
    python = ROOT / ".tools" / "install" / "venv" / "bin" / "python"
    pins = ["--require-hashes", "-r", HERE / "requirements.txt"]
    subprocess.run([sys.executable, ROOT / "hack" / "environment.py", python.parents[1], *pins], check=True)
    env = dict(os.environ, PATH=f"{python.parent}{os.pathsep}{os.environ['PATH']}")
    if args.all:
        env["SDKGEN_WHEELS"] = "all"
    command = [str(python), "-m", "unittest", "-v", *args.names]
    return subprocess.run(command, cwd=HERE, env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
