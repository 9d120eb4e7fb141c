"""Runs the Python sample of a page, and compares it, and the JSON of the Go sample, with the manifest.

    check.py PAGE.md GO.json
"""

import json
import re
import sys

import yaml
from kubernetes import client


def missing(want, got, at=""):
    """Names what a sample lacks of the manifest. Defaults and empty objects may be in it beside."""
    if isinstance(want, dict) and isinstance(got, dict):
        return [found for key in want for found in missing(want[key], got.get(key), f"{at}.{key}")]
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [found for i, item in enumerate(want) for found in missing(item, got[i], f"{at}[{i}]")]
    return [] if want == got else [f"{at}: {got!r}, want {want!r}"]


page = open(sys.argv[1]).read()
samples = dict(re.findall(r"^```(yaml|python|go)\n(.*?)^```", page, re.M | re.S))
assert sorted(samples) == ["go", "python", "yaml"], sorted(samples)
manifest = yaml.safe_load(samples["yaml"])
program = {}
exec(compile(samples["python"], "sample", "exec"), program)
made = client.ApiClient().sanitize_for_serialization(program["sample"])
found = missing(manifest, made) + missing(manifest, json.load(open(sys.argv[2])))
assert not found and manifest["kind"], found
