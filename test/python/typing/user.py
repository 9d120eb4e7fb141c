# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Code of a user that every type checker has to find right."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional

from kubernetes.client import V1ObjectMeta

import fluxoperator
from fluxoperator.models import (
    ContainerVolume,
    MiniCluster,
    MiniClusterContainer,
    MiniClusterList,
    MiniClusterSpec,
)


def build(name: str, size: Optional[int] = None) -> MiniCluster:
    container = MiniClusterContainer(
        image="a",
        command="sleep 1",
        ports=[8080],
        environment={"A": "b"},
        volumes={"data": ContainerVolume(path="/data", read_only=True)},
        run_flux=True,
    )
    spec = MiniClusterSpec(containers=[container], size=size, tasks=None)
    return MiniCluster(metadata=V1ObjectMeta(name=name), spec=spec)


def named(name: str, spec: MiniClusterSpec) -> Optional[V1ObjectMeta]:
    model = MiniCluster(metadata={"name": name}, spec=spec)
    model.metadata = {"name": name, "labels": {"a": "b"}}
    metadata: Optional[V1ObjectMeta] = model.metadata
    if model.metadata is not None:
        metadata = model.metadata
    return metadata


def read(manifest: Dict[str, Any]) -> List[str]:
    model = MiniCluster.from_dict(manifest)
    spec: Optional[MiniClusterSpec] = model.spec
    if spec is None:
        return []
    spec.size = 4
    spec.tasks = fluxoperator.NULL
    spec.containers.append(MiniClusterContainer(image="b"))
    del spec.interactive
    images: List[Optional[str]] = [c.image for c in spec.containers]
    return [image for image in images if image is not None]


def as_mapping(model: MiniCluster) -> Dict[str, Any]:
    keys: List[str] = list(model)
    assert model[keys[0]] is not None and "kind" in model and len(model) > 0
    return {**dict(model), "kind": MiniCluster.KIND}


def names(found: MiniClusterList) -> List[str]:
    # What an attribute hides is that of the attribute: items is a list here.
    return [str(item["metadata"]["name"]) for item in found.items or []]


class Named(MiniCluster):
    """A class of the user's own."""

    def __init__(self, name: str) -> None:
        super().__init__(metadata=V1ObjectMeta(name=name))


def main() -> None:
    model = build("m", size=2)
    twin: MiniCluster = copy.deepcopy(model)
    model.validate()
    text: str = twin.to_yaml()
    again: MiniCluster = MiniCluster.from_yaml(text)
    where: str = f"{MiniCluster.GROUP}/{MiniCluster.VERSION} {MiniCluster.PLURAL}"
    scoped: bool = MiniCluster.NAMESPACED
    legacy: Dict[str, Any] = again.to_dict()
    named: Named = Named.from_dict(as_mapping(Named("n")))
    print(where, scoped, legacy, named == model, read(dict(model)), model.spec)
    try:
        MiniClusterSpec(containers=[])
    except fluxoperator.ValidationError as error:
        print(str(error))
