# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is never copied, and which namespaces have to be named.

A copy has the name, the type and the labels of its source. Where one of these has a meaning to the
API server or to a controller, whoever may write a source would act with the operator's permissions:
a Secret of type bootstrap.kubernetes.io/token in kube-system, for one, lets nodes join the cluster.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Mapping, Optional

Manifest = Mapping[str, Any]

#: Every namespace but kube-*, in the list of source namespaces.
ANY = "*"

# The types of the domain kubernetes.io that are data and nothing else. Any other is refused.
_DATA_TYPES = {
    "kubernetes.io/basic-auth",
    "kubernetes.io/dockercfg",
    "kubernetes.io/dockerconfigjson",
    "kubernetes.io/ssh-auth",
    "kubernetes.io/tls",
}
# Domains of types that controllers keep their own state or credentials in.
_REFUSED_DOMAINS = ("kubernetes.io", "k8s.io", "helm.sh", "istio.io", "cattle.io")

_SERVICE_ACCOUNT = "kubernetes.io/service-account.name"

# Labels by which a controller finds what it believes: releases of Helm, clusters and
# repositories of Argo CD.
_REFUSED_LABELS = {"owner": "helm", "argocd.argoproj.io/secret-type": None}

# The names that the API server, the installers and the usual controllers read or write themselves.
_REFUSED_PREFIXES = {"configmap": ("sh.helm.release.", "kubelet-config"), "secret": ("sh.helm.release.", "bootstrap-token-")}
_REFUSED_NAMES = {
    "configmap": {
        "aws-auth",
        "cluster-info",
        "coredns",
        "coredns-custom",
        "extension-apiserver-authentication",
        "istio-ca-root-cert",
        "kube-apiserver-legacy-service-account-token-tracking",
        "kube-dns",
        "kube-proxy",
        "kube-root-ca.crt",
        "kubeadm-config",
        "openshift-service-ca.crt",
    },
    "secret": {"istio-ca-secret", "kubeadm-certs"},
}


def never(kind: str, manifest: Manifest) -> Optional[str]:
    """Says why an object of a kind, as rules name them, is never copied; None if it may be."""
    metadata, of = manifest["metadata"], manifest.get("type") or ""
    name, domain = metadata["name"], of.partition("/")[0] if "/" in of else ""
    if of not in _DATA_TYPES and any(domain == it or domain.endswith(f".{it}") for it in _REFUSED_DOMAINS):
        return f"Secrets of type {of} are never copied"
    if _SERVICE_ACCOUNT in (metadata.get("annotations") or {}):
        return f"the annotation {_SERVICE_ACCOUNT} marks the token of a service account"
    if name in _REFUSED_NAMES[kind] or name.startswith(_REFUSED_PREFIXES[kind]):
        return "objects of this name are never copied"
    labels = metadata.get("labels") or {}
    for label, value in _REFUSED_LABELS.items():
        if label in labels and value in (None, labels[label]):
            return f"objects with the label {label}={labels[label]} are never copied"
    return None


def reserved(namespace: str, home: str) -> bool:
    """Says whether a namespace gets copies only if a rule names it: those of Kubernetes, and that of
    the operator and its rules."""
    return namespace.startswith("kube-") or namespace == home


def source_allowed(namespace: str, home: str, allowed: AbstractSet[str]) -> bool:
    """Says whether rules may copy from a namespace. From their own they always may."""
    return namespace == home or namespace in allowed or (ANY in allowed and not namespace.startswith("kube-"))
