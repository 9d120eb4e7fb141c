# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the status of a rule says."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict, Mapping

from clusters import HOME, Cluster, manifest, namespace, rule

from copyrator.objects import Key
from copyrator.plan import plan
from copyrator.status import Trouble, news, same, status

EARLY, LATE = (datetime(2026, 1, day, tzinfo=timezone.utc) for day in (1, 2))


def cluster(*sources: str) -> Cluster:
    """Gives a cluster with one rule, and a source of the same name in each of some namespaces."""
    meta = {"labels": {"copy": "yes"}}
    objects = {Key("configmap", it, "s"): manifest("configmap", it, "s", metadata=meta) for it in sources}
    return Cluster([namespace(it) for it in (HOME, "a", "b")], [rule(namespaces=[*sources])], objects)


def told(made: Cluster, now: datetime = EARLY, troubles: Mapping[Key, Trouble] = {}) -> Dict[str, Any]:
    """Gives the status of the rule, and stores it."""
    world = made.world()
    found = status(world, world.rules["main-rule"], troubles, now)
    made.rules[0]["status"] = dict(found)
    return dict(found)


def conditions(found: Mapping[str, Any]) -> Dict[str, Any]:
    return {it["type"]: it for it in found["conditions"]}


def test_counts_what_is_there() -> None:
    made = cluster(HOME)
    found = told(made)
    assert (found["sources"], found["copies"], found["observedGeneration"]) == (1, 0, 1)
    assert conditions(found)["Ready"]["reason"] == "Copying"
    for action in plan(made.world()):
        made.take(action)
    found = told(made, LATE)
    ready, conflict = conditions(found)["Ready"], conditions(found)["Conflict"]
    assert (found["copies"], ready["status"], ready["reason"]) == (2, "True", "Copied")
    assert ready["message"] == "2 of 2 copies of 1 source are there"
    assert ready["lastTransitionTime"] == "2026-01-02T00:00:00Z"
    assert conflict["lastTransitionTime"] == "2026-01-01T00:00:00Z", "its status is what it was"


def test_is_written_only_when_it_says_something_else() -> None:
    made = cluster(HOME)
    told(made)
    world = made.world()
    before = world.rules["main-rule"].model.status
    assert same(before, status(world, world.rules["main-rule"], {}, LATE))
    assert not same(None, status(world, world.rules["main-rule"], {}, LATE))


def test_sources_of_one_name_are_a_conflict() -> None:
    found = conditions(told(cluster(HOME, "a")))
    assert (found["Ready"]["status"], found["Ready"]["reason"]) == ("False", "Conflict")
    assert (found["Conflict"]["status"], found["Conflict"]["reason"]) == ("True", "NameTaken")
    said = found["Conflict"]["message"]
    assert "ConfigMap a/s: it is a source itself, so that of home is not copied" in said
    assert "ConfigMap b/s: rule main-rule copies that of a, not that of home" in said


def test_one_source_by_two_rules_is_no_conflict() -> None:
    made = cluster(HOME)
    made.rules.append(rule("other", namespaces=[HOME], targets={}))
    for action in plan(made.world()):
        made.take(action)
    world = made.world()
    for name in ("main-rule", "other"):
        assert conditions(dict(status(world, world.rules[name], {}, EARLY)))["Ready"]["status"] == "True"


def test_failures_are_told_and_are_news_once() -> None:
    made = cluster(HOME)
    troubles = {
        Key("configmap", "a", "s"): Trouble("NameTaken", "an object is there"),
        Key("configmap", "b", "s"): Trouble("Failed", "exceeded quota"),
    }
    found = conditions(told(made, troubles=troubles))
    assert found["Ready"]["reason"] == "Failed"
    assert found["Ready"]["message"] == "0 of 2 copies of 1 source are there; ConfigMap b/s: exceeded quota"
    assert found["Conflict"]["message"] == "ConfigMap a/s: an object is there"
    world = made.world()
    model = world.rules["main-rule"].model.status
    assert model is not None
    assert [reason for reason, _ in news(None, model)] == ["Failed", "NameTaken"]
    assert [*news(model, status(world, world.rules["main-rule"], troubles, LATE))] == []


def test_messages_stay_short() -> None:
    made = cluster(HOME)
    made.namespaces += [namespace(f"n{n}") for n in range(50)]
    taken = {Key("configmap", f"n{n}", "s"): Trouble("NameTaken", "taken") for n in range(50)}
    said = conditions(told(made, troubles=taken))["Conflict"]["message"]
    assert said.count("taken") == 5 and said.endswith("; and 45 more")


def test_messages_of_the_server_are_cut() -> None:
    made = cluster(HOME)
    troubles = {Key("configmap", it, "s"): Trouble("Failed", "x" * 100_000) for it in ("a", "b")}
    for it in conditions(told(made, troubles=troubles)).values():
        assert len(it["message"]) < 32768, "more than a condition may have"
