# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Which errors wrong values give, and what their texts begin with."""

from __future__ import annotations

import pytest

from fluxoperator import ValidationError, WrongTypeError
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec


def spec(**changes):
    return {"containers": [{"image": "a", **changes}]}


def test_errors_are_those_of_python():
    assert issubclass(ValidationError, ValueError)
    assert issubclass(WrongTypeError, (ValidationError, TypeError))
    assert issubclass(WrongTypeError, TypeError)


@pytest.mark.parametrize(
    "build, path",
    [
        (lambda: MiniCluster(spec=spec(image=5)), "spec.containers[0].image"),
        (lambda: MiniCluster(spec=spec(ports=["a"])), "spec.containers[0].ports[0]"),
        (lambda: MiniCluster(spec=spec(ports=[1, True])), "spec.containers[0].ports[1]"),
        (lambda: MiniCluster(spec=spec(ports=[1.5])), "spec.containers[0].ports[0]"),
        (lambda: MiniCluster(spec=spec(ports={})), "spec.containers[0].ports"),
        (lambda: MiniCluster(spec=spec(runFlux=1)), "spec.containers[0].runFlux"),
        (
            lambda: MiniCluster(spec=spec(volumes={"data": {"path": 1}})),
            "spec.containers[0].volumes.data.path",
        ),
        (
            lambda: MiniCluster(spec=spec(environment={"A": 1})),
            "spec.containers[0].environment.A",
        ),
        (lambda: MiniCluster(spec={"containers": {}}), "spec.containers"),
        (lambda: MiniCluster(spec=1), "spec"),
        (lambda: MiniCluster(kind=1), "kind"),
        (lambda: MiniClusterSpec(containers=[], size="4"), "size"),
        (lambda: MiniClusterSpec(containers=[], size=True), "size"),
        (lambda: MiniClusterSpec(containers=[], size=4.5), "size"),
        (lambda: MiniClusterSpec(containers=[5]), "containers[0]"),
        (lambda: MiniClusterSpec(containers=[None]), "containers[0]"),
        (lambda: MiniClusterContainer(image=b"a"), "image"),
    ],
)
def test_a_wrong_type_names_its_path(build, path):
    with pytest.raises(WrongTypeError) as caught:
        build()
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "build, path",
    [
        (lambda: MiniCluster(spec={}), "spec.containers"),
        (lambda: MiniClusterSpec(), "containers"),
        (lambda: MiniClusterSpec.from_dict({}).validate(), "containers"),
        (
            lambda: MiniCluster(status={"conditions": []}),
            "status.jobid",
        ),
    ],
)
def test_a_missing_value_names_its_path(build, path):
    with pytest.raises(ValidationError) as caught:
        build()
    assert str(caught.value).startswith(f"{path}: ")


def test_an_assigned_value_is_checked_by_validate():
    container = MiniClusterContainer(image="a")
    container.image = 5
    with pytest.raises(WrongTypeError, match="^image: "):
        container.validate()


def test_a_whole_number_is_no_truth_value_and_the_other_way_round():
    assert MiniClusterSpec(containers=[], size=0).size == 0
    with pytest.raises(WrongTypeError, match="^interactive: "):
        MiniClusterSpec(containers=[], interactive=0)


def test_validate_lists_all_problems():
    model = MiniCluster(spec=MiniClusterSpec(containers=[MiniClusterContainer()]))
    model.validate()
    container = model.spec.containers[0]
    container.ports = [1]
    container.ports.append("http")
    container.environment = {}
    container.environment["A"] = 1
    model.spec.containers.append(5)
    with pytest.raises(ValidationError) as caught:
        model.validate()
    lines = str(caught.value).splitlines()
    assert sorted(line.partition(": ")[0] for line in lines) == [
        "spec.containers[0].environment.A",
        "spec.containers[0].ports[1]",
        "spec.containers[1]",
    ]


def test_an_error_can_be_copied():
    import pickle

    with pytest.raises(ValidationError) as caught:
        MiniClusterSpec(containers=5)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert str(again) == str(caught.value)
