# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The command line. Every flag has a variable of the environment, which it has precedence over."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from threading import Event
from typing import Any, Mapping, Optional, Sequence

from kubernetes import client, config

from . import __version__
from .health import serve
from .operator import Operator, Settings

_log = logging.getLogger(__name__)
_LEVELS = ("debug", "info", "warning", "error")

# What a LogRecord has by itself; the rest was given by ``extra``.
_OWN = {*vars(logging.makeLogRecord({})), "message", "asctime"}


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Namespace:
    """Reads the arguments, each by default from the environment. SystemExit: they are wrong."""
    parser = ArgumentParser(prog="copyrator", description="Copyrator, the copy operator.")

    def add(flag: str, default: str, text: str, **more: Any) -> None:
        variable = flag.strip("-").upper().replace("-", "_")
        shown = f"{text} (${variable}, default {default or 'none'})"
        parser.add_argument(flag, default=environ.get(variable) or default, help=shown, **more)

    add("--namespace", "default", "the operator's namespace: only its rules count")
    add("--rule-name", "", "the one rule that counts; without it, every rule of the namespace does")
    add("--source-namespaces", "", "namespaces with commas that rules may copy from, beside the operator's; * for all "
        "but kube-*, which have to be named")  # fmt: skip
    add("--workers", "4", "how many threads write", type=_number(1))
    add("--health-port", "8080", "where /healthz and /readyz are answered, 0 for nowhere", type=_number(0))
    add("--log-level", "info", "what is logged", choices=_LEVELS)
    parser.add_argument("--version", action="version", version=__version__)
    args = parser.parse_args(argv)
    if args.log_level not in _LEVELS:  # a default is not checked
        parser.error(f"LOG_LEVEL is {args.log_level!r}, not one of {', '.join(_LEVELS)}")
    return args


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs the operator until SIGTERM or SIGINT. Exit code 0: it was asked to end; 1: a thread died
    or no cluster is known; 2: wrong arguments."""
    args = parse(sys.argv[1:] if argv is None else argv, os.environ)
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    logging.basicConfig(level=args.log_level.upper(), handlers=[handler])
    logging.getLogger("urllib3").setLevel(logging.ERROR)  # a broken connection is told by the cache

    try:
        api_client = connect()
    except config.ConfigException as error:
        _log.error("no cluster", extra={"error": str(error)})
        return 1
    sources = frozenset(it.strip() for it in args.source_namespaces.split(",") if it.strip())
    operator = Operator(Settings(args.namespace, args.rule_name or None, args.workers, sources), api_client)
    ended = Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: ended.set())
    if args.health_port:
        serve(args.health_port, operator)
    _log.info("starting", extra={"version": __version__, "namespace": args.namespace, "rule": args.rule_name})
    operator.start()
    while operator.alive() and not ended.wait(1):
        pass
    asked = ended.is_set()
    operator.stop()
    _log.info("ended" if asked else "a thread died")
    return 0 if asked else 1


def connect() -> client.ApiClient:
    """Gives a client of the cluster that this runs in, or else of the kubeconfig. Raises
    ConfigException: there is none."""
    in_cluster: Any = config.load_incluster_config
    of_kubeconfig: Any = config.load_kube_config
    try:
        in_cluster()
    except config.ConfigException:
        of_kubeconfig()
    configuration = client.Configuration.get_default_copy()
    configuration.connection_pool_maxsize = 64  # each watch holds one
    return client.ApiClient(configuration)


class Lines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Gives the line."""
        line = {"time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"), "level": record.levelname.lower()}
        line["msg"] = record.getMessage()
        line.update({key: value for key, value in vars(record).items() if key not in _OWN})
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def _number(least: int) -> Any:
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise ValueError(f"less than {least}")
        return value

    return number
