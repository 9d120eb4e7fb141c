# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Creating, changing and deleting objects as an API server does."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any, Callable, List, Mapping, NamedTuple, Optional

from . import _fields, _schema
from ._answers import Refused
from ._fields import Fields
from ._store import Object, Store, Writer, managed
from ._target import Target

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAMED = "a lowercase RFC 1123 subdomain must consist of lower case letters, digits, '-' and '.'"
_MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)
_FIXED = "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"


class Options(NamedTuple):
    """How to write: who, with ``fieldValidation``, only as a test, over conflicts, and with values
    that the schema does not allow."""

    manager: str
    validation: str = "Ignore"
    dry_run: bool = False
    force: bool = False
    unchecked: bool = False


class Writes:
    """Changes the objects of a store. The caller holds its lock. ``warnings`` are the texts for the
    answer's headers."""

    def __init__(self, store: Store, target: Target, options: Options) -> None:
        self.store, self.target, self.options = store, target, options
        self.warnings: List[str] = []

    def create(self, body: Any) -> Object:
        """Creates an object. Raises Refused."""
        return self._create(self._read(body), None)

    def _create(self, obj: Object, applied: Optional[Fields]) -> Object:
        meta = obj["metadata"]
        if meta.get("resourceVersion"):
            raise Refused(500, "resourceVersion should not be set on objects to be created")
        if not meta.get("name") and meta.get("generateName"):
            meta["name"] = meta["generateName"] + self.store.suffix()
        self.target = target = self.target._replace(name=str(meta.get("name") or ""))
        if not _NAME.fullmatch(target.name) or len(target.name) > 253:
            raise target.invalid({"metadata.name": f'"{target.name}": {_NAMED}'})
        if self.store.get(target.resource, target.key) is not None:
            raise target.exists()
        if self._has_status():
            obj.pop("status", None)
        for key in (*_FIXED, "managedFields"):
            meta.pop(key, None)
        meta.update(uid=self.store.uid(), generation=1, creationTimestamp=self.store.now())
        return self._finish({}, obj, applied)

    def replace(self, body: Any) -> Object:
        """Replaces an object. Raises Refused."""
        live, obj = self._live(), self._read(body)
        if not obj["metadata"].get("resourceVersion") and self.target.group and self.target.kind:
            found = {"metadata.resourceVersion": "0: must be specified for an update"}
            raise self.target.invalid(found, self.target.plural)
        return self._update(live, obj)

    def patch(self, change: Callable[[Object], Any]) -> Object:
        """Stores what a function makes of an object. Raises Refused."""
        live = self._live()
        return self._update(live, self._read(change(live), 422))

    def apply(self, body: Any) -> Object:
        """Applies a configuration. Raises Refused, on conflicts unless they are forced."""
        target, store = self.target, self.store
        given = self._read(body, 500)
        if "managedFields" in given["metadata"]:
            raise Refused(400, "metadata.managedFields must be nil")
        wanted, live = self._owned(given), store.get(target.resource, target.key)
        if live is None:
            if target.subresource:
                raise target.missing()
            _schema.default(given, _schema.root(target.kind))
            return self._create(given, wanted)
        self._expect(live, given["metadata"])
        root, owners = _schema.whole(target.kind), store.owners(target.resource, target.key)
        mine = self._writer("Apply")
        out = _fields.merged(live, self._scoped(live, given), root)
        written, _ = _fields.changed(live, out, root)
        self._conflicts(owners, mine, written & wanted)
        others = frozenset().union(*(f for w, (f, _) in owners.items() if w != mine))
        gone = owners[mine][0] - wanted - others if mine in owners else frozenset()
        return self._update(live, _fields.without(out, gone, root), wanted)

    def _conflicts(self, owners: Mapping[Writer, Any], mine: Writer, written: Fields) -> None:
        found = [
            (w, f) for w in sorted(owners) if w != mine for f in sorted(owners[w][0] & written)
        ]
        if not found or self.options.force:
            return
        causes = []
        for writer, field in found:
            text = f"conflict with {_shown(writer)}"
            causes.append(("FieldManagerConflict", text, _fields.dotted(field)))
        lines = [f"{text}: {field}" for _, text, field in causes]
        number = f"{len(lines)} conflict{'s' if lines[1:] else ''}"
        raise Refused(409, f"Apply failed with {number}: {'; '.join(lines)}", causes=causes)

    def delete(self, options: Mapping[str, Any]) -> Optional[Object]:
        """Deletes an object. Returns it if finalizers keep it, or else None. Raises Refused."""
        live, target = self._live(), self.target
        wanted = options.get("preconditions") or {}
        for key, title in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
            value = live["metadata"][key]
            if wanted.get(key) not in (None, "", value):
                text = f"the {title} in the precondition ({wanted[key]}) does not match the {title}"
                text += f" in record ({value}). The object might have been deleted and recreated"
                raise target.conflict(text, target.kind_name)
        if live["metadata"].get("finalizers"):
            obj = deepcopy(live)
            obj["metadata"].setdefault("deletionTimestamp", self.store.now())
            obj["metadata"].setdefault("deletionGracePeriodSeconds", 0)
            return obj if self.options.dry_run else self._put(live, obj)
        if not self.options.dry_run:
            self._remove(options.get("propagationPolicy") != "Orphan")
        return None

    def _remove(self, dependents: bool) -> None:
        gone = self.store.remove(self.target.resource, self.target.key)
        uid = gone["metadata"]["uid"]
        for resource, found in [*self.store.objects.items()] if dependents else ():
            for key, obj in [*found.items()]:
                if any(o.get("uid") == uid for o in obj["metadata"].get("ownerReferences") or ()):
                    group, plural = resource
                    other = self.target._replace(
                        group=group, plural=plural, namespace=key[0], name=key[1]
                    )
                    Writes(self.store, other, self.options).delete({})

    def _live(self) -> Object:
        found = self.store.get(self.target.resource, self.target.key)
        if found is None:
            raise self.target.missing()
        return found

    def _has_status(self) -> bool:
        kind = self.target.kind
        return kind is None or not kind._fields or "status" in kind._fields

    def _read(self, body: Any, strict: int = 400) -> Object:
        """Returns an object that was sent, pruned and with defaults; of an apply without. Raises
        Refused, with the status ``strict`` if a field is unknown: 500 in an apply."""
        if not isinstance(body, dict) or not isinstance(body.get("metadata", {}), dict):
            raise Refused(400, "the body of the request is not an object")
        obj = deepcopy(body)
        self._fits(obj)
        known = _schema.root(self.target.kind)
        unknown = _schema.prune(obj, known)
        texts = [f'unknown field "{path}"' for path in unknown]
        if strict == 500:
            if unknown:
                text = f".{unknown[0]}: field not declared in schema"
                raise Refused(500, f"failed to create typed patch object: {text}")
            return obj
        if texts and self.options.validation == "Strict":
            said = f'{obj["kind"]} in version "{self.target.version}"'
            text = f"{said} cannot be handled: strict decoding error: {', '.join(texts)}"
            raise Refused(strict, text)
        self.warnings += texts if self.options.validation == "Warn" else []
        _schema.default(obj, known)
        return obj

    def _fits(self, obj: Object) -> None:
        """Checks what an object says of itself by the path. Raises Refused."""
        target, meta = self.target, obj.setdefault("metadata", {})
        version = obj.setdefault("apiVersion", target.api_version)
        if version != target.api_version:
            text = (
                f"the API version in the data ({version}) does not match the expected API version"
            )
            raise Refused(400, f"{text} ({target.api_version})")
        if target.kind and obj.setdefault("kind", target.kind_name) != target.kind_name:
            found = {"kind": f'"{obj["kind"]}": must be {target.kind_name}'}
            raise target._replace(name=meta.get("name", "")).invalid(found, obj["kind"])
        if target.namespace and meta.setdefault("namespace", target.namespace) != target.namespace:
            text = "the namespace of the provided object does not match the namespace sent"
            raise Refused(400, f"{text} on the request")
        if target.name and (meta.get("name") or target.name) != target.name:
            text = f"the name of the object ({meta['name']}) does not match the name on the URL"
            raise Refused(400, f"{text} ({target.name})")
        if target.name:
            meta["name"] = target.name

    def _scoped(self, live: Object, obj: Object) -> Object:
        """Returns what the endpoint changes of an object: the status, or all but it."""
        if self.target.subresource == "status":
            kept = {key: value for key, value in live.items() if key != "status"}
            return {**kept, **({"status": obj["status"]} if "status" in obj else {})}
        if not self._has_status():
            return obj
        kept = {key: value for key, value in obj.items() if key != "status"}
        return {**kept, **({"status": live["status"]} if "status" in live else {})}

    def _expect(self, live: Object, meta: Mapping[str, Any]) -> None:
        old = live["metadata"]
        if meta.get("uid") not in (None, "", old["uid"]):
            text = f"UID in precondition: {meta['uid']}, UID in object meta: {old['uid']}"
            raise self.target.conflict(f"Precondition failed: {text}")
        if meta.get("resourceVersion") not in (None, "", old["resourceVersion"]):
            raise self.target.conflict(_MODIFIED)

    def _update(self, live: Object, obj: Object, applied: Optional[Fields] = None) -> Object:
        self._expect(live, obj["metadata"])
        obj = self._scoped(live, obj)
        old, meta = live["metadata"], {**obj["metadata"]}
        for key in (*_FIXED, "name", "namespace", "generation", "resourceVersion", "managedFields"):
            meta.pop(key, None)
            meta.update({key: old[key]} if key in old else {})
        obj = {**obj, "metadata": meta}
        if applied is not None:
            _schema.default(obj, _schema.root(self.target.kind))
        content = [
            {k: v for k, v in o.items() if k not in ("metadata", "status")} for o in (live, obj)
        ]
        meta["generation"] = old.get("generation", 1) + (content[0] != content[1])
        return self._finish(live, obj, applied)

    def _finish(self, live: Object, obj: Object, applied: Optional[Fields]) -> Object:
        """Validates and stores an object, and notes who owns what has changed."""
        target, store, kind = self.target, self.store, self.target.kind
        known = _schema.problems(kind, live) if live else []
        found = {
            path: text for path, text in _schema.problems(kind, obj) if (path, text) not in known
        }
        if found and not self.options.unchecked:
            raise target.invalid(found)
        written, removed = _fields.changed(live, obj, _schema.whole(kind))
        owners = store.owners(target.resource, target.key) if live else {}
        mine = self._writer("Update" if applied is None else "Apply")
        old = owners.get(mine, (frozenset(), ""))
        for writer, (fields, since) in [*owners.items()]:
            lost = removed if writer == mine else removed | written
            owners[writer] = fields - lost, since
        new = owners[mine][0] | written if mine in owners and applied is None else written
        new = applied if applied is not None else new - removed
        owners[mine] = new, store.now() if new != old[0] or written else old[1]
        owners = {writer: owned for writer, owned in owners.items() if owned[0]}
        out = {**obj, "metadata": {**obj["metadata"], "managedFields": managed(owners)}}
        if out == live:
            return live
        if self.options.dry_run:
            return out
        store.own(target.resource, target.key, owners)
        return self._put(live, out)

    def _put(self, live: Object, obj: Object) -> Object:
        stored = self.store.put(self.target.resource, self.target.key, obj)
        if "deletionTimestamp" in stored["metadata"] and not stored["metadata"].get("finalizers"):
            return self.store.remove(self.target.resource, self.target.key)
        return stored

    def _writer(self, operation: str) -> Writer:
        target = self.target
        return self.options.manager, operation, target.api_version, target.subresource

    def _owned(self, given: Object) -> Fields:
        status = self.target.subresource == "status"
        fields = _fields.owned(given, _schema.whole(self.target.kind))
        if not self._has_status():
            return fields
        return frozenset(f for f in fields if (f[0] == "f:status") is status)


def _shown(writer: Writer) -> str:
    manager, operation, version, subresource = writer
    out = f'"{manager}"' + (f' with subresource "{subresource}"' if subresource else "")
    return out + (f" using {version}" if operation == "Update" else "")
