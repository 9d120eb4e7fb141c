# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The benchmark's arithmetic and tables, and that its workloads fit the types."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fluxoperator.models

CHECKOUT = Path(
    os.environ.get("FLUXOPERATOR_CHECKOUT", Path(__file__).resolve().parents[2])
)
sys.path.append(str(CHECKOUT / "test" / "python"))

from bench import report  # noqa: E402
from bench.figures import Figures, differences, importing, times  # noqa: E402
from bench.sides import ENVIRONMENTS, MODELS, SIDES, WHOLE  # noqa: E402

WORKLOADS = CHECKOUT / "test" / "python" / "bench" / "workloads"


@pytest.fixture
def figures() -> Figures:
    """Two rounds of three sides, and one side that could not be had."""
    found = Figures(2)
    models, whole = importing("sdk", MODELS), importing("sdk", WHOLE)
    for cpu, legacy in ((0.04, 0.10), (0.02, 0.14)):
        found.add(models, {"cpu": cpu, "wall": 0.05, "peak": 10.0})
        found.add(whole, {"cpu": 0.2, "wall": 0.3, "peak": 12.0})
        found.add(
            importing("legacy", MODELS), {"cpu": legacy, "wall": 0.2, "peak": 30.0}
        )
    for name, speed in (("sdk", 60000.0), ("legacy", 3000.0)):
        rates = dict.fromkeys(("construct", "serialise", "parse", "both"), speed)
        found.add(name, {**rates, "memory": speed * (1 << 20) / 1000})
    found.loaded = {
        models: (90, ["fluxoperator"]),
        whole: (95, ["fluxoperator", "yaml"]),
        importing("legacy", MODELS): (290, ["a", "b", "c", "fluxoperator"]),
    }
    written = {"spec": {"size": 1}}
    found.sent = {
        "sdk": dict.fromkeys(("written", "sent", "again"), written),
        "legacy": {"written": written, "sent": {"spec": {"size": "1"}}, "again": {}},
    }
    found.sizes = {
        "sdk-37": {
            "installed": 3 << 20,
            "distributions": 2,
            "lines": 1500,
            "wheel": 50 << 10,
        },
        "legacy": {"installed": 6 << 20, "distributions": 9, "lines": 7000},
    }
    found.parts = {"models": (1200, 700), "runtime": (800, 500)}
    found.problems = {"published": "ERROR: no such version"}
    return found


def rows(table: str) -> dict:
    """Gives the cells of a table by those of the first column."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
    ]
    return {first: rest for first, *rest in cells}


def test_targets(figures):
    assert rows(report.targets(figures)) == {
        "target": ["wanted", "measured", "result"],
        "---": ["---:", "---:", "---:"],
        "models: import, CPU s": ["≤ 0.03", "0.030", "met"],
        "models: peak, MiB": ["≤ 20", "10.0", "met"],
        "models: third-party packages": ["≤ 0", "0", "met"],
        "whole SDK: import, CPU s": ["≤ 0.15", "0.200", "**not met**"],
        "whole SDK: third-party packages": ["≤ 0", "1", "**not met**"],
        "construct and serialise, times legacy": ["≥ 15", "20.0", "met"],
        "construct and serialise, times the faster pydantic": [
            "≥ 1",
            "–",
            "not measured",
        ],
        "wheel, MiB": ["< 1", "0.049", "met"],
        "lines of the package": ["< 2,000", "2,000", "**not met**"],
        "of these, code": ["< 2,000", "1,200", "met"],
    }


def test_ratios_are_above_one_where_the_sdk_is_better(figures):
    table = rows(report.ratios(figures))
    gained = ["20.0×"] * 4
    assert table["legacy templates"] == ["4.0×", "3.0×", *gained, "0.05×", "2.0×"]
    assert "fluxoperator 0.2.0" not in table


def test_samples_are_shown_as_median_and_range(figures):
    shown = rows(report.imports(figures))["legacy templates: models"]
    assert shown[0] == "0.120 (0.100..0.140)"
    assert shown[-1] == "a, b and 2 more"
    assert rows(report.throughput(figures))["this SDK"][-1] == "60.0 (60.0..60.0)"


def test_a_side_that_could_not_be_measured_is_named(figures):
    assert "fluxoperator 0.2.0: `ERROR: no such version`" in report.problems(figures)


def test_what_sides_send_is_compared(figures):
    table = rows(report.wire(figures))
    assert table["nothing"] == ["this SDK", "this SDK"]
    assert table["`spec.size: 1 became '1'`"] == ["legacy templates", "–"]
    assert table["`spec is lost`"] == ["–", "legacy templates"]


def test_differences():
    one = {"a": 1, "b": [{"c": True}], "d": [1]}
    other = {"b": [{"c": 1, "e": None}], "d": [], "f": ""}
    assert list(differences(one, other)) == [
        "a is lost",
        "b[0].c: True became 1",
        "b[0].e: None is added",
        "d: [1] became []",
        "f: '' is added",
    ]
    assert times(6.0, 3.0) == 2.0
    assert times(6.0, None) is None


def test_tables_go_between_their_lines():
    text = "# A\n<!-- a, begin -->\nold\n<!-- a, end -->\nrest\n"
    assert (
        report.write(text, {"a": "new"})
        == "# A\n<!-- a, begin -->\nnew\n<!-- a, end -->\nrest\n"
    )
    with pytest.raises(ValueError, match="b, begin"):
        report.write(text, {"b": "new"})


def test_the_document_has_a_place_for_every_table(figures):
    text = (CHECKOUT / "docs" / "use" / "python-performance.md").read_text(encoding="utf-8")
    report.write(text, report.tables(figures))


def test_every_side_has_an_environment_and_a_workload():
    assert {side.environment for side in SIDES.values()} == set(ENVIRONMENTS)
    wanted = {side.workload for side in SIDES.values() if side.workload}
    assert wanted == {path.stem for path in WORKLOADS.glob("*.py")}


@pytest.mark.parametrize("name", ["sdk", "sdk_objectmeta", "v1pod"])
def test_workloads(name, monkeypatch):
    """A field that the types lose shows here, before somebody runs the benchmark."""
    monkeypatch.syspath_prepend(str(WORKLOADS))
    side, plain = importlib.import_module(name), importlib.import_module("plain")
    text = side.dump(side.build())
    assert side.dump(side.parse(text)) == text
    if name != "v1pod":
        found = list(differences(plain.build(), json.loads(text)))
        assert [line for line in found if not line.endswith(" is added")] == []


@pytest.mark.parametrize("library", ["msgspec", "attrs"])
def test_classes_of_other_libraries_have_the_fields_of_the_models(library, tmp_path, monkeypatch):
    script = CHECKOUT / "test" / "python" / "bench" / "classes.py"
    sdk = Path(fluxoperator.__file__).parents[1]
    printed = subprocess.run([sys.executable, script, sdk, library], check=True, stdout=subprocess.PIPE)
    (tmp_path / f"minicluster_{library}.py").write_bytes(printed.stdout)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module(f"minicluster_{library}")
    for name in fluxoperator.models.__all__:
        assert set(inspect.signature(getattr(made, name)).parameters) == set(
            getattr(fluxoperator.models, name).attribute_map
        )
    if library == "msgspec":
        test_workloads("msgspec_struct", monkeypatch)
