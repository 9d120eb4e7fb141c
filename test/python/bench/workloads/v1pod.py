# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A V1Pod of the installed kubernetes, about as large as the MiniCluster."""

import json
from types import SimpleNamespace

from kubernetes.client import (
    ApiClient,
    V1Container,
    V1EnvVar,
    V1ObjectMeta,
    V1Pod,
    V1PodSpec,
    V1ResourceRequirements,
)

CLIENT = ApiClient()


def build():
    return V1Pod(
        api_version="v1",
        kind="Pod",
        metadata=V1ObjectMeta(
            name="lammps",
            namespace="flux-operator",
            labels={"app": "lammps", "team": "hpc"},
        ),
        spec=V1PodSpec(
            containers=[
                V1Container(
                    name="lammps",
                    image="ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
                    command=["lmp", "-in", "in.reaxc.hns", "-nocite"],
                    working_dir="/home/flux/examples/reaxff/HNS",
                    env=[
                        V1EnvVar(name="OMP_NUM_THREADS", value="1"),
                        V1EnvVar(name="LANG", value="C"),
                        V1EnvVar(name="RUN", value="7"),
                    ],
                    resources=V1ResourceRequirements(
                        limits={"cpu": "4", "memory": "8Gi"},
                        requests={"cpu": "2", "memory": "4Gi"},
                    ),
                )
            ],
            restart_policy="Never",
        ),
    )


def dump(pod):
    return json.dumps(CLIENT.sanitize_for_serialization(pod))


def parse(text):
    if hasattr(V1Pod, "from_json"):  # 37 and newer
        return V1Pod.from_json(text)
    return CLIENT.deserialize(SimpleNamespace(data=text), "V1Pod")
