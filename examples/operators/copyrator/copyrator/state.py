# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the operator knows, kept from the changes that caches hand on, and what a change matters to."""

from __future__ import annotations

from threading import Lock
from typing import AbstractSet, Any, Callable, Dict, Mapping, Optional, Set, Tuple, Union

from .objects import KINDS, Copy, Key, Namespace, Query, Rule, Source, is_copy
from .plan import Action, World, claims, decide
from .status import Trouble

Manifest = Mapping[str, Any]

#: What there is to do: a place of a copy, or by its name a rule whose status is to be written.
Item = Union[Key, str]

# Seconds that a status waits for more to happen.
_STATUS = 1.0


class State:
    """A ``World``, and what failed in it. Threads may share it.

    Args:
        home (str): the namespace of the rules.
        only (Optional[str]): the name of the one rule that counts, None for all.
        add (Callable[[Item, float], None]): takes what is to be looked at, after some seconds.
        follow (Callable[[Set[Query]], None]): gets all the queries of the rules when they change.
        allowed (AbstractSet[str]): the namespaces that rules may copy from, beside their own.
    """

    def __init__(self, home: str, only: Optional[str], add: Callable[[Item, float], None],
                 follow: Callable[[Set[Query]], None], allowed: AbstractSet[str]) -> None:
        self._home, self._only, self._add, self._follow, self._allowed = home, only, add, follow, allowed
        self._lock = Lock()
        self._world = World()
        self._listed: Set[object] = set()
        self._troubles: Dict[Key, Trouble] = {}

    def ready(self, kind: Optional[str] = None) -> bool:
        """Says whether all that matters to a kind, or to any, has been listed."""
        with self._lock:
            return all(self._ready(it) for it in ([kind] if kind else KINDS))

    def decide(self, key: Key) -> Optional[Action]:
        """Gives the next step for a place; None too as long as not all is known that matters."""
        with self._lock:
            return decide(self._world, key) if self._ready(key.kind) else None

    def failed(self, key: Key, trouble: Optional[Trouble]) -> None:
        """Notes why a place is not as it should be, or that it is."""
        with self._lock:
            if trouble:
                self._troubles[key] = trouble
            else:
                self._troubles.pop(key, None)
            self._report(key)

    def rule(self, name: str) -> Optional[Tuple[World, Rule, Dict[Key, Trouble]]]:
        """Gives a rule with what its status is made of, as it is at the moment; None if it is gone or
        not all is known that matters."""
        with self._lock:
            rule = self._world.rules.get(name)
            if rule is None or not self._ready(rule.kind):
                return None
            world = World(
                dict(self._world.rules),
                dict(self._world.namespaces),
                {query: dict(found) for query, found in self._world.sources.items()},
                dict(self._world.copies),
            )
            return world, rule, dict(self._troubles)

    def wrote(self, key: Key, manifest: Optional[Manifest]) -> None:
        """Takes what a place was found to hold, before the cache tells; None if it is empty."""
        with self._lock:
            if manifest is None or not is_copy(manifest, self._home, self._only):
                self._world.copies.pop(key, None)
            else:
                self._put(key, Copy.of(manifest))

    def rules_changed(self, change: str, manifest: Manifest) -> None:
        """Takes a change of a rule."""
        with self._lock:
            if change == "LISTED":
                self._listed.add("rules")
                self._look_at(*KINDS)
                return
            name = manifest["metadata"]["name"]
            before = self._world.rules.pop(name, None)
            after = None if _goes(change, manifest) else Rule.of(manifest, self._allowed)
            if after is not None:
                self._world.rules[name] = after
            if before and after and (before.uid, before.generation) == (after.uid, after.generation):
                return
            queries = {query for rule in self._world.rules.values() for query in rule.queries}
            for gone in self._world.sources.keys() - queries:
                del self._world.sources[gone]
                self._listed.discard(gone)
            self._follow(queries)
            self._look_at(*{rule.kind for rule in (before, after) if rule})

    def namespaces_changed(self, change: str, manifest: Manifest) -> None:
        """Takes a change of a namespace."""
        with self._lock:
            if change == "LISTED":
                self._listed.add("namespaces")
                self._look_at(*KINDS)
                return
            name = manifest["metadata"]["name"]
            before = self._world.namespaces.pop(name, None)
            after = None if change == "DELETED" else Namespace.of(manifest)
            if after is not None:
                self._world.namespaces[name] = after
            if before == after:
                return
            for kind in KINDS:
                for known in self._world.names(kind):
                    self._add(Key(kind, name, known), 0)
            for rule in self._world.rules:
                self._add(rule, _STATUS)

    def sources_changed(self, query: Query) -> Callable[[str, Manifest], None]:
        """Gives what takes a change of a source that a query has found, until the query is followed no
        more. ``follow`` may call this, and nobody else."""
        found = self._world.sources[query] = {}

        def apply(change: str, manifest: Manifest) -> None:
            with self._lock:
                if self._world.sources.get(query) is not found:
                    return
                if change == "LISTED":
                    self._listed.add(query)
                    self._look_at(query.kind)
                    return
                name = manifest["metadata"]["name"]
                before = found.pop(name, None)
                after = None if change == "DELETED" else Source.of(query.kind, manifest)
                if after is not None:
                    found[name] = after
                if before == after:
                    return
                for key in self._world.keys(query.kind, [name]):
                    self._add(key, 0)
                for rule in self._world.rules.values():
                    if query in rule.queries:
                        self._add(rule.name, _STATUS)

        return apply

    def copies_changed(self, kind: str) -> Callable[[str, Manifest], None]:
        """Gives what takes a change of a copy."""

        def apply(change: str, manifest: Manifest) -> None:
            with self._lock:
                if change == "LISTED":
                    self._listed.add(kind)
                    self._look_at(kind)
                    return
                metadata = manifest["metadata"]
                key = Key(kind, metadata["namespace"], metadata["name"])
                if change == "DELETED":
                    known = self._world.copies.get(key)
                    if known is None or known.version > int(metadata.get("resourceVersion") or known.version):
                        return  # by the operator itself, which may have made another since
                    del self._world.copies[key]
                elif not is_copy(manifest, self._home, self._only):
                    if self._world.copies.pop(key, None) is None:
                        return
                elif not self._put(key, Copy.of(manifest)):
                    return
                self._add(key, 0)

        return apply

    def _ready(self, kind: str) -> bool:
        needed = {query for rule in self._world.rules.values() if rule.kind == kind for query in rule.queries}
        return self._listed >= {"rules", "namespaces", kind, *needed}

    def _put(self, key: Key, copy: Copy) -> bool:
        """Takes a copy that is newer than what is known; says whether it is."""
        known = self._world.copies.get(key)
        if known is not None and known.version >= copy.version:
            return False
        self._world.copies[key] = copy
        return True

    def _look_at(self, *kinds: str) -> None:
        """Adds all that there is of some kinds."""
        for kind in kinds:
            for key in self._world.keys(kind):
                self._add(key, 0)
        for rule in self._world.rules.values():
            if rule.kind in kinds:
                self._add(rule.name, _STATUS)

    def _report(self, key: Key) -> None:
        """Adds the rules that a place matters to."""
        for claim in claims(self._world, key.kind, key.name):
            self._add(claim.rule.name, _STATUS)


def _goes(change: str, manifest: Manifest) -> bool:
    return change == "DELETED" or "deletionTimestamp" in manifest["metadata"]
