# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Models declared by hand, as sdkgen writes them: a field of each type."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from runtime.python import _model

if TYPE_CHECKING:
    from kubernetes.client import V1ObjectMeta


class Part(_model.Model):
    """A part of a Sample."""

    name: str = _model.field("name", "str")
    """name of the part,
    on two lines."""
    count: Optional[int] = _model.field("count", "int", default=3, rules={"minimum": 1})
    inner: Optional[Part] = _model.field("inner", "Part", default=None)


class Sample(_model.Object):
    """A root kind."""

    API_VERSION = "example.org/v1"
    GROUP = "example.org"
    VERSION = "v1"
    KIND = "Sample"
    PLURAL = "samples"
    api_version: Optional[str] = _model.field("apiVersion", "str", default="example.org/v1")
    kind: Optional[str] = _model.field("kind", "str", default="Sample")
    metadata: _model.Held[Optional[V1ObjectMeta]] = _model.field(
        "metadata", "V1ObjectMeta", default=None
    )
    """metadata of the sample."""
    main_part: Part = _model.field("mainPart", "Part")
    parts: Optional[List[Part]] = _model.field("parts", "list[Part]", default=None)
    by_name: Optional[Dict[str, Part]] = _model.field("byName", "dict(str, Part)", default=None)
    labels: Optional[Dict[str, str]] = _model.field("labels", "dict(str, str)", default=None)
    names: Optional[List[str]] = _model.field(
        "names", "list[str]", default=["a"], rules={"maxItems": 3, "x-kubernetes-list-type": "set"}
    )
    paused: Optional[bool] = _model.field("paused", "bool", default=None)
    ratio: Optional[float] = _model.field("ratio", "float", default=None, rules={"maximum": 1})
    port: Optional[Union[int, str]] = _model.field(
        "port", "object", default=None, rules={"x-kubernetes-int-or-string": True}
    )
    mode: Optional[str] = _model.field("mode", "str", default="On", rules={"enum": ["On", "Off"]})
    started: Optional[datetime] = _model.field("started", "datetime", default=None)
    anything: Any = _model.field("anything", "object", default=None)


class Holder(_model.Model):
    """A model with a required value that may be null."""

    value: Optional[str] = _model.field("value", "str", rules={"nullable": True})


@_model.deprecated("use Part.")
class Old(_model.Model):
    """A deprecated part."""

    letter: Optional[str] = _model.field("letter", "str", default=None)


class Aged(_model.Model):
    """A model with deprecated attributes of each kind."""

    size: _model.Deprecated[Optional[int]] = _model.field(
        "size", "int", default=3, deprecated="use parts."
    )
    """size of it."""
    must: _model.Deprecated[str] = _model.field("must", "str", deprecated="it does nothing.")
    names: _model.Deprecated[Optional[List[str]]] = _model.field(
        "names", "list[str]", default=["a"], deprecated="use parts."
    )
    since: _model.Deprecated[Optional[datetime]] = _model.field(
        "since", "datetime", default=None, deprecated="use parts."
    )
    metadata: _model.DeprecatedHeld[Optional[V1ObjectMeta]] = _model.field(
        "metadata", "V1ObjectMeta", default=None, deprecated="use parts."
    )
    parts: Optional[List[Part]] = _model.field("parts", "list[Part]", default=None)
    old: Optional[Old] = _model.field("old", "Old", default=None)
    inner: Optional[Aged] = _model.field("inner", "Aged", default=None)
