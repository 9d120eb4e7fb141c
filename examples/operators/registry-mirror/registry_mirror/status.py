# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the status of a mirror says, from what was seen. Nothing here talks to an API server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from registry_mirror_sdk.models import RegistryMirror

from .cache import Key, Seen
from .mirror import Mirror

Look = Callable[[Key], Optional[Seen]]


@dataclass(frozen=True)
class Problem:
    """Why an object is not as it is to be: a word for programs, and a text for people."""

    reason: str
    message: str


@dataclass(frozen=True)
class Condition:
    """What a condition is to say, but for its times."""

    type: str
    status: bool
    reason: str
    message: str


def waiting(pod: Mapping[str, Any]) -> str:
    """Gives why a pod does not run, from its status; "" if it does, or says nothing."""
    for container in pod.get("containerStatuses") or ():
        reason = (container.get("state") or {}).get("waiting") or {}
        if reason:
            return ": ".join(filter(None, (reason.get("reason"), reason.get("message"))))
    for condition in pod.get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition["status"] != "True":
            return ": ".join(filter(None, (condition.get("reason"), condition.get("message"))))
    return ""


def registry_ready(seen: Optional[Seen]) -> bool:
    """Says whether the pod of a StatefulSet is ready, and is that of its last spec."""
    if seen is None or seen.status.get("observedGeneration", 0) < seen.generation:
        return False
    return bool(seen.status.get("readyReplicas", 0) and seen.status.get("updatedReplicas", 0))


def listeners_ready(seen: Optional[Seen]) -> bool:
    """Says whether the pods of a DaemonSet are ready on all nodes, and are those of its last spec."""
    if seen is None or seen.status.get("observedGeneration", 0) < seen.generation:
        return False
    nodes = seen.status.get("desiredNumberScheduled", 0)
    return all(seen.status.get(key, 0) >= nodes for key in ("numberReady", "updatedNumberScheduled"))


def applied(problems: Sequence[Problem]) -> Condition:
    """Gives the condition Applied."""
    if not problems:
        return Condition("Applied", True, "Applied", "all objects are as the spec says")
    return Condition("Applied", False, problems[0].reason, "; ".join(problem.message for problem in problems))


def ready(mirror: Mirror, look: Look, rivals: Sequence[str]) -> Condition:
    """Gives the condition Ready. ``rivals`` are the other mirrors that want the same port."""
    if not registry_ready(look(("StatefulSet", mirror.registry_name))):
        pod = look(("Pod", mirror.pod_name))
        why = waiting(pod.status) if pod else ""
        text = f"the pod {mirror.pod_name} is not ready" + (f": {why}" if why else "")
        return Condition("Ready", False, "RegistryNotReady", text)
    listeners = look(("DaemonSet", mirror.listener_name))
    if not listeners_ready(listeners):
        status = listeners.status if listeners else {}
        text = f"{status.get('numberReady', 0)} of {status.get('desiredNumberScheduled', 0)} listeners are ready"
        if rivals:
            text += f"; port {mirror.port} is also that of {', '.join(sorted(rivals))}"
        return Condition("Ready", False, "ListenersNotReady", text)
    return Condition("Ready", True, "Ready", "the registry and all listeners are ready")


def build(
    source: RegistryMirror,
    mirror: Mirror,
    look: Look,
    problems: Sequence[Problem],
    rivals: Sequence[str],
    now: Optional[datetime] = None,
) -> Dict[str, Any]:
    """Gives the status of a mirror, as JSON has it.

    Args:
        source (RegistryMirror): as it was read; a condition that stays as it is keeps its time.
        mirror (Mirror): the same, as a mirror.
        look (Look): gives what was seen under a kind and a name.
        problems (Sequence[Problem]): what kept objects from being as they are to be.
        rivals (Sequence[str]): other mirrors that want the same port.
        now (Optional[datetime]): the time of what changes. Default the clock's.
    """
    stamp = (now or datetime.now(timezone.utc)).strftime("%Y-%m-%dT%H:%M:%SZ")
    generation = dict(source)["metadata"].get("generation", 0)
    before = {c["type"]: c for c in (dict(source).get("status") or {}).get("conditions") or ()}
    conditions: List[Dict[str, Any]] = []
    for condition in (applied(problems), ready(mirror, look, rivals)):
        old = before.get(condition.type, {})
        status = "True" if condition.status else "False"
        conditions.append(
            {
                "type": condition.type,
                "status": status,
                "reason": condition.reason,
                "message": condition.message[:32768],
                "observedGeneration": generation,
                "lastTransitionTime": old["lastTransitionTime"] if old.get("status") == status else stamp,
            }
        )
    registry, listeners = look(("StatefulSet", mirror.registry_name)), look(("DaemonSet", mirror.listener_name))
    return {
        "observedGeneration": generation,
        "endpoint": mirror.endpoint,
        "serviceEndpoint": mirror.service_endpoint,
        "readyReplicas": registry.status.get("readyReplicas", 0) if registry else 0,
        "readyNodes": listeners.status.get("numberReady", 0) if listeners else 0,
        "conditions": conditions,
    }
