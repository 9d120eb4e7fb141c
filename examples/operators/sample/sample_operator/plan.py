# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a Sample asks for, who holds the Deployment, and what the status says: pure functions.

A Deployment is a manifest here, as the API server and kustomize give it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubernetes.client import V1Condition
from nuvolaris.models import Sample, SampleStatus

Manifest = dict[str, Any]

READY, CONFLICT = "Ready", "Conflict"
MANAGED_BY, OPERATOR = "app.kubernetes.io/managed-by", "sample-operator"

# What the field managers of the operator begin with, one for each Sample.
MANAGERS = "sample-"

# Characters of a message. The API server takes 32768 in a condition.
_LONGEST = 1024


@dataclass(frozen=True, order=True)
class Claim:
    """A Sample's claim to the Deployment of its namespace; sorted, the first comes first.

    Attributes:
        created (datetime): when the Sample was.
        name, namespace, uid (str): the Sample's.
        generation (int): of its spec.
        going (bool): it is being deleted.
        count (int): the replicas that it asks for.
        status (SampleStatus): as it was read, empty if there was none.
    """

    created: datetime
    name: str
    namespace: str
    uid: str
    generation: int
    going: bool
    count: int
    status: SampleStatus

    @classmethod
    def of(cls, sample: Sample) -> Claim:
        """Gives the claim of a Sample that was read. ValueError: it was never created."""
        meta, count = sample.metadata, sample.spec.count
        if meta is None or not (meta.creation_timestamp and meta.name and meta.namespace and meta.uid):
            raise ValueError("the Sample lacks what the API server gives to each")
        return cls(
            created=meta.creation_timestamp,
            name=meta.name,
            namespace=meta.namespace,
            uid=meta.uid,
            generation=meta.generation or 0,
            going=meta.deletion_timestamp is not None,
            count=1 if count is None else count,
            status=sample.status or SampleStatus(),
        )

    @property
    def reference(self) -> Manifest:
        """The Sample, as an Event and an owner reference name it."""
        return {"apiVersion": Sample.API_VERSION, "kind": Sample.KIND, "name": self.name, "uid": self.uid}


def marks(claim: Claim) -> Manifest:
    """Gives the metadata by which a Deployment belongs to a Sample.

    The garbage collector removes what belongs to a Sample that is gone, and the API server
    refuses a second owner that is the controller. It does not block the owner's deletion, so
    that no right to samples/finalizers is needed.
    """
    return {"labels": {MANAGED_BY: OPERATOR}, "ownerReferences": [{**claim.reference, "controller": True}]}


def marked(deployment: Manifest, claim: Claim) -> Manifest:
    """Gives a Deployment as it belongs to a Sample, in the Sample's namespace; a copy."""
    metadata, own = deployment["metadata"], marks(claim)
    labels = {**metadata.get("labels", {}), **own["labels"]}
    return {**deployment, "metadata": {**metadata, **own, "labels": labels, "namespace": claim.namespace}}


def controller(deployment: Manifest | None) -> Manifest | None:
    """Gives the owner reference of a Deployment's controller."""
    owners: list[Manifest] = (deployment or {}).get("metadata", {}).get("ownerReferences", [])
    return next((owner for owner in owners if owner.get("controller")), None)


def belongs(deployment: Manifest | None, claim: Claim) -> bool:
    """Says whether a Deployment belongs to a Sample, and not to one of its name before it."""
    owner = controller(deployment)
    return owner is not None and owner["uid"] == claim.uid


def holder(deployment: Manifest | None, claim: Claim) -> str | None:
    """Says in words who keeps a Deployment from a Sample; None if the Sample may have it.

    It may have one that is not there, its own, and one that this operator made for a Sample
    which was deleted without it (``kubectl delete --cascade=orphan``). The label alone does not
    tell that, as anybody may write it: the API server must have noted the operator as a manager.
    """
    if deployment is None or belongs(deployment, claim):
        return None
    owner = controller(deployment)
    if owner is not None:
        return f"belongs to {owner['kind']} {owner['name']}"
    metadata = deployment["metadata"]
    managers = [entry.get("manager", "") for entry in metadata.get("managedFields", [])]
    labelled = metadata.get("labels", {}).get(MANAGED_BY) == OPERATOR
    if labelled and any(manager.startswith(MANAGERS) for manager in managers):
        return None
    return "was not made by this operator"


def contains(live: Any, wanted: Any) -> bool:
    """Says whether all that is wanted is there, whatever else is: defaults, or fields of others.

    The items of a list are told apart by name or uid, where they have one, as containers and
    owners are.
    """
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(key in live and contains(live[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(live, list):
        for key in ("name", "uid"):
            if wanted and all(isinstance(item, dict) and key in item for item in [*wanted, *live]):
                by_key = {item[key]: item for item in live}
                return all(contains(by_key.get(item[key]), item) for item in wanted)
        return len(live) == len(wanted) and all(map(contains, live, wanted))
    return bool(live == wanted)


def condition(claim: Claim, kind: str) -> V1Condition | None:
    """Gives a condition of a Sample by its type, None if it has none yet."""
    return next((one for one in claim.status.conditions or [] if one.type == kind), None)


def status(claim: Claim, deployment: Manifest, message: str | None, now: datetime) -> SampleStatus:
    """Gives the status of a Sample whose Deployment is as it asks.

    Args:
        claim (Claim): the Sample's.
        deployment (dict): as it was read.
        message (str | None): what was done to it; None if there was nothing to do.
        now (datetime): the time of a condition that changes.
    """
    seen = deployment.get("status", {})
    wanted, ready = claim.count, seen.get("readyReplicas", 0)
    rolled = seen.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    done = rolled and ready == wanted == seen.get("replicas", 0)
    reason = "AllReplicasReady" if done else "Progressing"
    labels = deployment["spec"]["selector"].get("matchLabels", {})
    return SampleStatus(
        message=(message or _unchanged(claim, deployment))[:_LONGEST],
        observed_generation=claim.generation,
        replicas=seen.get("replicas", 0),
        ready_replicas=ready,
        selector=",".join(f"{key}={labels[key]}" for key in sorted(labels)),
        conditions=[
            _condition(claim, READY, done, reason, f"{ready} of {wanted} replicas are ready", now),
            _condition(claim, CONFLICT, False, "Owner", "the Deployment belongs to this Sample", now),
        ],
    )


def conflict(claim: Claim, message: str, now: datetime) -> SampleStatus:
    """Gives the status of a Sample that waits for another to let the Deployment go."""
    return _without(claim, message, True, "OwnedByAnother", now)


def failure(claim: Claim, message: str, now: datetime) -> SampleStatus:
    """Gives the status of a Sample whose Deployment could not be made."""
    return _without(claim, message, False, "ApplyFailed", now)


def _without(claim: Claim, message: str, waits: bool, reason: str, now: datetime) -> SampleStatus:
    message = message[:_LONGEST]
    return SampleStatus(
        message=message,
        observed_generation=claim.generation,
        replicas=0,
        ready_replicas=0,
        conditions=[
            _condition(claim, READY, False, reason, message, now),
            _condition(claim, CONFLICT, waits, reason, message, now),
        ],
    )


def _unchanged(claim: Claim, deployment: Manifest) -> str:
    """Gives what was done before, if that is what led here."""
    ready = condition(claim, READY)
    if ready is not None and ready.reason in ("AllReplicasReady", "Progressing") and claim.status.message:
        return claim.status.message
    return f"{title(deployment['metadata']['name'])} unchanged"


def title(name: str) -> str:
    """Gives the name of a Deployment as kubectl prints it."""
    return f"deployment.apps/{name}"


def _condition(claim: Claim, kind: str, true: bool, reason: str, message: str, now: datetime) -> V1Condition:
    state, before = "True" if true else "False", condition(claim, kind)
    same = before is not None and before.status == state
    return V1Condition(
        type=kind,
        status=state,
        reason=reason,
        message=message,
        observed_generation=claim.generation,
        last_transition_time=before.last_transition_time if before is not None and same else now,
    )
