# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the kubectl on PATH makes of a base and a patch; no cluster is asked."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sample_operator import kustomize
from sample_operator.kustomize import DEPLOY, Base, KustomizeError


@pytest.fixture
def base(kubectl_on_path, tmp_path):
    return Path(shutil.copytree(DEPLOY, tmp_path / "deploy"))


def files(directory):
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_patch_is_the_seeds():
    wanted = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "demo-deploy"},
        "spec": {"replicas": 2},
    }
    assert kustomize.patch("demo-deploy", 2) == wanted
    owned = kustomize.patch("demo-deploy", 2, {"labels": {"a": "b"}})
    assert owned["metadata"] == {"name": "demo-deploy", "labels": {"a": "b"}}


def test_a_base_is_rendered_with_each_count_and_stays_as_it_is(base):
    before = files(base)
    opened = Base(base)
    assert opened.name == "demo-deploy"
    for count in (0, 2, 1000):
        made = opened.render(count)
        assert made["spec"]["replicas"] == count
        assert made["spec"]["template"]["spec"]["containers"][0]["name"] == "nginx"
    assert files(base) == before


def test_a_count_is_rendered_once_by_however_many_threads(base, monkeypatch):
    calls = []
    real = kustomize.kubectl
    opened = Base(base)
    monkeypatch.setattr(kustomize, "kubectl", lambda *a: calls.append(a) or real(*a))
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(opened.render, [3, 4] * 20))
    assert [one["spec"]["replicas"] for one in made] == [3, 4] * 20
    assert len(calls) == 2


def test_an_edited_base_counts_from_the_next_start(base):
    opened = Base(base)
    shutil.rmtree(base)
    assert opened.render(2)["spec"]["replicas"] == 2


def test_a_base_that_is_not_there(kubectl_on_path, tmp_path):
    with pytest.raises(KustomizeError, match="reading the base .*nowhere"):
        Base(tmp_path / "nowhere")


def test_a_base_that_names_what_is_not_there(base):
    (base / "demo-deployment.yaml").unlink()
    with pytest.raises(KustomizeError, match="demo-deployment.yaml"):
        Base(base)


def test_a_base_without_a_kustomization(base):
    (base / "kustomization.yaml").unlink()
    with pytest.raises(KustomizeError, match="kustomization.yaml"):
        Base(base)


def test_a_base_of_something_else(base):
    (base / "demo-deployment.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
    with pytest.raises(KustomizeError, match="one Deployment of apps/v1, and makes: ConfigMap"):
        Base(base)


def test_kubectl_that_is_not_there(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(KustomizeError, match="running kubectl kustomize"):
        kustomize.kubectl("kustomize", ".")


def test_kubectl_that_takes_too_long(kubectl_on_path, base):
    with pytest.raises(KustomizeError, match="timed out"):
        kustomize.kubectl("kustomize", str(base), timeout=0.0001)
