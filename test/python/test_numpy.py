# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Scalars of numpy: taken where Python's own are, and written as they are."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from fluxoperator import ValidationError, WrongTypeError
from fluxoperator.models import ContainerResources, MiniCluster, MiniClusterContainer, MiniClusterSpec

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("number", INTEGERS)
def test_integers(number):
    container = MiniClusterContainer(image=np.str_("a"), ports=[number(80)])
    spec = MiniClusterSpec(containers=[container], size=number(4))
    spec.tasks = number(8)
    spec.validate()
    assert type(spec.size) is int and type(container.ports[0]) is int and type(container.image) is str
    manifest = json.loads(spec.to_json())
    assert (manifest["size"], manifest["tasks"], manifest["containers"][0]["ports"]) == (4, 8, [80])
    assert manifest == dict(spec) == dict(MiniClusterSpec.from_dict(dict(spec)))


def test_bools_and_integers_or_strings():
    spec = MiniCluster(spec={"containers": [{"runFlux": np.bool_(True)}], "cleanup": np.bool_(False)}).spec
    assert spec.containers[0].run_flux is True and spec.cleanup is False
    assert dict(ContainerResources(limits={"cpu": np.int64(2)})) == {"limits": {"cpu": 2}}


def test_what_is_read():
    read = MiniClusterSpec.from_dict({"size": np.int64(4), "later": {"a": [np.float32(0.5), np.bool_(True)]}})
    assert json.loads(read.to_json()) == {"size": 4, "later": {"a": [0.5, True]}}


@pytest.mark.parametrize("value", [np.bool_(True), np.float64(1), np.array([1]), np.array([1, 2]), np.str_("1")])
def test_what_is_no_integer(value):
    with pytest.raises(WrongTypeError, match="^size: expected an integer, not "):
        MiniClusterSpec(containers=[], size=value)


def test_bounds_and_nan():
    with pytest.raises(ValidationError, match="^size: expected an integer from -2147483648 to 2147483647, not"):
        MiniClusterSpec(containers=[], size=np.int64(2**40))
    with pytest.raises(ValueError, match="JSON has no number for nan"):
        MiniClusterSpec.from_dict({"later": np.float32("nan")})


def test_numpy_is_not_loaded():
    script = "import sys, fluxoperator.models as m; m.MiniClusterSpec(containers=[]).to_json(); assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
