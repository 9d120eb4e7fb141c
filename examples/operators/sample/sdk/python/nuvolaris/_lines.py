# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Answers, their lines, and errors of the connection that they come on."""

from __future__ import annotations

import json
import socket
import ssl
from contextlib import suppress
from typing import Any, Dict, Iterable, Iterator, List, Optional
from urllib.parse import urljoin

from . import errors

LINE = 1 << 24  # bytes

# How a connection with TLS is shut down that another thread reads from. OpenSSL answers the end
# with an alert; if it could not send that, the error would stay with the thread, where OpenSSL 3.6
# takes it for one of whatever connection the thread reads from next.
READ = socket.SHUT_RD

# The host that a Configuration of kubernetes has before one is loaded: none since version 36.
_NO_HOST = "", "http://localhost"


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines of bytes as they come, without their ends; the last one need not end.

    Each byte is copied twice at most, however small the chunks are. Raises errors.TooLarge if a
    line exceeds 16 MiB.
    """
    parts: List[bytes] = []
    size = 0
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        size += len(first)
        if size > LINE:
            raise errors.TooLarge(f"a line of the answer has more than {LINE >> 20} MiB")
        parts.append(first)
        if others:
            yield b"".join(parts)
            *whole, rest = others
            yield from whole
            parts, size = [rest], len(rest)
    if size:
        yield b"".join(parts)


def unreachable(error: BaseException, host: Optional[str] = None) -> errors.ApiError:
    """Returns the error of a connection to ``host`` that was not made, or broke."""
    causes = [*_causes(error)]
    cause, reason = getattr(error, "reason", None) or error, "Unreachable"
    text = f"no answer: {cause}"
    if host in _NO_HOST:
        reason = "NoHost"
        text = f"no host is configured: call kubernetes.config.load_kube_config() first ({cause})"
    elif any(isinstance(each, ssl.SSLCertVerificationError) for each in causes):
        reason = "CertificateInvalid"
        text = f"the certificate of {host} cannot be verified: {cause}"
    elif any(isinstance(each, socket.gaierror) for each in causes):
        reason, text = "NameNotFound", f"the name of {host} cannot be resolved: {cause}"
    return errors.Unreachable(0, reason, text)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error and what it was raised from, or made of."""
    found, seen = [error], set()
    while found:
        each = found.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            more = [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
            found += [one for one in more if isinstance(one, BaseException)]


def decode(answer: Any, url: str) -> Dict[str, Any]:
    """Returns the JSON object of an answer. Raises errors.ApiError if it is something else."""
    value = None
    with suppress(ValueError):
        value = json.loads(answer.data)
    if isinstance(value, dict):
        return value
    body = answer.data.decode("utf-8", "replace")
    message = (
        f"the answer of {urljoin(url, answer.geturl())} is not a JSON object but {body[:60]!r}: "
        "is it the API server, or a proxy or login page in front of it?"
    )
    raise errors.ApiError(answer.status, "InvalidAnswer", message, body, answer.headers)
