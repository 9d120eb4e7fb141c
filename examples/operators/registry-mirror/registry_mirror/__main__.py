# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The command registry-mirror-operator."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, List, Optional

from kubernetes import config

from . import __version__
from .mirror import Settings
from .operator import Operator

_IN_CLUSTER = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_NOTED = ("mirror", "reason")


class _Lines(logging.Formatter):
    """A line of JSON for each record."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **{key: getattr(record, key) for key in _NOTED if hasattr(record, key)},
        }
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return json.dumps(said)


def _arguments(argv: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("registry-mirror-operator", description="Runs RegistryMirrors.")
    env, default = os.environ.get, Settings("")
    here = _IN_CLUSTER.read_text() if _IN_CLUSTER.exists() else "default"
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument(
        "--namespace", default=env("NAMESPACE", here), help="where mirrors' objects are (NAMESPACE; %(default)s)"
    )
    parser.add_argument(
        "--registry-image",
        default=env("REGISTRY_IMAGE", default.registry_image),
        help="the registry (REGISTRY_IMAGE; %(default)s)",
    )
    parser.add_argument(
        "--listener-image",
        default=env("LISTENER_IMAGE", default.listener_image),
        help="socat (LISTENER_IMAGE; %(default)s)",
    )
    parser.add_argument(
        "--health-port",
        type=int,
        default=int(env("HEALTH_PORT", "8081")),
        help="serves /healthz and /readyz; 0: not at all (HEALTH_PORT; %(default)s)",
    )
    return parser.parse_args(argv)


def _serve_health(operator: Operator, port: int) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # a client that sends nothing holds a thread no longer

        def do_GET(self) -> None:
            known = {"/healthz": True, "/readyz": operator.ready}
            self.send_response(404 if self.path not in known else 200 if known[self.path] else 503)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Probes are no news."""

    server = ThreadingHTTPServer(("", port), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def main(argv: Optional[List[str]] = None) -> int:
    """Runs the operator until SIGTERM or SIGINT, and gives 0."""
    arguments = _arguments(argv)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(_Lines())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    load: Any = config.load_config
    load()
    operator = Operator(Settings(arguments.namespace, arguments.registry_image, arguments.listener_image))
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, lambda *_: operator.stop())
    if arguments.health_port:
        _serve_health(operator, arguments.health_port)
    operator.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
