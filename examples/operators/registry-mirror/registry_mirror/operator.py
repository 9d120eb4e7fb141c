# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Follows what changes, and hands it on to the reconciler."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from threading import Event, Lock, Thread
from typing import Any, Callable, Dict, Generic, List, Optional, Type, TypeVar

from registry_mirror_sdk import errors
from registry_mirror_sdk.client import Client, Object, Watch
from registry_mirror_sdk.client import Event as Change
from registry_mirror_sdk.models import RegistryMirror

from .cache import Seen
from .kinds import CHILDREN, CustomResourceDefinition, Pod
from .mirror import Settings
from .queue import Queue
from .reconcile import Reconciler
from .status import waiting

log = logging.getLogger(__name__)
K = TypeVar("K", bound=Object)

DEFINITION = f"{RegistryMirror.PLURAL}.{RegistryMirror.GROUP}"
WORKERS = 4
TOGETHER = 0.1  # seconds in which changes of a mirror and its objects are gathered
RETRY = 0.5, 60.0  # seconds until the first retry, which double, and the most


class Follower(Generic[K]):
    """A thread that follows objects of one kind until it is closed, whatever the API server does.

    Args:
        watch (Callable[[], Watch[K]]): begins to follow.
        start (Callable[[], None]): is called before everything is read from the beginning.
        change (Callable[[Change[K]], None]): is called with each change.
    """

    def __init__(
        self, watch: Callable[[], Watch[K]], start: Callable[[], None], change: Callable[[Change[K]], None]
    ) -> None:
        self._watch, self._start, self._change = watch, start, change
        self._closed, self._lock = Event(), Lock()
        self._open: Optional[Watch[K]] = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def synced(self) -> bool:
        """Whether all that there was has been handed on."""
        watch = self._open
        return watch is not None and watch.synced.is_set()

    def close(self) -> None:
        """Ends it, and waits until nothing is handed on any more."""
        with self._lock:
            self._closed.set()
            if self._open is not None:
                self._open.close()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.is_set():
            self._start()
            with self._lock:
                if self._closed.is_set():
                    return
                self._open = self._watch()
            try:
                with self._open as watch:
                    for change in watch:
                        self._change(change)
            except errors.ApiError as error:
                log.warning("cannot follow: %s", error)
            except Exception:
                log.exception("cannot follow")
            self._open = None
            self._closed.wait(1)


class Operator:
    """The operator, from ``run`` to ``stop``.

    Args:
        settings (Settings): what all mirrors share.
        api_client (Any): a ``kubernetes.client.ApiClient``. Default None: one with what
            ``kubernetes.config`` has loaded.
    """

    def __init__(self, settings: Settings, api_client: Any = None) -> None:
        self._settings, self._api_client = settings, api_client
        self._reconciler = Reconciler(settings, api_client)
        self._queue = Queue()
        self._failures: Dict[str, int] = {}
        self._stop = Event()
        self._followers: List[Follower[Any]] = []
        self._mirrors: Optional[Follower[RegistryMirror]] = None

    @property
    def ready(self) -> bool:
        """Whether the definition is there and everything has been read once."""
        return self._mirrors is not None and self._mirrors.synced and self._synced()

    def stop(self) -> None:
        """Asks ``run`` to return. Signal handlers may call it."""
        self._stop.set()

    def run(self) -> None:
        """Works until ``stop`` is called, and lets what has begun end."""
        with ExitStack() as stack:
            for kind in CHILDREN:
                self._followers.append(self._follow_children(kind))
            self._followers.append(self._follow_children(Pod, "app.kubernetes.io/component=registry"))
            definition = Client(CustomResourceDefinition, api_client=self._api_client)
            log.info("waiting for the definition %s", DEFINITION)
            self._followers.append(
                Follower(lambda: definition.watch(DEFINITION), lambda: None, self._definition_changed)
            )
            workers = [Thread(target=self._work, daemon=True) for _ in range(WORKERS)]
            for worker in workers:
                worker.start()
                stack.callback(worker.join)
            stack.callback(self._queue.close)
            self._stop.wait()
            log.info("ending")
            for follower in reversed(self._followers):  # that of the definition first: it begins others
                follower.close()
            self._end_mirrors()

    # What changes.

    def _definition_changed(self, change: Change[CustomResourceDefinition]) -> None:
        conditions = (change.object.get("status") or {}).get("conditions") or ()
        established = any(c["type"] == "Established" and c["status"] == "True" for c in conditions)
        leaving = "deletionTimestamp" in change.object["metadata"] or change.type == "DELETED"
        if established and not leaving and self._mirrors is None:
            log.info("following the mirrors")
            client = Client(RegistryMirror, api_client=self._api_client)
            self._mirrors = Follower(client.watch, self._reconciler.lost, self._mirror_changed)
        elif self._mirrors is not None and (leaving or not established):
            self._end_mirrors()
            log.info("waiting for the definition %s", DEFINITION)

    def _end_mirrors(self) -> None:
        if self._mirrors is not None:
            self._mirrors.close()
            self._mirrors = None
            self._reconciler.lost()

    def _mirror_changed(self, change: Change[RegistryMirror]) -> None:
        name = str(change.object["metadata"]["name"])
        if change.type == "DELETED":
            self._reconciler.lost(name)
        else:
            self._reconciler.saw(change.object)
        self._queue.add(name, TOGETHER)

    def _follow_children(self, kind: Type[Object], selector: Optional[str] = None) -> Follower[Object]:
        client = Client(kind, self._settings.namespace, self._api_client)

        def start() -> None:
            self._reconciler.cache.clear(kind.KIND)
            for name in self._reconciler.mirrors:
                self._queue.add(name)

        return Follower(lambda: client.watch(label_selector=selector), start, self._child_changed)

    def _child_changed(self, change: Change[Object]) -> None:
        cache, seen = self._reconciler.cache, Seen.of(change.object["kind"], change.object)
        before = cache.get(seen.key)
        if change.type == "DELETED":
            cache.remove(seen)
        else:
            cache.put(seen)
        if seen.kind == Pod.KIND and before and waiting(before.status) == waiting(seen.status):
            return
        for name in {self._reconciler.mirror_of(each) for each in (seen, before) if each}:
            if name:
                self._queue.add(name, TOGETHER)

    # What is done.

    def _synced(self) -> bool:
        return all(follower.synced for follower in self._followers)

    def _work(self) -> None:
        while (name := self._queue.get()) is not None:
            try:
                self._look_at(name)
            finally:
                self._queue.done(name)

    def _look_at(self, name: str) -> None:
        if not self._synced():
            self._queue.add(name, TOGETHER)
            return
        try:
            done = self._reconciler.reconcile(name)
        except errors.ApiError as error:
            log.warning("trying again: %s", error, extra={"mirror": name})
            done = False
        except Exception:
            log.exception("trying again", extra={"mirror": name})
            done = False
        if done:
            self._failures.pop(name, None)
            return
        failures = self._failures[name] = self._failures.get(name, 0) + 1
        first, most = RETRY
        self._queue.add(name, min(first * 2 ** min(failures - 1, 10), most))
