# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: classes of fluxoperator 0.1.0, on top of ``MiniClusterClient``."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, contextmanager, suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Union
from urllib.request import ProxyHandler, build_opener

from ._conditions import failed
from ._deprecated import replaced
from ._streams import pause
from ._wait import failure
from .client import MiniClusterClient
from .decorator import _timed
from .resource.pods import create_minicluster, delete_minicluster

if TYPE_CHECKING:
    from kubernetes.client import CoreV1Api, V1NodeList, V1Pod, V1PodList

_UP = "Running", "Succeeded", "Completed"
_OTHERS = "cert-generator", "-services"  # pods that run no broker
_RESTFUL = 5000  # the port of the Flux RESTful API
_LIMIT = 600.0  # seconds; upstream's methods waited for ever
_SOCKET = "local:///run/flux/local"


class FluxOperator:
    """Deprecated: use ``MiniClusterClient``. ``core_v1_api`` is the ``CoreV1Api`` whose
    ApiClient is used; by default one with the configuration that was loaded."""

    def __init__(
        self, namespace: Optional[str] = None, core_v1_api: Optional[CoreV1Api] = None
    ) -> None:
        self.namespace, self._core_v1 = namespace, core_v1_api

    @property
    def core_v1(self) -> CoreV1Api:
        """The ``CoreV1Api``."""
        if self._core_v1 is None:
            from kubernetes.client import CoreV1Api

            self._core_v1 = CoreV1Api()
        return self._core_v1

    def client(self, namespace: Optional[str] = None) -> MiniClusterClient:
        """Returns the client that replaces this class."""
        where = namespace or self.namespace
        named = {"namespace": where} if where else {}
        return MiniClusterClient(**named, api_client=self.core_v1.api_client)

    @replaced("MiniClusterClient.pods")
    def get_pods(self, namespace: Optional[str] = None, name: Optional[str] = None) -> V1PodList:
        """Lists the pods of a namespace, or those whose names begin with ``name``."""
        found = self.core_v1.list_namespaced_pod(self.client(namespace).namespace)
        if name is not None:
            found.items = [pod for pod in found.items if _name(pod).startswith(f"{name}-")]
        return found

    @replaced("kubernetes.client.CoreV1Api().list_node()")
    def get_nodes(self) -> V1NodeList:
        """Lists the nodes of the cluster."""
        return self.core_v1.list_node()

    @replaced("MiniClusterClient.wait_ready")
    def wait_pods(
        self,
        size: Optional[int] = None,
        name: Optional[str] = None,
        namespace: Optional[str] = None,
        states: Union[str, Sequence[str], None] = None,
        retry_seconds: float = 1,
        quiet: bool = False,
        timeout: float = _LIMIT,
    ) -> V1PodList:
        """Waits until ``size`` pods were seen in one of the phases ``states``, by default Running,
        Succeeded or Completed. ``size`` defaults to that of the MiniCluster. Raises WaitTimeout,
        and NotFound or WaitFailed if the MiniCluster is deleted or has failed."""
        wanted = [states] if isinstance(states, str) else [*(states or _UP)]
        deadline, seen = time.monotonic() + timeout, dict[str, str]()
        while True:
            if name is not None:
                size = self._expected(name, namespace, size)
            found = self.get_pods(namespace, name)
            brokers = [
                pod for pod in found.items if not any(part in _name(pod) for part in _OTHERS)
            ]
            for pod in brokers:
                phase = str(pod.status and pod.status.phase)
                if not quiet and seen.get(_name(pod)) != phase:
                    print(f"{_name(pod)} is in phase {phase}")
                seen[_name(pod)] = phase
            up = [each for each in seen if seen[each] in wanted]
            if len(up) >= (size or len(brokers) or 1):
                if not quiet:
                    print(f"All pods are in states {', '.join(wanted)}")
                return found
            pause(
                deadline,
                retry_seconds,
                f"{len(up)} of {size or len(brokers)} pods are {' or '.join(wanted)}",
            )

    def _expected(self, name: str, namespace: Optional[str], size: Optional[int]) -> int:
        """Returns how many pods a MiniCluster is to have. Raises WaitFailed if it has failed."""
        found = self.client(namespace).get(name)
        if cause := failed(found):
            raise failure(f"MiniCluster {name}: pods", cause, found)
        return size or int(found["spec"]["size"])

    @replaced("MiniClusterClient.lead_broker")
    def get_broker_pod(
        self, quiet: bool = False, name: Optional[str] = None, namespace: Optional[str] = None
    ) -> V1Pod:
        """Waits for the pods and gives that of the lead broker. Raises WaitTimeout."""
        self.wait_pods(quiet=quiet, name=name, namespace=namespace)
        deadline = time.monotonic() + _LIMIT
        while True:
            for pod in self.get_pods(namespace, name).items:
                if "-0" in _name(pod) and pod.status and pod.status.phase == "Running":
                    return pod
            pause(deadline, 1, f"no lead broker of {name} runs")

    @replaced("MiniClusterClient.exec")
    def kubectl_exec(
        self,
        command: str,
        pod: Optional[str] = None,
        quiet: bool = False,
        namespace: Optional[str] = None,
        name: Optional[str] = None,
    ) -> str:
        """Runs a line of shell in a pod, by default the lead broker's, and gives what it wrote:
        stdout, then stderr."""
        pod = pod or _name(self.get_broker_pod(quiet, name, namespace))
        if not quiet:
            print(command)
        done = self.client(namespace).exec(pod, ["/bin/sh", "-c", command])
        return done.stdout + done.stderr

    @replaced("MiniClusterClient.stream_output")
    def stream_output(
        self,
        filename: str,
        name: Optional[str] = None,
        namespace: Optional[str] = None,
        pod: Optional[str] = None,
        stdout: bool = True,
        return_output: bool = True,
        timestamps: bool = False,
    ) -> Optional[List[str]]:
        """Writes the log of a pod, by default the lead broker's, to a file until it ends, and gives
        its lines."""
        pod = pod or _name(self.get_broker_pod(name=name, namespace=namespace))
        container = None if "-services" in pod else name  # Flux's is named after the MiniCluster
        lines = self.client(namespace).logs(
            name or pod, pod, container, follow=True, timestamps=timestamps
        )
        kept = []
        with open(filename, "w", encoding="utf-8") as file:
            for line in lines:
                file.write(line.strip() + "\n")
                if stdout:
                    print(line)
                kept.append(line)
        return kept if return_output else None

    @replaced("MiniClusterClient.delete with wait=True")
    def delete_minicluster(
        self, name: Optional[str] = None, namespace: Optional[str] = None, crd_api: Any = None
    ) -> None:
        """Deletes a MiniCluster and waits until its pods are gone. Raises WaitTimeout."""
        delete_minicluster(
            str(name), self.client(namespace).namespace, crd_api=crd_api or self.core_v1
        )
        self.wait_termination_pods(name, namespace)

    @replaced("MiniClusterClient.delete with wait=True")
    def wait_termination_pods(
        self,
        name: Optional[str] = None,
        namespace: Optional[str] = None,
        retry_seconds: float = 1,
        quiet: bool = False,
        timeout: float = _LIMIT,
    ) -> None:
        """Waits until there are no pods, or none whose names begin with ``name``."""
        deadline = time.monotonic() + timeout
        while left := self.get_pods(namespace, name).items:
            pause(deadline, retry_seconds, f"{len(left)} pods are left")
        if not quiet:
            print("All pods are terminated.")


class FluxMiniCluster:
    """Deprecated: use ``MiniClusterClient``. A MiniCluster that was created or loaded.

    Attributes:
        metadata (Optional[Mapping[str, Any]]): the MiniCluster as it was created or loaded.
        times (Dict[str, float]): seconds that ``create`` and ``delete`` took.
        ctrl (FluxOperator): of the arguments.
    """

    def __init__(
        self, namespace: Optional[str] = None, core_v1_api: Optional[CoreV1Api] = None
    ) -> None:
        self.times: Dict[str, float] = {}
        self.metadata: Optional[Mapping[str, Any]] = None
        self.ctrl = FluxOperator(namespace, core_v1_api)
        self._pods: Optional[V1PodList] = None

    @replaced("MiniClusterClient.wait_ready")
    def load(self, metadata: Mapping[str, Any]) -> V1PodList:
        """Takes a MiniCluster that exists and waits for its pods."""
        self.metadata = metadata
        return self.wait_pods()

    @replaced("MiniClusterClient.create and wait_ready")
    @_timed
    def create(self, **kwargs: Any) -> V1PodList:
        """Creates a MiniCluster, as ``create_minicluster`` does, and waits for its pods."""
        kwargs.setdefault("crd_api", self.ctrl._core_v1)
        self.metadata = create_minicluster(**kwargs)
        return self.wait_pods()

    @replaced("MiniClusterClient.wait_ready")
    def wait_pods(self, retry_seconds: float = 1, quiet: bool = False) -> V1PodList:
        """Waits until the pods run or have ended. Raises WaitTimeout."""
        self._pods = self.ctrl.wait_pods(
            self.size, self.name, self.namespace, None, retry_seconds, quiet
        )
        return self._pods

    @replaced("MiniClusterClient.pods")
    def get_pods(self) -> V1PodList:
        """Gives the pods as they were when they were waited for."""
        return self._pods or self.ctrl.get_pods(self.namespace, self.name)

    @replaced("kubernetes.client.CoreV1Api().list_node()")
    def get_nodes(self) -> V1NodeList:
        """Lists the nodes of the cluster."""
        return self.ctrl.get_nodes()

    @replaced("MiniClusterClient.port_forward")
    def port_forward(
        self, retry_seconds: float = 1, timeout: float = _LIMIT
    ) -> AbstractContextManager[str]:
        """Returns a context manager that forwards a port to the Flux RESTful API, waits until that
        answers, and gives the URL. Raises WaitTimeout."""
        return self._forwarded(retry_seconds, timeout)

    @contextmanager
    def _forwarded(self, retry_seconds: float, timeout: float) -> Iterator[str]:
        began = time.monotonic()
        with self.ctrl.client(self.namespace).port_forward(str(self.broker_pod), _RESTFUL) as port:
            url = f"http://127.0.0.1:{port}"
            while not _answers(url):
                pause(
                    began + timeout,
                    retry_seconds,
                    f"the Flux RESTful API of {self.name} does not answer",
                )
            self.times["restful_api_server_ready_seconds"] = time.monotonic() - began
            yield url

    @replaced("MiniClusterClient.stream_output")
    def stream_output(
        self,
        filename: str,
        stdout: bool = True,
        timestamps: bool = False,
        pod: Optional[str] = None,
    ) -> Optional[List[str]]:
        """Writes the log of a pod, by default the lead broker's, to a file, and gives its lines."""
        pod = pod or self.broker_pod
        return self.ctrl.stream_output(
            filename, self.name, self.namespace, pod, stdout, True, timestamps
        )

    @replaced("MiniClusterClient.delete with wait=True")
    @_timed
    def delete(self) -> None:
        """Deletes the MiniCluster and waits until its pods are gone."""
        self.ctrl.delete_minicluster(self.name, self.namespace)

    @property
    def flux_user(self) -> str:
        """The user that Flux runs as."""
        return str((self.metadata or {}).get("spec", {}).get("flux_user") or "flux")

    @property
    def broker_pod(self) -> Optional[str]:
        """The lead broker's pod, None before the pods were waited for."""
        names = [_name(pod) for pod in self._pods.items] if self._pods else []
        return next((name for name in names if name.startswith(f"{self.name}-0")), None)

    @property
    def pods(self) -> Set[str]:
        """The names of the pods."""
        return {_name(pod) for pod in self._pods.items} if self._pods else set()

    @property
    def name(self) -> str:
        """The name of the MiniCluster."""
        return str(self._read("metadata", "name"))

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return str(self._read("metadata", "namespace"))

    @property
    def size(self) -> int:
        """The number of its pods."""
        return int(self._read("spec", "size"))

    def _read(self, part: str, key: str) -> Any:
        if self.metadata is None:
            raise LookupError("no MiniCluster: call create or load first")
        return self.metadata[part][key]


class FluxBrokerMiniCluster(FluxMiniCluster):
    """Deprecated: use ``MiniClusterClient.flux``. Runs commands beside the lead broker, whose
    ``socket`` is by default the operator's."""

    def __init__(
        self,
        socket: Optional[str] = None,
        namespace: Optional[str] = None,
        core_v1_api: Optional[CoreV1Api] = None,
    ) -> None:
        super().__init__(namespace, core_v1_api)
        self.socket = socket or _SOCKET

    @replaced("MiniClusterClient.flux")
    def execute(self, command: str, print_result: bool = True) -> str:
        """Runs a line of shell with the lead broker as its Flux, and gives what it wrote."""
        arguments = ["proxy", self.socket, "sh", "-c", command]
        done = self.ctrl.client(self.namespace).flux(self.name, arguments, check=False)
        return _shown(done.stdout + done.stderr, print_result)

    @replaced("MiniClusterClient.exec")
    def kubectl_exec(self, command: str, print_result: bool = True) -> str:
        """Runs a line of shell in the lead broker's pod, and gives what it wrote."""
        return _shown(
            self.ctrl.kubectl_exec(command, self.broker_pod, False, self.namespace, self.name),
            print_result,
        )


def _name(pod: V1Pod) -> str:
    return str(pod.metadata and pod.metadata.name)


def _shown(text: str, wanted: bool) -> str:
    if wanted:
        print(text, end="")
    return text


def _answers(url: str) -> bool:
    with (
        suppress(OSError, HTTPException),
        build_opener(ProxyHandler({})).open(url, timeout=5) as answer,
    ):
        return bool(answer.status == 200)
    return False
