# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is installed: its imports, its metadata and its source."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest

import fluxoperator
from fluxoperator import models

PACKAGE = Path(fluxoperator.__file__).parent

LOADED = """
import json, sys
before = set(sys.modules)
{statement}
files = {{m: getattr(sys.modules[m], "__file__", None) or "" for m in sys.modules}}
print(json.dumps({{m: f for m, f in files.items() if m not in before}}))
"""


def loaded(statement):
    """Gives the third-party modules that a statement loads in a new interpreter."""
    ran = subprocess.run(
        [sys.executable, "-c", LOADED.format(statement=statement)],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    roots = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib")})
    found = json.loads(ran.stdout)
    assert any(name.startswith("fluxoperator") for name in found)
    names = {name.partition(".")[0] for name in found if found[name].startswith(roots)}
    return names - {"fluxoperator"}


@pytest.mark.parametrize(
    "statement",
    [
        "import fluxoperator",
        "import fluxoperator.models",
        "from fluxoperator.models import *",
        "from fluxoperator import models; hasattr(models, 'no_such_name')",
        "from fluxoperator.models import MiniCluster, MiniClusterSpec as S; "
        "m = MiniCluster(metadata={}, spec=S(containers=[])); "
        "dict(MiniCluster.from_dict(dict(m))); repr(m)",
    ],
)
def test_models_load_no_third_party_module(statement):
    assert loaded(statement) == set()


def test_the_classes_of_kubernetes_are_loaded_when_asked_for():
    assert "kubernetes" in loaded("from fluxoperator.models import V1ObjectMeta")


def test_models_work_without_kubernetes():
    script = (
        "import sys; sys.modules['kubernetes'] = None\n"
        "from fluxoperator.models import MiniCluster\n"
        "stored = {'metadata': {'name': 'm'}, 'future': 1}\n"
        "model = MiniCluster.from_dict(stored)\n"
        "assert model.metadata == {'name': 'm'}\n"
        "model.metadata['name'] = 'n'\n"
        "assert dict(model) == {'metadata': {'name': 'n'}, 'future': 1}\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_metadata():
    found = metadata.metadata("fluxoperator")
    assert found["Version"] == fluxoperator.__version__
    assert found["Requires-Python"] == ">=3.9"
    required = metadata.requires("fluxoperator") or []
    needed = [line for line in required if "extra ==" not in line]
    assert [re.split("[<>=!~ ]", line)[0] for line in needed] == [
        "kubernetes",
        "PyYAML",
        "urllib3",
        "websocket-client",
    ]
    files = {str(path) for path in metadata.files("fluxoperator") or []}
    assert "fluxoperator/py.typed" in files
    assert "fluxoperator/model/v1_object_meta.py" in files


def test_every_model_is_exported():
    assert set(models.__all__) <= set(fluxoperator.__all__)
    assert {"MiniCluster", "MiniClusterList", "MiniClusterSpec"} <= set(models.__all__)
    for name in models.__all__:
        assert getattr(fluxoperator, name) is getattr(models, name)


def test_no_attribute_hides_what_every_model_has():
    base = set(dir(models.MiniCluster.__mro__[2])) - {"get", "items", "values"}
    for name in models.__all__:
        assert not base & set(getattr(models, name).attribute_map), name


def test_types_name_models_or_classes_of_kubernetes():
    from kubernetes import client

    for name in models.__all__:
        for spelling in getattr(models, name).openapi_types.values():
            for word in re.findall(r"\b[A-Z]\w*", spelling):
                assert word in models.__all__ or hasattr(client, word), (name, spelling)


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.joinpath("models").glob("[!_]*.py")), ids=lambda p: p.stem
)
def test_generated_source_holds_literals_only(path):
    """What is called is _model.field alone, and with nothing that could run."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert len(calls) > 0
    for call in calls:
        assert ast.unparse(call.func) == "_model.field"
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            ast.literal_eval(value)


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_source_is_tidy(path):
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\t" not in text
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert "\n\n\n\n" not in text
