# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""kubectl and its kustomize: a base, the patch of a Sample, and what the two make.

Nothing is ever written into the base. Each patch is laid over a copy of it, in a directory of
its own, so any number of Samples are handled at once.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import yaml

from .plan import Manifest

DEPLOY = Path(__file__).parent / "deploy"


class KustomizeError(Exception):
    """A base is not there or is not one Deployment, or kubectl refuses; in its words."""


def kubectl(*arguments: str, timeout: float = 60) -> str:
    """Runs kubectl and gives what it prints.

    Args:
        arguments (str): of kubectl.
        timeout (float): seconds it may take. Default 60.

    Raises:
        KustomizeError: it is not installed, ends with an error, or takes too long.
    """
    try:
        done = subprocess.run(["kubectl", *arguments], capture_output=True, text=True, timeout=timeout)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KustomizeError(f"running kubectl {arguments[0]}: {error}") from error
    if done.returncode:
        raise KustomizeError(f"kubectl {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def patch(name: str, replicas: int, metadata: Manifest | None = None) -> Manifest:
    """Gives the patch that sets the replicas of a Deployment.

    Args:
        name (str): the Deployment's.
        replicas (int): how many.
        metadata (dict, None): labels and owners to add. Default None.
    """
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**(metadata or {}), "name": name},
        "spec": {"replicas": replicas},
    }


@contextmanager
def overlay(base: Path, changes: Manifest) -> Iterator[Path]:
    """Makes a directory for ``kubectl -k``, a patch over a copy of a base, for as long as it is used."""
    with tempfile.TemporaryDirectory(prefix="sample-") as directory:
        shutil.copytree(base, Path(directory, "base"))
        kustomization = {"resources": ["base"], "patches": [{"path": "patch.yaml"}]}
        Path(directory, "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        Path(directory, "patch.yaml").write_text(yaml.safe_dump(changes))
        yield Path(directory)


class Base:
    """A kustomize base that makes one Deployment. Threads may share it.

    It is copied when it is opened, so an edit counts from the next start of the operator.

    Args:
        directory (Path): where its kustomization.yaml is; what it refers to lies in there too.

    Attributes:
        directory (Path): where the copy is.
        name (str): the Deployment's.

    Raises:
        KustomizeError: the base is not there, or makes something else.
    """

    def __init__(self, directory: Path = DEPLOY) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="sample-")
        self.directory = Path(self._home.name, "base")
        try:
            shutil.copytree(directory, self.directory)
        except OSError as error:
            raise KustomizeError(f"reading the base {directory}: {error}") from error
        self.name: str = _deployment(self.directory)["metadata"]["name"]
        self._rendered: dict[int, Manifest] = {}
        self._lock = Lock()

    def render(self, replicas: int) -> Manifest:
        """Gives the Deployment with a number of replicas, which must not be changed.

        A process runs for the first of each number only: what is made hangs on nothing else.

        Raises:
            KustomizeError: kubectl could not be run.
        """
        with self._lock:
            if replicas not in self._rendered:
                with overlay(self.directory, patch(self.name, replicas)) as directory:
                    self._rendered[replicas] = _deployment(directory)
            return self._rendered[replicas]


def _deployment(directory: Path) -> Manifest:
    made: list[Manifest] = [one for one in yaml.safe_load_all(kubectl("kustomize", str(directory))) if one]
    if [(one["apiVersion"], one["kind"]) for one in made] != [("apps/v1", "Deployment")]:
        found = ", ".join(one["kind"] for one in made) or "nothing"
        raise KustomizeError(f"{directory} is to make one Deployment of apps/v1, and makes: {found}")
    return made[0]
