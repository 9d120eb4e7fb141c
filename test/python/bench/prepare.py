# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Brings the sides about: generates what is generated, builds wheels, installs them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, Tuple

from interpreters import StepFailed, run
from matrix import CHECKOUT, key
from matrix import Environment as Virtual

from .sides import BUILDER, GENERATOR, Environment

TOOLS = CHECKOUT / ".tools"
CRD = CHECKOUT / "config" / "crd" / "bases" / "flux-framework.org_miniclusters.yaml"
SWAGGER = CHECKOUT / "api" / "v1alpha1" / "swagger.json"
TUNED = (
    "--allow-population-by-field-name",
    *("--extra-fields", "forbid"),
    "--use-annotated",
    "--reuse-model",
    "--collapse-root-models",
    "--collapse-reuse-models",
    "--snake-case-field",
)
PROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "{module}"
version = "1"
dependencies = ["{needs}"]

[tool.setuptools]
py-modules = ["{module}"]
"""
EXTRACT = """\
import json, sys, yaml
crd = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
print(json.dumps(crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]))
"""


@dataclass(frozen=True)
class Workshop:
    """Where sides are made.

    Attributes:
        directory (Path): kept from run to run.
        sdk (Path): the source of this SDK.
    """

    directory: Path
    sdk: Path

    def python(self, name: str, requirements: Tuple[str, ...]) -> Path:
        """Gives the interpreter of a virtual environment, made in this run or before.

        Raises:
            StepFailed: pip could not install the requirements.
        """
        made = self.virtual(name, requirements)

        def create() -> None:
            print(f"bench: installing {name}", file=sys.stderr)
            run(sys.executable, "-m", "venv", made.home, cwd=self.directory)
            pip = (made.python, "-m", "pip")
            # Where venv brings setuptools, it is loaded whenever Python starts.
            run(*pip, "uninstall", "-q", "-y", "setuptools", cwd=self.directory)
            if requirements:
                run(*pip, "install", "-q", *requirements, cwd=self.directory)

        if not made.complete():
            made.make(create)
        return made.python

    def virtual(self, name: str, requirements: Tuple[str, ...]) -> Virtual:
        """Names a virtual environment."""
        return Virtual(self.directory / "venv" / name, key(sys.version, requirements))

    def install(self, name: str, environment: Environment) -> Path:
        """Gives the interpreter of an environment that has all it needs.

        Raises:
            StepFailed: something could not be generated, built or installed.
        """
        python = self.python(name, environment.requirements)
        if environment.wheel:
            wheel = self.wheel(environment.wheel)
            pip = (python, "-m", "pip")
            # The same version is installed anew; then what it needs, if that is missing.
            run(
                *pip,
                "install",
                "-q",
                "--force-reinstall",
                "--no-deps",
                wheel,
                cwd=self.directory,
            )
            run(*pip, "install", "-q", wheel, cwd=self.directory)
            run(*pip, "check", cwd=self.directory)
        return python

    def wheel(self, name: str) -> Path:
        """Gives the wheel of a source, built once in a run."""
        built = self.directory / "wheel" / name
        found = list(built.glob("*.whl"))
        if not found:
            source = self.fresh(f"source/{name}")
            SOURCES[name](self, source)
            python = self.python("builder", BUILDER)
            pip = (python, "-m", "pip", "wheel", "-q", "--no-deps")
            offline = ("--use-pep517", "--no-build-isolation")
            run(*pip, *offline, "-w", built, source, cwd=self.directory)
            found = list(built.glob("*.whl"))
        return found[0]

    def fresh(self, name: str) -> Path:
        """Gives an empty directory."""
        path = self.directory / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path


def copy_sdk(shop: Workshop, source: Path) -> None:
    """Copies this SDK, because a build leaves files beside its source."""
    skip = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    shutil.copytree(shop.sdk, source, ignore=skip, dirs_exist_ok=True)


def legacy(shop: Workshop, source: Path) -> None:
    """Runs the jar without templates of this project."""
    home = os.environ.get("JAVA_HOME", "")
    java = (
        shutil.which("java", path=os.path.join(home, "bin"))
        or shutil.which("java")
        or TOOLS / "java" / "bin" / "java"
    )
    (jar,) = TOOLS.glob("openapi-generator-cli-*.jar")
    options = ("-g", "python-legacy", "--package-name", "fluxoperator")
    run(
        java,
        "-jar",
        jar,
        "generate",
        "-i",
        SWAGGER,
        *options,
        "-o",
        source,
        cwd=shop.directory,
    )


def pydantic(module: str, *flags: str) -> Callable[[Workshop, Path], None]:
    """Gives what makes a module of the schema in the CRD."""

    def generate(shop: Workshop, source: Path) -> None:
        python = shop.python("generator", GENERATOR)
        schema = source / "schema.json"
        extracted = run(python, "-c", EXTRACT, CRD, cwd=shop.directory)
        schema.write_text(json.dumps(json.loads(extracted)), encoding="utf-8")
        run(
            *(python, "-m", "datamodel_code_generator"),
            *("--input", schema, "--input-file-type", "jsonschema"),
            *("--output-model-type", "pydantic_v2.BaseModel"),
            *("--class-name", "MiniCluster", "--disable-timestamp", *flags),
            *("--output", source / f"{module}.py"),
            cwd=shop.directory,
        )
        (source / "pyproject.toml").write_text(
            PROJECT.format(module=module, needs="pydantic"), encoding="utf-8"
        )

    return generate


def classes(library: str) -> Callable[[Workshop, Path], None]:
    """Gives what makes a module of this SDK's models: see classes.py."""

    def generate(shop: Workshop, source: Path) -> None:
        module = f"minicluster_{library}"
        script = Path(__file__).with_name("classes.py")
        printed = run(sys.executable, script, shop.sdk, library, cwd=shop.directory)
        (source / f"{module}.py").write_text(printed, encoding="utf-8")
        (source / "pyproject.toml").write_text(
            PROJECT.format(module=module, needs=library), encoding="utf-8"
        )

    return generate


SOURCES: Dict[str, Callable[[Workshop, Path], None]] = {
    "sdk": copy_sdk,
    "legacy": legacy,
    "pydantic-default": pydantic("minicluster_default"),
    "pydantic-tuned": pydantic("minicluster_tuned", *TUNED),
    "msgspec": classes("msgspec"),
    "attrs": classes("attrs"),
}

__all__ = ["StepFailed", "Workshop"]
