# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""States of a MiniCluster, by the conditions that the operator sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional

from ._wait import conditions, meta

REQUESTED, WAITING, READY = "JobRequested", "JobWaitingForResources", "JobMiniClusterReady"
RUNNING, FINISHED = "JobRunning", "JobFinished"

# Reasons of a False READY that end only when the spec, or an option of the operator, changes.
_UNREADY = {"Invalid", "SpecChanged", "VolumesDisabled", "VolumeForbidden"}


@dataclass(frozen=True)
class Progress:
    """State of a MiniCluster, from ``MiniClusterClient.progress``.

    Attributes:
        phase (str): "Pending" until the operator has seen the MiniCluster, "Creating" its objects,
            "Waiting" for its pods, "Running", "Ending" its pods, and at last "Completed" or
            "Failed". A MiniCluster that the operator refuses has failed, too.
        reason (str): reason of the condition that says so, such as "PodsPending" or "Invalid".
        message (str): message of this condition.
        size (int): number of pods that the operator asks for, 0 at first.
    """

    phase: str
    reason: str = ""
    message: str = ""
    size: int = 0

    @property
    def finished(self) -> bool:
        """Whether this is the last state: completed or failed."""
        return self.phase in ("Completed", "Failed")


def progress(obj: Mapping[str, Any]) -> Progress:
    """Returns the state of a MiniCluster."""
    found = _by_type(obj, current=False)
    cause = final(obj, FINISHED)
    if cause is not None:
        phase = "Failed" if failed(obj) else "Completed"
    elif _reason(found, RUNNING) == "Ended":
        phase, cause = "Ending", found[RUNNING]
    elif _true(found, RUNNING):
        phase, cause = "Running", found[RUNNING]
    elif _true(found, WAITING):
        phase, cause = "Waiting", found[WAITING]
    elif found:
        phase, cause = "Creating", found.get(READY)
    else:
        phase = "Pending"
    cause = cause or {}
    size = (dict(obj).get("status") or {}).get("size") or 0
    return Progress(phase, cause.get("reason") or "", cause.get("message") or "", size)


def final(obj: Mapping[str, Any], condition: Any) -> Optional[Dict[str, Any]]:
    """Returns the condition because of which a MiniCluster, which does not meet ``condition``,
    never will; None if it may.

    Everything ends with the Job. Before it exists, all depends on a valid spec; after that, only
    READY does. ``Conflict``, ``Rejected`` and ``Waiting`` may pass: the operator retries.
    """
    ever, found = _by_type(obj, current=False), _by_type(obj)
    if _true(ever, FINISHED):
        return ever[FINISHED]
    wanted = condition.partition("=")[0] if isinstance(condition, str) else FINISHED
    if wanted != FINISHED and _reason(ever, RUNNING) == "Ended":
        return ever[RUNNING]
    unready = _reason(found, READY) in _UNREADY and not _true(found, READY)
    if unready and (wanted == READY or _reason(found, RUNNING) == "NoJob"):
        return found[READY]
    return None


def failed(obj: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    """Returns the condition because of which a MiniCluster has not completed and never will; None
    if it has or may."""
    cause = final(obj, FINISHED)
    return cause if cause is None or cause.get("reason") != "Completed" else None


def pods_are_ready(obj: Mapping[str, Any]) -> bool:
    """Returns whether WAITING is False because all pods are ready: it is False, too, before the
    Job exists and once it has ended."""
    return _reason(_by_type(obj), WAITING) not in ("NoJob", "Ended")


def _by_type(obj: Mapping[str, Any], current: bool = True) -> Dict[str, Dict[str, Any]]:
    """Returns the conditions by type, with ``current`` only those of the last generation."""
    generation = current and meta(obj, "generation") or 0
    return {
        condition["type"]: condition
        for condition in conditions(obj)
        if condition.get("observedGeneration", generation) >= generation
    }


def _true(found: Mapping[str, Dict[str, Any]], kind: str) -> bool:
    return kind in found and found[kind]["status"] == "True"


def _reason(found: Mapping[str, Dict[str, Any]], kind: str) -> str:
    return (found.get(kind) or {}).get("reason") or ""
