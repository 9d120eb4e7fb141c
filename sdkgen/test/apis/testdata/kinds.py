"""Makes each root kind of a Python package from the sample in its generated test.

Usage: kinds.py PACKAGE TESTS '{"KIND": "GROUP/VERSION", …}'
"""

import importlib
import json
import sys
from pathlib import Path


def main(package: str, tests: str, kinds: str) -> None:
    models = importlib.import_module(f"{package}.models")
    sys.path.append(tests)
    wanted = json.loads(kinds)
    for file in Path(tests).glob("test_*.py"):
        sample = importlib.import_module(file.stem).SAMPLE
        kind = sample.get("kind")
        if wanted.get(kind) != sample.get("apiVersion", "") or "metadata" not in sample:
            continue
        cls = getattr(models, kind)
        model = cls.from_dict(sample)
        assert json.loads(json.dumps(dict(model))) == sample, dict(model)
        built = cls(**{name: getattr(model, name) for name in cls.attribute_map})
        assert built == model and json.loads(json.dumps(dict(built))) == sample, dict(built)
        del wanted[kind]
    assert not wanted, f"there is no test of {sorted(wanted)}"


main(*sys.argv[1:])
