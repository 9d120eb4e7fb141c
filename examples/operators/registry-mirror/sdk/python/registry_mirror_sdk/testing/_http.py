# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What stands where the connections of an ApiClient would: no socket is opened."""

from __future__ import annotations

import io
import json
from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, Mapping, Union
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from urllib3 import HTTPResponse
from urllib3.exceptions import ProtocolError

HOST = "http://fake.invalid"


class Request:
    """A request that the fake server got.

    Attributes:
        method (str): of HTTP.
        path (str): decoded, without the query.
        query (Dict[str, str]): the last value of each name.
        headers (Dict[str, str]): by lower-case name.
        body (Any): the decoded JSON, None without one.
    """

    def __init__(
        self, method: str, url: str, headers: Mapping[str, str], body: Union[bytes, str, None]
    ) -> None:
        parts = urlsplit(url)
        self.method, self.path = method, unquote(parts.path)
        self.query = {k: v[-1] for k, v in parse_qs(parts.query, keep_blank_values=True).items()}
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = json.loads(body) if body else None

    def __repr__(self) -> str:
        return f"<{self.method} {self.path} {self.query}>"


class Answer:
    """An answer: a status, headers, and a value for JSON, a text, or lines as they come."""

    def __init__(
        self, value: Any, status: int = 200, headers: Union[Mapping[str, str], Iterable[Any]] = ()
    ) -> None:
        self.value, self.status, self.headers = value, status, [*dict(headers).items()]
        self.warnings: List[str] = []
        self.close: Callable[[], None] = lambda: None


class _Body(io.BytesIO):
    """Bytes that end as a connection does."""

    def isclosed(self) -> bool:
        """Returns whether all was read."""
        return self.tell() == len(self.getbuffer())


class _Lines(HTTPResponse):
    """An answer that is read as it comes."""

    def __init__(self, answer: Answer, headers: Any) -> None:
        super().__init__(io.BytesIO(), headers, answer.status, preload_content=False)
        self._lines: Iterator[bytes] = answer.value
        self._end = answer.close

    def stream(self, *_: Any, **__: Any) -> Generator[bytes, None, None]:
        yield from self._lines

    def read_chunked(self, *_: Any, **__: Any) -> Generator[bytes, None, None]:
        yield from self._lines

    def read(self, *_: Any, **__: Any) -> bytes:
        return b"".join(self._lines)

    def close(self) -> None:
        self._end()

    def release_conn(self) -> None:
        """Has no connection to give back."""


class Pool:
    """Answers requests with a function, in place of urllib3's PoolManager."""

    def __init__(self, answer: Callable[[Request], Answer]) -> None:
        self.answer = answer
        self.connection_pool_kw: Dict[str, Any] = {}
        self.pools: Any = None

    def urlopen(self, method: str, url: str, **options: Any) -> HTTPResponse:
        """Answers a request. An answer with the status 0 breaks the connection."""
        from urllib3._collections import HTTPHeaderDict

        request = Request(method, url, options.get("headers") or {}, options.get("body"))
        answer = self.answer(request)
        if answer.status == 0:
            raise ProtocolError(str(answer.value))
        kind = "text/plain" if isinstance(answer.value, str) else "application/json"
        headers = HTTPHeaderDict({"Content-Type": kind})
        for name, value in answer.headers:
            headers[name] = value
        for text in answer.warnings:
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            headers.add("Warning", f'299 - "{quoted}"')
        if isinstance(answer.value, Iterator):
            return _Lines(answer, headers)
        data = answer.value if isinstance(answer.value, str) else json.dumps(answer.value)
        preload = options.get("preload_content", True)
        body = _Body(data.encode())
        return HTTPResponse(body, headers, answer.status, preload_content=preload)

    def request(self, method: str, url: str, fields: Any = None, **options: Any) -> HTTPResponse:
        """Answers a request whose query is ``fields``, as older versions of kubernetes send it."""
        return self.urlopen(method, f"{url}?{urlencode(fields)}" if fields else url, **options)

    def clear(self) -> None:
        """Has no connections to close."""
