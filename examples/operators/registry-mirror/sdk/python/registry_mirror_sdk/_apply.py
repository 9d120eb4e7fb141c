# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Server-side apply: declaring fields, finding those that were declared, and what would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Optional, Type

from . import _partial, _wire, errors
from ._wait import meta
from ._watch import K

_APPLY = "application/apply-patch+yaml"


class Applies(Generic[K]):
    """How a client applies its objects."""

    kind: Type[K]
    field_manager: str

    if TYPE_CHECKING:

        def get(self, name: str, namespace: Optional[str] = None) -> K: ...
        def _home(self, obj: K, namespace: Optional[str]) -> Optional[str]: ...
        def _place(self, obj: K, namespace: Optional[str], subresource: str = "") -> str: ...
        def _write(
            self,
            method: str,
            path: str,
            body: Any,
            dry_run: bool,
            field_validation: Optional[str],
            content_type: Optional[str] = None,
            **more: Any,
        ) -> K: ...

    def apply(
        self,
        obj: K,
        force: bool = False,
        namespace: Optional[str] = None,
        dry_run: bool = False,
        field_validation: Optional[str] = None,
        subresource: str = "",
    ) -> K:
        """Applies an object by server-side apply; it is created if it does not exist.

        The ``field_manager`` owns every field that is set. A constructor sets defaults, too:
        ``Kind.partial`` builds an object that has nothing but what it is given. Fields that the
        manager owned before and that are not set any more are removed. Status, unless it is the
        ``subresource``, and the metadata that the server maintains are not sent, so an object that
        was read can be applied; its resource version is ignored.

        Raises:
            errors.Conflict: another manager owns a field, and ``force`` is not set.
            ValueError: the object has no name.
        """
        path = self._place(obj, namespace, subresource)
        body = _partial.clean(obj)
        if subresource == "status":
            body["status"] = _wire.plain(obj).get("status")
        return self._write("PATCH", path, body, dry_run, field_validation, _APPLY, force=force)

    def extract(self, obj: K, manager: Optional[str] = None, subresource: str = "") -> K:
        """Returns the fields of an object that a manager has applied, to be changed and applied
        again. It sends no request.

        Args:
            obj (K): as the API server gave it, with ``metadata.managedFields``.
            manager (Optional[str]): default the client's ``field_manager``.
            subresource (str): "status" for what was applied to the status. Default the object.

        Returns:
            An object like one of ``Kind.partial``, with name and namespace. It has no other fields
            if the manager has applied none.

        Raises:
            ValueError: the object has no ``metadata.managedFields``.
        """
        fields = _partial.extract(obj, manager or self.field_manager, subresource)
        return self.kind.from_dict(fields)

    def diff(self, obj: K, force: bool = False, namespace: Optional[str] = None) -> str:
        """Returns what ``apply`` would change, by a dry run: a unified diff of the object's YAML
        before and after, without status and the metadata that the server maintains.

        It is "" if nothing would change, and all of the object if it does not exist. Raises what
        ``apply`` raises.
        """
        from difflib import unified_diff

        after = self.apply(obj, force, namespace, dry_run=True)
        name = meta(obj, "name")
        try:
            before = self.get(name, self._home(obj, namespace)).clean().to_yaml()
        except errors.NotFound:
            before = ""
        old, new = before.splitlines(True), after.clean().to_yaml().splitlines(True)
        return "".join(unified_diff(old, new, f"{name} (live)", f"{name} (applied)"))
