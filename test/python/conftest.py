# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A server that stands where an API server would and keeps what it is sent."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, Iterator, List
from urllib.parse import urlsplit

import pytest

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: recorder
clusters: [{{name: recorder, cluster: {{server: "{url}"}}}}]
contexts: [{{name: recorder, context: {{cluster: recorder, user: nobody}}}}]
users: [{{name: nobody, user: {{token: none}}}}]
"""


@dataclass
class Request:
    """A request as it came over the wire.

    Attributes:
        method (str): POST, PUT and so on.
        path (str): the path without the query.
        text (str): the body, undecoded.
    """

    method: str
    path: str
    text: str

    @property
    def body(self) -> Any:
        """The decoded JSON of the body."""
        return json.loads(self.text)


@dataclass
class Recorder:
    """The recording server.

    Attributes:
        url (str): where it listens.
        kubeconfig (Path): a kubeconfig file that leads to it.
        requests (List[Request]): what it got, oldest first.
        objects (Dict[str, Any]): what it answers to GET, by path. Any other method
            is answered with the body it brought.
    """

    url: str
    kubeconfig: Path
    requests: List[Request] = field(default_factory=list)
    objects: Dict[str, Any] = field(default_factory=dict)

    def api(self, name: str = "CustomObjectsApi") -> Any:
        """Gives an API object of the installed kubernetes that talks to this server."""
        from kubernetes import client, config

        connect: Any = config.new_client_from_config
        return getattr(client, name)(connect(config_file=str(self.kubeconfig)))


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """Starts a recording server for one test."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            path = urlsplit(self.path).path
            record.requests.append(Request(self.command, path, text))
            found = text if text else json.dumps(record.objects.get(path))
            self.send_response(201 if self.command == "POST" else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(found.encode())))
            self.end_headers()
            self.wfile.write(found.encode())

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG.format(url=url))
    record = Recorder(url, kubeconfig)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield record
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def server() -> Iterator[Any]:
    """Starts a scripted.Server for one test."""
    from scripted import Server

    found = Server()
    thread = threading.Thread(target=found.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield found
    found.leave()
    thread.join()
