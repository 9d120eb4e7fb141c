# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Clusters for tests of the plan: made up by Hypothesis, and changed as an API server would."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Dict, List, Tuple

from hypothesis import strategies as st

from copyrator.objects import (
    KINDS,
    MANAGED_BY,
    MANAGER,
    Copy,
    Key,
    Namespace,
    Query,
    Rule,
    Source,
    is_copy,
)
from copyrator.plan import Action, World, body

HOME = "home"
NAMESPACES = [HOME, "a", "b", "kube-system"]

Manifest = Dict[str, Any]


@dataclass
class Cluster:
    """What is stored, as the server has it."""

    namespaces: List[Manifest] = field(default_factory=list)
    rules: List[Manifest] = field(default_factory=list)
    objects: Dict[Key, Manifest] = field(default_factory=dict)
    version: int = 1000

    def world(self) -> World:
        """Gives what an operator comes to know."""
        rules = [Rule.of(it) for it in self.rules]
        return World(
            rules={it.name: it for it in rules},
            namespaces={it["metadata"]["name"]: Namespace.of(it) for it in self.namespaces},
            sources={query: self._found(query) for it in rules for query in it.queries},
            copies={key: Copy.of(it) for key, it in self.objects.items() if is_copy(it, HOME)},
        )

    def take(self, action: Action) -> bool:
        """Does what an action says; False if the place is taken. Fails if the server would refuse."""
        key, stored = action.key, self.objects.get(action.key)
        self.version += 1
        if action.verb == "create":
            if stored is not None:
                assert not is_copy(stored, HOME), "its own copy is not known"
                return False
            self.objects[key] = deepcopy(body(action))
            self.objects[key]["metadata"].update(uid=f"uid-{self.version}", resourceVersion=str(self.version))
            return True
        assert stored is not None and is_copy(stored, HOME), "it is nobody else's"
        if action.verb == "delete":
            del self.objects[key]
            return True
        after = deepcopy(body(action))
        assert after.get("type") == stored.get("type"), "the type cannot be changed"
        if stored.get("immutable"):
            assert content(after) == content(stored), "it is immutable"
        after["metadata"]["resourceVersion"] = str(self.version)
        self.objects[key] = after
        return True

    def originals(self) -> Dict[Key, Manifest]:
        """Gives all that the operator has not made."""
        return deepcopy({key: it for key, it in self.objects.items() if not is_copy(it, HOME)})

    def copies(self) -> Dict[Key, Manifest]:
        """Gives all that the operator has made."""
        return {key: it for key, it in self.objects.items() if is_copy(it, HOME)}

    def _found(self, query: Query) -> Dict[str, Source]:
        wanted = dict(pair.split("=") for pair in query.selector.split(","))
        found = {}
        for key, it in self.objects.items():
            labels = it["metadata"].get("labels") or {}
            matches = wanted.items() <= labels.items() and labels.get(MANAGED_BY) != MANAGER
            source = Source.of(key.kind, it) if (key.kind, key.namespace) == query[:2] and matches else None
            if source is not None:
                found[key.name] = source
        return found


def content(manifest: Manifest) -> Tuple[Any, ...]:
    """Gives what a copy must have exactly as its source."""
    return tuple(manifest.get(key) or None for key in ("data", "binaryData", "immutable", "type"))


def manifest(kind: str, namespace: str, name: str, **more: Any) -> Manifest:
    """Gives an object as the server stores it."""
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{kind}-{namespace}-{name}", "resourceVersion": "7"}
    metadata.update(more.pop("metadata", {}))
    return {"apiVersion": "v1", "kind": KINDS[kind], "metadata": metadata, **more}


def rule(name: str = "main-rule", **more: Any) -> Manifest:
    """Gives a rule as the server stores it, by default for ConfigMaps of its namespace with copy=yes."""
    metadata = {"name": name, "namespace": HOME, "uid": f"uid-{name}", "generation": 1}
    metadata.update(more.pop("metadata", {}))
    return {"metadata": metadata, "ruleType": "configmap", "selector": {"copy": "yes"}, **more}


def namespace(name: str, phase: str = "Active", **labels: str) -> Manifest:
    """Gives a namespace as the server stores it."""
    return {"metadata": {"name": name, "labels": labels}, "status": {"phase": phase}}


_times = st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])
_selectors = st.sampled_from([{"copy": "yes"}, {"copy": "yes"}, {"app": "no"}])
_labels = st.sampled_from([{"copy": "yes"}, {"copy": "yes", "app": "no"}, {"app": "no"}, {}])
_data = st.sampled_from([{}, {"k": "eA=="}, {"k": "eQ==", "l": ""}])


@st.composite
def _targets(draw: st.DrawFn) -> Any:
    operator = draw(st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]))
    values = ["x"] if "In" in operator else []
    expression = {"key": "team", "operator": operator, "values": values}
    return draw(st.sampled_from([None, None, {"matchLabels": {"team": "x"}}, {"matchExpressions": [expression]}]))


@st.composite
def _object(draw: st.DrawFn, kind: str, namespace: str, name: str) -> Manifest:
    metadata = {"creationTimestamp": draw(_times), "labels": dict(draw(_labels)), "annotations": {"theirs": "kept"}}
    more: Dict[str, Any] = {"metadata": metadata, "data": draw(_data)}
    if draw(st.booleans()):
        more["immutable"] = draw(st.booleans())
    if kind == "secret":
        more["type"] = draw(st.sampled_from(["Opaque", "kubernetes.io/tls", "bootstrap.kubernetes.io/token"]))
    elif draw(st.booleans()):
        more["binaryData"] = {"b": "AAEC"}
    made = manifest(kind, namespace, name, **more)
    made["metadata"]["uid"] += draw(st.sampled_from(["", "-again"]))
    if draw(st.integers(0, 9)) == 0:
        made["metadata"]["labels"][MANAGED_BY] = MANAGER  # by somebody else
    return made


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    """Makes up a cluster that no operator has seen yet."""
    phases = st.sampled_from(["Active", "Active", "Active", "Terminating"])
    names = draw(st.sampled_from([NAMESPACES, NAMESPACES, NAMESPACES[:2]]))
    namespaces = [namespace(it, draw(phases), team=draw(st.sampled_from(["x", "y"]))) for it in names]
    kinds = st.sampled_from(["configmap", "secret"])
    rules = [
        rule(
            it,
            metadata={"creationTimestamp": draw(_times)},
            ruleType=draw(kinds),
            namespaces=draw(st.lists(st.sampled_from(names), unique=True, max_size=3)),
            selector=draw(_selectors),
            targets=draw(_targets()),
            targetNamespaces=draw(st.sampled_from([None, None, ["kube-system"], [HOME, "a"]])),
        )
        for it in draw(st.sampled_from([["one"], ["one", "two"], ["three", "two", "one"], []]))
    ]
    places = st.builds(Key, kinds, st.sampled_from(names), st.sampled_from("st"))
    keys = draw(st.lists(places, unique=True, min_size=2, max_size=8))
    return Cluster(namespaces, rules, {key: draw(_object(*key)) for key in keys})
