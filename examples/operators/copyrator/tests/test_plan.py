# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Whatever a cluster holds, the plan leads to the copies that the rules ask for, and to nothing else."""

from __future__ import annotations

from copy import deepcopy
from random import Random

from clusters import HOME, Cluster, clusters, content, manifest, namespace, rule
from hypothesis import given, settings
from hypothesis import strategies as st

from copyrator.objects import MANAGED_BY, MANAGER, PLACE, SOURCE_UID, Copy, Key, Namespace, Rule, Source, is_copy
from copyrator.plan import World, claims, decide, plan, settled, winner

MANY = settings(max_examples=100, deadline=None)


def converge(cluster: Cluster) -> World:
    """Does what is planned until nothing is left but places that others have taken."""
    for _ in range(3):
        if not any([cluster.take(action) for action in plan(cluster.world())]):
            break
    world = cluster.world()
    assert all(it.verb == "create" and it.key in cluster.objects for it in plan(world)), "it does not come to rest"
    return world


@MANY
@given(clusters())
def test_comes_to_rest_with_every_copy_in_place(cluster: Cluster) -> None:
    others = cluster.originals()
    world = converge(cluster)
    for key in [*world.keys("configmap"), *world.keys("secret")]:
        claim = winner(claims(world, key.kind, key.name), world.namespaces[key.namespace])
        if key in others:
            assert cluster.objects[key] == others[key], "what is another's stays as it is"
        elif claim is not None:
            stored = cluster.objects[key]
            assert settled(Copy.of(stored), claim)
            assert content(stored) == content(others[Key(key.kind, claim.source.namespace, key.name)])
            assert set(stored["metadata"]["annotations"]).isdisjoint(["theirs"])
        else:
            assert key not in cluster.objects
    assert others.items() <= cluster.objects.items()


@MANY
@given(clusters())
def test_copies_are_of_originals_and_never_sources(cluster: Cluster) -> None:
    originals = {it["metadata"]["uid"] for it in cluster.originals().values()}
    world = converge(cluster)
    found = {source.uid for sources in world.sources.values() for source in sources.values()}
    assert found <= originals
    for key, stored in cluster.copies().items():
        assert stored["metadata"]["annotations"][SOURCE_UID] in originals
        assert Source.of(key.kind, stored) is None


@MANY
@given(clusters(), clusters(), st.randoms(use_true_random=False))
def test_finds_its_way_from_any_state(before: Cluster, after: Cluster, random: Random) -> None:
    """All has changed while the operator was away, and copies were edited by hand."""
    converge(before)
    fresh = deepcopy(after)
    there = {it["metadata"]["name"] for it in after.namespaces if it["status"]["phase"] == "Active"}
    for key, stored in before.copies().items():
        if key.namespace in there and key not in after.objects:
            edited = random.choice(["nothing", "data", "labels", "annotations"])
            if edited == "data" and not stored.get("immutable"):
                stored["data"] = {"by": "aGFuZA=="}
            elif edited == "labels":
                stored["metadata"]["labels"] = {k: v for k, v in stored["metadata"]["labels"].items() if "/" in k}
            elif edited == "annotations":
                stored["metadata"]["annotations"] = {"by": "hand", PLACE: f"{key.namespace}/{key.name}"}
            after.objects[key] = stored
    converge(after)
    converge(fresh)
    assert {k: content(v) for k, v in after.objects.items()} == {k: content(v) for k, v in fresh.objects.items()}


@MANY
@given(clusters(), st.randoms(use_true_random=False))
def test_does_not_depend_on_the_order_of_events(cluster: Cluster, random: Random) -> None:
    expected = plan(cluster.world())
    for several in (cluster.namespaces, cluster.rules):
        random.shuffle(several)
    keys = list(cluster.objects)
    random.shuffle(keys)
    cluster.objects = {key: cluster.objects[key] for key in keys}
    assert sorted(plan(cluster.world()), key=lambda it: it.key) == sorted(expected, key=lambda it: it.key)


def small(**source: object) -> Cluster:
    """Gives a cluster with one rule, one source and one namespace for a copy."""
    made = manifest("configmap", HOME, "s", **{"metadata": {"labels": {"copy": "yes"}}, "data": {"k": "v"}, **source})
    cluster = Cluster([namespace(HOME), namespace("a")], [rule()], {Key("configmap", HOME, "s"): made})
    converge(cluster)
    return cluster


COPY = Key("configmap", "a", "s")


def test_what_others_add_to_the_metadata_of_a_copy_stays() -> None:
    cluster = small()
    stored = cluster.objects[COPY]["metadata"]
    stored["labels"]["theirs"] = stored["annotations"]["theirs"] = "kept"
    assert plan(cluster.world()) == []
    source = cluster.objects[Key("configmap", HOME, "s")]
    source["metadata"]["labels"]["new"] = "one"
    converge(cluster)
    assert cluster.objects[COPY]["metadata"]["labels"]["new"] == "one"
    del source["metadata"]["labels"]["new"]
    converge(cluster)
    stored = cluster.objects[COPY]["metadata"]
    assert "new" not in stored["labels"]
    assert stored["labels"]["theirs"] == stored["annotations"]["theirs"] == "kept"


def test_a_copy_without_its_label_is_another_s() -> None:
    cluster = small()
    del cluster.objects[COPY]["metadata"]["labels"][MANAGED_BY]
    kept = deepcopy(cluster.objects[COPY])
    converge(cluster)
    assert cluster.objects[COPY] == kept


def test_immutable_copies_are_made_again() -> None:
    cluster = small(immutable=True)
    cluster.objects[Key("configmap", HOME, "s")]["data"] = {"k": "w"}
    action = decide(cluster.world(), COPY)
    assert action is not None and action.verb == "delete"
    converge(cluster)
    assert cluster.objects[COPY]["data"] == {"k": "w"} and cluster.objects[COPY]["immutable"]


def test_a_copy_of_another_type_is_made_again() -> None:
    cluster = small()
    cluster.objects[COPY]["type"] = "other"
    action = decide(cluster.world(), COPY)
    assert action is not None and action.verb == "delete"


def test_a_copy_is_no_source() -> None:
    assert Source.of("configmap", manifest("configmap", HOME, "s", metadata={"labels": {MANAGED_BY: MANAGER}})) is None
    assert Source.of("secret", manifest("secret", HOME, "s", type="Opaque")) is not None


def test_a_clone_of_a_copy_is_another_s() -> None:
    """Somebody has read a copy and created it again elsewhere, labels and annotations and all."""
    cluster = small()
    for key in (Key("configmap", "a", "clone"), Key("configmap", "other", "s")):
        clone = deepcopy(cluster.objects[COPY])
        clone["metadata"].update(name=key.name, namespace=key.namespace, uid=f"uid-{key}")
        cluster.objects[key] = clone
    cluster.namespaces.append(namespace("other", "Active"))
    cluster.rules = [rule(targetNamespaces=["a"])]
    kept = deepcopy(cluster.objects)
    converge(cluster)
    assert cluster.objects == kept


def test_an_object_with_the_labels_of_a_copy_alone_is_another_s() -> None:
    cluster = small()
    del cluster.objects[COPY]["metadata"]["annotations"]
    cluster.rules, kept = [], deepcopy(cluster.objects)
    assert plan(cluster.world()) == []
    assert cluster.objects == kept


def test_copies_of_version_0_1_0_are_known() -> None:
    cluster = small()
    stored = cluster.objects[COPY]
    del stored["metadata"]["annotations"][PLACE]
    assert is_copy(stored, HOME)
    converge(cluster)
    assert cluster.objects[COPY]["metadata"]["annotations"][PLACE] == "a/s"


def test_a_namespace_that_goes_is_left_alone() -> None:
    cluster = small()
    cluster.namespaces[1] = namespace("a", "Terminating")
    cluster.rules = []
    assert plan(cluster.world()) == []


def test_a_copy_that_is_being_deleted_is_waited_for() -> None:
    cluster = small()
    cluster.objects[COPY]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    cluster.objects[Key("configmap", HOME, "s")]["data"] = {"k": "w"}
    assert plan(cluster.world()) == []


def test_a_source_that_is_being_deleted_has_no_copies() -> None:
    cluster = small()
    cluster.objects[Key("configmap", HOME, "s")]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    converge(cluster)
    assert COPY not in cluster.objects


def test_copies_of_another_operator_are_another_s() -> None:
    cluster = small()
    cluster.objects[COPY]["metadata"]["labels"]["copyrator.test.com/namespace"] = "elsewhere"
    cluster.rules = []
    assert plan(cluster.world()) == []


def test_the_oldest_rule_and_then_the_oldest_source_win() -> None:
    young, old = {"creationTimestamp": "2026-02-01T00:00:00Z"}, {"creationTimestamp": "2026-01-01T00:00:00Z"}
    labels = {"labels": {"copy": "yes"}}
    objects = {
        Key("configmap", "b", "s"): manifest("configmap", "b", "s", metadata={**young, **labels}, data={"of": "b"}),
        Key("configmap", "c", "s"): manifest("configmap", "c", "s", metadata={**old, **labels}, data={"of": "c"}),
    }
    cluster = Cluster([namespace(it) for it in "abc"], [rule(namespaces=["b", "c"], metadata=young)], objects)
    converge(cluster)
    assert cluster.objects[COPY]["data"] == {"of": "c"}
    cluster.rules.append(rule("older", namespaces=["b"], metadata=old))
    converge(cluster)
    assert cluster.objects[COPY]["data"] == {"of": "b"}
    assert cluster.objects[COPY]["metadata"]["labels"][MANAGED_BY] == MANAGER


def test_a_rule_that_nobody_understands_finds_nothing() -> None:
    assert Rule.of(rule(selector={})).queries == Rule.of(rule(ruleType="pod")).queries == ()


def test_targets() -> None:
    def reached(targets: object, **labels: str) -> bool:
        return Rule.of(rule(targets=targets)).targets(Namespace("a", True, labels))

    def expression(operator: str, *values: str) -> object:
        return {"matchExpressions": [{"key": "team", "operator": operator, "values": list(values)}]}

    assert reached(None) and reached({}) and not reached({"matchLabels": {"team": "x"}})
    assert reached({"matchLabels": {"team": "x"}}, team="x")
    assert reached(expression("In", "x", "y"), team="y") and not reached(expression("In", "x"))
    assert reached(expression("NotIn", "x")) and not reached(expression("NotIn", "x"), team="x")
    assert reached(expression("Exists"), team="z") and not reached(expression("Exists"))
    assert reached(expression("DoesNotExist")) and not reached(expression("DoesNotExist"), team="z")
    assert not Rule.of(rule()).targets(Namespace("a", False, {}))
