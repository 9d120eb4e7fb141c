# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The operator: caches that follow the API server, and workers that bring about what is planned."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from threading import Thread
from typing import Any, Dict, FrozenSet, List, Optional, Set

from copyrator_api import errors
from copyrator_api.client import Client
from copyrator_api.models import CopyratorRule
from kubernetes.client import ApiClient

from .cache import Cache
from .core import Core
from .objects import KINDS, MANAGED_BY, MANAGER, Key, Query, Rule, copies_of
from .plan import Action, body
from .queue import Queue
from .state import Item, State
from .status import FAILED, TAKEN, Trouble, news, same, status

_log = logging.getLogger(__name__)

# What the API server says no to however often it is asked; and the seconds until it is asked again
# all the same, as a policy may have changed. A change of source, copy, rule or namespace is soon enough.
_PERMANENT, _TOO_LARGE, _MUCH_LATER = (errors.BadRequest, errors.Invalid), 413, 600.0

# How many steps in a row a place may take: to delete, to create, and a conflict with each.
_STEPS = 5


class Refused(Exception):
    """A copy that cannot be written as things are."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.trouble = Trouble(reason, message)


@dataclass(frozen=True)
class Settings:
    """What an operator is told: the namespace of its rules, the one rule that counts or None for all,
    how many threads write, and the namespaces that rules may copy from, beside their own."""

    namespace: str = "default"
    rule_name: Optional[str] = None
    workers: int = 4
    sources: FrozenSet[str] = frozenset()


class Operator:
    """Keeps copies as the rules of a namespace say, from ``start`` to ``stop``."""

    def __init__(self, settings: Settings, api_client: ApiClient) -> None:
        self._settings, self._core = settings, Core(api_client)
        self._rules = Client(CopyratorRule, settings.namespace, api_client, MANAGER)
        self._queue: Queue[Item] = Queue()
        self._state = State(settings.namespace, settings.rule_name, self._queue.add, self._follow, settings.sources)
        self._sources: Dict[Query, Cache] = {}
        self._threads: List[Thread] = []

    def start(self) -> None:
        """Starts the threads."""
        state, core, only = self._state, self._core, copies_of(self._settings.namespace)
        self._threads = [Thread(target=self._work, name=f"worker-{n}") for n in range(self._settings.workers)]
        self._threads += [
            Cache("rules", partial(self._rules.watch, self._settings.rule_name), state.rules_changed),
            Cache("namespaces", core.namespaces, state.namespaces_changed),
            *(
                Cache(f"copies of {kind}s", partial(core.objects, kind, only), state.copies_changed(kind))
                for kind in KINDS
            ),
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Lets the workers finish what they are at, and ends."""
        self._queue.close()
        for thread in self._threads[: self._settings.workers]:
            thread.join()

    def ready(self) -> bool:
        """Says whether all has been listed that matters, so that copies are written."""
        return self._state.ready()

    def alive(self) -> bool:
        """Says whether all threads are there."""
        return all(thread.is_alive() for thread in self._threads)

    def _follow(self, queries: Set[Query]) -> None:
        """Follows the sources that queries find, and no others. The state calls it, one call at a time."""
        for gone in self._sources.keys() - queries:
            self._sources.pop(gone).end()
        for query in queries - self._sources.keys():
            self._sources[query] = Cache(
                f"{query.kind}s of {query.namespace}, {query.selector}",
                partial(self._core.objects, query.kind, f"{query.selector},{MANAGED_BY}!={MANAGER}", query.namespace),
                self._state.sources_changed(query),
            )
            self._sources[query].start()

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            try:
                if isinstance(item, Key):
                    self._settle(item)
                else:
                    self._report(item)
                self._queue.forget(item)
            except Exception as error:  # whatever it is, the worker must go on
                self._failed(item, error)
            finally:
                self._queue.done(item)

    def _failed(self, item: Item, error: Exception) -> None:
        trouble = error.trouble if isinstance(error, Refused) else Trouble(FAILED, str(error))
        if isinstance(item, Key):
            self._state.failed(item, trouble)
        expected = isinstance(error, (Refused, errors.ApiError))
        if _permanent(error):
            self._queue.forget(item)
            self._queue.add(item, seconds := _MUCH_LATER)
        else:
            seconds = self._queue.retry(item)
        _log.warning(
            "trying again later",
            extra={**_where(item), "reason": trouble.reason, "error": trouble.message, "seconds": seconds},
            exc_info=None if expected else error,
        )

    def _settle(self, key: Key) -> None:
        """Brings a place into order, step by step."""
        for _ in range(_STEPS):
            action = self._state.decide(key)
            if action is None or not self._take(action):
                return self._state.failed(key, None)
        raise Refused(FAILED, "it is changed again as soon as it is written")

    def _take(self, action: Action) -> bool:
        """Takes a step; False if there can be no other, as the namespace goes."""
        key, core = action.key, self._core
        found: Optional[Dict[str, Any]] = None
        try:
            if action.verb == "create":
                found = core.create(key, body(action))
            elif action.verb == "update":
                found = core.update(key, body(action))
            elif action.copy is not None:
                core.delete(key, action.copy.metadata)
        except (errors.NotFound, errors.Conflict) as error:
            if action.verb == "create" and isinstance(error, errors.NotFound):
                return False
            return self._look(action, isinstance(error, errors.AlreadyExists))
        except errors.Forbidden as error:
            if "NamespaceTerminating" in error.body:
                return False
            raise
        self._state.wrote(key, found)
        rule = action.claim.rule.name if action.claim else action.copy.rule if action.copy else ""
        _log.info(f"{action.verb}d", extra={**_where(key), "rule": rule})
        return True

    def _look(self, action: Action, exists: bool) -> bool:
        """Reads what is in a place, as what is known of it is old."""
        try:
            found: Optional[Dict[str, Any]] = self._core.get(action.key)
        except errors.NotFound:
            found = None
        self._state.wrote(action.key, found)
        again = self._state.decide(action.key)
        if exists and found is not None and again is not None and again.verb == "create":
            raise Refused(TAKEN, "an object that is no copy of this operator's rules is there")
        return True

    def _report(self, name: str) -> None:
        """Writes the status of a rule, and Events of what has come to be wrong."""
        known = self._state.rule(name)
        if known is None:
            return
        world, rule, troubles = known
        before, after = rule.model.status, status(world, rule, troubles, datetime.now(timezone.utc))
        if same(before, after):
            return
        try:
            self._rules.patch(name, {"status": dict(after)}, subresource="status")
        except errors.NotFound:
            return
        for reason, message in news(before, after):
            self._event(rule, reason, message)

    def _event(self, rule: Rule, reason: str, message: str) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        about = {"apiVersion": CopyratorRule.API_VERSION, "kind": CopyratorRule.KIND, "name": rule.name}
        event = {
            "metadata": {"generateName": f"{rule.name[:200]}.", "namespace": rule.namespace},
            "involvedObject": {**about, "namespace": rule.namespace, "uid": rule.uid},
            "type": "Warning",
            "reason": reason,
            "message": message[:1024],
            "source": {"component": MANAGER},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        self._core.tell(event)


def _permanent(error: Exception) -> bool:
    """Says whether an error will be the same at the next try."""
    return isinstance(error, _PERMANENT) or (isinstance(error, errors.ApiError) and error.status == _TOO_LARGE)


def _where(item: Item) -> Dict[str, str]:
    """Gives what a line of the log says of an item."""
    if isinstance(item, Key):
        return {"object": f"{KINDS[item.kind]} {item.namespace}/{item.name}"}
    return {"object": f"{CopyratorRule.KIND} {item}"}
