# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""mypy and pyright: no error in the package and in right code, each mistake caught.

The package has the overlay in it. Beside it and typing/user.py, what is written by hand and
names the SDK is checked, so that ``make test`` reports a name that the API has lost.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fluxoperator

CHECKOUT = Path(os.environ["FLUXOPERATOR_CHECKOUT"])
TYPING = CHECKOUT / "test" / "python" / "typing"
# Hand-written Python, but for the tests beside matrix.py: those run on every pair, and give
# the models wrong values on purpose.
WRITTEN = ("examples/python/*.py", "test/e2e/python/*.py", "hack/environment.py") + tuple(
    f"test/python/{name}.py" for name in ("golang", "interpreters", "matrix")
)
# kubernetes 37 and pydantic cannot be read as Python 3.9: mypy takes their classes for Any there.
OLDEST, NEWEST = "3.9", "3.13"

# What mypy and pyright call each kind of mistake.
KINDS = {
    "missing": ({"call-arg"}, {"CallIssue"}),
    "keyword": ({"call-arg"}, {"CallIssue"}),
    "positional": ({"misc", "call-arg"}, {"CallIssue"}),
    "argument": ({"arg-type", "list-item", "dict-item"}, {"ArgumentType"}),
    "attribute": ({"attr-defined"}, {"AttributeAccessIssue"}),
    "assigned": (
        {"assignment", "list-item"},
        {"AttributeAccessIssue", "AssignmentType"},
    ),
    "item": ({"index"}, {"IndexIssue"}),
    "literal": ({"arg-type", "assignment"}, {"ArgumentType", "AttributeAccessIssue"}),
}

# Text of the example, what it is misspelt as, and the kind of error that this is.
EXAMPLE = "examples/python/wait-and-logs.py"
MISSPELT = {
    "field": ("= finished.status\n", "= finished.statsu\n", "attribute"),
    "keyword": ("            size=2,\n", "            sise=2,\n", "keyword"),
    "class": ("MiniClusterContainer, MiniClusterSpec\n", "MiniClusterContainer, MiniClusterSpce\n", "attribute"),
    "method": ("client.wait_finished(", "client.wait_finnished(", "attribute"),
}


def run(*command, cwd):
    """Runs a checker and gives what it printed; that it found errors is no failure."""
    ran = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    return ran.stdout


def mypy(directory, name, version):
    """Gives the errors that mypy finds in a directory's file or package.

    Args:
        directory (Path): where it runs and keeps its files.
        name (str): what to check.
        version (str): the Python to check for.

    Returns:
        Name of the file, line, kind and text of each error.
    """
    config = directory / "mypy.ini"
    skip = "" if version == NEWEST else "follow_imports = skip\n"
    config.write_text(
        f"[mypy]\nstrict = true\npython_version = {version}\n"
        f"[mypy-kubernetes.*,pydantic.*,yaml.*]\nignore_missing_imports = true\n{skip}"
    )
    options = ("--no-error-summary", "--cache-dir", Path(sys.prefix, "mypy_cache"))
    said = run("mypy", "--config-file", config, *options, name, cwd=directory)
    found = re.findall(r"^(.+?):(\d+): error: (.*)  \[([\w-]+)\]$", said, re.M)
    assert len(found) == said.count(": error: "), said
    return [(Path(file).name, int(line), kind, text) for file, line, text, kind in found]


def pyright(directory, name, version):
    """The same of pyright, with what its standard mode finds."""
    settings = {"pythonVersion": version, "include": [name]}
    settings["reportUnusedExpression"] = False
    settings["extraPaths"] = ["written/hack"]  # where matrix.py finds environment.py
    (directory / "pyrightconfig.json").write_text(json.dumps(settings))
    command = ("pyright", "--outputjson", "-p", directory, "--pythonpath", sys.executable)
    report = json.loads(run(*command, cwd=directory))
    assert report["summary"]["filesAnalyzed"] > 0
    return [
        (
            Path(item["file"]).name,
            item["range"]["start"]["line"] + 1,
            re.sub("^report", "", item.get("rule", "")),
            item["message"],
        )
        for item in report["generalDiagnostics"]
        if item["severity"] == "error"
    ]


@pytest.fixture(params=[mypy, pyright], ids=["mypy", "pyright"])
def checker(request):
    return request.param


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_the_package_has_no_errors(checker, tmp_path, version):
    # pyright passes over what is installed.
    shutil.copytree(Path(fluxoperator.__file__).parent, tmp_path / "fluxoperator")
    assert checker(tmp_path, "fluxoperator", version) == []


def test_code_of_users_has_no_errors(checker, tmp_path):
    shutil.copy(TYPING / "user.py", tmp_path)
    assert checker(tmp_path, "user.py", NEWEST) == []


def test_hand_written_python_has_no_errors(checker, tmp_path):
    for pattern in WRITTEN:
        found = sorted(CHECKOUT.glob(pattern))
        assert found, f"{pattern} matches nothing"
        for path in found:
            target = tmp_path / "written" / path.relative_to(CHECKOUT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    assert checker(tmp_path, "written", NEWEST) == []


def test_a_misspelt_name_in_an_example_is_caught(checker, tmp_path):
    text = (CHECKOUT / EXAMPLE).read_text(encoding="utf-8")
    (tmp_path / "misspelt").mkdir()
    for stem, (right, wrong, _) in MISSPELT.items():
        assert text.count(right) == 1, f"{EXAMPLE} has no {right!r}, or several"
        (tmp_path / "misspelt" / f"misspelt_{stem}.py").write_text(text.replace(right, wrong), encoding="utf-8")
    found = {}
    for file, _, kind, message in checker(tmp_path, "misspelt", NEWEST):
        found.setdefault(file, []).append((kind, message))
    for stem, (right, wrong, kind) in MISSPELT.items():
        (name,) = {*re.findall(r"\w+", wrong)} - {*re.findall(r"\w+", right)}
        kinds, errors = KINDS[kind][checker is pyright], found.get(f"misspelt_{stem}.py", [])
        assert any(kind in kinds and name in message for kind, message in errors), f"{name}: {errors}"


def test_every_mistake_is_caught(checker, tmp_path):
    shutil.copy(TYPING / "wrong.txt", tmp_path / "wrong.py")
    lines = (tmp_path / "wrong.py").read_text(encoding="utf-8").splitlines()
    marks = [re.search(r"# wrong: (\w+)$", line) for line in lines]
    wanted = {number: mark[1] for number, mark in enumerate(marks, 1) if mark}
    assert set(wanted.values()) <= set(KINDS)
    found = {}
    for _, line, kind, message in checker(tmp_path, "wrong.py", NEWEST):
        found.setdefault(line, []).append((kind, message))
    for line, kind in wanted.items():
        names = KINDS[kind][checker is pyright]
        assert {kind for kind, _ in found.get(line, [])} & names, (
            f"wrong.py:{line}: {lines[line - 1]}: {found.get(line, 'no error')}"
        )
    others = {line: found[line] for line in found if line not in wanted}
    assert others == {}


def test_the_code_of_users_runs(tmp_path):
    script = "import runpy, sys; runpy.run_path(sys.argv[1])['main']()"
    subprocess.run([sys.executable, "-c", script, str(TYPING / "user.py")], check=True)
