# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The MiniCluster in the pydantic models of datamodel-code-generator."""

from minicluster_default import (
    Commands,
    Container,
    Flux,
    Logging,
    MiniCluster,
    Resources,
    Spec,
)


def build():
    return MiniCluster(
        apiVersion="flux-framework.org/v1alpha1",
        kind="MiniCluster",
        metadata={
            "name": "lammps",
            "namespace": "flux-operator",
            "labels": {"app": "lammps", "team": "hpc"},
        },
        spec=Spec(
            size=4,
            tasks=16,
            jobLabels={"campaign": "reaxff"},
            containers=[
                Container(
                    image="ghcr.io/rse-ops/lammps:flux-sched-focal-v0.24.0",
                    command="lmp -v x 2 -v y 2 -v z 2 -in in.reaxc.hns -nocite",
                    workingDir="/home/flux/examples/reaxff/HNS",
                    runFlux=True,
                    environment={"OMP_NUM_THREADS": "1", "LANG": "C", "RUN": "7"},
                    commands=Commands(pre="ulimit -l unlimited", post="sync"),
                    resources=Resources(
                        limits={"cpu": 4, "memory": "8Gi"},
                        requests={"cpu": 2, "memory": "4Gi"},
                    ),
                )
            ],
            logging=Logging(quiet=False, strict=True, timed=True),
            flux=Flux(optionFlags="-ompi=openmpi@5", logLevel=7),
        ),
    )


def dump(minicluster):
    return minicluster.model_dump_json(by_alias=True, exclude_none=True)


parse = MiniCluster.model_validate_json
