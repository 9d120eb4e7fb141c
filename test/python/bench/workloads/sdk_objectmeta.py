# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The MiniCluster in this SDK, its metadata the V1ObjectMeta of kubernetes."""

import json

from fluxoperator.models import MiniCluster
from kubernetes.client import V1ObjectMeta
from sdk import dump, spec  # noqa: F401


def build():
    return MiniCluster(
        metadata=V1ObjectMeta(
            name="lammps",
            namespace="flux-operator",
            labels={"app": "lammps", "team": "hpc"},
        ),
        spec=spec(),
    )


def parse(text):
    minicluster = MiniCluster.from_dict(json.loads(text))
    # It is the class of kubernetes once it is read.
    assert minicluster.metadata.name == "lammps"
    return minicluster
