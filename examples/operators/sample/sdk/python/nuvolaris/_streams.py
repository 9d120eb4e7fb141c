# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Logs, commands and ports of an object's pods."""

from __future__ import annotations

import logging
import socket
import socketserver
import ssl
import time
from collections import Counter
from contextlib import contextmanager, suppress
from math import inf
from threading import Thread
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    Optional,
    Tuple,
    Union,
    cast,
)
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from . import errors
from ._channels import CHUNK, carry, converse, cut
from ._command import ExecResult, Words, checked, result, words
from ._lines import unreachable
from ._transport import Scope, Transport, segments

_CONNECT, _POLL = 30.0, 0.5  # seconds
DAY = 86400.0  # seconds: the timeout of what runs for as long as a job, unless another is set
_INDEX = "batch.kubernetes.io/job-completion-index"
_ENDED = "Succeeded", "Failed"


_log = logging.getLogger(__package__)


class Streams:
    """What a client does with the pods of its objects."""

    transport: Transport

    if TYPE_CHECKING:

        @property
        def namespace(self) -> str: ...

        def pod_selector(self, name: str, namespace: Optional[str] = None) -> str: ...

        def _check_possible(self, name: str, what: str, namespace: Optional[str]) -> None: ...

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
        timeout: Optional[float] = DAY,
        namespace: Optional[str] = None,
        timestamps: bool = False,
    ) -> Iterator[str]:
        """Yields log lines, as soon as a pod exists and its container has started.

        A broken connection is resumed.

        Args:
            name (str): the object.
            pod (Optional[str]): one of its pods. Default all that exist, one after the other.
            container (Optional[str]): default the first of the pod.
            follow (bool): continue until the container ends. Default False.
            tail_lines, since_seconds (Optional[int]): where to begin. Default the start.
            timeout (Optional[float]): seconds until WaitTimeout. Default one day.
            namespace (Optional[str]): default the client's.
            timestamps (bool): begin each line with its time in RFC 3339. Default False.

        Raises:
            errors.WaitFailed: the object never gets pods, as far as the client knows its kind.
            errors.TooLarge: a line has more than 16 MiB.
        """
        deadline = time.monotonic() + (inf if timeout is None else timeout)
        names = [pod] if pod else []
        while not names:
            with suppress(LookupError):  # there is no selector yet
                names = [found["metadata"]["name"] for found in self.pods(name, namespace)]
            if not names:
                self._check_possible(name, "pods", namespace)
                pause(deadline, _POLL, f"{name} has no pods")
        query = {
            "follow": follow,
            "tailLines": tail_lines,
            "sinceSeconds": since_seconds,
            "timestamps": True,
        }
        for path in (self._pods(namespace, each) for each in names):
            began = {**query, "container": self._started(path, container, deadline)}
            for stamp, text in self._log(path, began, deadline):
                yield f"{stamp} {text}" if timestamps else text

    def _started(self, path: str, container: Optional[str], deadline: float) -> str:
        """Waits until a container has started, without which it has no log. Returns its name."""
        while True:
            pod = self.transport.request("GET", path)
            name: str = container or pod["spec"]["containers"][0]["name"]
            status = pod["status"]
            states = {each["name"]: each["state"] for each in status.get("containerStatuses", ())}
            if "waiting" not in states.get(name, "waiting") or status["phase"] in _ENDED:
                return name
            waiting = (states.get(name) or {}).get("waiting") or {}
            said = "".join(f": {waiting[key]}" for key in ("reason", "message") if key in waiting)
            pause(deadline, _POLL, f"{path}: container {name} has not started{said}")

    def _log(self, path: str, query: Dict[str, Any], deadline: float) -> Iterator[Tuple[str, str]]:
        """Yields each line's time and text."""
        second, given = b"", Counter[bytes]()  # the lines of the last second that were yielded
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
                        yield stamp.decode(), text.decode(errors="replace")
                        pause(deadline, 0, f"{path}: the log has not ended")
                return
            except errors.ApiError as error:
                permanent = isinstance(error, errors.Unreachable) and error.permanent
                if permanent or 0 < error.status < 500 and error.status != 429:
                    raise
                _log.info("log of %s: %s; resuming", path, error)
                pause(deadline, _POLL, f"{path}: the log has not ended: {error}")

    def exec(
        self,
        name: str,
        command: Words,
        container: Optional[str] = None,
        stdin: Union[str, bytes] = b"",
        timeout: Optional[float] = DAY,
        check: bool = False,
        namespace: Optional[str] = None,
        shell: bool = False,
    ) -> ExecResult:
        """Runs a command in a container and waits until it ends.

        Args:
            name (str): a pod, or an object: then the first of its pods.
            command (Sequence[str]): program and arguments, such as ["echo", "hi"].
            container (Optional[str]): default the first of the pod.
            stdin (Union[str, bytes]): input of the command. Default none.
            timeout (Optional[float]): seconds until WaitTimeout, which does not end the command.
                Default one day.
            check (bool): raise subprocess.CalledProcessError if it fails. Default False.
            namespace (Optional[str]): default the client's.
            shell (bool): ``command`` is a string, which is split as a shell does. No shell runs
                it: for pipes and variables run ["sh", "-c", "..."]. Default False.

        Raises:
            TypeError: ``command`` is a string without ``shell``.
            errors.TooLarge: it has written more than 256 MiB.
        """
        arguments = words(command, shell)
        with suppress(errors.NotFound):
            name = next((pod["metadata"]["name"] for pod in self.pods(name, namespace)), name)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        query = {
            "command": arguments,
            "container": container,
            "stdin": bool(data),
            "stdout": True,
            "stderr": True,
        }
        # Only version 5 can tell the command that its input has ended.
        protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"][: 1 if data else 2]
        ws = self._websocket(self._pods(namespace, name, "exec"), query, protocols)
        parts = [b"\0" + data[at : at + CHUNK] for at in range(0, len(data), CHUNK)] + [b"\xff\0"]
        found = result(converse(ws, parts if data else (), inf if timeout is None else timeout))
        return checked(found, arguments) if check else found

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
        if not config.host:
            raise unreachable(ValueError("the host is empty"), "")
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
            raise unreachable(error, config.host) from error
        ws.settimeout(0)
        Scope.opened(ws.sock, cut)
        return ws


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, request_queue_size = True, 128


def pause(deadline: float, seconds: float, reason: str) -> None:
    """Sleeps. Raises WaitTimeout with a reason if the deadline is earlier, CancelledError as soon
    as the running call has been ended."""
    if time.monotonic() + seconds > deadline:
        raise errors.WaitTimeout(reason)
    Scope.pause(seconds)
