# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A typed client, for every root kind alike."""

from __future__ import annotations

from contextlib import suppress
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generic,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from . import _wire, errors
from ._kind import Kind
from ._streams import Streams
from ._transport import Transport, body_type, segments
from ._watch import K, Watch

if TYPE_CHECKING:
    from kubernetes.client import V1Scale

# Who owns the fields that are written, unless a client says otherwise: the package.
FIELD_MANAGER = __name__.split(".")[-2]

# What the server alone writes into metadata, and refuses or misunderstands in an apply.
_SERVERS = {
    "managedFields",
    "resourceVersion",
    "uid",
    "generation",
    "creationTimestamp",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
}


class Client(Streams, Generic[K]):
    """Reads and writes the objects of one kind: ``Client(Kind, "my-namespace")``.

    Every method raises ``errors.ApiError`` if the request fails, and ``errors.Unreachable`` if
    the server cannot be reached; ``watch``, ``wait_for`` and ``wait_deleted`` retry instead.
    Raises ValueError if a name is empty or not a path segment, or if the kind is cluster-scoped
    and ``namespace`` is set. ``namespace`` defaults to the client's. A ``timeout`` is in seconds;
    None means no limit. A client is safe to share between threads.

    Args:
        kind (Type[K]): the model of the kind.
        namespace (str): namespace of objects that do not set one. Default "default".
        api_client (Any): a ``kubernetes.client.ApiClient``. Default None: one is created at
            the first call, with the configuration that ``kubernetes.config`` has loaded.
        field_manager (str): name of the field manager of all writes. Default: the package.
    """

    def __init__(
        self,
        kind: Type[K],
        namespace: str = "default",
        api_client: Any = None,
        field_manager: str = FIELD_MANAGER,
    ) -> None:
        self.kind, self.namespace, self.field_manager = kind, namespace, field_manager
        self.transport = Transport(api_client)

    def create(self, obj: K, namespace: Optional[str] = None) -> K:
        """Creates an object in the namespace that it sets, or else in ``namespace``. Raises
        ValueError if both are set and differ, errors.AlreadyExists and errors.Invalid."""
        return self._write("POST", self._path(self._home(obj, namespace)), obj)

    def get(self, name: str, namespace: Optional[str] = None) -> K:
        """Reads an object. Raises errors.NotFound."""
        return self.kind.from_dict(self.transport.request("GET", self._path(namespace, name)))

    def list(
        self,
        label_selector: Optional[str] = None,
        field_selector: Optional[str] = None,
        all_namespaces: bool = False,
        limit: Optional[int] = None,
        namespace: Optional[str] = None,
    ) -> List[K]:
        """Lists all objects that match the selectors, with pages of ``limit`` objects."""
        query = {"labelSelector": label_selector, "fieldSelector": field_selector, "limit": limit}
        items, _ = self._items(self._path(namespace, everywhere=all_namespaces), query)
        return [self.kind.from_dict(item) for item in items]

    def replace(self, obj: K, namespace: Optional[str] = None) -> K:
        """Replaces an object. Raises errors.Conflict if it has changed since it was read."""
        return self._write("PUT", self._path(self._home(obj, namespace), _meta(obj, "name")), obj)

    def patch(
        self,
        name: str,
        body: Union[Mapping[str, Any], Sequence[Mapping[str, Any]]],
        content_type: Optional[str] = None,
        subresource: str = "",
        namespace: Optional[str] = None,
    ) -> K:
        """Patches an object, or its ``subresource`` such as "status". Unless ``content_type`` is
        set, a mapping is a merge patch and a list is a JSON patch."""
        path = self._path(namespace, name, *filter(None, [subresource]))
        return self._write("PATCH", path, body, content_type)

    def apply(self, obj: K, force: bool = False, namespace: Optional[str] = None) -> K:
        """Applies an object by server-side apply; it is created if it does not exist.

        The ``field_manager`` owns every field that is set, defaults of the model included; fields
        that it owned before and that are not set any more are removed. The status and the metadata
        that the server maintains are not sent, so an object that was read can be applied, and its
        resource version is ignored. Raises errors.Conflict if another manager owns a field, unless
        ``force`` is set.
        """
        path = self._path(self._home(obj, namespace), _meta(obj, "name"))
        body = {key: value for key, value in _wire.plain(obj).items() if key != "status"}
        meta = {key: value for key, value in body["metadata"].items() if key not in _SERVERS}
        return self._write(
            "PATCH", path, {**body, "metadata": meta}, "application/apply-patch+yaml", force=force
        )

    def delete(
        self,
        name: str,
        propagation: str = "Background",
        grace: Optional[int] = None,
        wait: bool = False,
        timeout: Optional[float] = 300,
        namespace: Optional[str] = None,
        uid: Optional[str] = None,
        resource_version: Optional[str] = None,
    ) -> None:
        """Deletes an object. ``propagation`` of its dependents is Background, Foreground or Orphan.
        ``grace`` is the grace period in seconds, by default the object's. With ``wait`` it returns
        when the object is gone, or raises WaitTimeout. Raises errors.NotFound, and errors.Conflict
        if the object does not have that ``uid`` or ``resource_version``."""
        query: Dict[str, Any] = {"propagationPolicy": propagation, "gracePeriodSeconds": grace}
        only = {"uid": uid, "resourceVersion": resource_version}
        # A body takes the place of the query.
        body = {**query, "preconditions": only} if uid or resource_version else None
        answer = self.transport.request(
            "DELETE", self._path(namespace, name), None if body else query, body
        )
        if wait:
            uid = (answer.get("details") or answer.get("metadata") or {}).get("uid")
            self.wait_deleted(name, timeout, namespace, uid)

    def get_scale(self, name: str, namespace: Optional[str] = None) -> V1Scale:
        """Reads the scale subresource. Raises errors.NotFound if the kind has none."""
        scale: V1Scale = Kind.of("V1Scale").read(self._scale("GET", name, namespace))
        return scale

    def scale(self, name: str, replicas: int, namespace: Optional[str] = None) -> V1Scale:
        """Sets the desired number of replicas. Raises errors.Invalid."""
        answer = self._scale("PATCH", name, namespace, {"spec": {"replicas": replicas}})
        scale: V1Scale = Kind.of("V1Scale").read(answer)
        return scale

    def pod_selector(self, name: str, namespace: Optional[str] = None) -> str:
        """Returns the label selector of an object's pods. Raises LookupError if it has none yet."""
        selector = (self._scale("GET", name, namespace).get("status") or {}).get("selector")
        if not selector:
            raise LookupError(f"{self.kind.KIND} {name} has no selector of pods yet")
        return str(selector)

    def watch(
        self,
        name: Optional[str] = None,
        label_selector: Optional[str] = None,
        field_selector: Optional[str] = None,
        all_namespaces: bool = False,
        resource_version: Optional[str] = None,
        timeout: Optional[float] = None,
        namespace: Optional[str] = None,
    ) -> Watch[K]:
        """Watches objects, or the object ``name``: existing ones as ADDED, then changes.

        With ``resource_version`` only later changes. A broken connection is resumed; if its
        resource version has expired, the objects are listed again and the differences are
        yielded as events. It ends after ``timeout``. Without one it does not end, but an
        unreachable server is an error until the first answer.
        """
        fields = [f"metadata.name={name}"] if name else []
        fields += [field_selector] if field_selector else []
        query = {"labelSelector": label_selector, "fieldSelector": ",".join(fields) or None}
        return Watch(
            self, self._path(namespace, everywhere=all_namespaces), query, resource_version, timeout
        )

    def wait_for(
        self,
        name: str,
        condition: Union[str, Callable[[K], bool]] = "Ready",
        timeout: Optional[float] = 300,
        namespace: Optional[str] = None,
    ) -> K:
        """Waits until an object meets a condition, and returns it. ``condition`` is the type of a
        condition that must be True, "Type=Status" for another status, or a function of the object.
        Raises WaitTimeout, and NotFound as soon as the object does not exist."""
        met = condition if callable(condition) else _condition(condition)
        wanted = f"{self.kind.KIND} {name}: {getattr(condition, '__name__', condition)}"
        last: Optional[K] = None
        with self.watch(name, timeout=timeout, namespace=namespace) as watch:
            for change, found in watch.changes:
                if change == "DELETED" or (change == "LISTED" and last is None):
                    how = "it does not exist" if last is None else "it was deleted"
                    raise errors.make(errors.NotFound, 404, "NotFound", f"{wanted}: {how}")
                if change != "LISTED":
                    last = self.kind.from_dict(found)
                    if met(last):
                        return last
        seen = [f"{c['type']}={c['status']}" for c in _conditions(last or {})] or ["no conditions"]
        shown = f"last seen: {', '.join(seen) if last else 'nothing'}"
        because = f"; {watch.error}" if watch.error else ""
        raise errors.WaitTimeout(f"{wanted}: not in {timeout} s; {shown}{because}", last)

    def wait_deleted(
        self,
        name: str,
        timeout: Optional[float] = 300,
        namespace: Optional[str] = None,
        uid: Optional[str] = None,
    ) -> None:
        """Waits until the object does not exist, or has another ``uid``. Raises WaitTimeout."""

        def deletion(found: K) -> bool:
            return uid is not None and _meta(found, "uid") != uid

        with suppress(errors.NotFound):
            self.wait_for(name, deletion, timeout, namespace)

    def _path(self, namespace: Optional[str], *rest: str, everywhere: bool = False) -> str:
        kind = self.kind
        path = ["apis", kind.GROUP, kind.VERSION] if kind.GROUP else ["api", kind.VERSION]
        if kind.NAMESPACED and not everywhere:
            path += ["namespaces", namespace or self.namespace]
        elif namespace:
            raise ValueError(f"{kind.KIND} is cluster-scoped: namespace must not be set")
        return segments(*path, kind.PLURAL, *rest)

    def _home(self, obj: K, namespace: Optional[str]) -> Optional[str]:
        own = _meta(obj, "namespace")
        if own and namespace and own != namespace:
            raise ValueError(f"the object is of namespace {own!r}, not {namespace!r}")
        return own or namespace

    def _write(
        self, method: str, path: str, body: Any, content_type: Optional[str] = None, **query: Any
    ) -> K:
        query, content_type = (
            {**query, "fieldManager": self.field_manager},
            content_type or body_type(method, body),
        )
        return self.kind.from_dict(self.transport.request(method, path, query, body, content_type))

    def _scale(self, method: str, name: str, namespace: Optional[str], body: Any = None) -> Any:
        path, query = (
            self._path(namespace, name, "scale"),
            {"fieldManager": self.field_manager if body else None},
        )
        return self.transport.request(method, path, query, body, body_type(method, body))

    def _items(
        self, path: str, query: Mapping[str, Any], timeout: Optional[float] = None
    ) -> Tuple[List[Dict[str, Any]], str]:
        """Reads a list, page by page, and its resource version."""
        items: List[Dict[str, Any]] = []
        said = {
            "apiVersion": self.kind.API_VERSION,
            "kind": self.kind.KIND,
        }  # not by kinds of Kubernetes itself
        pages = dict(query)
        while True:
            try:
                page = self.transport.request("GET", path, pages, timeout=timeout)
            except errors.Gone:
                if "continue" not in pages:
                    raise
                items, pages = [], {**query, "limit": None}  # as a whole it cannot grow too old
                continue
            items += ({**said, **item} for item in page["items"])
            pages["continue"] = page["metadata"].get("continue")
            if not pages["continue"]:
                return items, page["metadata"]["resourceVersion"]


def _meta(obj: Mapping[str, Any], key: str) -> Any:
    return (_wire.plain(obj).get("metadata") or {}).get(key) or ""


def _conditions(obj: Mapping[str, Any]) -> Sequence[Dict[str, Any]]:
    return (_wire.plain(obj).get("status") or {}).get("conditions") or ()


def _condition(wanted: str) -> Callable[[Mapping[str, Any]], bool]:
    """Gives the test for a condition, which must be of the object's last generation."""
    kind, _, status = wanted.partition("=")

    def met(obj: Mapping[str, Any]) -> bool:
        generation = _meta(obj, "generation") or 0
        return any(
            c["type"] == kind
            and c["status"].lower() == (status or "True").lower()
            and c.get("observedGeneration", generation) >= generation
            for c in _conditions(obj)
        )

    return met
