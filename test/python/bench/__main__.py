# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""`python -m bench`: measures, prints the tables, and puts them into a document.

Exit code 0: measured; a side that could not be is named in the tables. 1: this SDK
itself could not be measured. 2: the options are wrong, or the document has no place.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import List

from interpreters import StepFailed, run
from matrix import CHECKOUT

from . import report
from .measure import WORKER, Bench, OwnSideFailed
from .prepare import Workshop
from .sides import ENVIRONMENTS, SIDES


def main(arguments: List[str]) -> int:
    """Does what the options say and gives the exit code."""
    options = parse(arguments)
    workdir = options.workdir.resolve()
    workdir.mkdir(parents=True, exist_ok=True)
    shop = Workshop(workdir, options.sdk.resolve())
    try:
        if options.profile:
            print(profile(shop))
            return 0
        tables = report.tables(Bench(shop, options.only, options.n).run())
    except (OwnSideFailed, StepFailed) as error:
        print(f"bench: no figures without {error}", file=sys.stderr)
        return 1
    for name, table in tables.items():
        print(f"{name}\n\n{table}\n")
    if options.report and options.only == list(SIDES):
        try:
            text = options.report.read_text(encoding="utf-8")
            options.report.write_text(report.write(text, tables), encoding="utf-8")
        except (OSError, ValueError) as error:
            print(f"bench: {options.report}: {error}", file=sys.stderr)
            return 2
    return 0


def parse(arguments: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "bench", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("-n", type=int, default=5, help="rounds (default: %(default)s)")
    parser.add_argument(
        "--workdir",
        type=Path,
        required=True,
        help="where environments are kept from run to run",
    )
    parser.add_argument(
        "--sdk",
        type=Path,
        default=CHECKOUT / "sdk" / "python" / "v1alpha1",
        help="the SDK to measure (default: %(default)s)",
    )
    parser.add_argument(
        "--report",
        type=Path,
        help="the document to put the tables into, if all is measured",
    )
    parser.add_argument(
        "--only",
        type=lambda text: [name for name in SIDES if name in text.split(",")],
        default=list(SIDES),
        help=f"sides to measure, separated by commas, of {', '.join(SIDES)}",
    )
    parser.add_argument(
        "--profile",
        action="store_true",
        help="show where this SDK builds and serialises, and measure nothing",
    )
    options = parser.parse_args(arguments)
    if options.n < 1 or not options.only:
        parser.error("-n is 1 or more, and --only names one side or more")
    return options


def profile(shop: Workshop) -> str:
    """Gives the profile of this SDK's workload."""
    shop.fresh("wheel")
    side = SIDES["sdk"]
    python = shop.install(side.environment, ENVIRONMENTS[side.environment])
    said = run(python, "-I", WORKER, "profile", side.workload, cwd=shop.directory)
    text: str = json.loads(said.splitlines()[-1])
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
