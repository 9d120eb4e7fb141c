# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The MiniCluster as lightkube's generic resource: typed metadata, the rest a dict."""

import msgspec
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.meta_v1 import ObjectMeta

MiniCluster = create_namespaced_resource(
    "flux-framework.org", "v1alpha1", "MiniCluster", "miniclusters"
)


def build():
    return MiniCluster(
        apiVersion="flux-framework.org/v1alpha1",
        kind="MiniCluster",
        metadata=ObjectMeta(
            name="lammps",
            namespace="flux-operator",
            labels={"app": "lammps", "team": "hpc"},
        ),
        spec={
            "size": 4,
            "tasks": 16,
            "jobLabels": {"campaign": "reaxff"},
            "containers": [
                {
                    "image": "ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
                    "command": "lmp -v x 2 -v y 2 -v z 2 -in in.reaxc.hns -nocite",
                    "workingDir": "/home/flux/examples/reaxff/HNS",
                    "runFlux": True,
                    "environment": {"OMP_NUM_THREADS": "1", "LANG": "C", "RUN": "7"},
                    "commands": {"pre": "ulimit -l unlimited", "post": "sync"},
                    "resources": {
                        "limits": {"cpu": 4, "memory": "8Gi"},
                        "requests": {"cpu": 2, "memory": "4Gi"},
                    },
                }
            ],
            "logging": {"quiet": False, "strict": True, "timed": True},
            "flux": {"optionFlags": "-ompi=openmpi@5", "logLevel": 7},
        },
    )


# Both ways as lightkube's client goes them.
def dump(minicluster):
    return msgspec.json.encode(minicluster.to_dict())


def parse(text):
    return MiniCluster(msgspec.json.decode(text))
