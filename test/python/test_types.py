# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Models beside other libraries: type hints, encoders of JSON and YAML, copy.replace, help."""

from __future__ import annotations

import copy
import inspect
import json
import pydoc
import re
import subprocess
import sys
import typing

import httpx
import msgspec
import orjson
import pytest
import yaml
from kubernetes.client import V1ObjectMeta
from kubernetes.dynamic import DynamicClient, Resource

from fluxoperator import models
from fluxoperator.models import Commands, MiniCluster, MiniClusterContainer, MiniClusterSpec

CLUSTER = MiniCluster(
    metadata={"name": "a", "namespace": "n"},
    spec=MiniClusterSpec(containers=[MiniClusterContainer(image="x", commands=Commands(pre="y"))]),
)
MANIFEST = dict(CLUSTER)
# A model where an encoder does not expect one.
NESTED, PLAIN = {"all": [CLUSTER, CLUSTER.spec]}, {"all": [MANIFEST, MANIFEST["spec"]]}


@pytest.mark.parametrize("name", models.__all__)
def test_the_type_hints_of_every_model_are_classes(name):
    cls = getattr(models, name)
    hints = typing.get_type_hints(cls)
    assert set(hints) >= set(cls.attribute_map)
    assert not [hint for hint in hints.values() if "ForwardRef" in repr(hint) or isinstance(hint, str)]


def test_type_hints_name_models_and_classes_of_kubernetes():
    assert typing.get_type_hints(MiniClusterSpec)["containers"] == typing.List[MiniClusterContainer]
    assert typing.get_type_hints(MiniClusterContainer)["commands"] == typing.Optional[Commands]
    assert typing.get_type_hints(MiniCluster)["metadata"] == typing.Optional[V1ObjectMeta]


def test_the_signature_has_types_and_defaults():
    parameters = inspect.signature(MiniClusterSpec).parameters
    assert [*parameters] == [*MiniClusterSpec.attribute_map]
    assert parameters["containers"].default is inspect.Parameter.empty
    assert parameters["containers"].annotation == typing.List[MiniClusterContainer]
    assert parameters["size"].default == 1


def test_help_describes_every_attribute():
    shown = pydoc.plain(pydoc.render_doc(MiniClusterSpec))
    assert re.search(r"size: (Optional\[int\]|int \| None) = 1", shown)
    for attr in MiniClusterSpec.attribute_map:
        text = inspect.getdoc(getattr(MiniClusterSpec, attr))
        assert text and text.splitlines()[0] in shown, attr


def test_descriptions_and_hints_cost_an_import_nothing():
    code = "import sys, fluxoperator.models; print([*sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    assert not {"ast", "inspect", "pydantic", "kubernetes"} & set(eval(ran.stdout))


@pytest.mark.parametrize("given", [CLUSTER, NESTED], ids=["model", "nested"])
@pytest.mark.parametrize(
    "encode",
    [
        lambda value: json.dumps(value, default=dict),
        lambda value: orjson.dumps(value, default=dict),
        lambda value: msgspec.json.encode(value, enc_hook=dict),
    ],
    ids=["json", "orjson", "msgspec"],
)
def test_encoders_of_json_take_models(encode, given):
    assert json.loads(encode(given)) == (MANIFEST if given is CLUSTER else PLAIN)


def test_yaml_and_httpx_take_the_dict_of_a_model():
    assert yaml.safe_load(yaml.safe_dump(dict(CLUSTER))) == MANIFEST
    request = httpx.Request("POST", "http://localhost/", json=dict(CLUSTER))
    assert json.loads(request.content) == MANIFEST


def test_a_dumper_of_yaml_takes_models_anywhere():
    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_multi_representer(typing.Mapping.__origin__, lambda d, model: d.represent_dict(dict(model)))
    assert yaml.safe_load(yaml.dump(NESTED, Dumper=Dumper)) == PLAIN


def test_the_dynamic_client_takes_the_dict_of_a_model(recorder):
    class Found:
        def __init__(self, *args):
            pass

    api = recorder.api()
    resource = Resource(
        prefix="apis",
        group=MiniCluster.GROUP,
        api_version=MiniCluster.VERSION,
        kind=MiniCluster.KIND,
        namespaced=True,
        name=MiniCluster.PLURAL,
        preferred=True,
        client=None,
    )
    client = DynamicClient(api.api_client, discoverer=Found)
    client.create(resource, body=dict(CLUSTER))
    assert recorder.requests[0].body == MANIFEST


def test_replace_gives_a_copy_with_other_values():
    spec = MiniClusterSpec.from_dict({"containers": [], "size": 2, "unknown": 1})
    made = spec.__replace__(size=3, maxSize=4)
    assert dict(made) == {"containers": [], "size": 3, "maxSize": 4, "unknown": 1}
    assert spec.size == 2 and spec.max_size is None
    assert spec.__replace__(size=None).size is None
    for wrong, error in (({"size": "x"}, TypeError), ({"containers": None}, ValueError), ({"sise": 1}, TypeError)):
        with pytest.raises(error, match="size|containers"):
            spec.__replace__(**wrong)
    if sys.version_info >= (3, 13):
        assert copy.replace(spec, size=3) == spec.__replace__(size=3)


def test_a_model_that_was_read_is_shown_without_managed_fields():
    stored = {**MANIFEST, "metadata": {"name": "a", "managedFields": [{"manager": "m", "fieldsV1": {}}]}}
    read = MiniCluster.from_dict(stored)
    unread = repr(read)
    assert read.metadata.managed_fields and dict(read) == stored
    for shown in (unread, repr(read)):
        assert "manage" not in shown
        assert max(map(len, shown.splitlines())) <= 88 and len(shown.splitlines()) > 5
