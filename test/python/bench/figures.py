# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a run of the benchmark found, and the arithmetic on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Any, Dict, Iterator, List, Optional, Tuple

Manifest = Dict[str, Any]


@dataclass
class Figures:
    """All that is measured.

    Attributes:
        rounds (int): how often each sample was taken.
        samples (Dict[Tuple[str, str], List[float]]): by side, or side and import, and
            metric: cpu and wall in seconds, peak in MiB, construct, serialise, parse
            and both in operations a second, memory in bytes.
        loaded (Dict[str, Tuple[int, List[str]]]): by side and import, how many modules
            are loaded then, and which installed packages.
        sent (Dict[str, Dict[str, Manifest]]): by side, the manifests of worker.wire.
        sizes (Dict[str, Dict[str, int]]): by environment: installed (bytes),
            distributions, lines, and wheel (bytes) where one was built.
        parts (Dict[str, Tuple[int, int]]): lines of this SDK, all and code, by part.
        problems (Dict[str, str]): by side, why it was not measured, in one line.
    """

    rounds: int
    samples: Dict[Tuple[str, str], List[float]] = field(default_factory=dict)
    loaded: Dict[str, Tuple[int, List[str]]] = field(default_factory=dict)
    sent: Dict[str, Dict[str, Manifest]] = field(default_factory=dict)
    sizes: Dict[str, Dict[str, int]] = field(default_factory=dict)
    parts: Dict[str, Tuple[int, int]] = field(default_factory=dict)
    problems: Dict[str, str] = field(default_factory=dict)

    def add(self, row: str, sample: Dict[str, float]) -> None:
        """Keeps what one process measured."""
        for metric, value in sample.items():
            self.samples.setdefault((row, metric), []).append(value)

    def middle(self, row: str, metric: str) -> Optional[float]:
        """Gives the median of a metric; None if it was not measured."""
        values = self.samples.get((row, metric))
        return median(values) if values else None


def importing(side: str, title: str) -> str:
    """Gives the row of an import."""
    return f"{side}: {title}"


def times(better: Optional[float], worse: Optional[float]) -> Optional[float]:
    """Gives how many times as large one figure is; None if there is none to compare."""
    return better / worse if better and worse else None


def differences(wanted: Any, got: Any, path: str = "") -> Iterator[str]:
    """Gives what differs between two manifests, a line each, in order of the paths."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in sorted({*wanted, *got}):
            where = f"{path}.{key}" if path else key
            if key not in got:
                yield f"{where} is lost"
            elif key not in wanted:
                yield f"{where}: {got[key]!r} is added"
            else:
                yield from differences(wanted[key], got[key], where)
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got)):
            yield from differences(one, other, f"{path}[{index}]")
    elif wanted != got or type(wanted) is not type(got):
        yield f"{path}: {wanted!r} became {got!r}"
