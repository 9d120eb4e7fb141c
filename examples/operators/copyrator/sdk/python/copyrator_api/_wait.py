# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Waiting until an object meets a condition, or cannot meet it any more."""

from __future__ import annotations

import logging
from contextlib import closing, suppress
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generator,
    Generic,
    Mapping,
    Optional,
    Sequence,
    Type,
    Union,
)

from . import _wire, errors
from ._watch import K, Watch

# The type of a condition, "Type=Status", or a function of the object.
Condition = Union[str, Callable[[K], Any]]

_log = logging.getLogger(__package__)


class Waits(Generic[K]):
    """How a client waits for its objects."""

    kind: Type[K]

    if TYPE_CHECKING:

        def get(self, name: str, namespace: Optional[str] = None) -> K: ...

        def watch(self, *_: Any, **__: Any) -> Watch[K]: ...

    def wait_for(
        self,
        name: str,
        condition: Condition[K] = "Ready",
        timeout: Optional[float] = 300,
        namespace: Optional[str] = None,
        failed: Optional[Condition[K]] = None,
    ) -> K:
        """Waits until an object meets a condition, and returns it.

        Args:
            name (str): the object.
            condition (Union[str, Callable]): the type of a condition that must be True,
                "Type=Status" for another status, or a function of the object. Until the object
                has a status, an AttributeError or a TypeError of the function means no.
            timeout (Optional[float]): seconds. Default 300.
            namespace (Optional[str]): default the client's.
            failed (Union[str, Callable]): a condition in the same form that ends the wait with
                WaitFailed, even if ``condition`` is met too. A function may return the condition
                that is the cause, or a message. Default: what the client knows of its kind;
                ``Client`` knows nothing.

        Raises:
            errors.WaitFailed: the object cannot meet the condition any more.
            errors.WaitTimeout: it has not met the condition in time.
            errors.NotFound: it does not exist, or was deleted.
            errors.Unreachable: the client never reached the server, or the error is permanent.
        """
        return self._wait(name, condition, timeout, namespace, failed)

    def wait_deleted(
        self,
        name: str,
        timeout: Optional[float] = 300,
        namespace: Optional[str] = None,
        uid: Optional[str] = None,
    ) -> None:
        """Waits until the object does not exist, or has another ``uid``. Raises WaitTimeout."""

        def deletion(found: K) -> bool:
            return uid is not None and meta(found, "uid") != uid

        with suppress(errors.NotFound):
            self._wait(name, deletion, timeout, namespace, lambda found: None)

    def _meets(self, obj: K, condition: Condition[K]) -> bool:
        """Returns whether an object meets a condition of ``wait_for``. A condition with an
        ``observedGeneration`` counts if that is the generation of the object."""
        if not callable(condition):
            return _condition(obj, condition) is not None
        try:
            return bool(condition(obj))
        except (AttributeError, TypeError):
            if _wire.plain(obj).get("status") is not None:
                raise
            return False

    def _final(self, obj: K, condition: Condition[K]) -> Optional[Mapping[str, Any]]:
        """Returns the condition in the status because of which an object, which does not meet
        ``condition``, never will; None if it may. For the clients of kinds to override."""
        return None

    def _check_possible(self, name: str, what: str, namespace: Optional[str]) -> None:
        """Raises WaitFailed if an object will never have something, NotFound if it is gone."""
        found = self.get(name, namespace=namespace)
        cause = self._final(found, what)
        if cause is not None:
            raise failure(f"{self.kind.KIND} {name}: {what}", cause, found)

    def _wait(
        self,
        name: str,
        condition: Condition[K],
        timeout: Optional[float],
        namespace: Optional[str],
        failed: Optional[Condition[K]],
    ) -> K:
        wanted = f"{self.kind.KIND} {name}: {getattr(condition, '__name__', condition)}"

        def reached(found: K) -> bool:
            cause = None if failed is None else _cause(found, failed)
            met = cause is None and self._meets(found, condition)
            if failed is None and not met:
                cause = self._final(found, condition)
            if cause is not None:
                raise failure(wanted, cause, found)
            return met

        with closing(self._states(name, wanted, timeout, namespace)) as states:
            return next(filter(reached, states))

    def _states(
        self, name: str, wanted: str, timeout: Optional[float], namespace: Optional[str] = None
    ) -> Generator[K, None, None]:
        """Yields an object as it is and after each change. Ends with NotFound or WaitTimeout,
        which say what was ``wanted``."""
        last: Optional[K] = None
        with self.watch(name, timeout=timeout, namespace=namespace) as watch:
            for change, found in watch.changes:
                if change == "DELETED" or (change == "LISTED" and last is None):
                    how = "it does not exist" if last is None else "it was deleted"
                    raise errors.NotFound(404, "NotFound", f"{wanted}: {how}")
                if change != "LISTED":
                    last = self.kind.from_dict(found)
                    _log.debug("waiting for %s; %s", wanted, _Seen(last))
                    yield last
        because = f"; {watch.error}" if watch.error else ""
        raise errors.WaitTimeout(f"{wanted}: not in {timeout} s; {_Seen(last)}{because}", last)


def _cause(obj: K, failed: Condition[K]) -> Optional[Mapping[str, Any]]:
    """Returns the condition that ``failed`` finds in an object, None if the object has not
    failed."""
    if not callable(failed):
        return _condition(obj, failed)
    said = failed(obj)
    if isinstance(said, Mapping):
        return said
    name = getattr(failed, "__name__", "failed")
    return {"reason": name, "message": said if isinstance(said, str) else ""} if said else None


class _Seen:
    """The conditions of an object as one line, which is made when it is read."""

    def __init__(self, obj: Optional[Mapping[str, Any]]) -> None:
        self.obj = obj

    def __str__(self) -> str:
        if self.obj is None:
            return "last seen: nothing"
        shown = [f"{c['type']}={c['status']}{_because(c)}" for c in conditions(self.obj)]
        return f"last seen: {', '.join(shown) or 'no conditions'}"


def _because(condition: Mapping[str, Any]) -> str:
    parts = [condition[key] for key in ("reason", "message") if condition.get(key)]
    return f" ({': '.join(parts)})" if parts else ""


def failure(wanted: str, cause: Mapping[str, Any], last: Any) -> errors.WaitFailed:
    """Returns the error of what was wanted, with reason and message of the condition that is the
    cause."""
    reason, message = cause.get("reason") or "", cause.get("message") or ""
    said = ": ".join(filter(None, [reason, message])) or cause.get("type") or "it has failed"
    text = f"{wanted}: cannot be met any more: {said}"
    return errors.WaitFailed(text, reason, message, last)


def meta(obj: Mapping[str, Any], key: str) -> Any:
    """Returns a value of an object's metadata by its JSON key, "" if it is not set."""
    return (_wire.plain(obj).get("metadata") or {}).get(key) or ""


def conditions(obj: Mapping[str, Any]) -> Sequence[Dict[str, Any]]:
    """Returns the conditions in an object's status as manifests."""
    return (_wire.plain(obj).get("status") or {}).get("conditions") or ()


def _condition(obj: Mapping[str, Any], wanted: str) -> Optional[Dict[str, Any]]:
    """Returns the condition of an object's last generation that has a type and a status."""
    kind, _, status = wanted.partition("=")
    generation = meta(obj, "generation") or 0
    for condition in conditions(obj):
        if (
            condition["type"] == kind
            and condition["status"].lower() == (status or "True").lower()
            and condition.get("observedGeneration", generation) >= generation
        ):
            return condition
    return None
