# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is asked of the API server, by clients that only note it."""

from __future__ import annotations

import pytest
from kubernetes.client import V1ObjectMeta
from registry_mirror_sdk import errors
from registry_mirror_sdk.models import RegistryMirror, RegistryMirrorSpec

from registry_mirror.cache import Seen
from registry_mirror.kinds import CHILDREN
from registry_mirror.mirror import Mirror, Settings, wanted
from registry_mirror.reconcile import Reconciler

SETTINGS = Settings("mirrors")


class Noting:
    """A client of one kind that notes what is asked, and answers as the API server does."""

    def __init__(self, kind, notes):
        self.kind, self.notes, self.error = kind, notes, None

    def apply(self, body, force=False):
        self.notes.append(("apply", self.kind.KIND, body["metadata"]["name"], force))
        if self.error and not force:
            raise self.error
        return {**body, "metadata": {**body["metadata"], "uid": "stored", "resourceVersion": "2"}}

    def delete(self, name, uid=None):
        self.notes.append(("delete", self.kind.KIND, name, uid))


@pytest.fixture
def source():
    made = RegistryMirror(
        metadata=V1ObjectMeta(name="quay", uid="1-2"), spec=RegistryMirrorSpec(upstream="https://quay.io", port=5002)
    )
    return RegistryMirror.from_dict(dict(made))


@pytest.fixture
def reconciler(source):
    made = Reconciler(SETTINGS)
    made.notes, made.problems = [], []
    made._clients = {kind: Noting(kind, made.notes) for kind in CHILDREN}
    made._report = lambda source, mirror, problems: made.problems.extend(problems)
    made.saw(source)
    return made


def ours(kind, name, **more):
    return Seen(kind, name, **{"uid": "u", "mirror": "quay", "mirror_uid": "1-2", "owned": "{}", **more})


def test_what_was_not_seen_is_not_taken_from_another_by_force(reconciler):
    """An object of that name may have been made between the last watch event and the apply."""
    conflict = errors.Conflict(409, "Conflict", "conflict with \"kubectl\": .spec.selector")
    for client in reconciler._clients.values():
        client.error = conflict
    assert reconciler.reconcile("quay") is False
    assert [note[3] for note in reconciler.notes] == [False] * 5
    assert {problem.reason for problem in reconciler.problems} == {"Refused"}


def test_what_is_the_mirror_s_own_is_put_right_by_force(reconciler, source):
    for each in wanted(Mirror.of(source, SETTINGS)):
        reconciler.cache.put(ours(*each.key))
    assert reconciler.reconcile("quay") is True
    assert [note[3] for note in reconciler.notes] == [True] * 5


def test_what_is_deleted_is_what_was_seen(reconciler):
    reconciler.cache.put(ours("Service", "of-an-older-version", uid="seen"))
    reconciler.cache.put(ours("Service", "not-applied-by-the-operator", owned=""))
    reconciler.reconcile("quay")
    assert [note for note in reconciler.notes if note[0] == "delete"] == [
        ("delete", "Service", "of-an-older-version", "seen")
    ]
