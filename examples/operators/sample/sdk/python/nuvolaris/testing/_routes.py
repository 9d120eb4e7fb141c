# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Which request does what."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, List, Mapping, Tuple, Type

from .. import _model
from . import _patches, _schema
from ._answers import Refused
from ._http import Answer, Request
from ._reads import Lists, Watching, selected
from ._store import Object, Store, time_of
from ._target import Target
from ._writes import Options, Writes

# The paths of replicas in spec and status, and of the selector.
Paths = Tuple[str, str, str]

_APPLY, _MERGE, _JSON = (
    f"application/{kind}" for kind in ("apply-patch+yaml", "merge-patch+json", "json-patch+json")
)
_SCALE = "autoscaling/v1"


def parse(path: str) -> Target:
    """Returns what a path is for. Raises Refused if it is none of an API."""
    api, *rest = path.strip("/").split("/")
    if api == "api" and len(rest) > 1:
        group, (version, *rest) = "", rest
    elif api == "apis" and len(rest) > 2:
        group, version, *rest = rest
    else:
        raise Refused(404, "the server could not find the requested resource")
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        namespace, rest = rest[1], rest[2:]
    plural, name, part, *more = [*rest, "", ""][: max(3, len(rest))]
    if more:
        raise Refused(404, "the server could not find the requested resource")
    return Target(group, version, plural, namespace, name, part, _schema.of(group, version, plural))


class Routes:
    """Answers requests. The caller holds the store's lock."""

    def __init__(
        self, store: Store, watches: List[Watching], scale_paths: Dict[Type[_model.Object], Paths]
    ) -> None:
        self._store, self._watches, self._scale_paths = store, watches, scale_paths
        self._lists = Lists(store)

    def answer(self, request: Request, target: Target) -> Answer:
        """Answers a request. Raises Refused."""
        query, method = request.query, request.method
        options = _options(request)
        writes = Writes(self._store, target, options)
        if method == "GET":
            return self._get(target, query)
        if method == "DELETE":
            return self._delete(writes, target, {**query, **(request.body or {})}, query)
        if target.subresource == "scale":
            return Answer(self._scaled(writes, target, request))
        if target.subresource not in ("", "status"):
            raise Refused(404, "the server could not find the requested resource")
        if method == "POST":
            answer = Answer(writes.create(request.body), 201)
        elif method == "PUT":
            answer = Answer(writes.replace(request.body))
        elif method == "PATCH":
            answer = Answer(self._patch(writes, request))
        else:
            raise Refused(405, f"the server does not allow this method: {method}")
        answer.warnings = writes.warnings
        return answer

    def _get(self, target: Target, query: Mapping[str, str]) -> Answer:
        if not target.name and query.get("watch") in ("true", "True", "1"):
            watch = Watching(self._store, target, query)
            self._watches.append(watch)
            answer = Answer(watch.lines())
            answer.close = partial(self._end, watch)
            return answer
        if not target.name:
            return Answer(self._lists.list(target, query))
        found = self._store.get(target.resource, target.key)
        if found is None:
            raise target.missing()
        if target.subresource == "log" and target.resource == ("", "pods"):
            return Answer(_log(self._store.logs.get(target.key, ""), query))
        return Answer(self._scale(target, found) if target.subresource == "scale" else found)

    def _end(self, watch: Watching) -> None:
        watch.close()
        with self._store.lock:
            if watch in self._watches:
                self._watches.remove(watch)

    def _patch(self, writes: Writes, request: Request) -> Object:
        body, kind = request.body, request.headers.get("content-type", "").partition(";")[0]
        if kind == _APPLY:
            if not request.query.get("fieldManager"):
                raise Refused(
                    422, "PatchOptions.meta.k8s.io is invalid: fieldManager: Required value"
                )
            return writes.apply(body)
        if kind == _MERGE:
            return writes.patch(lambda live: _patches.merge(live, body))
        if kind == _JSON:
            return writes.patch(lambda live: _patches.apply(live, body))
        raise Refused(415, f"the body of the request was in an unknown format: {kind}")

    def _delete(
        self, writes: Writes, target: Target, options: Mapping[str, Any], query: Mapping[str, str]
    ) -> Answer:
        if not target.name:
            wanted, gone = selected(target, query), []
            for obj in self._store.all(target.resource, target.namespace):
                if wanted(obj):
                    meta = obj["metadata"]
                    one = target._replace(namespace=meta.get("namespace", ""), name=meta["name"])
                    Writes(self._store, one, writes.options).delete(options)
                    gone.append(obj)
            kind = target.kind.KIND if target.kind else ""
            meta = {"resourceVersion": str(self._store.version)}
            said = {"apiVersion": target.api_version, "kind": f"{kind}List", "metadata": meta}
            return Answer({**said, "items": gone})
        before = self._store.get(target.resource, target.key)
        left = writes.delete(options)
        if before is None or left is not None:
            return Answer(left)
        details = {"name": target.name, "group": target.group, "kind": target.plural}
        details["uid"] = before["metadata"]["uid"]
        said = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
        return Answer({**said, "details": details})

    def _paths(self, target: Target) -> Paths:
        """Returns the paths of the scale subresource. Raises Refused if the kind has none."""
        kind = target.kind
        if kind is None:
            raise Refused(404, "the server could not find the requested resource")
        if kind in self._scale_paths:
            return self._scale_paths[kind]
        spec = (_schema.root(kind) or {}).get("spec")
        known = (_schema.members(spec.kind) if spec else None) or {}
        name = next((key for key in ("replicas", "size") if key in known), None)
        if name is None:
            raise Refused(404, "the server could not find the requested resource")
        return f"spec.{name}", f"status.{name}", "status.selector"

    def _scale(self, target: Target, obj: Object) -> Object:
        spec, status, selector = (_at(obj, path) for path in self._paths(target))
        kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        meta = {key: obj["metadata"][key] for key in kept if key in obj["metadata"]}
        seen = {"replicas": status or 0, **({"selector": selector} if selector else {})}
        wanted = {} if spec is None else {"replicas": spec}
        said = {"kind": "Scale", "apiVersion": _SCALE, "metadata": meta}
        return {**said, "spec": wanted, "status": seen}

    def _scaled(self, writes: Writes, target: Target, request: Request) -> Object:
        path = self._paths(target)[0]

        def change(live: Object) -> Object:
            scale: Any = self._scale(target, live)
            if request.method == "PUT":
                scale = request.body
            elif request.headers.get("content-type") == _JSON:
                scale = _patches.apply(scale, request.body)
            else:
                scale = _patches.merge(scale, request.body)
            replicas: Any = (scale.get("spec") or {}).get("replicas", 0)
            if not isinstance(replicas, int) or replicas < 0:
                raise target.invalid({f".{path}": f"{replicas}: should be a non-negative integer"})
            for key in reversed(path.split(".")):
                replicas = {key: replicas}
            version = scale["metadata"].get("resourceVersion")
            return {
                **_patches.merge(live, replicas),
                "metadata": {**live["metadata"], "resourceVersion": version},
            }

        return self._scale(target, writes.patch(change))


def _options(request: Request) -> Options:
    query, body = request.query, request.body if request.method == "DELETE" else None
    agent = request.headers.get("user-agent", "unknown").partition("/")[0]
    dry_run = (body or {}).get("dryRun") or query.get("dryRun")
    if dry_run not in (None, "", "All", ["All"]):
        raise Refused(422, f'dryRun: Unsupported value: {dry_run!r}: supported values: "All"')
    validation = query.get("fieldValidation") or "Warn"
    return Options(
        query.get("fieldManager") or agent, validation, bool(dry_run), query.get("force") == "true"
    )


def _log(text: str, query: Mapping[str, str]) -> str:
    """Returns the lines of a log that are asked for; line N was written in second N."""
    stamped = query.get("timestamps") == "true"
    lines = text.splitlines()
    lines = lines[max(len(lines) - int(query.get("tailLines") or len(lines)), 0) :]
    return "".join(
        f"{time_of(n)} {line}\n" if stamped else f"{line}\n" for n, line in enumerate(lines)
    )


def _at(obj: Any, path: str) -> Any:
    for key in path.split("."):
        obj = (obj or {}).get(key)
    return obj
