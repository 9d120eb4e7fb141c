# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deprecated: use ``MiniClusterClient.port_forward``."""

from __future__ import annotations

import re
import socket
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Iterator, Tuple

from .._deprecated import replaced
from ..client import MiniClusterClient

_POD = re.compile(r"([^.]+)(?:\.pod)?\.([^.]+)\.kubernetes")


@replaced("MiniClusterClient.port_forward")
def port_forward(core_v1: Any) -> AbstractContextManager[None]:
    """Returns a context manager in which urllib3 connects ``POD.pod.NAMESPACE.kubernetes`` to that
    pod, for the whole process. ``core_v1`` is a ``CoreV1Api``."""
    return _redirected(core_v1)


@contextmanager
def _redirected(core_v1: Any) -> Iterator[None]:
    from urllib3.util import connection

    connect: Any = connection.create_connection

    def create_connection(address: Tuple[str, int], *args: Any, **kwargs: Any) -> socket.socket:
        named = _POD.fullmatch(address[0])
        if named is None:
            found: socket.socket = connect(address, *args, **kwargs)
            return found
        return MiniClusterClient(named[2], core_v1.api_client).connect(named[1], address[1])

    connection.create_connection = create_connection
    try:
        yield
    finally:
        connection.create_connection = connect
