# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The schema of a kind that the API server has installed, compared with its model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Dict, Generic, Iterator, List, Mapping, Optional, Type

from . import _check, _kubernetes, errors
from ._kind import Field, Kind
from ._transport import Transport, segments
from ._watch import K

Schema = Mapping[str, Any]

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_TYPES.update({"list": "array", "datetime": "string"})
_EITHER = "integer or string"
_KEPT = "x-kubernetes-preserve-unknown-fields"


@dataclass(frozen=True)
class Difference:
    """A field that the API server and this package do not have alike.

    Attributes:
        path (str): such as "spec.containers.image", for "image" of each item of the list.
        problem (str): what differs.
        missing (Optional[str]): who does not have the field, "server" or "package". None if both
            have it, and its type, values, default, or whether it is required differ.
    """

    path: str
    problem: str
    missing: Optional[str] = None

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


class Installed(Generic[K]):
    """What a client tells of the kind that the API server has."""

    kind: Type[K]
    transport: Transport

    def check(self) -> List[Difference]:
        """Compares the schema that the API server has of this kind with the model: which fields
        there are, with type, enumeration and default, and whether they are required.

        The schema is read from the CustomResourceDefinition, or if that is forbidden or does not
        exist, from the OpenAPI document of the server. Metadata is not compared.

        Returns:
            The differences, none if the server and this package agree.

        Raises:
            errors.NotFound: the server does not serve this kind in this version.
            TypeError: the kind has no model.
        """
        if not self.kind._fields:
            raise TypeError(f"{self.kind.__name__} has no model to compare")
        vars(self).pop("_schema", None)
        return [*compare(self.kind, self._schema)]

    def supports(self, path: str) -> bool:
        """Says whether the API server has a field, such as "spec.flux.submitCommand".

        The path has the JSON names of fields, without the keys and indexes of maps and lists, such
        as "spec.containers.image"; what stands in brackets is ignored: "spec.containers[0].image".
        The schema is read once; ``check`` reads it again. Raises what ``check`` raises.
        """
        schema = self._schema
        first, *rest = names = re.sub(r"\[[^]]*\]", "", path).split(".")
        if first == "metadata" and rest:  # the server adds its schema to that of each kind
            return rest[0] in _kubernetes.members(_kubernetes.find("V1ObjectMeta"))
        for name in names:
            schema = _innermost(schema)
            if name not in schema.get("properties", {}):
                return bool(schema.get(_KEPT))
            schema = schema["properties"][name]
        return True

    @cached_property
    def _schema(self) -> Schema:
        kind, found = self.kind, None
        crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        try:
            path = crd + segments(f"{kind.PLURAL}.{kind.GROUP}")
            versions = self.transport.request("GET", path)["spec"]["versions"]
            served = (v for v in versions if v["name"] == kind.VERSION and v["served"])
            found = next((v["schema"]["openAPIV3Schema"] for v in served), None)
        except (errors.Forbidden, errors.NotFound):
            found = self._published()
        if found is None:
            text = f"the API server does not serve {kind.KIND} of {kind.API_VERSION}"
            raise errors.NotFound(404, "NotFound", text)
        schema: Schema = found
        return schema

    def _published(self) -> Optional[Schema]:
        """Returns the schema of the OpenAPI document of the kind's version."""
        kind = self.kind
        group = segments("apis", kind.GROUP) if kind.GROUP else "/api"
        try:
            document = self.transport.request("GET", f"/openapi/v3{group}{segments(kind.VERSION)}")
        except errors.NotFound:
            return None
        schemas = document["components"]["schemas"]
        wanted = {"group": kind.GROUP, "version": kind.VERSION, "kind": kind.KIND}
        for schema in schemas.values():
            if wanted in schema.get("x-kubernetes-group-version-kind", ()):
                return _resolved(schema, schemas, ())
        return None


def _resolved(schema: Any, schemas: Schema, within: Any) -> Dict[str, Any]:
    """Returns a schema with those that it refers to in their places, but for itself."""
    name = next((s["$ref"] for s in [schema, *schema.get("allOf", ())] if "$ref" in s), "")
    if name in within:
        return {"type": "object", _KEPT: True}
    target = schemas[name.rpartition("/")[2]] if name else {}
    out, within = {**target, **schema}, (*within, *filter(None, [name]))
    if "properties" in out:
        out["properties"] = {
            key: _resolved(value, schemas, within) for key, value in out["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = _resolved(out[key], schemas, within)
    return out


def _innermost(schema: Schema) -> Schema:
    """Returns the schema of the items of a list or map, or of lists of them."""
    while True:
        inner = schema.get("items", schema.get("additionalProperties"))
        if not isinstance(inner, Mapping) or "properties" in schema:
            return schema
        schema = inner


def compare(model: Any, schema: Schema, path: str = "") -> Iterator[Difference]:
    """Yields what differs between a model and an object's schema."""
    fields = {field.key: field for field in model._fields.values()}
    properties, required = schema.get("properties", {}), schema.get("required", ())
    skipped = () if path else ("apiVersion", "kind", "metadata")
    for key, field in fields.items():
        at = _check.join(path, key)
        if key in skipped:
            continue
        if key in properties:
            yield from _field(field, properties[key], key in required, at)
        elif not schema.get(_KEPT):
            yield Difference(at, "the API server does not have this field", "server")
    for key in properties:
        if key not in fields and key not in skipped:
            at = _check.join(path, key)
            yield Difference(at, "this package does not have this field", "package")


def _field(field: Field, schema: Schema, required: bool, path: str) -> Iterator[Difference]:
    """Yields what differs between a field and its schema."""
    wanted = field.default is ...
    if wanted != required:
        who = "this package" if wanted else "the API server"
        yield Difference(path, f"only {who} requires a value")
    ours, theirs = None if wanted else field.default, schema.get("default")
    if ours != theirs:
        yield _differs(path, "default", ours, theirs)
    yield from _value(field.kind, field.rules, schema, path)


def _value(kind: Kind, rules: _check.Rules, schema: Schema, path: str) -> Iterator[Difference]:
    """Yields what differs between a type and a schema."""
    ours = _EITHER if rules.get("x-kubernetes-int-or-string") else rules.get("type")
    ours = ours or ("" if kind.native is object else _TYPES.get(kind.name, "object"))
    either = schema.get("x-kubernetes-int-or-string")
    theirs = _EITHER if either else schema.get("type", "")
    if ours and theirs and ours != theirs:
        yield _differs(path, "type", ours, theirs)
        return
    enums = [sorted(found.get("enum") or (), key=str) for found in (rules, schema)]
    if enums[0] != enums[1]:
        yield _differs(path, "values", *(", ".join(map(str, enum)) or None for enum in enums))
    inner = schema.get("items" if kind.name == "list" else "additionalProperties")
    if kind.inner is not None and isinstance(inner, Mapping):
        of = rules.get("items" if kind.name == "list" else "additionalProperties", {})
        yield from _value(kind.inner, of, inner, path)
    elif kind.own is not None:
        yield from compare(kind.own, schema, path)


def _differs(path: str, what: str, ours: Any, theirs: Any) -> Difference:
    shown = ("none" if value is None else value for value in (ours, theirs))
    return Difference(path, "{}: {} in this package, {} on the API server".format(what, *shown))
