# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the API server refuses. An error that is raised is a ``kubernetes.client.ApiException``
too, so code that catches those goes on working; ``kubernetes`` is not loaded before."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Sequence, Tuple, Type

from ._check import ValidationError as ValidationError
from ._check import WrongTypeError as WrongTypeError

if TYPE_CHECKING:
    from typing_extensions import Self


class ApiError(Exception):
    """An answer of the API server that is not a success. A test may raise one of its own:
    ``errors.NotFound(404, "NotFound", "it does not exist")``.

    ``status`` is that of HTTP, 0 without an answer, ``reason`` the word for it, as ``Expired``,
    ``message`` what the server says; ``body`` and ``headers`` are the answer as it came, and
    ``causes`` has the field and a message for each value that is refused.
    """

    _kind: ClassVar[Type[ApiError]]

    def __new__(cls, *_: Any, **__: Any) -> Self:
        kind: Any = _combined(vars(cls).get("_kind", cls))
        error: Self = super().__new__(kind)
        return error

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        body: str = "",
        headers: Any = (),
        causes: Sequence[Tuple[str, str]] = (),
    ) -> None:
        Exception.__init__(self, message)
        self.status, self.reason, self.message = status, reason, message
        self.body, self.headers, self.causes = body, dict(headers or {}), [*causes]

    def __str__(self) -> str:
        return f"{self.message} ({f'{self.status} ' if self.status else ''}{self.reason})"

    def __reduce__(self) -> Any:
        said = self.status, self.reason, self.message, self.body, self.headers, self.causes
        return self._kind, said


class BadRequest(ApiError):
    """The request is malformed (400)."""


class Unauthorized(ApiError):
    """The credentials are missing or invalid (401)."""


class Forbidden(ApiError):
    """RBAC does not allow the request (403)."""


class NotFound(ApiError):
    """The object, namespace or kind does not exist (404)."""


class Conflict(ApiError):
    """The object has changed, or another manager owns a field of it (409)."""


class AlreadyExists(Conflict):
    """An object of that name exists (409)."""


class Gone(ApiError):
    """The resource version, or the continue token of a list, has expired (410)."""


class Invalid(ApiError):
    """The object is invalid; ``causes`` lists the fields (422)."""


class TooManyRequests(ApiError):
    """The server limits requests; retry later (429)."""


class ServerError(ApiError):
    """The server failed or is temporarily unavailable (500 and above)."""


class Unreachable(ApiError, ConnectionError):
    """The server did not answer: no connection, a broken one, or a time-out (0).

    ``reason`` is NoHost, CertificateInvalid, NameNotFound or Unreachable.
    """

    @property
    def permanent(self) -> bool:
        """Whether another attempt fails in the same way: the configuration has to change."""
        return self.reason in ("NoHost", "CertificateInvalid")


class TooLarge(ValueError):
    """A line or a message of the server, or what a command writes, exceeds a limit."""


class WaitFailed(RuntimeError):
    """The condition cannot be met any more. ``reason`` and ``message`` are those of the condition
    in the status that is the cause; ``last`` is the object as last seen."""

    def __init__(self, text: str, reason: str = "", message: str = "", last: Any = None) -> None:
        super().__init__(text)
        self.reason, self.message, self.last = reason, message, last


class WaitTimeout(TimeoutError):
    """The condition was not met in time; ``last`` is the object as last seen, or None."""

    def __init__(self, message: str, last: Any = None) -> None:
        super().__init__(message)
        self.last = last


class ServerWarning(UserWarning):
    """A warning that the API server sent with an answer, such as an unknown field where
    ``field_validation`` is Warn. Each client issues a text once."""


_KINDS = {400: BadRequest, 401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict}
_KINDS.update({410: Gone, 422: Invalid, 429: TooManyRequests})


def of(status: int, body: str, headers: Any = ()) -> ApiError:
    """Gives the error that an answer means, by its ``Status`` if it has one."""
    from http.client import responses

    try:
        said = json.loads(body)
    except ValueError:
        said = None
    said = said if isinstance(said, dict) else {}
    status = said.get("code") or status
    reason = said.get("reason") or responses.get(status, "Unknown")
    kind = _KINDS.get(status, ServerError if status >= 500 else ApiError)
    kind = AlreadyExists if reason == "AlreadyExists" else kind
    found = (said.get("details") or {}).get("causes") or ()
    causes = [(cause.get("field", ""), cause.get("message", "")) for cause in found]
    return kind(status, reason, said.get("message") or body or reason, body, headers, causes)


@lru_cache(maxsize=None)
def _combined(kind: Type[ApiError]) -> Type[ApiError]:
    """Gives the class of the errors of a kind: that and ``kubernetes.client.ApiException``."""
    from kubernetes.client import ApiException

    names = {"__module__": kind.__module__, "__doc__": kind.__doc__, "_kind": kind}
    return type(kind.__name__, (kind, ApiException), names)
