# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The command ``sample-operator``."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import kopf
from kubernetes import config
from kubernetes.client import ApiClient

from . import __version__, handlers
from .controller import Controller
from .kustomize import DEPLOY, Base, KustomizeError


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Reads the command line; what it leaves out is taken from the environment. Exits with 2 if it is wrong."""
    env = os.environ.get
    parser = argparse.ArgumentParser("sample-operator", description="Runs Samples: replicas of a Deployment.")
    parser.add_argument("--version", action="version", version=__version__)
    option = parser.add_mutually_exclusive_group().add_argument
    option("-n", "--namespace", action="append", help="serve this one, and others (SAMPLE_NAMESPACES, with commas)")
    option("-A", "--all-namespaces", action="store_true", help="serve all; the rights must be cluster-wide")
    option = parser.add_argument
    option("--apply", default=env("SAMPLE_APPLY", "api"), help="api or kubectl (SAMPLE_APPLY; default api)")
    option("--base", type=Path, default=Path(env("SAMPLE_BASE", str(DEPLOY))),
           help="directory of the Deployment's kustomize base (SAMPLE_BASE; default: one that comes along)")  # fmt: skip
    option("--liveness", default=env("SAMPLE_LIVENESS"), metavar="URL",
           help="answer probes here, as http://0.0.0.0:8080/healthz (SAMPLE_LIVENESS; default: nowhere)")  # fmt: skip
    option("-v", "--verbose", action="store_true", help="log all that kopf does")
    given = parser.parse_args(argv)
    if given.apply not in ("api", "kubectl"):
        parser.error(f"--apply is api or kubectl, not {given.apply!r}")
    if not given.all_namespaces and not given.namespace:
        given.namespace = [name for name in env("SAMPLE_NAMESPACES", "").split(",") if name]
        if not given.namespace:
            parser.error("which namespaces are to be served? Give --namespace or --all-namespaces")
    return given


def connect() -> ApiClient:
    """Gives a connection as the service account of a pod, or else as the kubeconfig says.

    Raises:
        config.ConfigException: there is neither.
    """
    try:
        config.load_incluster_config()
    except config.ConfigException:
        config.load_kube_config()
    return ApiClient()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the operator until it is told to end; gives 0, or 2 if it cannot begin."""
    given = arguments(argv)
    kopf.configure(verbose=given.verbose, log_format=kopf.LogFormat.JSON)
    if not given.verbose:
        logging.getLogger("kopf.objects").setLevel(logging.WARNING)  # it notes each event that comes
    try:
        base = Base(given.base)
        controller = Controller(connect(), base, given.apply == "kubectl")
    except (KustomizeError, config.ConfigException) as error:
        print(f"sample-operator: {error}", file=sys.stderr)
        return 2
    kopf.run(
        clusterwide=given.all_namespaces,
        namespaces=given.namespace or (),
        standalone=True,
        liveness_endpoint=given.liveness,
        memo=kopf.Memo(state=handlers.State(controller)),
    )
    return 0
