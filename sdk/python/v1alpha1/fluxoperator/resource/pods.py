# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: use ``MiniClusterClient``."""

from __future__ import annotations

import warnings
from typing import Any, Dict, Mapping, Optional, Type

from .. import models
from .._deprecated import replaced
from .._model import Model
from ..client import MiniClusterClient


@replaced("MiniClusterClient.create")
def create_minicluster(
    *, namespace: str, name: str, container: Mapping[str, Any], crd_api: Any = None, **spec: Any
) -> Dict[str, Any]:
    """Creates a MiniCluster and gives its manifest.

    Args:
        namespace, name (str): where and how it is called.
        container (Mapping[str, Any]): arguments of ``MiniClusterContainer``; ``run_flux`` is set.
        crd_api (Any): an API object of ``kubernetes``, whose ApiClient is used. Default None: what
            ``load_kube_config`` finds.
        **spec (Any): arguments of ``MiniClusterSpec``. What no class has an attribute for is
            left out with a UserWarning.
    """
    from kubernetes.client import V1ObjectMeta

    containers = [_built(models.MiniClusterContainer, {"run_flux": True, **container}, "container")]
    made = models.MiniCluster(
        metadata=V1ObjectMeta(name=name, namespace=namespace),
        spec=_built(models.MiniClusterSpec, {**spec, "containers": containers}, "spec"),
    )
    return dict(_client(namespace, crd_api).create(made))


@replaced("MiniClusterClient.delete")
def delete_minicluster(name: str, namespace: str, crd_api: Any = None) -> None:
    """Deletes a MiniCluster. Raises errors.NotFound."""
    _client(namespace, crd_api).delete(name)


def _client(namespace: str, crd_api: Any) -> MiniClusterClient:
    if crd_api is None:
        from kubernetes import config

        load: Any = config.load_kube_config
        load()
    return MiniClusterClient(namespace, crd_api and crd_api.api_client)


def _built(cls: Type[Model], given: Mapping[str, Any], path: str) -> Any:
    """Builds a model of attributes by name, and of what is nested likewise."""
    known = {}
    for name, value in given.items():
        spelling = cls.openapi_types.get(name)
        if spelling is None:
            warnings.warn(
                f"{path}.{name} is not in the API and left out", UserWarning, stacklevel=4
            )
        elif value is not None:
            known[name] = _nested(spelling, value, f"{path}.{name}")
    return cls(**known)


def _nested(spelling: str, value: Any, path: str) -> Any:
    inner: Optional[Type[Model]] = getattr(
        models, spelling.rstrip("])").replace("list[", "").replace("dict(str, ", ""), None
    )
    if not (isinstance(inner, type) and issubclass(inner, Model)) or isinstance(value, Model):
        return value
    if spelling.startswith("list"):
        return [_nested(spelling[5:-1], item, f"{path}[{i}]") for i, item in enumerate(value)]
    if spelling.startswith("dict"):
        return {key: _nested(spelling[10:-1], item, f"{path}.{key}") for key, item in value.items()}
    return _built(inner, value, path)
