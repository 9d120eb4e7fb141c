# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The fake server: what a request is for, and what a test tells the server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Type, TypeVar

from .. import _client, _model, _wire, errors
from . import _patches
from ._answers import Refused
from ._http import HOST, Answer, Pool, Request
from ._reads import Watching
from ._routes import Paths, Routes, parse
from ._store import Store
from ._target import Target
from ._writes import Options, Writes

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

K = TypeVar("K", bound=_model.Object)


class _Failure(NamedTuple):
    """An answer for a request of a method and for an object, None for any."""

    answer: Answer
    method: Optional[str]
    name: Optional[str]

    def fits(self, method: str, name: str) -> bool:
        """Returns whether the answer is for a request."""
        return self.method in (None, method) and self.name in (None, name)


class FakeServer:
    """An API server in memory: ``client = FakeServer().client(Kind)``.

    The real clients, and those of ``kubernetes``, send their requests to it by ``api_client``. It
    does what an API server does with custom resources: resource versions, generations, conflicts,
    selectors, pages, watches, patches, server-side apply with managed fields, status and scale
    subresources, finalizers, owner references, dry runs, pruning, defaults and validation by the
    schema of the models. It does not evaluate CEL rules, check RBAC, run controllers, or connect
    to pods for exec and port-forward. A kind without a model takes any object. Time is one second
    for each change, and uids and generated names are always the same. Safe to share between
    threads.

    Args:
        *objects (Object): objects that exist, as models, with their status.

    Attributes:
        requests (List[Request]): the requests so far, oldest first.
        scale_paths (Dict[Type[Object], Tuple[str, str, str]]): by kind the paths of replicas in
            spec and status, and of the selector. Default ``spec.replicas``, or ``spec.size`` if
            the kind has no such field, the same in status, and ``status.selector``.
    """

    def __init__(self, *objects: _model.Object) -> None:
        self.requests: List[Request] = []
        self.scale_paths: Dict[Type[_model.Object], Paths] = {}
        self._store = Store()
        self._watches: List[Watching] = []
        self._routes = Routes(self._store, self._watches, self.scale_paths)
        self._failures: List[_Failure] = []
        self._api_client: Optional[ApiClient] = None
        for obj in objects:
            self.add(obj)

    @property
    def api_client(self) -> ApiClient:
        """A ``kubernetes.client.ApiClient`` that leads to this server, for any client."""
        with self._store.lock:
            if self._api_client is None:
                from kubernetes import client

                configuration = client.Configuration()
                configuration.host = HOST
                self._api_client = client.ApiClient(configuration)
                connections: Any = self._api_client.rest_client
                connections.pool_manager = Pool(self._answer)
            return self._api_client

    def client(
        self, kind: Type[K], namespace: str = "default", **options: Any
    ) -> _client.Client[K]:
        """Returns a client of this server, with options of ``Client``."""
        return _client.Client(kind, namespace, self.api_client, **options)

    def add(self, obj: _model.Object, namespace: str = "default") -> None:
        """Adds an object as it is, with its status and unchecked. Raises errors.AlreadyExists."""
        body = _wire.plain(obj)
        named = body.setdefault("metadata", {})
        home = named.setdefault("namespace", namespace) if obj.NAMESPACED else ""
        self._write(type(obj), "", home, "", lambda writes: writes.create(body))
        if "status" in body:
            self.set_status(type(obj), named["name"], body["status"], home)

    def set_status(
        self, kind: Type[_model.Object], name: str, status: Any, namespace: str = "default"
    ) -> None:
        """Merges values into the status of an object, as its controller does, unchecked. Raises
        errors.NotFound."""

        def change(writes: Writes) -> Any:
            return writes.patch(lambda live: _patches.merge(live, {"status": _wire.plain(status)}))

        self._write(kind, name, namespace if kind.NAMESPACED else "", "status", change)

    def set_condition(
        self, kind: Type[_model.Object], name: str, type: str, status: str = "True",
        reason: str = "Fake", message: str = "", namespace: str = "default",
    ) -> None:  # fmt: skip
        """Sets a condition in the status of an object, as its controller does."""
        with self._store.lock:
            place = (kind.GROUP, kind.PLURAL), (namespace if kind.NAMESPACED else "", name)
            live = self._store.get(*place) or {}
            held = (live.get("status") or {}).get("conditions") or []
            made = {"type": type, "status": status, "reason": reason, "message": message}
            made["lastTransitionTime"] = self._store.now()
            others = [each for each in held if each["type"] != type]
            self.set_status(kind, name, {"conditions": [*others, made]}, namespace)

    def set_log(self, pod: str, text: str, namespace: str = "default") -> None:
        """Sets the log of a pod, which must exist to be read, for all of its containers. A client
        that follows it gets all lines and its end."""
        with self._store.lock:
            self._store.logs[namespace, pod] = text

    def fail_next(
        self, status: int, message: str = "the fake server was told to fail", times: int = 1,
        method: Optional[str] = None, name: Optional[str] = None, retry_after: Optional[int] = None,
    ) -> None:  # fmt: skip
        """Has the next requests fail.

        Args:
            status (int): the HTTP status, 0 for a connection that breaks.
            message (str): what the server says.
            times (int): how many requests fail. Default 1.
            method (Optional[str]): only requests of this HTTP method.
            name (Optional[str]): only requests for the object of this name.
            retry_after (Optional[int]): seconds for a ``Retry-After`` header.
        """
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        value: Any = Refused(status, message).status if status else message
        with self._store.lock:
            self._failures += [_Failure(Answer(value, status, headers), method, name)] * times

    def compact(self) -> None:
        """Makes older resource versions expire: watches and lists that go on from them get
        errors.Gone."""
        with self._store.lock:
            self._store.compact()

    def bookmark(self) -> None:
        """Sends a bookmark to the watches that asked for them."""
        with self._store.lock:
            for watch in self._watches:
                watch.mark()

    def disconnect(self) -> None:
        """Ends the answers to all watches, as a restart of the API server does."""
        with self._store.lock:
            for watch in self._watches:
                watch.close()

    def _write(
        self,
        kind: Type[_model.Object],
        name: str,
        home: str,
        part: str,
        call: Callable[[Writes], Any],
    ) -> None:
        target = Target(kind.GROUP, kind.VERSION, kind.PLURAL, home, name, part, kind)
        with self._store.lock:
            try:
                call(Writes(self._store, target, Options("controller", unchecked=True)))
            except Refused as error:
                raise errors.of(error.code, json.dumps(error.status)) from error

    def _answer(self, request: Request) -> Answer:
        with self._store.lock:
            self.requests.append(request)
            try:
                target = parse(request.path)
                for failure in self._failures:
                    if failure.fits(request.method, target.name):
                        self._failures.remove(failure)
                        return failure.answer
                return self._routes.answer(request, target)
            except Refused as error:
                return Answer(error.status, error.code)
