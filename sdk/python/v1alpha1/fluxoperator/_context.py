# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The namespace of the kubeconfig context, or of the pod, that a configuration belongs to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Optional

DEFAULT = "default"
_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")


def namespace(configuration: Any) -> str:
    """Returns the namespace of the context that connects to a configuration's server.

    A ``kubernetes.client.Configuration`` does not keep its context. The current context counts if
    its cluster has that server, even if another context was loaded: name the namespace then. Else
    those contexts count whose cluster has it, if all of them agree. In a pod it is the pod's
    namespace.

    Args:
        configuration (Any): a ``kubernetes.client.Configuration``.

    Returns:
        "default" if no context and no pod tells another.
    """
    host = str(configuration.host).rstrip("/")
    found = _of_kubeconfig(host)
    if found is None and host == _pod_server() and _POD.is_file():
        found = _POD.read_text(encoding="utf-8").strip()
    return found or DEFAULT


def _of_kubeconfig(host: str) -> Optional[str]:
    """Returns the namespace of the contexts for a server, None if there is none or they differ."""
    from kubernetes.config import ConfigException, kube_config
    from yaml import YAMLError

    malformed = (YAMLError, ConfigException, AttributeError, KeyError, TypeError, ValueError)
    try:
        read: Any = kube_config.KubeConfigMerger  # which has no type hints
        merged = read(kube_config.KUBE_CONFIG_DEFAULT_LOCATION).config
        if merged is None:  # there is no such file
            return None
        tree = merged.value
        servers = {
            c["name"]: str(c["cluster"]["server"]).rstrip("/") for c in _all(tree, "clusters")
        }
        contexts = {c["name"]: c["context"] for c in _all(tree, "contexts")}
    except (OSError, *malformed):  # so another one was loaded
        return None
    fitting = {name: c for name, c in contexts.items() if servers.get(c.get("cluster")) == host}
    current = fitting.get(tree.get("current-context"))
    names = {c.get("namespace") or DEFAULT for c in ([current] if current else fitting.values())}
    return names.pop() if len(names) == 1 else None


def _all(tree: Dict[str, Any], key: str) -> List[Any]:
    return [getattr(node, "value", node) for node in tree.get(key) or ()]


def _pod_server() -> Optional[str]:
    """Returns the URL of the API server that ``load_incluster_config`` takes, None elsewhere."""
    host, port = (os.environ.get(f"KUBERNETES_SERVICE_{part}") for part in ("HOST", "PORT"))
    shown = f"[{host}]" if host and ":" in host else host
    return f"https://{shown}:{port}" if host and port else None
