# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is to be done, worked out from what there is. Nothing here asks or changes anything.

Each place of a copy, a ``Key``, is decided by itself: by the rules, by the sources of its name and
by its namespace. So an event is worth no more than the keys that it may matter to, and a decision is
the same however its facts came to be known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set

from .objects import KINDS, LABELS, Copy, Key, Namespace, Query, Rule, Source, marks


class Claim(NamedTuple):
    """A rule that asks for copies of a source."""

    rule: Rule
    source: Source


class Action(NamedTuple):
    """One request: ``verb`` is create, update or delete. What must not be changed, as the type of a
    Secret or what is in an immutable object, is deleted, and created in the next step."""

    verb: str
    key: Key
    copy: Optional[Copy] = None
    claim: Optional[Claim] = None


@dataclass
class World:
    """What is known of the cluster: rules and namespaces by name, the sources of a query by name, the
    copies, of one operator's rules only, by where they are."""

    rules: Dict[str, Rule] = field(default_factory=dict)
    namespaces: Dict[str, Namespace] = field(default_factory=dict)
    sources: Dict[Query, Dict[str, Source]] = field(default_factory=dict)
    copies: Dict[Key, Copy] = field(default_factory=dict)

    def names(self, kind: str) -> Set[str]:
        """Gives the names of all sources and copies of a kind."""
        known = {name for query, found in self.sources.items() if query.kind == kind for name in found}
        return known | {key.name for key in self.copies if key.kind == kind}

    def keys(self, kind: str, names: Optional[Sequence[str]] = None) -> Iterator[Key]:
        """Gives every place that a copy may be in, or is in; only of some names if they are given."""
        for name in self.names(kind) if names is None else names:
            yield from (Key(kind, namespace, name) for namespace in self.namespaces)


def claims(world: World, kind: str, name: str) -> List[Claim]:
    """Gives who asks for copies of a name, the first first: that of the oldest rule, and among its
    sources the oldest; of the same age, by name."""
    found = [
        Claim(rule, source)
        for rule in world.rules.values()
        if rule.kind == kind
        for query in rule.queries
        for source in [world.sources.get(query, {}).get(name)]
        if source is not None and not source.refused
    ]
    return sorted(found, key=lambda it: (it.rule.created, it.rule.name, it.source.created, it.source.namespace))


def winner(asking: Sequence[Claim], namespace: Optional[Namespace]) -> Optional[Claim]:
    """Gives whose copy a namespace is to have, None for nobody's. An original keeps its place."""
    if namespace is None or any(claim.source.namespace == namespace.name for claim in asking):
        return None
    return next((claim for claim in asking if claim.rule.targets(namespace)), None)


def settled(copy: Optional[Copy], claim: Claim) -> bool:
    """Says whether a copy is as it should be. Labels and annotations of others do not matter."""
    if copy is None:
        return False
    labels, annotations = marks(*claim, copy.metadata["namespace"])
    return (
        copy.digest == claim.source.digest
        and labels.items() <= copy.labels.items()
        and annotations.items() <= copy.annotations.items()
    )


def decide(world: World, key: Key) -> Optional[Action]:
    """Gives the next step for a place; None if all is well, or nothing can be done, as in a namespace
    that goes."""
    namespace, copy = world.namespaces.get(key.namespace), world.copies.get(key)
    claim = winner(claims(world, key.kind, key.name), namespace)
    if namespace is None or not namespace.active or (copy and "deletionTimestamp" in copy.metadata):
        return None
    if copy is None:
        return Action("create", key, claim=claim) if claim else None
    if claim is None or (not settled(copy, claim) and _fixed(copy, claim.source)):
        return Action("delete", key, copy, claim)
    return None if settled(copy, claim) else Action("update", key, copy, claim)


def plan(world: World) -> List[Action]:
    """Gives the next step for every place that needs one."""
    found = (decide(world, key) for kind in KINDS for key in world.keys(kind))
    return [action for action in found if action]


def body(action: Action) -> Dict[str, Any]:
    """Gives the manifest to create, or to update the copy with. What others have added to the
    metadata of a copy stays."""
    assert action.claim is not None, "nothing is wanted"
    labels, annotations = marks(*action.claim, action.key.namespace)
    metadata: Dict[str, Any] = {"name": action.key.name, "namespace": action.key.namespace}
    if action.copy is not None:
        ours = action.copy.annotations.get(LABELS, "").split(",")
        labels = {**_without(action.copy.labels, ours), **labels}
        annotations = {**action.copy.annotations, **annotations}
        metadata = dict(action.copy.metadata)
    metadata.update(labels=labels, annotations=annotations)
    return {"apiVersion": "v1", "kind": KINDS[action.key.kind], "metadata": metadata, **action.claim.source.content}


def _fixed(copy: Copy, source: Source) -> bool:
    """Says whether the API server refuses to make a copy like its source."""
    return copy.type != source.content.get("type") or (copy.immutable and copy.digest != source.digest)


def _without(labels: Mapping[str, str], names: Sequence[str]) -> Dict[str, str]:
    return {name: value for name, value in labels.items() if name not in names}
