# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A mirror, and the five objects that it is made of. Nothing here talks to an API server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, Dict, List, Optional, Tuple, Type, Union
from urllib.parse import urlsplit

from kubernetes.client import (
    V1Capabilities,
    V1Container,
    V1ContainerPort,
    V1DaemonSet,
    V1DaemonSetSpec,
    V1DaemonSetUpdateStrategy,
    V1EnvVar,
    V1EnvVarSource,
    V1HTTPGetAction,
    V1LabelSelector,
    V1ObjectMeta,
    V1OwnerReference,
    V1PersistentVolumeClaim,
    V1PersistentVolumeClaimSpec,
    V1PersistentVolumeClaimVolumeSource,
    V1PodSecurityContext,
    V1PodSpec,
    V1PodTemplateSpec,
    V1Probe,
    V1ResourceRequirements,
    V1RollingUpdateDaemonSet,
    V1SeccompProfile,
    V1SecretKeySelector,
    V1SecurityContext,
    V1Service,
    V1ServicePort,
    V1ServiceSpec,
    V1StatefulSet,
    V1StatefulSetSpec,
    V1Toleration,
    V1Volume,
    V1VolumeMount,
    V1VolumeResourceRequirements,
)
from registry_mirror_sdk.client import Object
from registry_mirror_sdk.models import RegistryMirror

from . import names
from .kinds import CHILDREN

MANAGER = "registry-mirror-operator"  # the field manager, and the label managed-by
PORT = 5000  # of containers and Services; the one on the nodes is the mirror's own
DATA = "/var/lib/registry"
USER = 65532  # that the containers run as
_HOST = 240  # characters of a host in the name of a directory, which has at most 255

# Of a listener: connections at a time, each of which is a process, and seconds of silence on one.
_CONNECTIONS, _SILENCE = 64, 600

Native = Union[V1Service, V1PersistentVolumeClaim, V1StatefulSet, V1DaemonSet]
_KINDS: Dict[str, Type[Object]] = {kind.KIND: kind for kind in CHILDREN}


@dataclass(frozen=True)
class Settings:
    """What all mirrors share.

    Attributes:
        namespace (str): where their objects are: the operator's own.
        registry_image (str): the registry of the Distribution project, version 2.8 or 3.
        listener_image (str): one whose entrypoint is socat.
    """

    namespace: str
    registry_image: str = "docker.io/library/registry:3.0.0"
    listener_image: str = "docker.io/alpine/socat:1.8.0.3"


@dataclass(frozen=True)
class Wanted:
    """An object as it is to be: its kind and name, the whole, and a hash of that."""

    kind: Type[Object]
    name: str
    body: Object
    digest: str

    @property
    def key(self) -> Tuple[str, str]:
        """Kind and name."""
        return self.kind.KIND, self.name

    def __str__(self) -> str:
        return f"{self.kind.KIND} {self.name}"


@dataclass(frozen=True)
class Mirror:
    """A RegistryMirror as it is stored, and what it is made of: click through.

    Attributes:
        name, uid (str): the RegistryMirror's.
        upstream, port, storage, storage_class_name, credentials_secret: its spec.
        settings (Settings): what it shares with the others.
    """

    name: str
    uid: str
    upstream: str
    port: int
    settings: Settings
    storage: Union[int, str] = "10Gi"
    storage_class_name: Optional[str] = None
    credentials_secret: Optional[str] = None

    @classmethod
    def of(cls, source: RegistryMirror, settings: Settings) -> Mirror:
        """Gives the mirror that an object of the API server describes. ValueError: it has no spec."""
        meta, spec = source.metadata, source.spec
        if meta is None or spec is None:
            raise ValueError("a RegistryMirror without metadata or spec")
        return cls(
            name=str(meta.name),
            uid=str(meta.uid),
            upstream=spec.upstream,
            port=spec.port,
            settings=settings,
            storage=spec.storage if spec.storage is not None else "10Gi",
            storage_class_name=spec.storage_class_name,
            credentials_secret=spec.credentials_secret,
        )

    # Names and addresses.

    @cached_property
    def base(self) -> str:
        """What all names have in common; the label ``instance`` too."""
        return names.base(self.name)

    @property
    def registry_name(self) -> str:
        """The name of the StatefulSet, its headless Service and its claim."""
        return f"registry-{self.base}"

    @property
    def service_name(self) -> str:
        """The name of the Service that clients use."""
        return f"mirror-{self.base}"

    @property
    def listener_name(self) -> str:
        """The name of the DaemonSet."""
        return f"listener-{self.base}"

    @property
    def pod_name(self) -> str:
        """The name of the registry's only pod."""
        return f"{self.registry_name}-0"

    @property
    def endpoint(self) -> str:
        """Where the container runtime of each node reaches the mirror."""
        return f"localhost:{self.port}"

    @property
    def service_endpoint(self) -> str:
        """Where pods reach the mirror."""
        return f"{self.service_name}.{self.settings.namespace}.svc:{PORT}"

    @property
    def directory(self) -> str:
        """Where on the volume the images of this upstream are kept, apart from those of another."""
        host = str(urlsplit(self.upstream).hostname)[:_HOST]
        return f"{DATA}/{host}-{names.digest(self.upstream)}"

    def credential_key(self, key: str) -> str:
        """The key of the Secret that ``username`` or ``password`` is under: it begins with host and port
        of the upstream, so a mirror of another upstream does not get it."""
        return f"{urlsplit(self.upstream).netloc.replace(':', '_')}.{key}"

    # The five objects.

    @property
    def headless_service(self) -> V1Service:
        """Gives the pod of the StatefulSet its name in DNS."""
        return self._service(self.registry_name, "None")

    @property
    def service(self) -> V1Service:
        """What the listeners and other pods connect to: an address that stays."""
        return self._service(self.service_name)

    @property
    def claim(self) -> V1PersistentVolumeClaim:
        """The volume of what was fetched."""
        return V1PersistentVolumeClaim(
            api_version="v1",
            kind="PersistentVolumeClaim",
            metadata=self._metadata(self.registry_name, "registry"),
            spec=V1PersistentVolumeClaimSpec(
                access_modes=["ReadWriteOnce"],
                resources=V1VolumeResourceRequirements(requests={"storage": str(self.storage)}),
                storage_class_name=self.storage_class_name,
            ),
        )

    @property
    def registry(self) -> V1StatefulSet:
        """The registry: one pod, as the volume is one and is written to by one."""
        return V1StatefulSet(
            api_version="apps/v1",
            kind="StatefulSet",
            metadata=self._metadata(self.registry_name, "registry"),
            spec=V1StatefulSetSpec(
                replicas=1,
                service_name=self.registry_name,
                selector=V1LabelSelector(match_labels=self._selector("registry")),
                template=self._template("registry", self._registry_pod()),
            ),
        )

    @property
    def listener(self) -> V1DaemonSet:
        """What listens on every node, and hands on to the Service."""
        return V1DaemonSet(
            api_version="apps/v1",
            kind="DaemonSet",
            metadata=self._metadata(self.listener_name, "listener"),
            spec=V1DaemonSetSpec(
                selector=V1LabelSelector(match_labels=self._selector("listener")),
                template=self._template("listener", self._listener_pod()),
                update_strategy=V1DaemonSetUpdateStrategy(
                    type="RollingUpdate",
                    rolling_update=V1RollingUpdateDaemonSet(max_unavailable="10%"),
                ),
            ),
        )

    def objects(self) -> List[Native]:
        """Gives all five, in the order in which they need each other."""
        return [self.headless_service, self.service, self.claim, self.registry, self.listener]

    # Their parts.

    def _selector(self, component: str) -> Dict[str, str]:
        return {
            "app.kubernetes.io/name": "registry-mirror",
            "app.kubernetes.io/instance": self.base,
            "app.kubernetes.io/component": component,
        }

    def _labels(self, component: str) -> Dict[str, str]:
        return {**self._selector(component), "app.kubernetes.io/managed-by": MANAGER}

    def _metadata(self, name: str, component: str) -> V1ObjectMeta:
        owner = V1OwnerReference(
            api_version=RegistryMirror.API_VERSION,
            kind=RegistryMirror.KIND,
            name=self.name,
            uid=self.uid,
            controller=True,
        )
        return V1ObjectMeta(
            name=name,
            namespace=self.settings.namespace,
            labels=self._labels(component),
            owner_references=[owner],
        )

    def _service(self, name: str, cluster_ip: Optional[str] = None) -> V1Service:
        return V1Service(
            api_version="v1",
            kind="Service",
            metadata=self._metadata(name, "registry"),
            spec=V1ServiceSpec(
                type="ClusterIP",
                cluster_ip=cluster_ip,
                selector=self._selector("registry"),
                ports=[V1ServicePort(name="registry", port=PORT, target_port="registry", protocol="TCP")],
            ),
        )

    def _template(self, component: str, spec: V1PodSpec) -> V1PodTemplateSpec:
        return V1PodTemplateSpec(metadata=V1ObjectMeta(labels=self._labels(component)), spec=spec)

    def _pod(self, container: V1Container, **more: Any) -> V1PodSpec:
        """Gives a pod that is told neither of the API server nor of the Services around it."""
        return V1PodSpec(
            automount_service_account_token=False,
            enable_service_links=False,
            security_context=V1PodSecurityContext(
                run_as_non_root=True,
                run_as_user=USER,
                run_as_group=USER,
                fs_group=USER,
                fs_group_change_policy="OnRootMismatch",
                seccomp_profile=V1SeccompProfile(type="RuntimeDefault"),
            ),
            containers=[container],
            **more,
        )

    def _registry_pod(self) -> V1PodSpec:
        container = V1Container(
            name="registry",
            image=self.settings.registry_image,
            env=self._environment(),
            ports=[V1ContainerPort(name="registry", container_port=PORT, protocol="TCP")],
            liveness_probe=_probe(period=20),
            readiness_probe=_probe(period=5),
            resources=_resources("50m", "64Mi", "512Mi"),
            security_context=_locked(),
            volume_mounts=[V1VolumeMount(name="data", mount_path=DATA)],
        )
        claim = V1PersistentVolumeClaimVolumeSource(claim_name=self.registry_name)
        return self._pod(container, volumes=[V1Volume(name="data", persistent_volume_claim=claim)])

    def _environment(self) -> List[V1EnvVar]:
        values = {
            "OTEL_TRACES_EXPORTER": "none",
            "REGISTRY_HTTP_ADDR": f":{PORT}",
            "REGISTRY_PROXY_REMOTEURL": self.upstream,
            "REGISTRY_STORAGE_DELETE_ENABLED": "true",  # what has not been asked for in a week goes
            "REGISTRY_STORAGE_FILESYSTEM_ROOTDIRECTORY": self.directory,
        }
        plain = [V1EnvVar(name=name, value=value) for name, value in values.items()]
        if self.credentials_secret is None:
            return plain
        return plain + [
            V1EnvVar(
                name=f"REGISTRY_PROXY_{key.upper()}",
                value_from=V1EnvVarSource(
                    secret_key_ref=V1SecretKeySelector(name=self.credentials_secret, key=self.credential_key(key))
                ),
            )
            for key in ("username", "password")
        ]

    def _listener_pod(self) -> V1PodSpec:
        container = V1Container(
            name="listener",
            image=self.settings.listener_image,
            args=[
                f"-T{_SILENCE}",
                f"TCP-LISTEN:{PORT},fork,reuseaddr,max-children={_CONNECTIONS}",
                f"TCP:{self.service_endpoint},connect-timeout=10",
            ],
            ports=[
                V1ContainerPort(
                    name="registry", container_port=PORT, host_ip="127.0.0.1", host_port=self.port, protocol="TCP"
                )
            ],
            readiness_probe=_probe(period=10),  # through to the registry
            resources=_resources("10m", "16Mi", "128Mi"),
            security_context=_locked(),
        )
        return self._pod(container, tolerations=[V1Toleration(operator="Exists")])


@lru_cache(maxsize=4096)
def wanted(mirror: Mirror) -> Tuple[Wanted, ...]:
    """Gives a mirror's five objects as they are sent to the API server."""
    made = []
    for native in mirror.objects():
        kind, meta = _KINDS[str(native.kind)], native.metadata
        manifest = {"apiVersion": kind.API_VERSION, "kind": kind.KIND, "metadata": meta, "spec": native.spec}
        body = kind.from_dict(manifest)
        text = json.dumps(dict(body), sort_keys=True)
        made.append(Wanted(kind, body["metadata"]["name"], body, sha256(text.encode()).hexdigest()))
    return tuple(made)


def _probe(period: int) -> V1Probe:
    """Asks a registry whether it lives: it answers / without touching its upstream."""
    return V1Probe(http_get=V1HTTPGetAction(path="/", port="registry"), period_seconds=period, timeout_seconds=5)


def _resources(cpu: str, memory: str, most: str) -> V1ResourceRequirements:
    return V1ResourceRequirements(requests={"cpu": cpu, "memory": memory}, limits={"memory": most})


def _locked() -> V1SecurityContext:
    """Gives a container no rights, and no disk but its volumes."""
    return V1SecurityContext(
        allow_privilege_escalation=False,
        read_only_root_filesystem=True,
        capabilities=V1Capabilities(drop=["ALL"]),
    )
