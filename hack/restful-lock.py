#!/usr/bin/env python3
"""Write pkg/minicluster/restful.txt: the Flux RESTful API and its dependencies, for pip install --require-hashes.

pip resolves them for each Python and machine that images have. It takes wheels only, so nothing of them runs
while they are installed.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

RELEASE = "flux-restful==1.1.0"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
GLIBC = ("2_17", "2_28", "2_34")  # of the platform tags; images have at least the last
OUTPUT = Path(__file__).parent.parent / "pkg" / "minicluster" / "restful.txt"


def resolve(python: str, machine: str) -> list[tuple[str, str, str]]:
    """Return name, version and hash of each distribution."""
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report=-"]
        command += ["--only-binary=:all:", "--target", target, "--implementation=cp", "--python-version", python]
        for version in GLIBC:
            command += ["--platform", f"manylinux_{version}_{machine}"]
        command += ["--platform", f"manylinux2014_{machine}", RELEASE]
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return [
        (item["metadata"]["name"].lower(), item["metadata"]["version"], item["download_info"]["archive_info"]["hashes"]["sha256"])
        for item in report["install"]
    ]


def main() -> None:
    """Resolve for all, and write what they need."""
    hashes: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    pythons: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for python in PYTHONS:
        for machine in MACHINES:
            for name, version, digest in resolve(python, machine):
                hashes[name][version].add(digest)
                pythons[name][version].add(python)
    lines = [f"# {RELEASE} for Python {', '.join(PYTHONS)} on {', '.join(MACHINES)}. Written by hack/restful-lock.py."]
    for name in sorted(hashes):
        for version in sorted(hashes[name]):
            some = [f'python_version == "{python}"' for python in PYTHONS if python in pythons[name][version]]
            marker = " ; " + " or ".join(some) if len(some) < len(PYTHONS) else ""
            digests = "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(hashes[name][version]))
            lines.append(f"{name}=={version}{marker}{digests}")
    OUTPUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
