# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""HTTP to an API server with the settings of an ApiClient of the installed ``kubernetes``: TLS,
proxies, headers and credentials, which all versions keep in the same places. Its methods differ
between versions, and none is called."""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from contextvars import ContextVar
from itertools import count
from threading import Event, Lock
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Set,
    Type,
    TypeVar,
    Union,
)
from urllib.parse import quote, urlencode
from weakref import WeakKeyDictionary

from . import _context, _kind, _model, _warning, _wire, errors
from ._lines import READ, decode, lines, unreachable
from ._pool import apart, busy, pool

_T = TypeVar("_T")
Query = Optional[Mapping[str, Any]]

# Seconds until a connection stands, and of silence on it. A server ends a request itself,
# after 60 by default, if it is no stream.
_CONNECT, _SILENCE = 10.0, 75.0
_CHUNK = 1 << 16  # bytes that are read at once, at most
_CREATE = Lock()  # of an ApiClient


def segments(*names: str) -> str:
    """Gives a path of names, escaped. ValueError: one is empty or leads elsewhere."""
    for name in names:
        if name in ("", ".", ".."):
            raise ValueError(f"not a name: {name!r}")
    return "".join("/" + quote(name, safe="") for name in names)


class Scope:
    """What a call has open, so that another thread can end the call, and the line that called."""

    current: ContextVar[Optional[Scope]] = ContextVar("scope", default=None)

    def __init__(self) -> None:
        self._ended, self._lock, self.caller = Event(), Lock(), _warning.caller()
        self._open: WeakKeyDictionary[Any, Callable[[Any], object]] = WeakKeyDictionary()

    def close(self) -> None:
        """Closes what is open, and whatever the call still opens."""
        self._ended.set()
        with self._lock:
            found = list(self._open.items())
        for thing, close in found:
            close(thing)

    @classmethod
    def opened(cls, thing: _T, close: Callable[[_T], object]) -> _T:
        """Records what the running call has opened and how to close it, and returns it."""
        scope = cls.current.get()
        if scope is not None:
            with scope._lock:
                scope._open[thing] = close
            if scope._ended.is_set():
                close(thing)
        return thing

    @classmethod
    def pause(cls, seconds: float) -> None:
        """Sleeps. Raises CancelledError as soon as the running call has been ended."""
        scope = cls.current.get()
        if scope is None:
            time.sleep(seconds)
        elif scope._ended.wait(seconds):
            from concurrent.futures import CancelledError

            raise CancelledError


class Stream:
    """An answer that is read as it comes: iterated by lines, or by ``chunks``.

    ``close`` may be called from any thread; reading then ends without an error.
    """

    def __init__(self, response: Any) -> None:
        self._response, self._closed, self._pid = response, False, os.getpid()
        self._socket: Optional[socket.socket] = None
        with suppress(AttributeError, OSError, ValueError):  # all of it has come already
            # A handle of its own, as the response's may be closed and given away.
            self._socket = socket.fromfd(response.fileno(), socket.AF_INET, socket.SOCK_STREAM)

    def chunks(self) -> Iterator[bytes]:
        """Yields bytes as they come. Raises errors.Unreachable if they break off."""
        try:
            yield from self._response.stream(_CHUNK, decode_content=False)
        except Exception as error:
            if not self._closed:
                raise unreachable(error) from error

    def __iter__(self) -> Iterator[bytes]:
        for line in lines(self.chunks()):
            if self._closed:
                return  # the line may be a part of one
            yield line

    def close(self) -> None:
        """Ends the connection."""
        self._closed = True
        handle, self._socket = self._socket, None
        if handle is not None:
            with handle, suppress(OSError):  # the other side may have been first
                if os.getpid() == self._pid:  # else it is the connection of the parent process
                    handle.shutdown(READ)
        self._response.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Transport:
    """Requests to an API server, by a ``kubernetes.client.ApiClient``. Without one, one is made
    at the first request, with what ``kubernetes.config`` has loaded by then."""

    def __init__(self, api_client: Any = None) -> None:
        if type(api_client).__module__.startswith(("kubernetes.aio", "kubernetes_asyncio")):
            raise TypeError(
                "api_client: expected a kubernetes.client.ApiClient, not one for asyncio"
            )
        self._api_client, self.reached = api_client, False  # reached: whether a server answered
        self._warned: Set[str] = set()

    @property
    def api_client(self) -> Any:
        """The ``kubernetes.client.ApiClient``."""
        if self._api_client is None:
            from kubernetes.client import ApiClient

            with _CREATE:
                self._api_client = self._api_client or ApiClient()
        return self._api_client

    @property
    def configuration(self) -> Any:
        """Its ``kubernetes.client.Configuration``."""
        return self.api_client.configuration

    def namespace(self) -> str:
        """Returns the namespace of the context that is loaded, or "default"."""
        return _context.namespace(self.configuration)

    def url(self, path: str, query: Query = None) -> str:
        """Gives the URL of a path. In a query None is left out, a list repeats a name."""
        given = {name: _texts(v) for name, v in (query or {}).items() if v is not None}
        end = "?" + urlencode(given, doseq=True) if given else ""
        return str(self.configuration.host).rstrip("/") + path + end

    def headers(self) -> Dict[str, str]:
        """Gives the headers of a request, with credentials, renewed if they are old."""
        headers = dict(self.api_client.default_headers)
        if self.api_client.cookie:
            headers["Cookie"] = self.api_client.cookie
        for auth in self.configuration.auth_settings().values():
            if auth["in"] == "header" and auth["value"]:
                headers[auth["key"]] = auth["value"]
        return headers

    def request(
        self,
        method: str,
        path: str,
        query: Query = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: Optional[float] = None,
    ) -> Any:
        """Sends a request to a path from ``segments`` and returns the decoded JSON object.

        A request that the server is too busy for (429 or 503 with Retry-After) is sent again when
        it says, unless ``timeout`` has passed by then.

        Args:
            method (str): GET, POST, PUT, PATCH or DELETE.
            path (str): an absolute path, escaped.
            query (Mapping[str, Any]): by wire name; None is left out, a list repeats a name.
            body (Any): a model, or anything that JSON has.
            content_type (str): of the body.
            timeout (float): seconds until an answer must have begun. Default 75.

        Raises:
            ValueError: the body has NaN or an infinity.
            errors.ApiError: the server refuses, or answers with something else than a JSON
                object; Unreachable if there is no answer.
        """
        text = body.to_json() if isinstance(body, _model.Model) else _encode(body)
        data = None if body is None else text.encode()
        headers = {} if body is None else {"Content-Type": content_type}
        url = self.url(path, query)
        answer = self._send(method, url, headers, timeout, body=data)
        return decode(answer, url)

    def stream(
        self, method: str, path: str, query: Query = None, timeout: Optional[float] = None
    ) -> Stream:
        """Does what ``request`` does, but gives the answer as it comes, on a connection of its
        own; ``timeout`` is in seconds of silence, without limit by default."""
        headers = {"Connection": "close"}
        answer = self._send(method, self.url(path, query), headers, timeout, preload_content=False)
        return Scope.opened(Stream(answer), Stream.close)

    def _send(
        self, method: str, url: str, headers: Query, timeout: Optional[float], **more: Any
    ) -> Any:
        """Sends a request until the server is not too busy or ``timeout`` is over."""
        from urllib3 import Retry, Timeout
        from urllib3.exceptions import HTTPError

        if not self.configuration.host:
            raise unreachable(ValueError("the host is empty"), "")
        seconds = _SILENCE if timeout is None else timeout
        deadline = time.monotonic() + seconds
        streams = more.get("preload_content") is False
        connections = (apart if streams else pool)(self.api_client)
        silence = timeout if streams else seconds
        more["timeout"] = Timeout(connect=min(_CONNECT, seconds), read=silence)
        more["retries"] = Retry(
            5, connect=0, read=1, other=0, allowed_methods=["GET"], respect_retry_after_header=False
        )
        for tries in count():
            Scope.pause(0)
            sent = {"Accept": "application/json, */*", **self.headers(), **(headers or {})}
            try:
                answer = connections.urlopen(method, url, headers=sent, **more)
                self.reached = True
                scope = Scope.current.get()
                _warning.warn(answer.headers, self._warned, scope.caller if scope else None)
                if 200 <= answer.status < 300:
                    return answer
                text = answer.data.decode("utf-8", "replace")
                pause = busy(answer, tries)
            except HTTPError as error:
                raise unreachable(error, self.configuration.host) from error
            if pause is None or time.monotonic() + pause >= deadline:
                raise errors.of(answer.status, text, answer.headers)
            Scope.pause(pause)


class Api:
    """What the generated API classes share."""

    _names: Mapping[str, str]
    _models: str

    def __init_subclass__(cls) -> None:
        if "_names" in vars(cls):  # a generated class, in PACKAGE.api.MODULE
            cls._models = cls.__module__.rpartition(".api.")[0] + ".models"

    def __init__(self, api_client: Any = None) -> None:
        self.transport = Transport(api_client)

    def _call(
        self,
        kind: Union[str, Type[_T]],
        method: str,
        path: str,
        query: Mapping[str, Any],
        options: Any,
        body: Any = None,
        content_type: Optional[str] = None,
    ) -> _T:
        """Sends what a method was given; kind is how openapi_types has its return type."""
        for name in query:
            if name not in options.__optional_keys__:
                raise TypeError(f"unexpected keyword argument {name!r}")
        if "field_validation" in options.__optional_keys__:
            query = {"field_validation": "Strict", **query}
        wire = {self._names[name]: value for name, value in query.items()}
        content_type = content_type or body_type(method, body)
        answer = self.transport.request(method, path, wire, body, content_type)
        kind = "V1Status" if answer.get("kind") == "Status" else str(kind)
        read: _T = _kind.Kind.of(kind, self._models).read(answer)
        return read


def body_type(method: str, body: Any) -> str:
    """Gives the content type of a body: in a PATCH a list is a JSON patch."""
    merge = "json-patch+json" if isinstance(body, list) else "merge-patch+json"
    return "application/" + (merge if method == "PATCH" else "json")


def _texts(value: Any) -> List[str]:
    values = value if isinstance(value, list) else [value]
    return [str(v).lower() if isinstance(v, bool) else str(v) for v in values]


def _encode(body: Any) -> str:
    return json.dumps(_wire.plain(body), allow_nan=False)
