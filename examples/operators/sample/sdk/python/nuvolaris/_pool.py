# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The connections of an ApiClient, and servers that are too busy."""

from __future__ import annotations

import os
import random
from copy import copy
from typing import Any, Dict, Optional
from weakref import WeakKeyDictionary

# How many idle connections to a server are kept, if the configuration does not say more.
_IDLE = 1000

# By the pool manager of an ApiClient and by process, the one used in its place: a process that was
# forked must not use the connections of its parent.
_POOLS: WeakKeyDictionary[Any, Dict[int, Any]] = WeakKeyDictionary()


def pool(api_client: Any) -> Any:
    """Returns a pool manager like that of an ApiClient, which keeps as many connections as are
    used at a time, and none that a parent process has opened."""
    theirs = api_client.rest_client.pool_manager
    pools = _POOLS.setdefault(theirs, {})
    ours = pools.get(os.getpid())
    if ours is None:
        ours = apart(api_client)
        settings = ours.connection_pool_kw
        size = max(settings.get("maxsize") or 0, _IDLE)
        ours.connection_pool_kw = {**settings, "maxsize": size}
        ours = pools.setdefault(os.getpid(), ours)
    return ours


def apart(api_client: Any) -> Any:
    """Returns a pool manager like that of an ApiClient, without its connections. What one thread
    reads from and another closes needs one: a connection that has just been put back into a pool
    may be another call's by the time it is closed."""
    from urllib3 import PoolManager

    ours = copy(api_client.rest_client.pool_manager)
    ours.pools = PoolManager().pools
    return ours


def busy(answer: Any, tries: int) -> Optional[float]:
    """Returns the seconds until a server that is too busy wants the request again; None if it
    does not. Many clients are told the same time, and each waits a bit longer than that."""
    from urllib3 import Retry

    after = Retry().get_retry_after(answer) if answer.status in (429, 503) else None
    if after is None:
        return None
    least: float = max(after, min(0.05 * 2**tries, 5))
    return least * random.uniform(1, 1.5)
