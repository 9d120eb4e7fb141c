# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The names of fluxoperator 0.1.0: that they exist, say what replaces them, and do what scripts
written for them expect."""

from __future__ import annotations

import importlib
import socket
import subprocess
import sys
import warnings
from contextlib import contextmanager
from typing import Any, Dict, List

import pytest
from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec, errors
from fluxoperator.client import ExecResult, MiniClusterClient
from kubernetes import client as kubernetes
from kubernetes import config
from scripted import Asked, Server, status

TOP = ["ApiClient", "Configuration", "OpenApiException", "ApiTypeError", "ApiValueError", "ApiKeyError"]
TOP += ["ApiAttributeError", "ApiException"]
NAMES = [("", name) for name in TOP]
NAMES += [(".exceptions", name) for name in TOP[2:]]
NAMES += [(".exceptions", f"{name}Exception") for name in ("NotFound", "Unauthorized", "Forbidden", "Service")]
NAMES += [(".rest", "RESTClientObject"), (".rest", "RESTResponse"), (".rest", "ApiException")]
NAMES += [(".api_client", "ApiClient"), (".configuration", "Configuration"), (".decorator", "timed")]
NAMES += [(".defaults", "flux_operator_api_version")]
CLASSES = ["FluxMiniCluster", "FluxBrokerMiniCluster", "FluxOperator"]
NAMES += [(".client", name) for name in CLASSES]
PODS = "/api/v1/namespaces/default/pods"


@pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda part: part or "top")
def test_a_name_of_upstream_says_what_replaces_it(module: str, name: str) -> None:
    home = importlib.import_module(f"fluxoperator{module}")
    with pytest.warns(DeprecationWarning, match=rf"fluxoperator{module}\.{name} is deprecated: use \w") as caught:
        assert getattr(home, name)
    assert caught[0].filename == __file__
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(home, "no_such_name")


def test_an_error_of_upstream_catches_what_the_clients_raise() -> None:
    with pytest.warns(DeprecationWarning):
        from fluxoperator.exceptions import ApiException, NotFoundException
    missing = errors.of(404, "{}")
    assert isinstance(missing, ApiException) and isinstance(missing, NotFoundException)


def test_what_is_deprecated_is_loaded_when_asked_for() -> None:
    script = (
        "import sys, fluxoperator, fluxoperator.client\n"
        "assert not [m for m in sys.modules if m.startswith(('fluxoperator._upstream', 'fluxoperator.resource'))]\n"
        "import fluxoperator.resource.pods, fluxoperator.resource.network\n"
        "fluxoperator.client.FluxMiniCluster\n"
        "assert 'fluxoperator._upstream' in sys.modules and 'kubernetes' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


class Cluster:
    """Answers as a cluster whose MiniClusters have all their pods at once."""

    def __init__(self, server: Server) -> None:
        self.stored: Dict[str, Any] = {}
        self.phase, self.sent = "Running", list[Any]()
        server.script = [self.answer]

    def pods(self) -> List[Dict[str, Any]]:
        found = []
        for name, each in self.stored.items():
            for place in [*(f"{i}-x{i}y" for i in range(each["spec"]["size"])), "services"]:
                phase = "Pending" if place == "services" else self.phase
                container = {"name": name, "image": "", "imageID": "", "ready": True, "restartCount": 0, "state": {"running": {}}}
                meta = {"name": f"{name}-{place}", "labels": {"batch.kubernetes.io/job-completion-index": place[0]}}
                state = {"phase": phase, "containerStatuses": [container]}
                found.append({"metadata": meta, "spec": {"containers": [{"name": name}]}, "status": state})
        return found

    def answer(self, asked: Asked) -> Any:
        name = asked.path.rsplit("/", 1)[-1]
        if asked.method == "POST":
            stored = asked.body
            stored["metadata"]["namespace"] = asked.path.split("/")[-2]
            self.sent.append(stored)
            self.stored[stored["metadata"]["name"]] = stored
            return 201, stored
        if asked.method == "DELETE":
            self.stored.pop(name)
            return {"kind": "Status", "status": "Success"}
        if asked.path == "/api/v1/nodes":
            return {"kind": "NodeList", "items": [{"metadata": {"name": "node"}}]}
        if asked.path.endswith("/pods"):
            return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": self.pods()}
        if asked.path.endswith("/log"):
            return iter([])
        if "/pods/" in asked.path:
            return next(pod for pod in self.pods() if pod["metadata"]["name"] == name)
        return self.stored.get(name) or (404, status(404, "NotFound"))


@pytest.fixture
def cluster(server: Server) -> Cluster:
    """Gives a cluster behind the server."""
    return Cluster(server)


@pytest.fixture
def core(cluster: Cluster, server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives a CoreV1Api that leads to the cluster, as what load_kube_config loads does."""
    found = server.api_client()
    monkeypatch.setattr(config, "load_kube_config", lambda: kubernetes.Configuration.set_default(found.configuration))
    yield kubernetes.CoreV1Api(found)
    kubernetes.Configuration.set_default(None)


def upstream(name: str) -> Any:
    """Gives a class of upstream's client."""
    with pytest.warns(DeprecationWarning, match="MiniClusterClient"):
        return getattr(importlib.import_module("fluxoperator.client"), name)


def test_a_minicluster_is_created_from_dicts_and_deleted(core: Any, cluster: Cluster) -> None:
    operator = upstream("FluxMiniCluster")()
    wanted = {
        "name": "sweep",
        "namespace": "default",
        "size": 2,
        "tasks": 8,
        "interactive": False,
        "logging": {"zeromq": True, "quiet": None},
        "flux": {"log_level": 7, "optionFlags": "-n2", "option_flags": "-n1", "bursting": {"lead_broker": {"address": "a", "name": "b", "port": 8050, "size": 1}}},
        "volumes": {"data": {"storage_class": "fast", "path": "/d"}},
        "services": [{"image": "nginx", "name": "web", "ports": [80]}],
        "flux_restful": {"username": "a", "token": "b"},
    }
    container = {
        "image": "any",
        "working_dir": "/w",
        "command": "true",
        "flux_log_level": 7,
        "resources": {"limits": {"memory": "1G"}},
        "volumes": {"data": {"path": "/data"}},
        "environment": {"A": "b"},
    }
    with pytest.warns() as caught:
        pods = operator.create(**wanted, container=container)
    said = [(w.category, str(w.message)) for w in caught]
    assert said == [
        (DeprecationWarning, "FluxMiniCluster.create is deprecated: use MiniClusterClient.create and wait_ready"),
        (UserWarning, "container.flux_log_level is not in the API and left out"),
        (UserWarning, "spec.flux.optionFlags is not in the API and left out"),
    ]
    sent = cluster.sent[0]
    assert (sent["apiVersion"], sent["kind"]) == ("flux-framework.org/v1alpha1", "MiniCluster")
    spec = sent["spec"]
    assert (spec["size"], spec["tasks"], spec["logging"]["zeromq"], spec["flux"]["optionFlags"]) == (2, 8, True, "-n1")
    assert spec["flux"]["bursting"]["leadBroker"]["port"] == 8050
    assert spec["services"][0]["ports"] == [80] and spec["volumes"]["data"]["storageClass"] == "fast"
    assert spec["fluxRestful"]["token"] == "b"
    assert spec["containers"][0]["runFlux"] is True and spec["containers"][0]["workingDir"] == "/w"
    assert spec["containers"][0]["resources"] == {"limits": {"memory": "1G"}}
    assert spec["containers"][0]["volumes"]["data"]["path"] == "/data"
    assert len(pods.items) == 3 and "sweep-1-x1y" in pods.to_str()
    assert operator.pods == {"sweep-0-x0y", "sweep-1-x1y", "sweep-services"}
    assert (operator.name, operator.namespace, operator.size, operator.flux_user) == ("sweep", "default", 2, "flux")
    assert operator.broker_pod == "sweep-0-x0y" and operator.metadata == sent
    with pytest.warns(DeprecationWarning):
        assert operator.get_nodes().items[0].metadata.name == "node"
        assert operator.get_pods() is pods
        assert len(operator.ctrl.get_pods(name="sweep", namespace="default").items) == 3
        operator.delete()
    assert not cluster.stored
    assert {*operator.times} == {"create", "delete"}


def test_pods_that_do_not_come_up_are_a_time_out(core: Any, cluster: Cluster) -> None:
    cluster.stored["one"], cluster.phase = {"spec": {"size": 2}}, "Pending"
    operator = upstream("FluxOperator")(namespace="default", core_v1_api=core)
    with pytest.warns(DeprecationWarning, match="wait_ready"), pytest.raises(TimeoutError, match="0 of 2 pods are Running"):
        operator.wait_pods(name="one", states="Running", retry_seconds=0.01, timeout=0.1)
    with pytest.warns(DeprecationWarning), pytest.raises(TimeoutError, match="3 pods are left"):
        operator.wait_termination_pods(name="one", retry_seconds=0.01, timeout=0.1)
    cluster.phase = "Running"
    with pytest.warns(DeprecationWarning):
        assert operator.get_broker_pod(name="one", quiet=True).metadata.name == "one-0-x0y"


def test_pods_of_an_invalid_minicluster_are_not_waited_for(core: Any, cluster: Cluster) -> None:
    invalid = {"type": "JobMiniClusterReady", "status": "False", "reason": "Invalid", "message": "no runFlux"}
    ended = {"type": "JobRunning", "status": "False", "reason": "NoJob"}
    meta = {"name": "one", "namespace": "default"}
    cluster.phase, cluster.stored["one"] = "Pending", {"metadata": meta, "spec": {"size": 2}, "status": {"conditions": [invalid, ended]}}
    operator = upstream("FluxMiniCluster")(core_v1_api=core)
    with pytest.warns(DeprecationWarning), pytest.raises(errors.WaitFailed, match="Invalid: no runFlux"):
        operator.load(cluster.stored["one"])


def test_commands_run_beside_the_lead_broker(core: Any, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    ran = []

    def run(self: Any, pod: str, command: List[str], *_: Any, **__: Any) -> ExecResult:
        ran.append((pod, command))
        return ExecResult("ƒAB\n", "so\n", 0)

    monkeypatch.setattr(MiniClusterClient, "exec", run)
    monkeypatch.setattr(MiniClusterClient, "lead_broker", lambda self, name: f"{name}-0-x0y")
    made = MiniCluster(
        kind="MiniCluster",
        api_version="flux-framework.org/v1alpha1",
        metadata=kubernetes.V1ObjectMeta(name="live", namespace="default"),
        spec=MiniClusterSpec(size=1, containers=[MiniClusterContainer(run_flux=True)], interactive=True),
    )
    api: Any = kubernetes.CustomObjectsApi(core.api_client)
    result = api.create_namespaced_custom_object("flux-framework.org", "v1alpha1", "default", "miniclusters", made)
    broker = upstream("FluxBrokerMiniCluster")(core_v1_api=core)
    with pytest.warns(DeprecationWarning) as caught:
        broker.load(result)
        assert broker.execute("flux submit sleep 1").startswith("ƒ")
        assert broker.kubectl_exec("ls -l /state", print_result=False) == "ƒAB\nso\n"
    assert [str(w.message).rpartition(" use ")[2] for w in caught] == [
        "MiniClusterClient.wait_ready",
        "MiniClusterClient.flux",
        "MiniClusterClient.exec",
    ]
    assert [pod for pod, _ in ran] == ["live-0-x0y"] * 2
    assert ran[0][1][-5:] == ["proxy", "local:///run/flux/local", "sh", "-c", "flux submit sleep 1"]
    assert ran[1][1] == ["/bin/sh", "-c", "ls -l /state"]
    assert "live-0-x0y is in phase Running" in capsys.readouterr().out


def test_output_is_streamed_to_a_file(core: Any, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: Any) -> None:
    cluster.stored["one"] = {"metadata": {"name": "one", "namespace": "default"}, "spec": {"size": 1}}
    lines = [b"2026-01-02T03:04:05Z first", b"2026-01-02T03:04:06Z second"]

    @contextmanager
    def stream(self: Any, method: str, path: str, query: Any, *_: Any, **__: Any) -> Any:
        assert (path, query["container"]) == (f"{PODS}/one-0-x0y/log", "one")
        yield iter(lines)

    operator = upstream("FluxMiniCluster")(core_v1_api=core)
    with pytest.warns(DeprecationWarning):
        operator.load(cluster.stored["one"])
    monkeypatch.setattr("fluxoperator._transport.Transport.stream", stream)
    with pytest.warns(DeprecationWarning, match="stream_output"):
        assert operator.stream_output(str(tmp_path / "log"), stdout=False) == ["first", "second"]
        assert operator.stream_output(str(tmp_path / "log"), timestamps=True) == [line.decode() for line in lines]
    assert (tmp_path / "log").read_text() == "2026-01-02T03:04:05Z first\n2026-01-02T03:04:06Z second\n"
    assert capsys.readouterr().out.endswith("05Z first\n2026-01-02T03:04:06Z second\n")


def test_the_restful_api_is_forwarded(core: Any, cluster: Cluster, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.stored["one"] = {"metadata": {"name": "one", "namespace": "default"}, "spec": {"size": 1}}

    @contextmanager
    def forward(self: Any, pod: str, port: int) -> Any:
        assert (pod, port) == ("one-0-x0y", 5000)
        yield int(server.url.rpartition(":")[2])

    monkeypatch.setattr(MiniClusterClient, "port_forward", forward)
    operator = upstream("FluxMiniCluster")(core_v1_api=core)
    with pytest.warns(DeprecationWarning):
        operator.load(cluster.stored["one"])
        again = server.script[0]
        server.script = [lambda asked: (503, {}), lambda asked: {}]
        with operator.port_forward(retry_seconds=0.01) as url:
            assert url == server.url
        server.script = [lambda asked: (503, {})]
        with pytest.raises(TimeoutError, match="does not answer"), operator.port_forward(0.01, timeout=0.1):
            pass
    server.script = [again]
    assert operator.times["restful_api_server_ready_seconds"] > 0


def test_the_functions_of_the_resource_package(core: Any, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from fluxoperator.resource.network import port_forward
    from fluxoperator.resource.pods import create_minicluster, delete_minicluster
    from urllib3.util import connection

    crd_api: Any = kubernetes.CustomObjectsApi(core.api_client)
    with pytest.warns(DeprecationWarning, match="MiniClusterClient.create"):
        created = create_minicluster(name="one", namespace="default", size=1, container={"image": "any"}, crd_api=crd_api)
    assert created == cluster.sent[0]
    with pytest.raises(TypeError, match="container"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        create_minicluster(name="one", namespace="default")
    with pytest.warns(DeprecationWarning, match="MiniClusterClient.delete"):
        delete_minicluster("one", "default", crd_api=crd_api)
    assert not cluster.stored
    connected = []
    monkeypatch.setattr(MiniClusterClient, "connect", lambda self, pod, port: connected.append((self.namespace, pod, port)))
    with pytest.warns(DeprecationWarning, match="port_forward"), port_forward(core):
        connection.create_connection(("one-0-x0y.pod.default.kubernetes", 5000))
        with socket.create_server(("127.0.0.1", 0)) as listening:
            connection.create_connection(listening.getsockname()[:2]).close()
    assert connected == [("default", "one-0-x0y", 5000)]
    assert connection.create_connection.__module__ == "urllib3.util.connection"
