# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the installed ``kubernetes`` tells of its classes: their keys, types and required values.

Every version has ``openapi_types`` and ``attribute_map``. What is required is told by the setters
up to 36, and by the fields of pydantic from 37 on. No version tells enumerations and bounds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, Mapping, NamedTuple, Optional

from ._check import Rules, ValidationError
from ._check import unknown as unknown_name
from ._wire import kubernetes_class

# By class, whatever its version, the keys of quantities and of integers or strings. The types in
# ``openapi_types`` are str and object.
INT_OR_STRING = {
    "CSIStorageCapacity": "capacity maximumVolumeSize",
    "CapacityRequestPolicy": "default validValues",
    "CapacityRequestPolicyRange": "max min step",
    "CapacityRequirements": "requests",
    "ContainerStatus": "allocatedResources",
    "Counter": "value",
    "DeviceCapacity": "value",
    "DeviceRequestAllocationResult": "consumedCapacity",
    "EmptyDirVolumeSource": "sizeLimit",
    "HPAScalingRules": "tolerance",
    "HTTPGetAction": "port",
    "IngressBackend": "servicePort",
    "LimitRangeItem": "default defaultRequest max maxLimitRequestRatio min",
    "MetricTarget": "averageValue value",
    "MetricValueStatus": "averageValue value",
    "NetworkPolicyPort": "port",
    "NodeAllocatableMappedResources": "quantity",
    "NodeAllocatableMapping": "capacityMultiplier deviceMultiplier",
    "NodeAllocatableOverhead": "perContainer perPod",
    "NodeAllocatableOverheadResources": "perContainer perPod",
    "NodeStatus": "allocatable capacity",
    "Overhead": "podFixed",
    "PersistentVolumeClaimStatus": "allocatedResources capacity",
    "PersistentVolumeSpec": "capacity",
    "PodDisruptionBudgetSpec": "maxUnavailable minAvailable",
    "PodSpec": "overhead",
    "PodStatus": "allocatedResources",
    "ResourceFieldSelector": "divisor",
    "ResourceQuotaSpec": "hard",
    "ResourceQuotaStatus": "hard used",
    "ResourceRequirements": "limits requests",
    "RollingUpdateDaemonSet": "maxSurge maxUnavailable",
    "RollingUpdateDeployment": "maxSurge maxUnavailable",
    "RollingUpdateStatefulSetStrategy": "maxUnavailable",
    "ServicePort": "targetPort",
    "ShareableCapacityStatus": "available consumed total",
    "TCPSocketAction": "port",
    "VolumeResourceRequirements": "limits requests",
}
# What objects of kubernetes 36 and older have beside their attributes.
_OTHERS = ("local_vars_configuration", "discriminator")
_VERSION = re.compile("^V[0-9]+((alpha|beta)[0-9]+)?")
_ONE: Rules = {"x-kubernetes-int-or-string": True}
_RULES: Dict[str, Rules] = {"list": {"items": _ONE}, "dict": {"additionalProperties": _ONE}}


class Member(NamedTuple):
    """A member of an object that a class is for.

    Attributes:
        attr (str): the attribute.
        type (str): its type as ``openapi_types`` spells it.
        required (bool): the API server wants a value.
        rules (Mapping[str, Any]): constraints, as those of a field.
        held (Optional[Callable[[Any], Any]]): gives what the attribute takes of what was read,
            where that is not the same.
    """

    attr: str
    type: str
    required: bool
    rules: Rules
    held: Optional[Callable[[Any], Any]]


@lru_cache(maxsize=None)
def find(name: str) -> Any:
    """Gives the class of a name, or None: not installed, or of another version."""
    try:
        return kubernetes_class(__name__, name)
    except (ImportError, AttributeError):
        return None


@lru_cache(maxsize=None)
def members(cls: Any) -> Dict[str, Member]:
    """Gives the members that a class has attributes for, by JSON key."""
    either = INT_OR_STRING.get(_VERSION.sub("", cls.__name__), "").split()
    modern = getattr(cls, "model_fields", None)
    wanted = None if modern is None else {f.serialization_alias or n: f for n, f in modern.items()}
    made: Dict[str, Member] = {}
    for attr, spelling in cls.openapi_types.items():
        key = cls.attribute_map[attr]
        required = _refuses_none(cls, attr) if wanted is None else wanted[key].is_required()
        rules = _RULES.get(spelling[:4].lower(), _ONE) if key in either else {}
        held = _text if wanted is not None and rules and spelling != "object" else None
        made[key] = Member(attr, spelling, required, rules, held)
    return made


def _text(value: Any) -> Any:
    """Gives a quantity, or a list or dict of them, as kubernetes 37 takes it: not as a number."""
    if isinstance(value, dict):
        return {key: _text(item) for key, item in value.items()}
    return [*map(_text, value)] if isinstance(value, list) else str(value)


def _refuses_none(cls: Any, attr: str) -> bool:
    """Says whether the setter of an attribute refuses None, in kubernetes 36 and older."""
    blank = cls.__new__(cls)
    blank.local_vars_configuration = SimpleNamespace(client_side_validation=True)
    try:
        setattr(blank, attr, None)
    except ValueError:
        return True
    return False


def unknown(cls: Any, value: Any, path: str) -> Iterator[ValidationError]:
    """Tells what a value has that a class does not.

    Args:
        cls (type): a class of kubernetes.
        value (Any): a mapping for an object of it, or such an object: up to kubernetes 36 it
            takes any attribute and sends those that it knows.
        path (str): where the value stands.
    """
    if isinstance(value, Mapping):
        known: Mapping[str, Any] = members(cls)
        other = [str(key) for key in value if key not in known]
    elif hasattr(cls, "model_fields"):
        return  # pydantic forbids them
    else:
        known = cls.openapi_types
        other = [a for a in vars(value) if a[0] != "_" and a not in known and a not in _OTHERS]
    owner = f"{cls.__name__} of the installed kubernetes"
    for name in other:
        yield unknown_name(path, owner, name, known)
