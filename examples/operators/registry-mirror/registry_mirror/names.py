# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Names of a mirror's objects, from the name of the mirror."""

from __future__ import annotations

import re
from hashlib import sha256

# A StatefulSet may have 52 characters, as its pods carry a label that is 11 longer; the longest
# prefix takes 9 of them.
LONGEST = 43

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_HASHED = re.compile(r"-[0-9a-f]{8}$")


def base(name: str) -> str:
    """Gives what the names of a mirror's objects are made of, at most ``LONGEST`` characters.

    It is the mirror's own name wherever that can be a label. One that is too long or has dots is
    cut and gets a hash at its end, and so does one that looks as if it had one: no two mirrors
    share a base.
    """
    if len(name) <= LONGEST and _LABEL.fullmatch(name) and not _HASHED.search(name):
        return name
    return f"{name.replace('.', '-')[: LONGEST - 9].rstrip('-')}-{digest(name)}"


def digest(text: str) -> str:
    """Gives eight hexadecimal digits that stand for a text."""
    return sha256(text.encode()).hexdigest()[:8]
