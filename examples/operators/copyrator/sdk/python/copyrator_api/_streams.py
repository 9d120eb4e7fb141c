# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Logs, commands and ports of an object's pods."""

from __future__ import annotations

import json
import socket
import socketserver
import ssl
import subprocess
import time
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from threading import Thread
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
    cast,
)
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from . import errors
from ._channels import CHUNK, carry, cut, encode, exchange
from ._transport import Scope, Transport, segments, unreachable

_CONNECT, _POLL = 30.0, 0.5  # seconds
_INDEX = "batch.kubernetes.io/job-completion-index"
_ENDED = "Succeeded", "Failed"


class ExecResult(NamedTuple):
    """What a command wrote, and the exit code that it ended with."""

    stdout: str
    stderr: str
    exit_code: int


class Streams:
    """What a client does with the pods of its objects."""

    transport: Transport
    namespace: str

    if TYPE_CHECKING:

        def pod_selector(self, name: str, namespace: Optional[str] = None) -> str: ...

    def pods(self, name: str, namespace: Optional[str] = None) -> List[Dict[str, Any]]:
        """Lists an object's pods as manifests, by index in their Job, then by name."""
        query = {"labelSelector": self.pod_selector(name, namespace)}
        found = self.transport.request("GET", self._pods(namespace), query)
        pods: List[Dict[str, Any]] = found["items"]

        def place(pod: Dict[str, Any]) -> Tuple[int, str]:
            meta = pod["metadata"]
            return int(meta["labels"].get(_INDEX, 0)), meta["name"]

        return sorted(pods, key=place)

    def logs(
        self,
        name: str,
        pod: Optional[str] = None,
        container: Optional[str] = None,
        follow: bool = False,
        tail_lines: Optional[int] = None,
        since_seconds: Optional[int] = None,
        timeout: Optional[float] = None,
        namespace: Optional[str] = None,
    ) -> Iterator[str]:
        """Yields log lines, as soon as a pod exists and its container has started.

        A broken connection is resumed.

        Args:
            name (str): the object.
            pod (Optional[str]): one of its pods. Default all there are, one by one.
            container (Optional[str]): default the pod's first.
            follow (bool): go on until the container ends. Default False.
            tail_lines, since_seconds (Optional[int]): where to begin. Default the start.
            timeout (Optional[float]): seconds until it is a WaitTimeout. Default no limit.
            namespace (Optional[str]): if it is not the client's.
        """
        deadline = time.monotonic() + (inf if timeout is None else timeout)
        names = [pod] if pod else []
        while not names:
            with suppress(LookupError):  # there is no selector yet
                names = [found["metadata"]["name"] for found in self.pods(name, namespace)]
            pause(deadline, 0 if names else _POLL, f"{name} has no pods")
        query = {
            "follow": follow,
            "tailLines": tail_lines,
            "sinceSeconds": since_seconds,
            "timestamps": True,
        }
        for path in (self._pods(namespace, each) for each in names):
            yield from self._log(
                path, {**query, "container": self._started(path, container, deadline)}, deadline
            )

    def _started(self, path: str, container: Optional[str], deadline: float) -> str:
        """Waits until a container has started, without which it has no log; gives its name."""
        while True:
            pod = self.transport.request("GET", path)
            name: str = container or pod["spec"]["containers"][0]["name"]
            status = pod["status"]
            states = {each["name"]: each["state"] for each in status.get("containerStatuses", ())}
            if "waiting" not in states.get(name, "waiting") or status["phase"] in _ENDED:
                return name
            pause(deadline, _POLL, f"{path}: container {name} has not started")

    def _log(self, path: str, query: Dict[str, Any], deadline: float) -> Iterator[str]:
        second, given = b"", Counter[bytes]()  # what was given of the last second
        while True:
            again, left = given.copy(), deadline - time.monotonic()
            silence = None if left == inf else max(left, 0.1)
            try:
                with self.transport.stream("GET", path + "/log", query, silence) as log:
                    for line in log:
                        if again[line]:
                            again[line] -= 1
                            continue
                        if line[:19] != second:
                            second, given = line[:19], Counter()
                        given[line] += 1
                        stamp, _, text = line.partition(b" ")
                        query.update(tailLines=None, sinceSeconds=None, sinceTime=stamp.decode())
                        yield text.decode(errors="replace")
                        pause(deadline, 0, f"{path}: the log goes on")
                return
            except errors.ApiError as error:
                if 0 < error.status < 500 and error.status != 429:
                    raise
                pause(deadline, _POLL, str(error))

    def exec(
        self,
        name: str,
        command: Sequence[str],
        container: Optional[str] = None,
        stdin: Union[str, bytes] = b"",
        timeout: Optional[float] = None,
        check: bool = False,
        namespace: Optional[str] = None,
    ) -> ExecResult:
        """Runs a command in a container and waits until it ends.

        Args:
            name (str): a pod, or an object: then the first of its pods.
            command (Sequence[str]): program and arguments; there is no shell.
            container (Optional[str]): default the pod's first.
            stdin (Union[str, bytes]): what the command reads. Default nothing.
            timeout (Optional[float]): seconds until it is a WaitTimeout, which leaves the
                command alone. Default no limit.
            check (bool): raise subprocess.CalledProcessError if it fails. Default False.
            namespace (Optional[str]): if it is not the client's.
        """
        with suppress(errors.NotFound):
            name = next((pod["metadata"]["name"] for pod in self.pods(name, namespace)), name)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        query = {
            "command": list(command),
            "container": container,
            "stdin": bool(data),
            "stdout": True,
            "stderr": True,
        }
        # Only version 5 can tell the command that its input has ended.
        protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"][: 1 if data else 2]
        ws = self._websocket(self._pods(namespace, name, "exec"), query, protocols)
        parts = [b"\0" + data[at : at + CHUNK] for at in range(0, len(data), CHUNK)] + [b"\xff\0"]
        out = bytearray().join(map(encode, parts if data else ()))
        got = {1: bytearray(), 2: bytearray(), 3: bytearray()}
        for channel, part in exchange(ws, out, inf if timeout is None else timeout):
            got[channel] += part
        status = json.loads(
            got[3] or '{"message": "the connection broke before the command ended", "code": 503}'
        )
        causes = {
            cause.get("reason"): cause["message"]
            for cause in status.get("details", {}).get("causes", ())
        }
        if status.get("status") != "Success" and "ExitCode" not in causes:
            raise errors.of(500, json.dumps(status))
        code, stdout, stderr = (
            int(causes.get("ExitCode", 0)),
            *(got[n].decode(errors="replace") for n in (1, 2)),
        )
        if check and code:
            raise subprocess.CalledProcessError(code, list(command), stdout, stderr)
        return ExecResult(stdout, stderr, code)

    def connect(self, pod: str, port: int, namespace: Optional[str] = None) -> socket.socket:
        """Returns a socket connected to a port of a pod. If nothing listens there, it ends."""
        ws = self._forward(pod, port, namespace)
        ours, theirs = socket.socketpair()
        Thread(target=carry, args=(ws, ours, []), daemon=True).start()
        return theirs

    @contextmanager
    def port_forward(
        self, pod: str, port: int, local_port: int = 0, namespace: Optional[str] = None
    ) -> Iterator[int]:
        """Listens on 127.0.0.1, and carries each connection to a port of a pod.

        What the API server refuses is raised at once. If nothing listens in the pod, a
        connection ends, and what the block raises becomes Unreachable. The end of what we
        send reaches the pod, by the end of the connection, when it is silent for 2 seconds.

        Args:
            pod (str): the pod.
            port (int): its port.
            local_port (int): where to listen. Default 0, any that is free.
            namespace (Optional[str]): if it is not the client's.

        Returns:
            A context manager that gives the local port, and closes all at the end.
        """
        self._forward(pod, port, namespace).shutdown()
        failed: List[Exception] = []
        live: WeakSet[socket.socket] = WeakSet()

        def handle(local: socket.socket, *_: object) -> None:
            live.add(local)
            try:
                ws = self._forward(pod, port, namespace)
            except Exception as error:
                failed.append(error)
            else:
                live.add(ws.sock)
                carry(ws, local, failed)

        with _Server(("127.0.0.1", local_port), cast(Any, handle)) as server:
            Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            try:
                yield server.server_address[1]
            except Exception as error:
                if failed:
                    raise failed[-1] from error
                raise
            finally:
                server.shutdown()
                for sock in list(live):
                    cut(sock)

    def _forward(self, pod: str, port: int, namespace: Optional[str]) -> Any:
        return self._websocket(
            self._pods(namespace, pod, "portforward"), {"ports": port}, ["v4.channel.k8s.io"]
        )

    def _pods(self, namespace: Optional[str], *names: str) -> str:
        return segments("api", "v1", "namespaces", namespace or self.namespace, "pods", *names)

    def _websocket(self, path: str, query: Dict[str, Any], protocols: List[str]) -> Any:
        """Opens one with the TLS, proxy and credentials of kubernetes' configuration."""
        from websocket import WebSocket, WebSocketBadStatusException, WebSocketException

        config = self.transport.configuration
        tls = {
            "cert_reqs": ssl.CERT_REQUIRED if config.verify_ssl else ssl.CERT_NONE,
            "check_hostname": config.verify_ssl and config.assert_hostname is not False,
            "ca_certs": config.ssl_ca_cert,
            "certfile": config.cert_file,
            "keyfile": config.key_file,
            "server_hostname": config.tls_server_name,
        }
        proxy = urlsplit(config.proxy or "")
        ws: Any = WebSocket(sslopt={key: value for key, value in tls.items() if value is not None})
        try:
            ws.connect(
                self.transport.url(path, query).replace("http", "ws", 1),
                header=self.transport.headers(),
                subprotocols=protocols,
                suppress_origin=True,
                timeout=_CONNECT,
                http_proxy_host=proxy.hostname,
                http_proxy_port=proxy.port,
                http_proxy_auth=(unquote(proxy.username or ""), unquote(proxy.password or "")),
                http_no_proxy=config.no_proxy and config.no_proxy.split(","),
                proxy_type=proxy.scheme if proxy.scheme.startswith("socks") else "http",
            )
        except WebSocketBadStatusException as error:
            raise errors.of(
                error.status_code, (error.resp_body or b"").decode(errors="replace")
            ) from error
        except (OSError, WebSocketException) as error:
            raise unreachable(error) from error
        ws.settimeout(0)
        Scope.opened(ExitStack()).callback(cut, ws.sock)
        return ws


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, request_queue_size = True, 128


def pause(deadline: float, seconds: float, reason: str) -> None:
    """Sleeps, or raises WaitTimeout if that were too long."""
    if time.monotonic() + seconds > deadline:
        raise errors.WaitTimeout(reason)
    time.sleep(seconds)
