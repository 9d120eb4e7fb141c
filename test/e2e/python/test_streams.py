# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Logs, commands and ports on a real API server; kwok answers for the pods."""

from __future__ import annotations

import json
import subprocess
import threading
import uuid
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_WR, create_connection, socket
from typing import Any, Callable, Dict, Iterator, List, Tuple
from urllib.parse import parse_qs, urlsplit

import pytest
from kubernetes import client as kubernetes
from kubernetes import config

from fluxoperator import errors
from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec, PodSpec

RUN_FOR = "cluster.flux-framework.org/run-for"


def demo(name: str = "demo", **annotations: str) -> MiniCluster:
    """Gives a MiniCluster of two pods that stay."""
    pod, containers = PodSpec(annotations={RUN_FOR: "1h", **annotations}), [MiniClusterContainer(image="any")]
    spec = MiniClusterSpec(size=2, interactive=True, pod=pod, containers=containers)
    return MiniCluster(metadata=kubernetes.V1ObjectMeta(name=name), spec=spec)


@pytest.fixture(scope="module")
def client(kubeconfig: str, remove: Callable[[str], None]) -> Iterator[MiniClusterClient]:
    """Gives a client of a namespace with the MiniCluster "demo", which runs."""
    client = MiniClusterClient(f"streams-{uuid.uuid4().hex[:8]}")
    metadata = kubernetes.V1ObjectMeta(name=client.namespace)
    kubernetes.CoreV1Api().create_namespace(kubernetes.V1Namespace(metadata=metadata))
    client.create(demo())
    client.wait_for("demo", "JobRunning", timeout=300)
    yield client
    remove(client.namespace)


@pytest.fixture(scope="module")
def pod(client: MiniClusterClient) -> str:
    """Gives the pod of the lead broker."""
    return client.lead_broker("demo")


def request(size: int, last: bool = True) -> bytes:
    """Gives a request that a pod answers with as many bytes and some more."""
    end = b"Connection: close\r\n" if last else b""
    return b"POST / HTTP/1.1\r\nHost: pod\r\n%sContent-Length: %d\r\n\r\n%s" % (end, size, b"x" * size)


def read(sock: socket) -> bytes:
    """Reads to the end."""
    sock.settimeout(60)
    parts = []
    while part := sock.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def test_logs_wait_for_the_pods_and_give_those_of_all_in_order(client: MiniClusterClient) -> None:
    client.create(demo("fresh"))
    first = list(client.logs("fresh", tail_lines=2, timeout=300))  # the operator may not have seen it yet
    client.wait_for("fresh", "JobRunning", timeout=300)
    pods = [each["metadata"]["name"] for each in client.pods("fresh")]
    found = list(client.logs("fresh", tail_lines=2, timeout=300))
    assert found == [f"{client.namespace}/{pod}/fresh line {i} of 10" for pod in pods for i in (9, 10)]
    assert first[:2] in (found[:2], found[2:])
    assert [pod.rsplit("-", 1)[0] for pod in pods] == ["fresh-0", "fresh-1"]


def test_followed_logs_end_with_the_log(client: MiniClusterClient, pod: str, tmp_path: Path) -> None:
    wanted = [f"{client.namespace}/{pod}/demo line {i} of 10" for i in range(1, 11)]
    assert list(client.logs("demo", pod, follow=True, timeout=300)) == wanted
    client.stream_output("demo", tmp_path / "log", timeout=300)
    assert (tmp_path / "log").read_text().splitlines() == wanted
    with pytest.raises(errors.WaitTimeout):
        list(client.logs("demo", pod, follow=True, timeout=0.3))


def test_logs_of_a_container_that_does_not_start(client: MiniClusterClient) -> None:
    spec = {"containers": [{"name": "main", "image": "any"}], "nodeSelector": {"no": "node"}}
    stuck: Any = {"metadata": {"name": "stuck"}, "spec": spec}
    kubernetes.CoreV1Api().create_namespaced_pod(client.namespace, stuck)
    with pytest.raises(errors.WaitTimeout, match="container main has not started"):
        next(client.logs("demo", "stuck", timeout=1))
    with pytest.raises(errors.NotFound):
        next(client.logs("demo", "nowhere", timeout=1))


def test_exec(client: MiniClusterClient, pod: str) -> None:
    script = ["sh", "-c", "cat; echo bad >&2; exit 3"]
    assert client.exec("demo", script, stdin="text") == ("text", "bad\n", 3)
    assert client.exec(pod, ["echo", "a  b", "$HOME", "it's"]).stdout == "a  b $HOME it's\n"
    big = b"0123456789abcde\n" * (1 << 18)
    assert client.exec(pod, ["cat"], stdin=big).stdout.encode() == big
    with pytest.raises(subprocess.CalledProcessError) as failed:
        client.exec(pod, script, check=True)
    assert (failed.value.returncode, failed.value.stderr) == (3, "bad\n")
    with pytest.raises(errors.WaitTimeout):
        client.exec(pod, ["sleep", "60"], timeout=0.5)
    with pytest.raises(errors.NotFound):
        client.exec("nowhere", ["true"])
    with pytest.raises(errors.BadRequest, match="nothing"):
        client.exec(pod, ["true"], container="nothing")


def test_flux_is_asked_for_as_the_user(client: MiniClusterClient, pod: str) -> None:
    # kwok has neither: what this shows is who would run what.
    assert client.flux("demo", ["queue", "status"], check=False) == ("", "sudo: not found\n", 127)
    assert client.flux("demo", ["jobs"], user="root", check=False) == ("", "flux: not found\n", 127)
    with pytest.raises(subprocess.CalledProcessError):
        client.submit("demo", ["hostname"], ["-n2"], user="alice")
    with pytest.raises(errors.WaitTimeout, match="sudo: not found"):
        client.wait_ready("demo", timeout=1)


def test_flux_needs_no_sudo_in_restricted_pods(client: MiniClusterClient) -> None:
    client.create(demo("restricted", **{"flux-framework.org/pod-security": "restricted"}))
    client.wait_for("restricted", "JobRunning", timeout=300)
    assert client.flux("restricted", ["queue", "status"], check=False) == ("", "flux: not found\n", 127)


def test_port_forward_carries_several_connections_at_once(
    client: MiniClusterClient, pod: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    answers: Dict[Tuple[int, int], Any] = {}

    def ask(port: int, number: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        for turn in range(2):  # the connection is kept
            connection.request("POST", f"/{number}", b"x" * 2_000_000)
            answers[number, turn] = json.loads(connection.getresponse().read())
        connection.close()

    with client.port_forward(pod, 8080) as port:
        threads = [threading.Thread(target=ask, args=(port, number)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(answers) == 12
    for (number, _), answer in answers.items():
        assert (answer["path"], answer["body"]) == (f"/{number}", "x" * 2_000_000)
    with pytest.raises(OSError):
        create_connection(("127.0.0.1", port))


def test_ends_of_streams_go_both_ways(client: MiniClusterClient, pod: str) -> None:
    with client.port_forward(pod, 8080) as port, create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(request(5))
        sock.shutdown(SHUT_WR)  # the answer still comes, and the pod's end after it
        assert b'"body":"xxxxx"' in read(sock)
    with client.connect(pod, 8080) as sock:
        sock.sendall(request(5, last=False))
        sock.shutdown(SHUT_WR)  # it is only the end of ours that ends this
        assert b'"body":"xxxxx"' in read(sock)


def test_a_pod_that_echoes_stops_nothing(client: MiniClusterClient, pod: str) -> None:
    """Sends until all buffers are full before the first byte is read."""
    one, count, position = memoryview(request(1_000_000, last=False)), 0, 0
    with client.connect(pod, 8080) as sock:
        sock.settimeout(1)
        try:
            while True:
                position += sock.send(one[position:])
                if position == len(one):
                    count, position = count + 1, 0
                    assert count < 1000, "something holds all that is sent"
        except OSError:
            sock.settimeout(60)
        rest = threading.Thread(target=lambda: sock.sendall(bytes(one[position:]) + request(0)))
        rest.start()
        assert read(sock).count(b"xxxxx") == 200_000 * (count + 1)
        rest.join()


def test_what_a_port_refuses(client: MiniClusterClient, pod: str) -> None:
    with pytest.raises(errors.Unreachable, match="port 8080"):
        with client.port_forward(pod, 8080) as port, create_connection(("127.0.0.1", port)) as sock:
            sock.sendall(b"no HTTP\r\n\r\n")
            assert read(sock), "the connection has ended"
    with pytest.raises(errors.NotFound):
        with client.port_forward("nowhere", 80):
            raise AssertionError("it listens")
    with pytest.raises(errors.NotFound):
        client.connect("nowhere", 80)


def test_another_user_needs_rights(client: MiniClusterClient, pod: str, checkout: Path) -> None:
    name = ["kubeconfig", "--user", "streams-reader", "--group", "team"]
    path = subprocess.run([checkout / "bin" / "cluster", *name], check=True, stdout=subprocess.PIPE, text=True)
    api = config.new_client_from_config(config_file=path.stdout.strip())  # type: ignore[no-untyped-call]
    other = MiniClusterClient(client.namespace, api)
    calls: List[Callable[[], Any]] = [
        lambda: next(other.logs("demo", pod)),
        lambda: other.exec(pod, ["true"]),
        lambda: other.connect(pod, 8080),
        lambda: other.port_forward(pod, 8080).__enter__(),
    ]
    for call in calls:
        with pytest.raises(errors.Forbidden, match="streams-reader"):
            call()
    with pytest.raises(errors.Forbidden, match="pods/portforward"):
        other.connect(pod, 8080)


def test_a_broken_log_is_taken_up_without_repeating_lines() -> None:
    """What a kubelet does with sinceTime, which kwok does not look at."""
    lines = [f"2026-01-01T00:00:0{i // 4}.{i:09d}Z line {i}\n" for i in range(8)]
    asked: List[Dict[str, List[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            asked.append(query)
            second = query.get("sinceTime", [""])[0][:19]
            rest = [line for line in lines if line >= second]
            broken = len(asked) < 3
            text = "".join(rest[: 3 * len(asked)] + ["2026-01-01"] if broken else rest).encode()
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text) + (b"" if broken else b"0\r\n\r\n"))
            self.close_connection = True

        def log_message(self, format: str, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        settings = kubernetes.Configuration()
        settings.host = f"http://127.0.0.1:{server.server_port}"
        client = MiniClusterClient(api_client=kubernetes.ApiClient(settings))
        found = [text for _, text in client._log("/pod", {"follow": True, "tailLines": 8}, float("inf"))]
        server.shutdown()
    assert found == [f"line {i}" for i in range(8)]
    assert [query.get("tailLines") for query in asked] == [["8"], None, None]


def test_following_goes_on_after_the_api_server_was_killed(client: MiniClusterClient, pod: str, checkout: Path) -> None:
    lines = client.logs("demo", pod, follow=True, timeout=300)
    found = [next(lines), next(lines)]
    subprocess.run([checkout / "bin" / "cluster", "restart", "--kill", "kube-apiserver"], check=True)
    found += lines
    assert found[-1].endswith("line 10 of 10")
    assert len(found) > 10  # kwok's log begins anew
