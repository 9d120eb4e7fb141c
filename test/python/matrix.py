#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Tests the Python SDK with several versions of Python and of kubernetes.

For each pair it makes a virtual environment, installs the SDK into it with pip as a
user would, and runs the tests that were generated with the SDK and those beside this
file, or with --cluster those of test/e2e/python against the cluster that KUBECONFIG
leads to. A line a pair and a summary go to standard output.

Exit code 0: every pair passed, or pip refused it because that kubernetes does not
support that Python. 1: a pair failed, or could not run and --strict is given.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
CURRENT = f"{sys.version_info[0]}.{sys.version_info[1]}"

PYTHONS = ("3.9", "3.13", CURRENT)
KUBERNETES = ("36.0.3", "37.0.2")
# 36 is the first kubernetes that refuses Python 3.9, so the oldest Python has the
# oldest kubernetes that the SDK allows and the newest that is to be had for it.
ALSO = (("3.9", "29.0.0"), ("3.9", "35.0.0"))
# On a cluster, the oldest and the newest, and the last before kubernetes was made anew.
ON_CLUSTER = [ALSO[0], (CURRENT, KUBERNETES[0]), (PYTHONS[1], KUBERNETES[1])]

OK, FAILED, REFUSED, NOT_RUN = "ok", "FAILED", "refused", "not run"


class StepFailed(Exception):
    """A command ended with an error; its text is what the command printed."""


@dataclass(frozen=True)
class Outcome:
    """What became of a pair.

    Attributes:
        state (str): OK, FAILED, REFUSED or NOT_RUN.
        detail (str): one line that says more.
        output (str): what a failing command printed.
    """

    state: str
    detail: str
    output: str = ""


def pairs() -> List[Tuple[str, str]]:
    """Gives the pairs of Python and kubernetes, each once, in order."""
    crossed = [(python, kube) for python in PYTHONS for kube in KUBERNETES]
    return sorted({*crossed, *ALSO}, key=lambda pair: [*map(numbers, pair)])


def numbers(version: str) -> List[int]:
    """Gives a version in a form that sorts."""
    return [int(part) for part in version.split(".")]


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
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        yield Path(folder, f"python{version}")
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/{version}*/bin/python"), reverse=True)


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


def environment(workdir: Path, python: Path, version: str, kubernetes: str) -> Path:
    """Makes the virtual environment of a pair, or finds it from an earlier run.

    Args:
        workdir (Path): where environments are kept.
        python (Path): the interpreter.
        version (str): its full version.
        kubernetes (str): the version to install.

    Returns:
        The environment's interpreter.

    Raises:
        StepFailed: pip could not install what is needed.
    """
    pins = (HERE / "requirements.txt").read_bytes()
    key = hashlib.sha256(f"{version} {kubernetes}\n".encode() + pins).hexdigest()
    home = workdir / "venv" / f"{version}-{kubernetes}"
    inner = home / "bin" / "python"
    ready = home / "ready"
    if ready.is_file() and ready.read_text() == key:
        return inner
    shutil.rmtree(home, ignore_errors=True)
    run(python, "-m", "venv", home, cwd=workdir)
    pip = (inner, "-m", "pip", "install", "-q", "-r", HERE / "requirements.txt")
    run(*pip, f"kubernetes=={kubernetes}", cwd=workdir)
    ready.write_text(key)
    return inner


def test(
    workdir: Path,
    sdk: Path,
    python: Path,
    name: str,
    kubernetes: str,
    sources: Dict[str, Path],
) -> str:
    """Installs the SDK and runs the tests of some folders, all from copies.

    pip and pytest leave files where they work, and a source tree beside the tests
    would be imported in place of what was installed.

    Returns:
        The line in which pytest sums up.

    Raises:
        StepFailed: the SDK could not be installed, or a test failed.
    """
    scratch = workdir / "run" / name
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    skip = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    shutil.copytree(sdk, scratch / "sdk", ignore=skip)
    for folder, source in sources.items():
        (scratch / folder).mkdir()
        for path in sorted(source.glob("*.py")):
            if path.name not in ("__init__.py", "matrix.py"):
                shutil.copy(path, scratch / folder)
    (scratch / "pins").write_text(f"kubernetes=={kubernetes}\n")
    pip = (python, "-m", "pip")
    run(*pip, "install", "-q", "-c", "pins", "./sdk", cwd=scratch)
    run(*pip, "check", cwd=scratch)
    options = ("-q", "-p", "no:cacheprovider", "--import-mode=importlib")
    printed = run(
        *(python, "-m", "pytest", *options, *sources),
        env={"FLUXOPERATOR_CHECKOUT": str(CHECKOUT), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=scratch,
    )
    return printed.strip().splitlines()[-1]


def attempt(
    workdir: Path, sdk: Path, pair: Tuple[str, str], sources: Dict[str, Path]
) -> Outcome:
    """Does all that is to be done for a pair."""
    version, kubernetes = pair
    found = interpreter(version)
    if found is None:
        return Outcome(NOT_RUN, f"no python{version} on PATH or in pyenv")
    path, full = found
    try:
        python = environment(workdir, path, full, kubernetes)
    except StepFailed as error:
        # pip lists the releases it passed over: "37.0.2 Requires-Python >=3.10".
        release = rf"(?<![0-9.]){re.escape(kubernetes)} (Requires-Python [^;\s]+)"
        refusal = re.search(release, str(error))
        if refusal:
            return Outcome(REFUSED, f"pip: kubernetes {kubernetes} {refusal[1]}")
        return Outcome(FAILED, "making the environment", str(error))
    try:
        name = f"{full}-{kubernetes}"
        return Outcome(OK, test(workdir, sdk, python, name, kubernetes, sources))
    except StepFailed as error:
        return Outcome(FAILED, "installing or testing", str(error))


def main(arguments: List[str]) -> int:
    """Runs the matrix and gives the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--workdir",
        type=Path,
        required=True,
        help="where environments are kept from run to run and tests run",
    )
    parser.add_argument(
        "--sdk",
        type=Path,
        default=CHECKOUT / "sdk" / "python" / "v1alpha1",
        help="the SDK to test (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="pairs at a time (default: %(default)s)",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        default=bool(os.environ.get("CI")),
        help="fail when an interpreter is missing (default where CI is set)",
    )
    parser.add_argument(
        "--cluster",
        action="store_true",
        help="run the tests that need a cluster, which KUBECONFIG leads to",
    )
    options = parser.parse_args(arguments)
    sdk = options.sdk.resolve()
    sources = {"generated": sdk / "test", "python": HERE}
    if options.cluster:
        sources = {"cluster": CHECKOUT / "test" / "e2e" / "python"}
        if not os.environ.get("KUBECONFIG"):
            parser.error("KUBECONFIG names no cluster: `make test-e2e` starts one")
    if not (sdk / "pyproject.toml").is_file():
        parser.error(f"no SDK in {sdk}: run `make api` first")
    workdir = options.workdir.resolve()
    workdir.mkdir(parents=True, exist_ok=True)

    began = time.monotonic()
    todo = ON_CLUSTER if options.cluster else pairs()
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        outcomes = pool.map(lambda pair: attempt(workdir, sdk, pair, sources), todo)
        count = dict.fromkeys((OK, FAILED, REFUSED, NOT_RUN), 0)
        for (version, kubernetes), outcome in zip(todo, outcomes):
            count[outcome.state] += 1
            title = f"Python {version}, kubernetes {kubernetes}"
            print(f"{outcome.state}: {title}: {outcome.detail}", flush=True)
            if outcome.output:
                print(outcome.output.rstrip(), flush=True)
    summary = ", ".join(f"{number} {state}" for state, number in count.items())
    print(f"{len(todo)} pairs: {summary} ({time.monotonic() - began:.0f} s)")
    missing = options.strict and count[NOT_RUN] > 0
    return 1 if count[FAILED] or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
