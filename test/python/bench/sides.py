# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is measured: the environments, and the sides that live in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Tuple

KUBERNETES = ("36.0.3", "37.0.2")
# The generator of the pydantic models has an environment apart: their users do not
# install it. The wheels of all sides are built by these.
GENERATOR = ("datamodel-code-generator==0.89.0",)
BUILDER = ("flit_core==3.12.0", "setuptools==84.2.1")


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes:
        title (str): what it holds beside the requirements, for the tables.
        requirements (Tuple[str, ...]): what pip installs, with versions.
        wheel (str): which of the wheels that are built in the run goes in last; see
            prepare.SOURCES. Empty for none.
        package (str): the module or package whose lines are counted.
    """

    title: str = ""
    requirements: Tuple[str, ...] = ()
    wheel: str = ""
    package: str = ""


@dataclass(frozen=True)
class Side:
    """One way of having a MiniCluster in Python.

    Attributes:
        title (str): for the tables.
        environment (str): where it is installed.
        imports (Dict[str, str]): statements to measure in a process of their own, by
            title.
        workload (str): module of the directory workloads. Empty if there is none.
        comparable (bool): the workload is a MiniCluster. Default True.
        own (bool): it is this SDK: without it there is no benchmark. Default False.
    """

    title: str
    environment: str
    imports: Dict[str, str]
    workload: str = ""
    comparable: bool = True
    own: bool = False


def kube(version: str) -> str:
    return f"kubernetes=={version}"


ENVIRONMENTS: Dict[str, Environment] = {
    "python": Environment(),
    "sdk-36": Environment("this SDK", (kube(KUBERNETES[0]),), "sdk", "fluxoperator"),
    "sdk-37": Environment("this SDK", (kube(KUBERNETES[1]),), "sdk", "fluxoperator"),
    "legacy": Environment(
        "legacy templates",
        (kube(KUBERNETES[0]), "six==1.17.0"),
        "legacy",
        "fluxoperator",
    ),
    "pydantic-default": Environment(
        "models, default flags",
        ("pydantic==2.14.3",),
        "pydantic-default",
        "minicluster_default",
    ),
    "pydantic-tuned": Environment(
        "models, tuned flags",
        ("pydantic==2.14.3",),
        "pydantic-tuned",
        "minicluster_tuned",
    ),
    "msgspec": Environment(
        "structs", ("msgspec==0.22.0",), "msgspec", "minicluster_msgspec"
    ),
    "attrs": Environment(
        "classes",
        ("attrs==26.1.0", "cattrs==26.2.1", "orjson==3.13.0"),
        "attrs",
        "minicluster_attrs",
    ),
    "lightkube": Environment(
        requirements=(
            "lightkube==1.0.1",
            "lightkube-models==1.37.0.8",
            "msgspec==0.22.0",
        ),
        package="lightkube",
    ),
    "kubernetes-36": Environment(
        requirements=(kube(KUBERNETES[0]),), package="kubernetes"
    ),
    "kubernetes-37": Environment(
        requirements=(kube(KUBERNETES[1]),), package="kubernetes"
    ),
    "published": Environment(
        requirements=("fluxoperator==0.2.0", kube(KUBERNETES[0]), "six==1.17.0"),
        package="fluxoperator",
    ),
}

# Reading the metadata is what first needs a class of kubernetes.
FIRST_USE = (
    "from fluxoperator.models import MiniCluster; "
    "MiniCluster.from_dict({'metadata': {'name': 'a'}}).metadata.name"
)

# The ways in which the report names the imports that the targets are about.
MODELS, WHOLE = "models", "whole SDK"


def with_kubernetes(version: str) -> Side:
    return Side(
        f"this SDK, metadata of kubernetes {version}",
        f"sdk-{version.partition('.')[0]}",
        {"first use": FIRST_USE},
        "sdk_objectmeta",
        own=True,
    )


def pod(version: str) -> Side:
    return Side(
        f"kubernetes {version}, a V1Pod",
        f"kubernetes-{version.partition('.')[0]}",
        {"V1Pod": "from kubernetes.client import V1Pod"},
        "v1pod",
        comparable=False,
    )


SIDES: Dict[str, Side] = {
    "python": Side("a plain dict and json", "python", {"bare Python": "pass"}, "plain"),
    "sdk": Side(
        "this SDK",
        "sdk-37",
        {
            MODELS: "from fluxoperator.models import MiniCluster",
            WHOLE: "import fluxoperator, fluxoperator.client",
        },
        "sdk",
        own=True,
    ),
    "sdk-36": with_kubernetes(KUBERNETES[0]),
    "sdk-37": with_kubernetes(KUBERNETES[1]),
    "legacy": Side(
        "legacy templates",
        "legacy",
        {
            MODELS: "from fluxoperator.models import MiniCluster",
            f"with kubernetes {KUBERNETES[0]}": "import fluxoperator, kubernetes",
        },
        "legacy",
    ),
    "pydantic-default": Side(
        "pydantic, default flags",
        "pydantic-default",
        {MODELS: "from minicluster_default import MiniCluster"},
        "pydantic_default",
    ),
    "pydantic-tuned": Side(
        "pydantic, tuned flags",
        "pydantic-tuned",
        {MODELS: "from minicluster_tuned import MiniCluster"},
        "pydantic_tuned",
    ),
    "msgspec": Side(
        "msgspec, structs",
        "msgspec",
        {MODELS: "from minicluster_msgspec import MiniCluster"},
        "msgspec_struct",
    ),
    "attrs": Side(
        "attrs, with cattrs and orjson",
        "attrs",
        {
            MODELS: "from minicluster_attrs import MiniCluster",
            "with cattrs": "from minicluster_attrs import MiniCluster; import cattrs.preconf.orjson",
        },
        "attrs_cattrs",
    ),
    "lightkube": Side(
        "lightkube, generic resource",
        "lightkube",
        {"client": "import lightkube, lightkube.generic_resource"},
        "lightkube_generic",
    ),
    "kubernetes-36": pod(KUBERNETES[0]),
    "kubernetes-37": pod(KUBERNETES[1]),
    "published": Side(
        "fluxoperator 0.2.0",
        "published",
        {
            f"with kubernetes {KUBERNETES[0]}": "import fluxoperator, fluxoperator.client"
        },
    ),
}


def environments(sides: List[str]) -> List[str]:
    """Gives the environments of some sides, each once."""
    return list(dict.fromkeys(SIDES[name].environment for name in sides))
