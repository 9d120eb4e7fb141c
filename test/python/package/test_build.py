# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The source distribution and the wheel: what is in them, and that they can be made again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

SDK = Path(os.environ["FLUXOPERATOR_SDK"])
CHECKOUT = Path(os.environ["FLUXOPERATOR_CHECKOUT"])
EPOCH = "1700000000"
MIB = 1 << 20


def run(*command, **changes):
    """Runs a command and gives what it printed; a failing one fails the test."""
    ran = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **changes},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def build(source, target, kind, clock=1_600_000_000):
    """Builds a distribution from a copy of a source tree, and gives its file.

    Args:
        clock (int): when the files were changed, in seconds. Default in 2020.
    """
    tree = target / "tree"
    skip = shutil.ignore_patterns("build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(source, tree, ignore=skip)
    for path in tree.rglob("*"):
        os.utime(path, (clock, clock))
    command = (sys.executable, "-m", "build", "--no-isolation", f"--{kind}")
    run(*command, "--outdir", target, tree, SOURCE_DATE_EPOCH=EPOCH)
    (found,) = [*target.glob("*.whl"), *target.glob("*.tar.gz")]
    return found


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("dist")


@pytest.fixture(scope="module")
def wheel(directory):
    return build(SDK, directory / "wheel", "wheel")


@pytest.fixture(scope="module")
def sdist(directory):
    return build(SDK, directory / "sdist", "sdist")


def members(file):
    """Gives the content of a wheel or source distribution by name."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(file) as archive:
        files = [member for member in archive if member.isfile()]
        return {f.name.partition("/")[2]: archive.extractfile(f).read() for f in files}


def described(wheel):
    """Gives the metadata of a wheel."""
    (text,) = [v for k, v in members(wheel).items() if k.endswith("/METADATA")]
    return message_from_string(text.decode())


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = set(members(wheel))
    directory = SDK / "fluxoperator"
    wanted = {
        str(path.relative_to(SDK))
        for path in directory.rglob("*")
        if path.is_file() and path.suffix in (".py", "") and "__pycache__" not in path.parts
    } | {"fluxoperator/py.typed"}
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == wanted
    assert any(name.endswith("/LICENSE") for name in names)
    assert wheel.stat().st_size < MIB
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_source_distribution_can_be_built_and_tested(sdist):
    names = set(members(sdist))
    assert {"pyproject.toml", "README.md", "LICENSE", "fluxoperator/py.typed"} <= names
    assert any(name.startswith("test/test_") for name in names)
    assert not [name for name in names if "__pycache__" in name]


def test_a_wheel_from_the_source_distribution_is_the_same(directory, wheel, sdist):
    tree = directory / "unpacked"
    with tarfile.open(sdist) as archive:
        archive.extractall(tree, filter="data")
    (root,) = tree.iterdir()
    again = build(root, directory / "again", "wheel")
    assert members(again) == members(wheel)
    assert list(members(again)) == list(members(wheel))
    assert again.read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_two_builds_give_the_same_bytes(directory, request, kind):
    first = request.getfixturevalue(kind)
    second = build(SDK, directory / f"second-{kind}", kind, clock=1_650_000_000)
    assert second.name == first.name
    assert second.read_bytes() == first.read_bytes()


def test_twine_finds_nothing(wheel, sdist):
    said = run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    assert said.count("PASSED") == 2


def test_the_metadata_is_complete(wheel):
    found = described(wheel)
    assert found["Name"] == "fluxoperator"
    assert found["Requires-Python"] == ">=3.9"
    assert found["License-Expression"] == "Apache-2.0"
    assert found["License-File"] == "LICENSE"
    assert found["Summary"]
    assert found["Author"] or found["Author-email"]
    assert found["Description-Content-Type"] == "text/markdown"
    versions = [f"3.{minor}" for minor in range(9, 14)]
    wanted = {f"Programming Language :: Python :: {version}" for version in versions}
    assert wanted <= set(found.get_all("Classifier"))
    needed = [line for line in found.get_all("Requires-Dist") if "extra" not in line]
    assert sorted(needed) == [
        "PyYAML>=6",
        "kubernetes>=29,<38",
        "urllib3>=1.26",
        "websocket-client>=1",
    ]
    labels = {line.partition(",")[0] for line in found.get_all("Project-URL")}
    assert {"Homepage", "Source", "Issues", "Documentation"} <= labels


def test_the_license_is_that_of_the_project(wheel):
    (text,) = [v for k, v in members(wheel).items() if k.endswith("/LICENSE")]
    assert text == (CHECKOUT / "LICENSE").read_bytes()


def test_an_empty_environment_can_import_it(directory, wheel):
    home = directory / "empty"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    run(
        *(sys.executable, "-m", "pip", "--python", python),
        *("install", "-q", "--no-deps", "--no-index", wheel),
    )
    installed = Path(site.strip())
    assert (installed / "fluxoperator" / "py.typed").is_file()
    assert not list(installed.glob("test*"))
    script = (
        "from fluxoperator.models import MiniCluster, MiniClusterSpec as S\n"
        "m = MiniCluster(metadata={'name': 'm'}, spec=S(containers=[{'image': 'a'}]))\n"
        "assert MiniCluster.from_dict(dict(m)) == m\n"
        "assert m.metadata == {'name': 'm'}\n"
    )
    run(python, "-W", "error", "-c", script)
