#!/usr/bin/env python3
"""Builds sdkgen's wheels, so that `pip install sdkgen` gives the command.

A wheel holds the program of one platform, cross-built without cgo, as a script: no Python runs when it is
called. Two builds of one version with one Go and one zlib have the same bytes. Written to stdout: the paths
of the wheels. Exit 0 done, 2 not.
"""

import argparse
import base64
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from typing import Dict, List, Sequence, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "sdkgen")
MODULE = "github.com/flux-framework/flux-operator/sdkgen"
HOME = "https://github.com/flux-framework/flux-operator"
SUMMARY = "Generate SDKs from the Go API types of a Kubernetes operator"

# Go's name of each platform, and the wheel's. The programs for Linux are static, so that they run with
# glibc and with musl; those for macOS need the oldest version that Go supports.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}
# What would change the program.
CLEARED = ("GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GODEBUG", "GOFIPS140")

VERSION = re.compile(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?")
LICENSES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*")

METADATA = """\
Metadata-Version: 2.4
Name: sdkgen
Version: {version}
Summary: {summary}
License-Expression: Apache-2.0
{licenses}
Project-URL: Source, {home}
Keywords: kubernetes,operator,crd,openapi,sdk,code-generation
Classifier: Environment :: Console
Classifier: Operating System :: MacOS
Classifier: Operating System :: Microsoft :: Windows
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Go
Classifier: Topic :: Software Development :: Code Generators
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""


class BuildError(Exception):
    """What went wrong, for the person at the terminal."""


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="hack/wheels.py", description="Builds sdkgen's wheels."
    )
    parser.add_argument("--version", help="default: that of sdkgen.yaml")
    parser.add_argument(
        "--platform", action="append", choices=sorted(PLATFORMS), help="default: all"
    )
    parser.add_argument(
        "--dir", default=os.path.join(ROOT, "dist"), help="default: dist/"
    )
    parser.add_argument("--go", default="go", help="the go command")
    args = parser.parse_args(argv)
    try:
        version = args.version or project_version()
        os.makedirs(args.dir, exist_ok=True)
        for platform in args.platform or PLATFORMS:
            print(make(args.go, platform, version, args.dir), flush=True)
    except (BuildError, OSError) as err:
        print("wheels: %s" % err, file=sys.stderr)
        return 2
    return 0


def make(go: str, platform: str, version: str, dest: str) -> str:
    """Builds the wheel of a platform and gives its path."""
    release = python_version(version)
    with tempfile.TemporaryDirectory() as tmp:
        program = os.path.join(tmp, "sdkgen")
        build(go, platform, version, program)
        with open(program, "rb") as file:
            script = file.read()
    name = "sdkgen.exe" if platform.startswith("windows/") else "sdkgen"
    notices = licenses(go, platform)
    info = "sdkgen-%s.dist-info/" % release
    files = {info + "licenses/" + path: data for path, data in notices.items()}
    files["sdkgen-%s.data/scripts/%s" % (release, name)] = script
    files[info + "METADATA"] = metadata(version, sorted(notices)).encode()
    files[info + "WHEEL"] = tags(platform).encode()
    path = os.path.join(dest, "sdkgen-%s-py3-none-%s.whl" % (release, PLATFORMS[platform]))
    write(path, info, files)
    return path


def build(go: str, platform: str, version: str, program: str) -> None:
    """Builds the program, with the version in it."""
    flags = ["-trimpath", "-buildvcs=false", "-ldflags"]
    flags.append("-s -w -X %s/internal/cli.released=v%s" % (MODULE, version))
    run([go, "build", *flags, "-o", program, "."], platform)


def licenses(go: str, platform: str) -> Dict[str, bytes]:
    """The licenses of sdkgen, of Go and of the modules that the program is made of, by path."""
    listed = run([go, "list", "-deps", "-json=Module", "."], platform)
    decoder, at, modules = json.JSONDecoder(), 0, {}
    while listed[at:].strip():
        package, at = decoder.raw_decode(listed, at + len(listed[at:]) - len(listed[at:].lstrip()))
        module = package.get("Module")
        if module and module["Path"] != MODULE:
            module = module.get("Replace", module)
            modules[module["Path"]] = module["Dir"]
    modules["go"] = run([go, "env", "GOROOT"], platform).strip()
    found = {"LICENSE": read(os.path.join(ROOT, "LICENSE"))}
    for name, directory in modules.items():
        files = [file for pattern in LICENSES for file in glob.glob(os.path.join(glob.escape(directory), pattern))]
        files = [file for file in files if os.path.isfile(file)]
        if not files:
            raise BuildError("%s has no license in %s" % (name, directory))
        for file in files:
            found["third-party/%s/%s" % (name, os.path.basename(file))] = read(file)
    return found


def run(command: List[str], platform: str) -> str:
    """Runs the go command for a platform and gives what it prints."""
    env = {key: value for key, value in os.environ.items() if key not in CLEARED}
    goos, _, goarch = platform.partition("/")
    env.update(CGO_ENABLED="0", GOWORK="off", GOOS=goos, GOARCH=goarch)
    done = subprocess.run(command, cwd=SOURCE, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise BuildError("%s: %s" % (" ".join(command[:2]), done.stderr.decode(errors="replace").strip()))
    return done.stdout.decode()


# The wheel.


def metadata(version: str, paths: List[str]) -> str:
    return METADATA.format(
        version=python_version(version),
        summary=SUMMARY,
        licenses="\n".join("License-File: " + path for path in paths),
        home=HOME,
        readme=readme(version),
    )


def readme(version: str) -> str:
    """README.md, with links that work elsewhere."""
    text = read(os.path.join(ROOT, "README.md")).decode()
    base = "%s/blob/v%s/" % (HOME, version)
    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", lambda link: "](%s%s)" % (base, link.group(1)), text)


def tags(platform: str) -> str:
    lines = ["Wheel-Version: 1.0", "Generator: hack/wheels.py", "Root-Is-Purelib: false"]
    lines += ["Tag: py3-none-" + tag for tag in PLATFORMS[platform].split(".")]
    return "\n".join(lines) + "\n"


def write(path: str, info: str, files: Dict[str, bytes]) -> None:
    """Writes a wheel of these files, and its RECORD, beside it and renames it."""
    record = ["%s,sha256=%s,%d" % (name, digest(data), len(data)) for name, data in sorted(files.items())]
    listing = "\n".join([*record, info + "RECORD,,"]) + "\n"
    # By convention, what describes the wheel is at its end.
    order = sorted(files, key=lambda name: (name.startswith(info), name))
    with zipfile.ZipFile(path + ".tmp", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in order:
            add(wheel, name, files[name])
        add(wheel, info + "RECORD", listing.encode())
    os.replace(path + ".tmp", path)


def add(wheel: zipfile.ZipFile, name: str, data: bytes) -> None:
    member = zipfile.ZipInfo(name, modified())
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3  # Unix, so that the mode counts
    member.external_attr = (0o100755 if ".data/scripts/" in name else 0o100644) << 16
    wheel.writestr(member, data)


def modified() -> Tuple[int, int, int, int, int, int]:
    """The time of every file: SOURCE_DATE_EPOCH, else the oldest that a zip file can say."""
    stamp = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))
    return (stamp.tm_year, stamp.tm_mon, stamp.tm_mday, stamp.tm_hour, stamp.tm_min, stamp.tm_sec)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


# Versions.


def project_version() -> str:
    found = re.search(r"^version: *(\S+)", read(os.path.join(ROOT, "sdkgen.yaml")).decode(), re.MULTILINE)
    if not found:
        raise BuildError("sdkgen.yaml has no version")
    return found.group(1)


def python_version(version: str) -> str:
    """A version as PEP 440 writes it: 1.2.3-rc.1 is 1.2.3rc1."""
    found = VERSION.fullmatch(version)
    if not found:
        raise BuildError("the version is %s: write it like 1.2.3 or 1.2.3-rc.1" % version)
    number, phase, count = found.groups()
    return number + ({"alpha": "a", "beta": "b", "rc": "rc"}[phase] + count if phase else "")


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
