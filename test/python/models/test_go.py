# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Objects that Go wrote, read and written again, and read by Go."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
import rules.models

import fluxoperator.models

KINDS = {
    "MiniCluster": (fluxoperator.models.MiniCluster, 300),
    "MiniClusterList": (fluxoperator.models.MiniClusterList, 100),
    "Rule": (rules.models.Rule, 300),
}


def same(one: Any, other: Any) -> bool:
    """Tells whether JSON values are equal, and of the same types throughout."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def touch(model: Any) -> None:
    """Reads every attribute of a model and of what is in it."""
    for attr in getattr(type(model), "attribute_map", ()):
        value = getattr(model, attr)
        values = value.values() if type(value) is dict else value
        for item in values if isinstance(value, (list, dict)) else [value]:
            touch(item)


@pytest.fixture(scope="module", params=sorted(KINDS))
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def lines(wire, kind):
    found = wire("fill", "-kind", kind, "-n", str(KINDS[kind][1]))
    assert len(found) == KINDS[kind][1]
    return found


def test_what_go_wrote_is_written_again(lines, kind):
    cls = KINDS[kind][0]
    for line in lines:
        model = cls.from_dict(json.loads(line))
        assert same(dict(model), json.loads(line))
        assert same(dict(cls.from_dict(dict(model))), json.loads(line))


def test_reading_attributes_changes_nothing(lines, kind):
    for line in lines:
        model = KINDS[kind][0].from_dict(json.loads(line))
        touch(model)
        assert same(dict(model), json.loads(line))


def test_copies_and_pickles_are_equal(lines, kind):
    for line in lines[:50]:
        model = KINDS[kind][0].from_dict(json.loads(line))
        for other in (
            copy.copy(model),
            copy.deepcopy(model),
            pickle.loads(pickle.dumps(model)),
        ):
            assert other == model
            assert same(dict(other), json.loads(line))


def test_unknown_fields_are_kept_at_every_depth(lines, kind):
    def add(value: Any) -> Any:
        if isinstance(value, list):
            return [add(item) for item in value]
        if isinstance(value, dict):
            extra = {"addedLater": {"a": [None, 1, 1.5, True, ""]}}
            return {**{key: add(item) for key, item in value.items()}, **extra}
        return value

    for line in lines[:50]:
        grown = {
            key: value if key == "metadata" else add(value)
            for key, value in json.loads(line).items()
        }
        try:
            model = KINDS[kind][0].from_dict(grown)
        except ValueError:  # an object where the type has strings
            continue
        assert same(dict(model), grown)


def test_go_reads_what_was_written(wire, lines, kind):
    models = [KINDS[kind][0].from_dict(json.loads(line)) for line in lines]
    assert wire("decode", "-kind", kind, values=map(dict, models)) == lines


def test_go_reads_what_was_built(wire):
    from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

    container = MiniClusterContainer(image="a", ports=[8080], run_flux=True)
    spec = MiniClusterSpec(containers=[container], size=0, tasks=None)
    model = MiniCluster(metadata={"name": "m"}, spec=spec)
    (line,) = wire("decode", values=[dict(model)])
    # Go leaves zero values out, and writes nothing that was not there.
    read = json.loads(line)
    assert read["metadata"] == {"name": "m"}
    assert read["spec"]["containers"] == [
        {"image": "a", "ports": [8080], "runFlux": True}
    ]
    assert read["apiVersion"] == MiniCluster.API_VERSION


def test_yaml_is_read_by_go_as_it_was_meant(wire, lines, kind):
    models = [KINDS[kind][0].from_dict(json.loads(line)) for line in lines[:100]]
    read = wire("yaml", values=[model.to_yaml() for model in models])
    for line, want in zip(read, lines):
        assert same(json.loads(line), json.loads(want))
