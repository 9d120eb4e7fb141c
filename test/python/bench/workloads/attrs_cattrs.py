# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The MiniCluster in classes of attrs, with the fields of this SDK's models, and cattrs."""

from typing import Union

from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.preconf.orjson import make_converter
from minicluster_attrs import (
    KEYS,
    Commands,
    ContainerResources,
    FluxSpec,
    LoggingSpec,
    MiniCluster,
    MiniClusterContainer,
    MiniClusterSpec,
)

converter = make_converter()
converter.register_structure_hook(Union[int, str], lambda value, _: value)
for cls, keys in KEYS.items():  # each after those that its fields name
    members = {
        attr: override(rename=key, omit_if_default=unset) for attr, (key, unset) in keys.items()
    }
    write = make_dict_unstructure_fn(cls, converter, **members)
    converter.register_unstructure_hook(cls, write)
    converter.register_structure_hook(cls, make_dict_structure_fn(cls, converter, **members))


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
    return converter.dumps(minicluster)


def parse(text):
    return converter.loads(text, MiniCluster)
