# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A proxy before the API server that sends as one user, and counts what is asked."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Counter as Counts
from typing import Iterator, Optional, Tuple
from urllib.parse import parse_qs, urlsplit

import yaml

# Of one connection only, or of this proxy's own.
_NOT_PASSED = {"authorization", "connection", "host", "keep-alive", "transfer-encoding", "upgrade"}
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


def request_info(method: str, target: str) -> Tuple[str, str]:
    """Gives the verb and the resource of a request, as RBAC names them.

    Args:
        method (str): HTTP's.
        target (str): path and query.

    Returns:
        As ("patch", "deployments/status"); a path that is no resource's is given itself,
        with the verb in lower case as HTTP has it.
    """
    url = urlsplit(target)
    parts = url.path.strip("/").split("/")
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if parts[0] not in ("api", "apis") or not rest:
        return method.lower(), url.path
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        rest = rest[2:]
    resource = "/".join([rest[0], *rest[2:]])
    if method != "GET":
        one = len(rest) > 1 or method != "DELETE"
        return (_VERBS[method] if one else "deletecollection"), resource
    if len(rest) > 1:
        return "get", resource
    return ("watch" if parse_qs(url.query).get("watch", ["0"])[0] in ("1", "true", "True") else "list"), resource


class Proxy:
    """Listens on the loopback address until it is closed.

    Requests to change a connection's protocol, as exec's, are not passed on.

    Args:
        server (str): the API server's address, https.
        ca_file (str): who has signed its certificate.
        token (str): the bearer token of the user.
        directory (Path): where the kubeconfig goes.
        namespace (str): the kubeconfig's. Default "default".
    """

    def __init__(self, server: str, ca_file: str, token: str, directory: Path, namespace: str = "default") -> None:
        url = urlsplit(server)
        self._address = url.hostname or "", url.port or 443
        self._context = ssl.create_default_context(cafile=ca_file)
        self._token = token
        self._lock = threading.Lock()
        self._counts: Counts[Tuple[str, str]] = Counter()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.kubeconfig: Path = directory / f"proxy-{self._server.server_port}.yaml"
        self.kubeconfig.write_text(self._config(namespace))

    @property
    def counts(self) -> Counts[Tuple[str, str]]:
        """Gives how often each pair of a verb and a resource was asked for, a copy."""
        with self._lock:
            return Counter(self._counts)

    def reset(self) -> None:
        """Counts from nought again."""
        with self._lock:
            self._counts.clear()

    def close(self) -> None:
        """Ends the proxy."""
        self._server.shutdown()
        self._server.server_close()

    def connect(self) -> http.client.HTTPSConnection:
        """Gives a connection to the API server."""
        return http.client.HTTPSConnection(*self._address, context=self._context)

    def headers(self, given: Iterator[Tuple[str, str]]) -> Iterator[Tuple[str, str]]:
        """Gives the headers that the API server gets."""
        yield from passed(given)
        yield "Authorization", f"Bearer {self._token}"

    def count(self, method: str, target: str) -> None:
        """Takes note of a request."""
        with self._lock:
            self._counts[request_info(method, target)] += 1

    def _config(self, namespace: str) -> str:
        address = f"http://127.0.0.1:{self._server.server_port}"
        context = {"cluster": "proxy", "user": "proxy", "namespace": namespace}
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "proxy", "cluster": {"server": address}}],
                "users": [{"name": "proxy", "user": {}}],
                "contexts": [{"name": "proxy", "context": context}],
                "current-context": "proxy",
            }
        )


def passed(headers: Iterator[Tuple[str, str]]) -> Iterator[Tuple[str, str]]:
    """Gives the headers that are passed on."""
    return ((name, value) for name, value in headers if name.lower() not in _NOT_PASSED)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    proxy: Proxy

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing: clients and servers that go away are what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server
    upstream: Optional[http.client.HTTPSConnection] = None

    def _forward(self) -> None:
        proxy = self.server.proxy
        proxy.count(self.command, self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.upstream is None:
            self.upstream = proxy.connect()
        headers = dict(proxy.headers(iter(self.headers.items())))
        self.close_connection = True  # unless all goes well
        self.upstream.request(self.command, self.path, body or None, headers)
        answer = self.upstream.getresponse()
        self.send_response_only(answer.status, answer.reason)
        for name, value in passed(iter(answer.getheaders())):
            self.send_header(name, value)
        chunked = answer.length is None
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while data := answer.read1(1 << 16):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")
        answer.close()  # or no other can be asked for on its connection
        self.close_connection = answer.will_close

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _forward

    def finish(self) -> None:
        """Ends the connection to the API server with that of the client."""
        super().finish()
        if self.upstream is not None:
            self.upstream.close()
