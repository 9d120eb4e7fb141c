# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs the processes that are measured, in rounds that alternate between the sides."""

from __future__ import annotations

import ast
import io
import json
import resource
import sys
import time
import tokenize
from pathlib import Path
from typing import Any, Dict, List, Tuple

from interpreters import StepFailed, run
from matrix import CHECKOUT

from .figures import Figures, importing
from .prepare import Workshop
from .sides import ENVIRONMENTS, SIDES, environments

WORKER = Path(__file__).resolve().with_name("worker.py")
# The kernel hands the largest size of the process that starts another on to it, so a
# child is asked for its own, where there is a file that tells.
PEAK = """
try:
    with open("/proc/self/status") as status:
        print([line.split()[1] for line in status if line.startswith("VmHWM")][0])
except OSError:
    import resource, sys
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak // 1024 if sys.platform == "darwin" else peak)
"""
LOADED = """
import sys
files = {name: getattr(sys.modules[name], "__file__", "") for name in sys.modules}
import json, sysconfig
roots = tuple(sysconfig.get_path(key) for key in ("purelib", "platlib"))
found = {name for name, file in files.items() if file and file.startswith(roots)}
print(json.dumps([len(files), sorted({name.partition(".")[0] for name in found})]))
"""
IMPORTS_A_ROUND = 3


class OwnSideFailed(Exception):
    """This SDK could not be measured; the text says why."""


class Bench:
    """A run of the benchmark.

    Attributes:
        figures (Figures): what was found so far.
        pythons (Dict[str, Path]): interpreter of each environment that is there.
    """

    def __init__(self, shop: Workshop, sides: List[str], rounds: int) -> None:
        self.shop = shop
        self.sides = sides
        self.figures = Figures(rounds)
        self.pythons: Dict[str, Path] = {}

    def run(self) -> Figures:
        """Prepares the sides and measures them.

        Raises:
            OwnSideFailed: a side that is this SDK failed. The failure of another one
                becomes a problem in the figures, and the side is left out.
        """
        self.prepare()
        for name in self.sides:
            self.attempt(name, self.describe)
        # The first round writes bytecode and fills the disk's cache.
        for number in range(self.figures.rounds + 1):
            print(f"bench: round {number} of {self.figures.rounds}", file=sys.stderr)
            for _ in range(IMPORTS_A_ROUND if number else 1):
                for name in self.sides:
                    self.attempt(name, self.imports)
            if number == 0:
                self.figures.samples.clear()
                continue
            for name in self.sides:
                self.attempt(name, self.work)
        return self.figures

    def prepare(self) -> None:
        self.shop.fresh("wheel")
        for name in environments(self.sides):
            users = [side for side in self.sides if SIDES[side].environment == name]
            try:
                self.pythons[name] = self.shop.install(name, ENVIRONMENTS[name])
            except StepFailed as error:
                for side in users:
                    self.failed(side, error)
        self.figures.parts = parts(self.shop.sdk)

    def attempt(self, name: str, step: Any) -> None:
        """Does one step of a side unless the side has failed before."""
        if name in self.figures.problems:
            return
        try:
            step(name)
        except StepFailed as error:
            self.failed(name, error)

    def failed(self, name: str, error: StepFailed) -> None:
        print(f"bench: {SIDES[name].title}: {error}", file=sys.stderr)
        if SIDES[name].own:
            raise OwnSideFailed(SIDES[name].title) from error
        # pip and Python end with what is wrong.
        reason = str(error).strip().splitlines()[-1].replace(str(CHECKOUT), ".")
        self.figures.problems[name] = reason

    def ask(self, name: str, *words: str) -> Any:
        """Runs the worker in a side's interpreter."""
        return json.loads(self.start(name, WORKER, *words))

    def execute(self, name: str, code: str) -> str:
        """Executes code in a side's interpreter and gives the last line it prints."""
        return self.start(name, "-c", code)

    def start(self, name: str, *words: object) -> str:
        python = self.pythons[SIDES[name].environment]
        return run(python, "-I", *words, cwd=self.shop.directory).splitlines()[-1]

    def describe(self, name: str) -> None:
        """Finds what is the same in every round."""
        side, figures = SIDES[name], self.figures
        for title, statement in side.imports.items():
            got = self.execute(name, statement + LOADED)
            figures.loaded[importing(name, title)] = tuple(json.loads(got))
        if side.workload and side.comparable:
            figures.sent[name] = self.ask(name, "wire", side.workload)
        environment = ENVIRONMENTS[side.environment]
        sizes = self.ask(name, "footprint", environment.package)
        if environment.wheel:
            sizes["wheel"] = self.shop.wheel(environment.wheel).stat().st_size
        figures.sizes[side.environment] = sizes

    def imports(self, name: str) -> None:
        """Measures each import of a side in a process of its own."""
        for title, statement in SIDES[name].imports.items():
            before, began = children(), time.perf_counter()
            peak = self.execute(name, statement + PEAK)
            wall, cpu = time.perf_counter() - began, children() - before
            sample = {"cpu": cpu, "wall": wall, "peak": int(peak) / 1024}
            self.figures.add(importing(name, title), sample)

    def work(self, name: str) -> None:
        """Measures a side's workload."""
        workload = SIDES[name].workload
        if workload:
            for what in ("speed", "memory"):
                self.figures.add(name, self.ask(name, what, workload))


def children() -> float:
    """Gives the CPU seconds of all processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def parts(sdk: Path) -> Dict[str, Tuple[int, int]]:
    """Counts the lines of an SDK's package by what they are for: all, and code."""
    counted = dict.fromkeys(("models", "api", "runtime"), (0, 0))
    package = sdk / "fluxoperator"
    for path in package.rglob("*.py"):
        top = path.relative_to(package).parts[0].partition(".")[0]
        part = {"models": "models", "model": "models", "api": "api"}.get(top, "runtime")
        source = path.read_text(encoding="utf-8")
        lines, code = counted[part]
        counted[part] = (lines + source.count("\n"), code + code_lines(source))
    return counted


def code_lines(source: str) -> int:
    """Counts the lines of a module that are no blanks, comments or docstrings."""
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.string.strip() and token.type != tokenize.COMMENT:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(found)
