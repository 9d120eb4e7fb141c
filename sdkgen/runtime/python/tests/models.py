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
    metadata: Optional[V1ObjectMeta] = _model.field("metadata", "V1ObjectMeta", default=None)
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
