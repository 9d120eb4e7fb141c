# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""How far a rule has got, worked out from what there is and from what has failed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from copyrator_api.models import CopyratorRuleStatus
from kubernetes.client import V1Condition

from .objects import KINDS, Key, Rule
from .plan import Claim, World, claims, settled, winner

READY, CONFLICT, REFUSED = "Ready", "Conflict", "Refused"
TAKEN, FAILED, NEVER = "NameTaken", "Failed", "NeverCopied"

# How many things a message names, and of how many characters what is said of one may be.
_SHOWN, _LONGEST = 5, 1024


class Trouble(NamedTuple):
    """Why a copy could not be written: ``reason`` is NameTaken or Failed."""

    reason: str
    message: str


def status(world: World, rule: Rule, troubles: Mapping[Key, Trouble], now: datetime) -> CopyratorRuleStatus:
    """Gives the status that a rule should have.

    Args:
        world (World): what there is.
        rule (Rule): the rule, with the status that it has.
        troubles (Mapping[Key, Trouble]): what could not be written.
        now (datetime): the time of conditions whose status changes, with a time zone.
    """
    sources = sum(not it.refused for query in rule.queries for it in world.sources.get(query, {}).values())
    wanted, there = 0, 0
    conflicts: List[Tuple[str, str]] = []
    failures: List[Tuple[str, str]] = []
    for key, claim, lost in _places(world, rule):
        wanted += 1
        if claim is None or lost:
            conflicts.append((_object(*key), lost))
        elif settled(world.copies.get(key), claim):
            there += 1
        elif key in troubles:
            trouble = troubles[key]
            (conflicts if trouble.reason == TAKEN else failures).append((_object(*key), trouble.message))
    refused = [*_refused(world, rule)]
    count = f"{there} of {wanted} copies of {sources} {'source' if sources == 1 else 'sources'} are there"
    reason = FAILED if failures else "Conflict" if conflicts else "Copied" if there == wanted else "Copying"
    message = f"{count}; {_listed(failures)}" if failures else count
    found = [
        (READY, reason == "Copied", reason, message),
        (CONFLICT, bool(conflicts), TAKEN if conflicts else "NoConflict", _listed(conflicts)),
        (REFUSED, bool(refused), NEVER if refused else "NoneRefused", _listed(refused)),
    ]
    before = {it.type: it for it in _conditions(rule)}
    return CopyratorRuleStatus(
        observed_generation=rule.generation,
        sources=sources,
        copies=there,
        conditions=[_condition(before.get(it[0]), rule, now, *it) for it in found],
    )


def news(before: Optional[CopyratorRuleStatus], after: CopyratorRuleStatus) -> Iterator[Tuple[str, str]]:
    """Yields reason and message of what has come to be wrong."""
    known = {(it.type, it.reason, it.message) for it in (before and before.conditions) or ()}
    for it in after.conditions or ():
        wrong = it.reason in (TAKEN, FAILED, NEVER)
        if wrong and (it.type, it.reason, it.message) not in known:
            yield it.reason, it.message


def same(before: Optional[CopyratorRuleStatus], after: CopyratorRuleStatus) -> bool:
    """Says whether a status need not be written."""
    return before is not None and dict(before) == dict(after)


def _places(world: World, rule: Rule) -> Iterator[Tuple[Key, Optional[Claim], str]]:
    """Yields every place for which a rule asks for a copy, who gets it, and if that is another, why."""
    for query in rule.queries:
        for source in world.sources.get(query, {}).values():
            if source.refused:
                continue
            asking = claims(world, rule.kind, source.name)
            for namespace in world.namespaces.values():
                if not rule.targets(namespace) or namespace.name == source.namespace:
                    continue
                first = winner(asking, namespace)
                lost = ""
                if first is None:
                    lost = f"it is a source itself, so that of {source.namespace} is not copied"
                elif first.source.uid != source.uid:
                    lost = f"rule {first.rule.name} copies that of {first.source.namespace}, not that of {source.namespace}"
                yield Key(rule.kind, namespace.name, source.name), first, lost


def _refused(world: World, rule: Rule) -> Iterator[Tuple[str, str]]:
    """Yields what the operator refuses a rule, and why."""
    for name in rule.refused:
        yield f"Namespace {name}", "not listed in --source-namespaces of the operator"
    for namespace in world.namespaces.values():
        if rule.spares(namespace):
            yield f"Namespace {namespace.name}", "reserved, and not listed in targetNamespaces"
    for query in rule.queries:
        for source in world.sources.get(query, {}).values():
            if source.refused:
                yield _object(rule.kind, source.namespace, source.name), source.refused


def _object(kind: str, namespace: str, name: str) -> str:
    return f"{KINDS[kind]} {namespace}/{name}"


def _listed(found: Sequence[Tuple[str, str]]) -> str:
    """Names the first of what was found, and counts the others."""
    shown = [f"{what}: {why[:_LONGEST]}" for what, why in sorted(found)[:_SHOWN]]
    more = len(found) - len(shown)
    return "; ".join([*shown, *([f"and {more} more"] if more > 0 else [])])


def _conditions(rule: Rule) -> Sequence[V1Condition]:
    return (rule.model.status and rule.model.status.conditions) or ()


def _condition(before: Optional[V1Condition], rule: Rule, now: datetime, type: str, true: bool, reason: str,
               message: str) -> V1Condition:
    value = "True" if true else "False"
    kept = before is not None and before.status == value
    fields: Dict[str, Any] = {"type": type, "status": value, "reason": reason, "message": message}
    since = before.last_transition_time if before is not None and kept else now.replace(microsecond=0)
    return V1Condition(**fields, observed_generation=rule.generation, last_transition_time=since)
