# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the operator knows of rules, sources, copies and namespaces, each read from its manifest.

A copy is told from an original by two labels, which no original has: who manages it, and the
namespace of the rules that it was made for. So the copies are found again by a selector, and an
operator needs no memory. Everything else that is known of a copy stands in its annotations.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Mapping, NamedTuple, Optional, Tuple

from copyrator_api.models import CopyratorRule

Manifest = Mapping[str, Any]

MANAGED_BY, MANAGER = "app.kubernetes.io/managed-by", "copyrator"
HOME = "copyrator.test.com/namespace"

RULE = "copyrator.test.com/rule"
SOURCE = "copyrator.test.com/source"
SOURCE_UID = "copyrator.test.com/source-uid"
LABELS = "copyrator.test.com/labels"

#: The kinds, by the types of rules.
KINDS = {"configmap": "ConfigMap", "secret": "Secret"}

#: What the API server lets be copied, but nobody wants to be: both belong to one namespace.
SERVICE_ACCOUNT_TOKEN = "kubernetes.io/service-account-token"
ROOT_CERTIFICATE = "kube-root-ca.crt"

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
    """A CopyratorRule, with what is asked of it often worked out once."""

    model: CopyratorRule
    name: str
    namespace: str
    uid: str
    generation: int
    created: str
    kind: str
    queries: Tuple[Query, ...]
    requirements: Tuple[Tuple[str, str, FrozenSet[str]], ...]

    @staticmethod
    def of(manifest: Manifest) -> Rule:
        """Reads a manifest. A rule of another type, or without a selector, finds nothing."""
        model, metadata = CopyratorRule.from_dict(manifest), manifest["metadata"]
        selector = ",".join(f"{key}={value}" for key, value in sorted((model.selector or {}).items()))
        known = model.rule_type in KINDS and selector  # an older definition may have let others in
        namespaces = (model.namespaces or [metadata["namespace"]]) if known else []
        return Rule(
            model=model,
            name=metadata["name"],
            namespace=metadata["namespace"],
            uid=metadata["uid"],
            generation=metadata.get("generation") or 0,
            created=metadata.get("creationTimestamp") or "",
            kind=model.rule_type,
            queries=tuple(Query(model.rule_type, namespace, selector) for namespace in namespaces),
            requirements=_requirements(manifest.get("targets") or {}),
        )

    def targets(self, namespace: Namespace) -> bool:
        """Says whether a namespace is to have copies, but for a source in it."""
        return namespace.active and all(_met(namespace.labels, *it) for it in self.requirements)


@dataclass(frozen=True)
class Source:
    """An original that is to be copied."""

    namespace: str
    name: str
    uid: str
    created: str
    labels: Mapping[str, str]
    content: Mapping[str, Any]
    digest: str

    @staticmethod
    def of(manifest: Manifest) -> Optional[Source]:
        """Reads a manifest; None if it is never copied, or being deleted."""
        metadata, labels = manifest["metadata"], dict(manifest["metadata"].get("labels") or {})
        never = manifest.get("type") == SERVICE_ACCOUNT_TOKEN or metadata["name"] == ROOT_CERTIFICATE
        if never or labels.pop(MANAGED_BY, None) == MANAGER or metadata.get("deletionTimestamp"):
            return None
        made = metadata.get("creationTimestamp") or ""
        content = _content(manifest)
        return Source(
            metadata["namespace"], metadata["name"], metadata["uid"], made, labels, content, _digest(content)
        )


@dataclass(frozen=True)
class Copy:
    """A copy that is there. Of what is in it only a checksum is kept."""

    metadata: Mapping[str, Any]
    type: Optional[str]
    immutable: bool
    digest: str

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
    """Says whether an object is a copy that was made for the rules of a namespace, or one of them."""
    labels = manifest["metadata"].get("labels") or {}
    made_for = (manifest["metadata"].get("annotations") or {}).get(RULE)
    ours = labels.get(MANAGED_BY) == MANAGER and labels.get(HOME) == home
    return ours and (rule is None or made_for == f"{home}/{rule}")


def marks(rule: Rule, source: Source) -> Tuple[Dict[str, str], Dict[str, str]]:
    """Gives the labels and the annotations that a copy is to have."""
    labels = {**source.labels, MANAGED_BY: MANAGER, HOME: rule.namespace}
    annotations = {
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
