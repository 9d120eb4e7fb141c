# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Prints figures as the tables of docs/use/python-performance.md."""

from __future__ import annotations

import operator
import os
import platform
from typing import Callable, Dict, Iterable, List, Optional, Tuple

from .figures import Figures, differences, importing, times
from .sides import ENVIRONMENTS, MODELS, SIDES, WHOLE

MIB = 1 << 20
OPERATIONS = ("construct", "serialise", "parse", "both")
FLAGS = ("default", "tuned")
RELATIONS = {"≤": operator.le, "≥": operator.ge, "<": operator.lt}
NONE = "–"

Show = Callable[[float], str]
Row = List[str]


def tables(figures: Figures) -> Dict[str, str]:
    """Gives every table by its name."""
    return {
        "targets": targets(figures),
        "ratios": ratios(figures),
        "import": imports(figures),
        "throughput": throughput(figures),
        "wire": wire(figures),
        "sizes": sizes(figures),
        "problems": problems(figures),
        "machine": machine(figures.rounds),
    }


def write(text: str, found: Dict[str, str]) -> str:
    """Puts tables into a document, each between its lines that begin and end it.

    Raises:
        ValueError: the document has no place for a table.
    """
    for name, table in found.items():
        begin, end = f"<!-- {name}, begin -->\n", f"<!-- {name}, end -->"
        before, opened, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not (opened and closed):
            raise ValueError(f"there are no lines {begin.strip()!r} and {end!r}")
        text = before + begin + table + "\n" + end + after
    return text


def table(head: Row, rows: Iterable[Row]) -> str:
    """Gives a table in Markdown; all columns but the first are figures."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def spread(figures: Figures, row: str, metric: str, show: Show) -> str:
    """Gives the median with the least and the greatest sample."""
    values = figures.samples.get((row, metric))
    middle = figures.middle(row, metric)
    if not values or middle is None:
        return NONE
    return f"{show(middle)} ({show(min(values))}..{show(max(values))})"


def seconds(value: float) -> str:
    return f"{value:.3f}"


def decimal(value: float) -> str:
    return f"{value:.1f}"


def whole(value: float) -> str:
    return f"{value:,.0f}"


def mib(value: float) -> str:
    return decimal(value / MIB)


def measured(figures: Figures) -> List[str]:
    """Gives the sides that have a workload which ran."""
    return [name for name in SIDES if figures.middle(name, "both") is not None]


def imports(figures: Figures) -> str:
    head = [
        "import",
        "CPU s",
        "wall s",
        "peak MiB",
        "modules",
        "installed packages loaded",
    ]
    rows = []
    for name, side in SIDES.items():
        for title in side.imports:
            row = importing(name, title)
            if (row, "cpu") not in figures.samples:
                continue
            count, installed = figures.loaded[row]
            times_taken = [
                spread(figures, row, metric, seconds) for metric in ("cpu", "wall")
            ]
            peak = spread(figures, row, "peak", decimal)
            shown = title if name == "python" else f"{side.title}: {title}"
            rows.append([shown, *times_taken, peak, str(count), packages(installed)])
    return table(head, rows)


def packages(names: List[str]) -> str:
    if len(names) <= 3:
        return ", ".join(names) or "none"
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def throughput(figures: Figures) -> str:
    head = [
        "operations a second",
        *OPERATIONS[:3],
        "construct and serialise",
        "MiB for 10,000",
    ]
    rows = [
        [
            SIDES[name].title,
            *(spread(figures, name, operation, whole) for operation in OPERATIONS),
            spread(figures, name, "memory", mib),
        ]
        for name in measured(figures)
    ]
    return table(head, rows)


def wire(figures: Figures) -> str:
    """Gives what differs from what was written, and the sides that make it so."""
    makers: Dict[str, Dict[str, List[str]]] = {}
    for name, manifests in figures.sent.items():
        for way in ("sent", "again"):
            lines = [
                f"`{line}`"
                for line in differences(manifests["written"], manifests[way])
            ]
            for line in lines or ["nothing"]:
                makers.setdefault(line, {}).setdefault(way, []).append(
                    SIDES[name].title
                )
    # Lines that the same sides make share a row.
    rows: Dict[Tuple[str, ...], List[str]] = {}
    for line in sorted(makers, key=lambda line: (line != "nothing", line)):
        sides = ("; ".join(makers[line].get(way, [NONE])) for way in ("sent", "again"))
        rows.setdefault(tuple(sides), []).append(line)
    head = ["what differs", "sent by", "read and sent again, by"]
    return table(head, (["<br>".join(lines), *sides] for sides, lines in rows.items()))


def sizes(figures: Figures) -> str:
    head = [
        "what is installed",
        "wheel KiB",
        "lines of Python",
        "installed MiB",
        "distributions",
    ]
    rows = []
    for name, size in figures.sizes.items():
        if not size["distributions"]:
            continue
        environment = ENVIRONMENTS[name]
        named = [environment.title, *environment.requirements]
        title = ", ".join(filter(None, named)).replace("==", " ")
        wheel = decimal(size["wheel"] / 1024) if "wheel" in size else NONE
        counts = [
            whole(size["lines"]),
            mib(size["installed"]),
            str(size["distributions"]),
        ]
        rows.append([title, wheel, *counts])
    lines = [[part, *map(whole, counts)] for part, counts in figures.parts.items()]
    total = ["all", *map(whole, line_totals(figures))]
    return (
        table(head, rows)
        + "\n\n"
        + table(["part of this SDK", "lines", "of code"], [*lines, total])
    )


def line_totals(figures: Figures) -> Tuple[int, int]:
    """Gives the lines of this SDK's package: all, and code."""
    lines, code = zip(*figures.parts.values()) if figures.parts else ((), ())
    return sum(lines), sum(code)


def problems(figures: Figures) -> str:
    """Gives the sides that are missing from the tables, and why."""
    if not figures.problems:
        return "All sides were measured."
    said = (f"- {SIDES[name].title}: `{why}`" for name, why in figures.problems.items())
    return "Not measured:\n\n" + "\n".join(said)


def machine(rounds: int) -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, {python}; "
        f"medians of N={rounds}, with the least and the greatest."
    )


def ratios(figures: Figures) -> str:
    """Gives how many times as good this SDK is as each side; above 1 it is better."""
    head = [
        "against",
        "import CPU",
        "import peak",
        *OPERATIONS[:3],
        "construct and serialise",
    ]
    head += ["memory", "installed"]
    mine = importing("sdk", MODELS)
    rows = []
    for name, side in SIDES.items():
        if side.own or name in figures.problems or name not in known(figures):
            continue
        theirs = importing(name, next(iter(side.imports)))
        costs = [
            times(figures.middle(theirs, metric), figures.middle(mine, metric))
            for metric in ("cpu", "peak")
        ]
        gains = [
            times(figures.middle("sdk", key), figures.middle(name, key))
            for key in OPERATIONS
        ]
        costs_too = [
            times(figures.middle(name, "memory"), figures.middle("sdk", "memory"))
        ]
        costs_too.append(times(installed(figures, name), installed(figures, "sdk")))
        rows.append([side.title, *map(factor, [*costs, *gains, *costs_too])])
    return table(head, rows)


def known(figures: Figures) -> Dict[str, None]:
    """Gives the sides of which there is any sample."""
    return dict.fromkeys(row.partition(":")[0] for row, _ in figures.samples)


def installed(figures: Figures, name: str) -> Optional[float]:
    size = figures.sizes.get(SIDES[name].environment)
    return size["installed"] if size else None


def factor(ratio: Optional[float]) -> str:
    if ratio is None:
        return NONE
    return f"{ratio:.1f}×" if ratio >= 0.1 else f"{ratio:.2f}×"


def targets(figures: Figures) -> str:
    """Gives what this SDK is to reach, and whether it does."""
    models, whole_sdk = importing("sdk", MODELS), importing("sdk", WHOLE)
    both = figures.middle("sdk", "both")
    pydantic = [figures.middle(f"pydantic-{flags}", "both") for flags in FLAGS]
    fastest = max((speed for speed in pydantic if speed), default=None)
    wheel = figures.sizes.get("sdk-37", {}).get("wheel")
    build = "construct and serialise, times"
    lines, code = line_totals(figures)
    rows = [
        ("models: import, CPU s", "≤", 0.03, figures.middle(models, "cpu"), 3),
        ("models: peak, MiB", "≤", 20, figures.middle(models, "peak"), 1),
        ("models: third-party packages", "≤", 0, foreign(figures, models), 0),
        ("whole SDK: import, CPU s", "≤", 0.15, figures.middle(whole_sdk, "cpu"), 3),
        ("whole SDK: third-party packages", "≤", 0, foreign(figures, whole_sdk), 0),
        (f"{build} legacy", "≥", 15, times(both, figures.middle("legacy", "both")), 1),
        (f"{build} the faster pydantic", "≥", 1, times(both, fastest), 2),
        ("wheel, MiB", "<", 1, wheel and wheel / MIB, 3),
        ("lines of the package", "<", 2000, lines or None, 0),
        ("of these, code", "<", 2000, code or None, 0),
    ]
    head = ["target", "wanted", "measured", "result"]
    return table(head, [target(*row) for row in rows])


def foreign(figures: Figures, row: str) -> Optional[float]:
    """Gives how many packages other than this SDK an import loads."""
    if row not in figures.loaded:
        return None
    return len(set(figures.loaded[row][1]) - {"fluxoperator"})


def target(
    title: str, relation: str, limit: float, value: Optional[float], digits: int
) -> Row:
    wanted = f"{relation} {limit:,}"
    if value is None:
        return [title, wanted, NONE, "not measured"]
    met = RELATIONS[relation](value, limit)
    return [title, wanted, f"{value:,.{digits}f}", "met" if met else "**not met**"]
