# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the operator knows of rules, sources, copies and namespaces, each read from its manifest.

A copy is told from an original by two labels, which no original has: who manages it, and the
namespace of the rules that it was made for. So the copies are found again by a selector, and an
operator needs no memory. Everything else that is known of a copy stands in its annotations, and
where it was made too: what somebody has cloned from a copy, labels and all, is not the operator's.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import AbstractSet, Any, Dict, FrozenSet, Mapping, NamedTuple, Optional, Tuple

from copyrator_api.models import CopyratorRule

from .refusal import ANY, never, reserved, source_allowed

Manifest = Mapping[str, Any]

MANAGED_BY, MANAGER = "app.kubernetes.io/managed-by", "copyrator"
HOME = "copyrator.test.com/namespace"

PLACE = "copyrator.test.com/place"
RULE = "copyrator.test.com/rule"
SOURCE = "copyrator.test.com/source"
SOURCE_UID = "copyrator.test.com/source-uid"
LABELS = "copyrator.test.com/labels"

#: The kinds, by the types of rules.
KINDS = {"configmap": "ConfigMap", "secret": "Secret"}

#: The source namespaces of an operator that was told of none but wants them all.
EVERYWHERE = frozenset([ANY])

# Of a copy's metadata, what is not kept.
_DROPPED = {"managedFields", "selfLink"}


class Key(NamedTuple):
    """Where a copy is, or is to be. ``kind`` is the type of a rule."""

    kind: str
    namespace: str
    name: str


class Query(NamedTuple):
    """What the sources of a rule are found by, in one namespace."""

    kind: str
    namespace: str
    selector: str


@dataclass(frozen=True)
class Namespace:
    """A namespace, and whether it is Active."""

    name: str
    active: bool
    labels: Mapping[str, str]

    @staticmethod
    def of(manifest: Manifest) -> Namespace:
        """Reads a manifest."""
        metadata, status = manifest["metadata"], manifest.get("status") or {}
        return Namespace(metadata["name"], status.get("phase") == "Active", metadata.get("labels") or {})


@dataclass(frozen=True)
class Rule:
    """A CopyratorRule and what is derived from it.

    ``refused`` are the source namespaces that the operator does not allow, ``named`` the target
    namespaces given by name, and ``selects`` is true if others are selected by their labels.
    """

    model: CopyratorRule
    name: str
    namespace: str
    uid: str
    generation: int
    created: str
    kind: str
    queries: Tuple[Query, ...]
    refused: Tuple[str, ...]
    named: FrozenSet[str]
    selects: bool
    requirements: Tuple[Tuple[str, str, FrozenSet[str]], ...]

    @staticmethod
    def of(manifest: Manifest, allowed: AbstractSet[str] = EVERYWHERE) -> Rule:
        """Reads a manifest. A rule of another type, or without a selector, finds nothing, and none
        does outside of the namespaces that rules may copy from."""
        model, metadata = CopyratorRule.from_dict(manifest), manifest["metadata"]
        selector = ",".join(f"{key}={value}" for key, value in sorted((model.selector or {}).items()))
        known = model.rule_type in KINDS and selector  # an older definition may have let others in
        home, named = metadata["namespace"], frozenset(manifest.get("targetNamespaces") or ())
        namespaces = (model.namespaces or [home]) if known else []
        may = {it for it in namespaces if source_allowed(it, home, allowed)}
        return Rule(
            model=model,
            name=metadata["name"],
            namespace=home,
            uid=metadata["uid"],
            generation=metadata.get("generation") or 0,
            created=metadata.get("creationTimestamp") or "",
            kind=model.rule_type,
            queries=tuple(Query(model.rule_type, it, selector) for it in namespaces if it in may),
            refused=tuple(it for it in namespaces if it not in may),
            named=named,
            selects=manifest.get("targets") is not None or not named,
            requirements=_requirements(manifest.get("targets") or {}),
        )

    def targets(self, namespace: Namespace) -> bool:
        """Says whether a namespace is to have copies, but for a source in it."""
        if namespace.name in self.named:
            return namespace.active
        return self._selects(namespace) and not reserved(namespace.name, self.namespace)

    def spares(self, namespace: Namespace) -> bool:
        """Says whether a namespace has the labels that the rule asks for, and has to be named."""
        given = bool(self.requirements) and namespace.name not in self.named
        return given and reserved(namespace.name, self.namespace) and self._selects(namespace)

    def _selects(self, namespace: Namespace) -> bool:
        return self.selects and namespace.active and all(_met(namespace.labels, *it) for it in self.requirements)


@dataclass(frozen=True)
class Source:
    """An original that matches. ``refused`` says why it is never copied, and is "" if it may be."""

    namespace: str
    name: str
    uid: str
    created: str
    labels: Mapping[str, str]
    content: Mapping[str, Any] = field(repr=False)
    digest: str = field(repr=False)
    refused: str = ""

    @staticmethod
    def of(kind: str, manifest: Manifest) -> Optional[Source]:
        """Reads a manifest; None if it is a copy, or being deleted. Of what is never copied the
        content is not kept."""
        metadata, labels = manifest["metadata"], dict(manifest["metadata"].get("labels") or {})
        if labels.pop(MANAGED_BY, None) == MANAGER or metadata.get("deletionTimestamp"):
            return None
        refused = never(kind, manifest) or ""
        content = {} if refused else _content(manifest)
        return Source(
            namespace=metadata["namespace"],
            name=metadata["name"],
            uid=metadata["uid"],
            created=metadata.get("creationTimestamp") or "",
            labels=labels,
            content=content,
            digest=_digest(content),
            refused=refused,
        )


@dataclass(frozen=True)
class Copy:
    """A copy that is there. Of what is in it only a checksum is kept."""

    metadata: Mapping[str, Any]
    type: Optional[str]
    immutable: bool
    digest: str = field(repr=False)

    @staticmethod
    def of(manifest: Manifest) -> Copy:
        """Reads a manifest."""
        metadata = {key: value for key, value in manifest["metadata"].items() if key not in _DROPPED}
        content = _content(manifest)
        return Copy(metadata, content.get("type"), "immutable" in content, _digest(content))

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.metadata.get("labels") or {}

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return self.metadata.get("annotations") or {}

    @property
    def rule(self) -> str:
        """The name of the rule that it was made for; "" if nobody knows."""
        return self.annotations.get(RULE, "").partition("/")[2]

    @property
    def version(self) -> int:
        """Its resource version."""
        return int(self.metadata["resourceVersion"])


def copies_of(home: str) -> str:
    """Gives the label selector of the copies that were made for the rules of a namespace."""
    return f"{MANAGED_BY}={MANAGER},{HOME}={home}"


def is_copy(manifest: Manifest, home: str, rule: Optional[str] = None) -> bool:
    """Says whether an object is a copy that was made for the rules of a namespace, or one of them.

    Labels are not enough, as they are copied and written by hand: its annotations must say that it
    was made where it is. Version 0.1.0 has noted the source alone, which has the name of the copy.
    """
    metadata = manifest["metadata"]
    labels, noted = metadata.get("labels") or {}, metadata.get("annotations") or {}
    here = f"{metadata['namespace']}/{metadata['name']}"
    made_here = noted[PLACE] == here if PLACE in noted else noted.get(SOURCE, "").endswith(f"/{metadata['name']}")
    ours = labels.get(MANAGED_BY) == MANAGER and labels.get(HOME) == home and made_here
    return ours and (rule is None or noted.get(RULE) == f"{home}/{rule}")


def marks(rule: Rule, source: Source, namespace: str) -> Tuple[Dict[str, str], Dict[str, str]]:
    """Gives the labels and the annotations that a copy in a namespace is to have."""
    labels = {**source.labels, MANAGED_BY: MANAGER, HOME: rule.namespace}
    annotations = {
        PLACE: f"{namespace}/{source.name}",
        RULE: f"{rule.namespace}/{rule.name}",
        SOURCE: f"{source.namespace}/{source.name}",
        SOURCE_UID: source.uid,
        LABELS: ",".join(sorted(source.labels)),
    }
    return labels, annotations


def _content(manifest: Manifest) -> Dict[str, Any]:
    """Gives what is copied as it is, without what is empty."""
    keys = ("data", "binaryData", "immutable", "type")
    return {key: manifest[key] for key in keys if manifest.get(key)}


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _requirements(selector: Mapping[str, Any]) -> Tuple[Tuple[str, str, FrozenSet[str]], ...]:
    """Gives the requirements of a label selector: key, operator, values."""
    equal = [(key, "In", frozenset([value])) for key, value in (selector.get("matchLabels") or {}).items()]
    given = selector.get("matchExpressions") or []
    return (*equal, *((it["key"], it["operator"], frozenset(it.get("values") or ())) for it in given))


def _met(labels: Mapping[str, str], key: str, operator: str, values: FrozenSet[str]) -> bool:
    if operator == "In":
        return labels.get(key) in values
    if operator == "NotIn":
        return labels.get(key) not in values
    return (key in labels) == (operator == "Exists")
