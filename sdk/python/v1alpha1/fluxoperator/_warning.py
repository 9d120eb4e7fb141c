# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The ``Warning`` headers of answers (RFC 7234, section 5.5) as Python warnings."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Dict, Iterator, Optional, Set, Tuple

from . import errors

# A header may have several warnings, each with code, agent, text and perhaps a date.
_WARNING = re.compile(r'\s*(\d{3}) (\S+) ("(?:[^"\\]|\\.)*")(?: "[^"]*")?\s*(?:,|$)')
# A line of source: file, number, and the names of the module.
Place = Tuple[str, int, Dict[str, Any]]

_MOST = 1000  # texts that are remembered


def parse(header: str) -> Iterator[str]:
    """Yields the texts of the warnings in a header that have the code 299, as the API server's
    have. The rest of a malformed header is ignored."""
    at = 0
    while found := _WARNING.match(header, at):
        at = found.end()
        text = re.sub(r"\\(.)", r"\1", found[3][1:-1])
        if found[1] == "299" and text:
            yield _utf8(text)


def caller() -> Place:
    """Returns the line that called into this package."""
    frame = sys._getframe(1)
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith(f"{__package__}."):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_globals


def warn(headers: Any, seen: Set[str], place: Optional[Place]) -> None:
    """Issues an ``errors.ServerWarning`` for each warning of an answer.

    Args:
        headers (Any): those of a urllib3 response.
        seen (Set[str]): texts that are not repeated; new ones are added.
        place (Optional[Place]): what ``caller`` has returned, if this is another thread.
    """
    for header in headers.getlist("Warning") if headers else ():
        for text in parse(header):
            if text not in seen:
                if len(seen) >= _MOST:
                    seen.clear()
                file, line, names = place or caller()
                registry = names.setdefault("__warningregistry__", {})
                module = names.get("__name__")
                warnings.warn_explicit(text, errors.ServerWarning, file, line, module, registry)
                seen.add(text)  # not if a filter makes the warning an exception


def _utf8(text: str) -> str:
    """Returns a text that ``http.client`` has decoded as Latin-1."""
    try:
        return text.encode("latin-1").decode()
    except ValueError:
        return text
