# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The code of docs/use/python.md, run in the order of the page, and its session in Jupyter."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from fluxoperator.client import MiniClusterClient

BLOCK = re.compile(r"(<!-- not run by the tests[^>]*-->\n)?^```(python|ipython)\n(.*?)^```", re.M | re.S)
CELL = re.compile(r"^In \[\d+\]: (.*?)(?=^In \[|\Z)", re.M | re.S)

pytestmark = pytest.mark.usefixtures("pods_stay")


def blocks(checkout: Path, language: str) -> List[str]:
    """Gives the blocks of a language that a reader runs, each below its line of the page."""
    page = checkout / "docs" / "use" / "python.md"
    text = page.read_text(encoding="utf-8")
    return [
        "\n" * (text.count("\n", 0, match.start(3))) + match[3]
        for match in BLOCK.finditer(text)
        if match[2] == language and not match[1]
    ]


def cell(text: str) -> Tuple[str, str]:
    """Gives the code of a cell and what the page shows below it."""
    code, rest = [], text.rstrip("\n").split("\n")
    code.append(rest.pop(0))
    while rest and rest[0].startswith("   ...:"):
        code.append(rest.pop(0)[8:])
    return "\n".join(code), re.sub(r"^Out\[\d+\]: ?\n?", "", "\n".join(rest)).strip("\n")


def shown(code: str, names: Dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    """Runs a cell and gives what IPython shows."""
    tree = ast.parse(code)
    last = tree.body[-1]
    try:
        if not isinstance(last, ast.Expr):
            exec(compile(tree, "cell", "exec"), names)
            return capsys.readouterr().out
        exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    printed = capsys.readouterr().out
    return printed + ("" if value is None else repr(value))


def test_the_code_runs(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: Dict[str, Any] = {"__name__": "guide"}
    found = blocks(checkout, "python")
    assert len(found) > 20
    for block in found:
        exec(compile(block, "docs/use/python.md", "exec"), names)
    assert len((tmp_path / "hello.log").read_text().splitlines()) == 10
    assert MiniClusterClient().list() == []


def test_the_session_is_as_shown(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (session,) = blocks(checkout, "ipython")
    names: Dict[str, Any] = {}
    for text in CELL.findall(session):
        code, expected = cell(text)
        assert shown(code, names, capsys).strip("\n") == expected
    assert MiniClusterClient().list() == []
