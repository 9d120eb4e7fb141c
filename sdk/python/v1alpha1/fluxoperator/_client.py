# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A typed client, for every root kind alike."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from . import errors
from ._apply import Applies
from ._installed import Installed
from ._kind import Kind
from ._model import Model, Object
from ._streams import Streams
from ._transport import Transport, body_type, segments
from ._wait import Waits
from ._wait import meta as _meta
from ._watch import K, Watch

if TYPE_CHECKING:
    from kubernetes.client import V1Scale

# Who owns the fields that are written, unless a client says otherwise: the package.
FIELD_MANAGER = __name__.split(".")[-2]


class Client(Applies[K], Installed[K], Streams, Waits[K]):
    """Reads and writes the objects of one kind: ``Client(Kind, "my-namespace")``.

    Every method raises ``errors.ApiError`` if the request fails, and ``errors.Unreachable`` if
    the server cannot be reached; ``watch``, ``wait_for`` and ``wait_deleted`` retry instead once
    the client has reached the server.
    Raises ValueError if a name is empty or not a path segment, or if the kind is cluster-scoped
    and ``namespace`` is set. ``namespace`` defaults to the client's. A ``timeout`` is in seconds;
    None means no limit. A client is safe to share between threads.

    Args:
        kind (Type[K]): the model of the kind.
        namespace (Optional[str]): namespace of objects that do not set one. Default None: that
            of the kubeconfig context or of the pod, else "default". It is looked up by the URL of
            the API server at the first call, as the configuration does not tell its context.
        api_client (Any): a ``kubernetes.client.ApiClient``. Default None: one is created at
            the first call, with the configuration that ``kubernetes.config`` has loaded.
        field_manager (str): name of the field manager of all writes. Default: the package.
        field_validation (str): what the server does with unknown and duplicate fields in a write:
            "Strict" refuses it, "Warn" drops them with a ServerWarning for each, and "Ignore"
            drops them. An apply with unknown fields is always refused. Default "Strict".
    """

    def __init__(
        self,
        kind: Type[K],
        namespace: Optional[str] = None,
        api_client: Any = None,
        field_manager: str = FIELD_MANAGER,
        field_validation: str = "Strict",
    ) -> None:
        self.kind, self.field_manager, self.field_validation = kind, field_manager, field_validation
        self.transport = Transport(api_client)
        self._namespace = namespace or ""

    @property
    def namespace(self) -> str:
        """Namespace of objects that do not set one."""
        self._namespace = self._namespace or self.transport.namespace()
        return self._namespace

    @namespace.setter
    def namespace(self, namespace: str) -> None:
        self._namespace = namespace

    def create(
        self,
        obj: K,
        namespace: Optional[str] = None,
        dry_run: bool = False,
        field_validation: Optional[str] = None,
    ) -> K:
        """Creates an object in the namespace that it sets, or else in ``namespace``. Raises
        ValueError if both are set and differ, errors.AlreadyExists, errors.Invalid, and
        errors.BadRequest if a field is unknown. ``field_validation`` defaults to the client's."""
        path = self._path(self._home(obj, namespace))
        return self._write("POST", path, obj, dry_run, field_validation)

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

    def replace(
        self,
        obj: K,
        namespace: Optional[str] = None,
        dry_run: bool = False,
        field_validation: Optional[str] = None,
    ) -> K:
        """Replaces an object. Raises errors.Conflict if it has changed since it was read."""
        return self._write("PUT", self._place(obj, namespace), obj, dry_run, field_validation)

    def patch(
        self,
        name: str,
        body: Union[Mapping[str, Any], Sequence[Mapping[str, Any]]],
        content_type: Optional[str] = None,
        subresource: str = "",
        namespace: Optional[str] = None,
        dry_run: bool = False,
        field_validation: Optional[str] = None,
    ) -> K:
        """Patches an object, or its ``subresource`` such as "status". Unless ``content_type`` is
        set, a mapping is a merge patch and a list is a JSON patch."""
        path = self._path(namespace, name, *filter(None, [subresource]))
        return self._write("PATCH", path, body, dry_run, field_validation, content_type)

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
        dry_run: bool = False,
    ) -> None:
        """Deletes an object. ``propagation`` of its dependents is Background, Foreground or Orphan.
        ``grace`` is the grace period in seconds, by default the object's. With ``wait`` it returns
        when the object is gone, or raises WaitTimeout; after a ``dry_run`` it does not wait. Raises
        errors.NotFound, and errors.Conflict if the object does not have that ``uid`` or
        ``resource_version``."""
        query = _deletion(propagation, grace, dry_run)
        only = {"uid": uid, "resourceVersion": resource_version}
        # A body takes the place of the query.
        body = {**query, "preconditions": only} if uid or resource_version else None
        answer = self.transport.request(
            "DELETE", self._path(namespace, name), None if body else query, body
        )
        if wait and not dry_run:
            uid = (answer.get("details") or answer.get("metadata") or {}).get("uid")
            self.wait_deleted(name, timeout, namespace, uid)

    def delete_collection(
        self,
        label_selector: Optional[str] = None,
        field_selector: Optional[str] = None,
        propagation: str = "Background",
        grace: Optional[int] = None,
        namespace: Optional[str] = None,
        dry_run: bool = False,
    ) -> List[K]:
        """Deletes all objects of the namespace that match the selectors: without selectors, all.
        Returns the objects as they were before. ``propagation`` and ``grace`` are as in ``delete``.
        """
        selectors = {"labelSelector": label_selector, "fieldSelector": field_selector}
        query = {**selectors, **_deletion(propagation, grace, dry_run)}
        answer = self.transport.request("DELETE", self._path(namespace), query)
        return [self.kind.from_dict(item) for item in self._typed(answer.get("items") or ())]

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
        yielded as events. It ends after ``timeout``; by default it does not end. Raises
        errors.Unreachable if the server cannot be reached and never was by this client. The
        ``status`` of an object is None until its controller has seen the object.
        """
        fields = [f"metadata.name={name}"] if name else []
        fields += [field_selector] if field_selector else []
        query = {"labelSelector": label_selector, "fieldSelector": ",".join(fields) or None}
        return Watch(
            self, self._path(namespace, everywhere=all_namespaces), query, resource_version, timeout
        )

    def _path(self, namespace: Optional[str], *rest: str, everywhere: bool = False) -> str:
        kind = self.kind
        path = ["apis", kind.GROUP, kind.VERSION] if kind.GROUP else ["api", kind.VERSION]
        if kind.NAMESPACED and not everywhere:
            path += ["namespaces", namespace or self.namespace]
        elif namespace:
            raise ValueError(f"{kind.KIND} is cluster-scoped: namespace must not be set")
        return segments(*path, kind.PLURAL, *rest)

    def _home(self, obj: K, namespace: Optional[str]) -> Optional[str]:
        """Returns the namespace that an object or an argument sets. Raises TypeError if the object
        is of another kind."""
        root = isinstance(obj, Mapping) and (isinstance(obj, Object) or not isinstance(obj, Model))
        found = obj["kind"] if root and "kind" in obj else self.kind.KIND
        if not root or found != self.kind.KIND:
            raise TypeError(
                f"expected a {self.kind.KIND}, not {found if root else type(obj).__name__}"
            )
        own = _meta(obj, "namespace")
        if own and namespace and own != namespace:
            raise ValueError(f"the object is of namespace {own!r}, not {namespace!r}")
        return own or namespace

    def _place(self, obj: K, namespace: Optional[str], subresource: str = "") -> str:
        """Returns the path of an object that has a name, or of its subresource."""
        home, name = self._home(obj, namespace), _meta(obj, "name")
        if not name:
            raise ValueError(f"{self.kind.KIND}: metadata.name is required")
        return self._path(home, name, *filter(None, [subresource]))

    def _write(
        self,
        method: str,
        path: str,
        body: Any,
        dry_run: bool,
        field_validation: Optional[str],
        content_type: Optional[str] = None,
        **more: Any,
    ) -> K:
        query = {
            **more,
            "dryRun": "All" if dry_run else None,
            "fieldManager": self.field_manager,
            "fieldValidation": field_validation or self.field_validation,
        }
        content_type = content_type or body_type(method, body)
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
        pages = dict(query)
        while True:
            try:
                page = self.transport.request("GET", path, pages, timeout=timeout)
            except errors.Gone:
                if "continue" not in pages:
                    raise
                items, pages = [], {**query, "limit": None}  # as a whole it cannot grow too old
                continue
            items += self._typed(page["items"])
            pages["continue"] = page["metadata"].get("continue")
            if not pages["continue"]:
                return items, page["metadata"]["resourceVersion"]

    def _typed(self, items: Iterable[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
        """Yields the items of a list with apiVersion and kind, which the API server leaves out of
        lists of its own kinds."""
        types = {"apiVersion": self.kind.API_VERSION, "kind": self.kind.KIND}
        return ({**types, **item} for item in items)


def _deletion(propagation: str, grace: Optional[int], dry_run: bool) -> Dict[str, Any]:
    """Returns the options of a deletion."""
    options: Dict[str, Any] = {"propagationPolicy": propagation}
    options.update({} if grace is None else {"gracePeriodSeconds": grace})
    options.update({"dryRun": ["All"]} if dry_run else {})
    return options
