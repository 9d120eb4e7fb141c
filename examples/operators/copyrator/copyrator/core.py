# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""ConfigMaps, Secrets, Namespaces and Events, by the client that comes with the models of the rules.

They have no models here, and need none: their manifests are passed on as they came.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Type

from copyrator_api.client import Client, Object, Watch
from kubernetes.client import ApiClient

from .objects import MANAGER, Key


class ConfigMap(Object):
    """What rules of type configmap copy."""

    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "ConfigMap", "configmaps"


class Secret(Object):
    """What rules of type secret copy."""

    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Secret", "secrets"


class Namespace(Object):
    """Where copies go."""

    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Namespace", "namespaces"
    NAMESPACED = False


class Event(Object):
    """What is told of a rule."""

    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Event", "events"


_COPIED: Dict[str, Type[Object]] = {"configmap": ConfigMap, "secret": Secret}


class Core:
    """Reads and writes. Threads may share it. Every method raises ``errors.ApiError``."""

    def __init__(self, api_client: ApiClient) -> None:
        made: Dict[str, Any] = {"api_client": api_client, "field_manager": MANAGER}
        self._copied = {kind: Client(model, **made) for kind, model in _COPIED.items()}
        self._namespaces, self._events = Client(Namespace, **made), Client(Event, **made)

    def get(self, key: Key) -> Dict[str, Any]:
        """Reads an object. Raises errors.NotFound."""
        return dict(self._copied[key.kind].get(key.name, key.namespace))

    def create(self, key: Key, body: Mapping[str, Any]) -> Dict[str, Any]:
        """Creates an object. Raises errors.AlreadyExists."""
        return dict(self._copied[key.kind].create(_COPIED[key.kind].from_dict(body)))

    def update(self, key: Key, body: Mapping[str, Any]) -> Dict[str, Any]:
        """Writes an object. Raises errors.Conflict if its resource version is not that of the body."""
        return dict(self._copied[key.kind].replace(_COPIED[key.kind].from_dict(body)))

    def delete(self, key: Key, metadata: Mapping[str, Any]) -> None:
        """Deletes the object that metadata is of. Raises errors.Conflict if it has changed since."""
        uid, version = metadata["uid"], metadata["resourceVersion"]
        self._copied[key.kind].delete(key.name, namespace=key.namespace, uid=uid, resource_version=version)

    def tell(self, body: Mapping[str, Any]) -> None:
        """Creates an Event."""
        self._events.create(Event.from_dict(body))

    def objects(self, kind: str, selector: str, namespace: Optional[str] = None) -> Watch[Any]:
        """Follows the objects of a kind that a label selector lets pass, by default in all namespaces."""
        everywhere = namespace is None
        return self._copied[kind].watch(label_selector=selector, namespace=namespace, all_namespaces=everywhere)

    def namespaces(self) -> Watch[Any]:
        """Follows all namespaces."""
        return self._namespaces.watch()
