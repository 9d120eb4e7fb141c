# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a Deployment probes."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from .operator import Operator


def serve(port: int, operator: Operator) -> ThreadingHTTPServer:
    """Answers on a port, in a thread of its own: /healthz with 200 while all threads are there, /readyz
    once all has been listed; 503 if not, 404 for other paths. Gives the server. Raises OSError: the port is taken."""
    checks = {"/healthz": operator.alive, "/readyz": operator.ready}

    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # a client that sends nothing holds a thread no longer

        def do_GET(self) -> None:
            check = checks.get(self.path)
            self.send_response(404 if check is None else 200 if check() else 503)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("", port), Handler)
    Thread(target=server.serve_forever, name="health", daemon=True).start()
    return server
