# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A server that answers as a test tells it to, and what an API server would answer."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List
from urllib.parse import parse_qsl, urlsplit

from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec
from fluxoperator.client import Client

BASE = "/apis/flux-framework.org/v1alpha1/namespaces/default/miniclusters"
STATUS = {"jobid": "x", "maximumSize": 1, "selector": "a=b", "size": 1}
JSON = {"Content-Type": "application/json"}


class Asked:
    """A request as it came.

    Attributes:
        method (str): of HTTP.
        path (str): the raw path without the query.
        query (Dict[str, str]): the query's last value for each name.
        headers (Dict[str, str]): by lower-case name.
        text (str): the body.
        source (int): the port of the other end of the connection.
    """

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        split = urlsplit(handler.path)
        self.method, self.path = handler.command, split.path
        self.source = handler.client_address[1]
        self.query = dict(parse_qsl(split.query))
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.text = handler.rfile.read(int(handler.headers.get("Content-Length", 0))).decode()

    @property
    def body(self) -> Any:
        """The decoded JSON of the body."""
        return json.loads(self.text)


class Server:
    """Answers each request with what the next of ``script`` returns for it.

    What it returns is bytes, a value for JSON, a status and a value, those and headers, or an iterator
    of values, each sent as a line when it comes. The last of the script answers what follows.
    """

    def __init__(self) -> None:
        self.script: List[Callable[[Asked], Any]] = []
        self.asked: List[Asked] = []
        self.ended = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                asked = Asked(self)
                server.asked.append(asked)
                step = server.script.pop(0) if len(server.script) > 1 else server.script[0]
                found = step(asked)
                if isinstance(found, Iterator):
                    return self.lines(found)
                status, value, headers = (found + (JSON,))[:3] if isinstance(found, tuple) else (200, found, JSON)
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(data)

            def lines(self, values: Iterator[Any]) -> None:
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    for value in values:
                        data = json.dumps(value).encode() + b"\n"
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                    self.wfile.write(b"0\r\n\r\n")
                except EOFError:  # from quiet
                    while self.connection.recv(1):
                        pass
                    server.ended.set()
                except OSError:
                    pass
                self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *args: Any) -> None:
                """Says nothing."""

        class Http(ThreadingHTTPServer):
            request_queue_size = 512  # connections that wait to be taken

        self.http = Http(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def leave(self) -> None:
        """Is at this address no more."""
        self.http.shutdown()
        self.http.server_close()

    def api_client(self, **settings: Any) -> Any:
        """Gives an ApiClient of the installed kubernetes that leads here."""
        configuration = kubernetes.Configuration()
        for name, value in settings.items():
            setattr(configuration, name, value)
        configuration.host = self.url
        return kubernetes.ApiClient(configuration)

    def client(self) -> Client[MiniCluster]:
        """Gives a client that leads here."""
        return Client(MiniCluster, api_client=self.api_client())


def manifest(name: str = "one", version: str = "5", **more: Any) -> Dict[str, Any]:
    """Gives a MiniCluster as a server sends it."""
    meta = {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": version}
    spec = {"containers": [{"image": "any"}]}
    return {"apiVersion": MiniCluster.API_VERSION, "kind": "MiniCluster", "metadata": meta, "spec": spec, **more}


def listed(*items: Dict[str, Any], version: str = "10", **meta: Any) -> Dict[str, Any]:
    """Gives a list as a server sends it."""
    return {"kind": "MiniClusterList", "metadata": {"resourceVersion": version, **meta}, "items": list(items)}


def status(code: int, reason: str, **more: Any) -> Dict[str, Any]:
    """Gives a Status as a server sends it."""
    return {"kind": "Status", "code": code, "reason": reason, "message": f"it is {reason}", **more}


def model(**meta: Any) -> MiniCluster:
    """Gives a MiniCluster as a user makes it."""
    return MiniCluster(metadata={"name": "one", **meta}, spec=MiniClusterSpec(containers=[MiniClusterContainer()]))


def always(value: Any) -> Callable[[Asked], Any]:
    """Gives a step that answers with a value."""
    return lambda asked: value


def change(kind: str, found: Dict[str, Any]) -> Dict[str, Any]:
    """Gives a watch event as a server sends it."""
    return {"type": kind, "object": found}


def quiet(asked: Asked) -> Iterator[Any]:
    """Is a step that says nothing until the other side ends the connection."""
    raise EOFError
    yield


def eventually(ask: Callable[[], Any]) -> None:
    """Asks until the answer is true, for a minute."""
    deadline = time.monotonic() + 60
    while not ask():
        assert time.monotonic() < deadline
        time.sleep(0.01)
