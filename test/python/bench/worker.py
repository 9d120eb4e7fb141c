# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs in the interpreter of one side: `python -I worker.py MEASURE [ARGUMENT...]`.

The last line that it prints is JSON. A workload is a module of the directory workloads
with build() for an object, dump(object) for its JSON text and parse(text) for the way
back.
"""

import importlib
import json
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

OBJECTS = 10_000
REPEATS = 5
# Long enough for the clock, short enough that the best of a few is undisturbed.
SECONDS = 0.1

sys.path.append(str(Path(__file__).resolve().parent / "workloads"))


def speed(name):
    """Gives operations per second of CPU time, each the best of some repetitions."""
    from time import process_time
    from timeit import Timer

    side = importlib.import_module(name)
    made, text = side.build(), side.dump(side.build())
    operations = {
        "construct": side.build,
        "serialise": lambda: side.dump(made),
        "parse": lambda: side.parse(text),
        "both": lambda: side.dump(side.build()),
    }
    return {
        key: best(Timer(operation, timer=process_time))
        for key, operation in operations.items()
    }


def best(timer):
    count = 1
    while (took := timer.timeit(count)) < SECONDS / 4:
        count *= 2
    count = max(1, int(count * SECONDS / took))
    return count / min(timer.repeat(REPEATS, count))


def memory(name):
    """Gives the bytes that Python allocates for some objects that are kept."""
    import gc
    import tracemalloc

    side = importlib.import_module(name)
    side.dump(side.build())  # what is made once is no part of an object
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = [side.build() for _ in range(OBJECTS)]
    gc.collect()
    used = tracemalloc.get_traced_memory()[0] - before
    assert len(kept) == OBJECTS
    return {"memory": used}


def wire(name):
    """Gives what plain writes, what a side sends, and sends after reading plain's."""
    side, plain = importlib.import_module(name), importlib.import_module("plain")
    read = side.parse(json.dumps(plain.build()))
    return {
        "written": plain.build(),
        "sent": json.loads(side.dump(side.build())),
        "again": json.loads(side.dump(read)),
    }


def footprint(package):
    """Gives what is installed, in bytes, and the lines of one package's modules."""
    mine = [d for d in metadata.distributions() if d.metadata["Name"] != "pip"]
    files = [Path(d.locate_file(file)) for d in mine for file in d.files or ()]
    root = Path(sysconfig.get_path("purelib"))
    sources = (
        [root / f"{package}.py", *(root / package).rglob("*.py")] if package else []
    )
    return {
        "installed": sum(path.stat().st_size for path in files if path.is_file()),
        "distributions": len(mine),
        "lines": sum(lines(path) for path in sources if path.is_file()),
    }


def lines(path):
    return path.read_text(encoding="utf-8").count("\n")


def profile(name):
    """Gives where building and serialising spend their time, as text."""
    import cProfile
    import io
    import pstats

    side = importlib.import_module(name)
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(OBJECTS):
        side.dump(side.build())
    profiler.disable()
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).strip_dirs().sort_stats("tottime").print_stats(
        30
    )
    return text.getvalue()


if __name__ == "__main__":
    measures = (speed, memory, wire, footprint, profile)
    chosen = {measure.__name__: measure for measure in measures}[sys.argv[1]]
    print(json.dumps(chosen(*sys.argv[2:])))
