# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The MiniCluster in structs of msgspec, with the fields of this SDK's models."""

import msgspec
from minicluster_msgspec import (
    Commands,
    ContainerResources,
    FluxSpec,
    LoggingSpec,
    MiniCluster,
    MiniClusterContainer,
    MiniClusterSpec,
)


def build():
    return MiniCluster(
        metadata={
            "name": "lammps",
            "namespace": "flux-operator",
            "labels": {"app": "lammps", "team": "hpc"},
        },
        spec=MiniClusterSpec(
            size=4,
            tasks=16,
            job_labels={"campaign": "reaxff"},
            containers=[
                MiniClusterContainer(
                    image="ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
                    command="lmp -v x 2 -v y 2 -v z 2 -in in.reaxc.hns -nocite",
                    working_dir="/home/flux/examples/reaxff/HNS",
                    run_flux=True,
                    environment={"OMP_NUM_THREADS": "1", "LANG": "C", "RUN": "7"},
                    commands=Commands(pre="ulimit -l unlimited", post="sync"),
                    resources=ContainerResources(
                        limits={"cpu": 4, "memory": "8Gi"},
                        requests={"cpu": 2, "memory": "4Gi"},
                    ),
                )
            ],
            logging=LoggingSpec(quiet=False, strict=True, timed=True),
            flux=FluxSpec(option_flags="-ompi=openmpi@5", log_level=7),
        ),
    )


def dump(minicluster):
    return msgspec.json.encode(minicluster)


decoder = msgspec.json.Decoder(MiniCluster)
parse = decoder.decode
