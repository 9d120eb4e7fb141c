# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""HTTP to an API server over the connections of the installed ``kubernetes``. Its ApiClient
brings pool, TLS, proxies, headers and credentials, which all versions keep in the same places;
its methods differ, and none is called."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Dict, Iterator, List, Mapping, Optional, Type, TypeVar, Union
from urllib.parse import quote, urlencode

from . import _kind, _model, _wire, errors

_T = TypeVar("_T")
Query = Optional[Mapping[str, Any]]

# Seconds until a connection stands, and of silence on it. A server ends a request itself,
# after 60 by default, if it is no stream.
_CONNECT, _SILENCE = 10.0, 75.0


def segments(*names: str) -> str:
    """Gives a path of names, escaped. ValueError: one is empty or leads elsewhere."""
    for name in names:
        if name in ("", ".", ".."):
            raise ValueError(f"not a name: {name!r}")
    return "".join("/" + quote(name, safe="") for name in names)


class Scope:
    """What a call has open, so that another thread can end the call."""

    current: ContextVar[Optional[Scope]] = ContextVar("scope", default=None)

    def __init__(self) -> None:
        self.closed, self._open = False, list[Any]()

    def close(self) -> None:
        """Closes what is open, and whatever the call still opens."""
        self.closed = True
        for closable in [*self._open]:
            closable.close()

    @classmethod
    def opened(cls, closable: _T) -> _T:
        """Notes what the call that runs has opened, and gives it back."""
        scope = cls.current.get()
        if scope is not None:
            scope._open.append(closable)
            if scope.closed:
                scope.close()
        return closable


class Stream:
    """An answer that is read as it comes: iterated by lines, or by ``chunks``.

    ``close`` may be called from any thread; reading then ends without an error.
    """

    def __init__(self, response: Any) -> None:
        self._response, self._closed = response, False
        self._socket: Optional[socket.socket] = None
        with suppress(AttributeError, OSError, ValueError):  # all of it has come already
            # A handle of its own, as the response's may be closed and given away.
            self._socket = socket.fromfd(response.fileno(), socket.AF_INET, socket.SOCK_STREAM)

    def chunks(self) -> Iterator[bytes]:
        """Yields bytes as they come. Raises errors.Unreachable if they break off."""
        try:
            yield from self._response.stream(None, decode_content=False)
        except Exception as error:
            if not self._closed:
                raise unreachable(error) from error

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
        if rest and not self._closed:
            yield rest

    def close(self) -> None:
        """Ends the connection."""
        self._closed = True
        handle, self._socket = self._socket, None
        if handle is not None:
            with handle, suppress(OSError):  # the other side may have been first
                handle.shutdown(socket.SHUT_RDWR)
        self._response.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Transport:
    """Requests to an API server, by a ``kubernetes.client.ApiClient``. Without one, one is made
    at the first request, with what ``kubernetes.config`` has loaded by then."""

    def __init__(self, api_client: Any = None) -> None:
        self._api_client = api_client

    @property
    def api_client(self) -> Any:
        """The ``kubernetes.client.ApiClient``."""
        if self._api_client is None:
            from kubernetes.client import ApiClient

            self._api_client = ApiClient()
        return self._api_client

    @property
    def configuration(self) -> Any:
        """Its ``kubernetes.client.Configuration``."""
        return self.api_client.configuration

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
        """Sends a request to a path from ``segments`` and gives the JSON of the answer.

        A query is by wire name; a body is a model, or anything that JSON has; timeout is in
        seconds of silence, 75 by default. A GET that is told to come later (429 or 503 with
        Retry-After) does. Raises errors.ApiError, as Unreachable if no answer comes.
        """
        limit = _SILENCE if timeout is None else timeout
        text = body.to_json() if isinstance(body, _model.Model) else json.dumps(_wire.plain(body))
        data = None if body is None else text.encode()
        headers = {} if body is None else {"Content-Type": content_type}
        answer = self._send(method, self.url(path, query), headers, limit, body=data)
        return json.loads(answer.data) if answer.data else None

    def stream(
        self, method: str, path: str, query: Query = None, timeout: Optional[float] = None
    ) -> Stream:
        """Does what ``request`` does, but gives the answer as it comes, on a connection of its
        own, and silence has no limit by default."""
        headers = {"Connection": "close"}  # so that ending it ends nothing else
        answer = self._send(method, self.url(path, query), headers, timeout, preload_content=False)
        return Scope.opened(Stream(answer))

    def _send(
        self, method: str, url: str, headers: Query, timeout: Optional[float], **more: Any
    ) -> Any:
        from concurrent.futures import CancelledError

        from urllib3 import Retry, Timeout
        from urllib3.exceptions import HTTPError

        scope = Scope.current.get()
        if scope is not None and scope.closed:
            raise CancelledError
        more["headers"] = {"Accept": "application/json, */*", **self.headers(), **(headers or {})}
        more["timeout"] = Timeout(connect=min(_CONNECT, timeout or _CONNECT), read=timeout)
        more["retries"] = Retry(
            5, connect=0, read=1, other=0, allowed_methods=["GET"], raise_on_status=False
        )
        try:
            answer = self.api_client.rest_client.pool_manager.urlopen(method, url, **more)
            if not 200 <= answer.status < 300:
                raise errors.of(
                    answer.status, answer.data.decode("utf-8", "replace"), answer.headers
                )
        except HTTPError as error:
            raise unreachable(error) from error
        return answer


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


def unreachable(error: Exception) -> errors.ApiError:
    """Gives the error of a connection that was not made, or broke."""
    cause = getattr(error, "reason", None) or error
    return errors.make(errors.Unreachable, 0, "Unreachable", f"no answer: {cause}")
