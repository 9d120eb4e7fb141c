# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The command line, and what the environment says in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from sample_operator import cli
from sample_operator.kustomize import DEPLOY


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("NAMESPACES", "APPLY", "BASE", "LIVENESS"):
        monkeypatch.delenv(f"SAMPLE_{name}", raising=False)
    return monkeypatch


def test_the_defaults():
    given = cli.arguments(["-n", "a", "--namespace", "b"])
    assert (given.namespace, given.all_namespaces) == (["a", "b"], False)
    assert (given.apply, given.base, given.liveness) == ("api", DEPLOY, None)


def test_the_environment(environment):
    environment.setenv("SAMPLE_NAMESPACES", "a,b")
    environment.setenv("SAMPLE_APPLY", "kubectl")
    environment.setenv("SAMPLE_BASE", "/base")
    environment.setenv("SAMPLE_LIVENESS", "http://127.0.0.1:1/x")
    given = cli.arguments([])
    assert (given.namespace, given.apply, given.base) == (["a", "b"], "kubectl", Path("/base"))
    assert given.liveness == "http://127.0.0.1:1/x"
    assert cli.arguments(["-A"]).namespace is None, "a flag wins"
    assert cli.arguments(["-n", "c", "--apply", "api"]).apply == "api"


@pytest.mark.parametrize(
    "argv, said",
    [
        ([], "which namespaces"),
        (["-A", "-n", "a"], "not allowed with"),
        (["-A", "--apply", "helm"], "--apply is api or kubectl, not 'helm'"),
    ],
)
def test_what_is_refused(argv, said, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(argv)
    assert ended.value.code == 2 and said in capsys.readouterr().err


def test_a_base_that_is_not_there_ends_it(capsys):
    assert cli.main(["-A", "--base", "/nowhere/at/all"]) == 2
    assert "reading the base /nowhere/at/all" in capsys.readouterr().err


def test_no_cluster_ends_it(kubectl_on_path, environment, tmp_path, capsys):
    environment.setenv("KUBECONFIG", str(tmp_path / "none"))
    environment.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    environment.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "none"))
    assert cli.main(["-A"]) == 2
    assert "kube-config" in capsys.readouterr().err
