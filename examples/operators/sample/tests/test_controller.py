# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is asked of kubectl, and when what failed is tried again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import kopf
import pytest
import yaml
from nuvolaris import errors
from nuvolaris.models import Sample

from sample_operator import controller, handlers
from sample_operator.controller import Controller
from sample_operator.kustomize import DEPLOY
from sample_operator.plan import Claim

META = {"name": "first", "namespace": "demo", "uid": "uid-first", "creationTimestamp": "2026-01-01T00:00:00Z"}
FIRST = Claim.of(Sample.from_dict({"metadata": META, "spec": {"count": 2}}))


@pytest.fixture
def asked(monkeypatch):
    """Gives what kubectl is asked, with the patch that it would read."""
    calls = []

    def kubectl(*arguments):
        directory = Path(arguments[arguments.index("-k") + 1])
        calls.append((arguments, yaml.safe_load((directory / "patch.yaml").read_text())))
        return "done"

    monkeypatch.setattr(controller, "kubectl", kubectl)
    return calls


def test_kubectl_changes_no_deployment_but_the_one_that_was_looked_at(asked):
    """Somebody may make one, or another of that name, between the look and the change."""
    made = Controller(api_client=None, base=SimpleNamespace(name="demo-deploy", directory=DEPLOY), by_kubectl=True)
    made.read = lambda namespace: None
    made._apply_by_kubectl(FIRST, None)
    made._apply_by_kubectl(FIRST, {"metadata": {"uid": "looked-at"}})
    (create, created), (apply, applied) = asked
    assert create[:2] == ("create", "--save-config") and "uid" not in created["metadata"]
    assert apply[0] == "apply" and applied["metadata"]["uid"] == "looked-at"
    assert create[-1] == apply[-1] == "--field-manager=sample-uid-first"


@pytest.mark.parametrize("retry, seconds", [(0, 1), (3, 8), (5, 30), (10_000, 30)])
def test_what_fails_is_tried_again_after_longer_and_longer(retry, seconds):
    """A Deployment that the API server refuses for ever is no reason for a request each second."""

    def refuse(*_):
        raise errors.Invalid(422, "Invalid", "no")

    state = handlers.State(SimpleNamespace(sync=refuse, release=refuse))
    with pytest.raises(kopf.TemporaryError) as failed:
        memo = kopf.Memo(state=state)
        asyncio.run(handlers.sample_changed(namespace="demo", memo=memo, retry=retry, claims={"demo": [FIRST]}))
    assert failed.value.delay == seconds


def test_images_have_a_version():
    """A tag that moves is another program after each restart of a pod."""
    (container,) = yaml.safe_load((DEPLOY / "demo-deployment.yaml").read_text())["spec"]["template"]["spec"]["containers"]
    manager = Path(__file__).parents[1] / "config/manager/kustomization.yaml"
    tags = [container["image"].rpartition(":")[2], *(it["newTag"] for it in yaml.safe_load(manager.read_text())["images"])]
    assert all(tag[0].isdigit() for tag in tags), tags
