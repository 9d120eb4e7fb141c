# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the fake server answers when it refuses a request."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    410: "Expired",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


class Refused(Exception):
    """A request that is refused; ``status`` is the ``Status`` object of the answer."""

    def __init__(
        self,
        code: int,
        message: str,
        reason: str = "",
        causes: Sequence[Tuple[str, str, str]] = (),
        **details: Any,
    ) -> None:
        """Takes the HTTP status, the message, and for each cause its reason, message and field."""
        super().__init__(message)
        if causes:
            named = ("reason", "message", "field")
            details["causes"] = [dict(zip(named, cause)) for cause in causes]
        self.code = code
        self.status: Dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason or REASONS.get(code, "Unknown"),
            "code": code,
            "details": details,
        }
