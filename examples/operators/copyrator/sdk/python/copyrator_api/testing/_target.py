# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a request is for, and the errors that name it."""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Type

from .. import _model
from ._answers import Refused
from ._store import Key, Resource


class Target(NamedTuple):
    """The parts of a request's path, and the model of the kind if there is one."""

    group: str
    version: str
    plural: str
    namespace: str
    name: str
    subresource: str
    kind: Optional[Type[_model.Object]]

    @property
    def resource(self) -> Resource:
        """Group and plural."""
        return self.group, self.plural

    @property
    def key(self) -> Key:
        """Namespace and name."""
        return self.namespace, self.name

    @property
    def api_version(self) -> str:
        """Group and version as ``apiVersion`` has them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def kind_name(self) -> str:
        """The kind, "" if there is no model."""
        return self.kind.KIND if self.kind else ""

    def titled(self, name: str = "") -> str:
        """Returns a resource or a kind, by default this resource, as messages have it."""
        return f"{name or self.plural}.{self.group}" if self.group else name or self.plural

    def _details(self, kind: str = "") -> Dict[str, Any]:
        return {"name": self.name, "group": self.group, "kind": kind or self.plural}

    def missing(self) -> Refused:
        """Returns the error of an object that does not exist."""
        return Refused(404, f'{self.titled()} "{self.name}" not found', **self._details())

    def exists(self) -> Refused:
        """Returns the AlreadyExists error of an object."""
        text = f'{self.titled()} "{self.name}" already exists'
        return Refused(409, text, "AlreadyExists", **self._details())

    def conflict(self, text: str, kind: str = "") -> Refused:
        """Returns the error of an object that is another one than expected."""
        text = f'Operation cannot be fulfilled on {self.titled(kind)} "{self.name}": {text}'
        return Refused(409, text, **self._details(kind))

    def invalid(self, found: Mapping[str, str], kind: str = "") -> Refused:
        """Returns the error of values that are not allowed: what is wrong by path."""
        kind = kind or self.kind_name
        said = {path: f"Invalid value: {text}" for path, text in found.items()}
        shown = ", ".join(f"{path}: {text}" for path, text in said.items())
        shown = f"[{shown}]" if len(said) > 1 else shown
        causes = [("FieldValueInvalid", text, path) for path, text in said.items()]
        text = f'{self.titled(kind)} "{self.name}" is invalid: {shown}'
        return Refused(422, text, causes=causes, **self._details(kind))
