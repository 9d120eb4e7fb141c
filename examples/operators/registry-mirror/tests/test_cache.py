# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from registry_mirror.cache import Cache, Seen

OWNER = {"apiVersion": "registry.example.org/v1alpha1", "kind": "RegistryMirror", "name": "quay", "uid": "7"}


def manifest(**meta):
    return {"metadata": {"name": "x", "uid": "1", **meta}, "status": {"readyReplicas": 1}}


def entry(**change):
    return {"manager": "registry-mirror-operator", "operation": "Apply", "fieldsV1": {"f:spec": {}}, **change}


def test_an_object_is_known_by_its_owner():
    others = {**OWNER, "kind": "Other", "name": "o"}
    seen = Seen.of("Service", manifest(ownerReferences=[others, OWNER]))
    assert (seen.key, seen.mirror, seen.mirror_uid) == (("Service", "x"), "quay", "7")
    assert seen.status == {"readyReplicas": 1} and not seen.leaving
    assert Seen.of("Service", manifest()).mirror == ""
    assert Seen.of("Service", manifest(deletionTimestamp="now")).leaving


def test_owned_are_the_fields_that_the_operator_applied():
    assert Seen.of("Service", manifest(managedFields=[entry()])).owned == '{"f:spec": {}}'
    for change in ({"manager": "kubectl"}, {"operation": "Update"}, {"subresource": "status"}):
        assert Seen.of("Service", manifest(managedFields=[entry(**change)])).owned == ""


def test_a_mirror_has_what_it_owns():
    cache = Cache()
    a, b = Seen("Service", "a", "1", "quay"), Seen("DaemonSet", "a", "2", "quay")
    cache.put(a)
    cache.put(b)
    cache.put(Seen("Service", "b", "3", "other"))
    assert cache.of("quay") == [a, b] and cache.of("none") == []
    cache.put(Seen("Service", "a", "1", ""))
    assert cache.of("quay") == [b]


def test_what_is_gone_is_forgotten_but_not_what_has_its_name_by_now():
    cache = Cache()
    cache.put(Seen("Service", "a", "new"))
    cache.remove(Seen("Service", "a", "old"))
    assert cache.get(("Service", "a"))
    cache.remove(Seen("Service", "a", "new"))
    assert cache.get(("Service", "a")) is None


def test_a_kind_is_forgotten_as_a_whole():
    cache = Cache()
    cache.put(Seen("Service", "a", "1", "quay"))
    cache.put(Seen("Pod", "a", "2", "quay"))
    cache.clear("Service")
    assert [seen.kind for seen in cache.of("quay")] == ["Pod"]


def test_an_answer_does_not_hide_what_the_watch_has_shown_since():
    cache, answer = Cache(), Seen("Service", "a", "1", version=5)
    cache.written(answer)
    assert cache.get(answer.key) == answer  # the watch has not come so far
    later = Seen("Service", "a", "1", version=6, status={"is": "later"})
    cache.put(later)
    cache.written(answer)
    assert cache.get(answer.key) == later
    cache.remove(Seen("Service", "a", "1", version=7))
    cache.written(answer)
    assert cache.get(answer.key) is None
