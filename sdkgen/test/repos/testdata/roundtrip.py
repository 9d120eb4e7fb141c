"""Reads manifests with the packages of an SDK and writes them.

Usage: roundtrip.py DIRECTORY. A line of stdin is a manifest in JSON, a line of stdout what became of it:
{"object": ...}, {"error": "..."}, or {} for a kind that no package of the directory has.
"""

import importlib
import json
import pkgutil
import sys
from pathlib import Path


def kinds(directory: str) -> dict:
    """The class of each kind, by apiVersion and kind."""
    sys.path.insert(0, directory)
    found = {}
    for package in sorted(p.parent.name for p in Path(directory).glob("*/__init__.py") if p.parent.name != "test"):
        for module in pkgutil.walk_packages([f"{directory}/{package}"], package + "."):
            if module.name.split(".")[-2] != "models":
                continue
            for value in vars(importlib.import_module(module.name)).values():
                if getattr(value, "KIND", None):
                    found[value.API_VERSION, value.KIND] = value
    return found


def carry(cls: type, manifest: dict) -> dict:
    model = cls.from_dict(manifest)
    model.validate()
    out = json.loads(json.dumps(dict(model)))
    if out != json.loads(model.to_json()):
        return {"error": "to_json gives something else"}
    if yaml and out != json.loads(json.dumps(dict(cls.from_yaml(model.to_yaml())))):
        return {"error": "to_yaml and from_yaml give something else"}
    return {"object": out}


try:
    import yaml
except ImportError:
    yaml = None
    print("PyYAML is not installed: from_yaml is not tried", file=sys.stderr)

classes = kinds(sys.argv[1])
for line in sys.stdin:
    manifest = json.loads(line)
    cls = classes.get((manifest["apiVersion"], manifest["kind"]))
    try:
        result = carry(cls, manifest) if cls else {}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(result))
