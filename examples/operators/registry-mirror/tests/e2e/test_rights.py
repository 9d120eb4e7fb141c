# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from conftest import HOME

USER = f"system:serviceaccount:{HOME}:registry-mirror-operator"
READ, WRITE = ["list", "watch"], ["create", "patch", "delete"]
VERBS = ["get", *READ, "create", "update", "patch", "delete", "deletecollection"]
MINE, CRDS = "registrymirrors.registry.example.org", "customresourcedefinitions.apiextensions.k8s.io"
OWN = {
    "services": READ + WRITE,
    "persistentvolumeclaims": READ + WRITE,
    "statefulsets.apps": READ + WRITE,
    "daemonsets.apps": READ + WRITE,
    "pods": READ,
    "pods/exec": [],
    "pods/log": [],
    "secrets": [],
    "configmaps": [],
    "serviceaccounts": [],
    "deployments.apps": [],
    "roles.rbac.authorization.k8s.io": [],
    "events": [],
}

pytestmark = pytest.mark.usefixtures("home", "definition")


@pytest.mark.parametrize("resource", OWN)
def test_in_its_namespace(can_i, resource):
    can = [verb for verb in VERBS if can_i(verb, resource, as_user=USER, namespace=HOME)]
    assert can == [verb for verb in VERBS if verb in OWN[resource]]


def test_in_others_it_may_write_events_only(can_i):
    for resource in ("services", "secrets", "pods", "statefulsets.apps"):
        assert not can_i("list", resource, as_user=USER, namespace="default")
        assert not can_i("create", resource, as_user=USER, all_namespaces=True)
    assert can_i("create", "events", as_user=USER, namespace="default")
    assert not can_i("create", "events", as_user=USER, namespace="kube-system")
    assert not can_i("list", "events", as_user=USER, namespace="default")


def test_it_reads_mirrors_and_writes_their_status(can_i):
    assert [verb for verb in VERBS if can_i(verb, MINE, as_user=USER)] == READ
    assert [verb for verb in VERBS if can_i(verb, f"{MINE}/status", as_user=USER)] == ["patch"]


def test_of_definitions_it_reads_its_own_and_changes_none(can_i):
    assert [verb for verb in VERBS if can_i(verb, CRDS, as_user=USER)] == []
    assert [verb for verb in VERBS if can_i(verb, CRDS, as_user=USER, name=MINE)] == READ
    assert not any(can_i(verb, CRDS, as_user=USER, name="others.example.org") for verb in VERBS)
