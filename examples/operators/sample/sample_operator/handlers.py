# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The handlers of kopf. What they do is in ``controller``; when, is here.

A handler of a namespace always looks at all its Samples and its Deployment, one handler of a
namespace at a time, so it does not matter which event came first.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import kopf
from nuvolaris import errors
from nuvolaris.models import Sample

from . import __version__
from .controller import Controller
from .kustomize import KustomizeError
from .plan import Claim, Manifest

SAMPLES = (Sample.GROUP, Sample.VERSION, Sample.PLURAL)
DEPLOYMENTS = ("apps", "v1", "deployments")

# Seconds until what failed is tried again, the first time and at most.
FIRST, MOST = 1.0, 30.0

T = TypeVar("T")
Claims = kopf.Index[str, Claim]

logger = logging.getLogger(__name__)


class State:
    """What handlers share, as ``memo.state``: the controller, and a lock for each namespace."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)


@kopf.on.startup()
async def configure(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Sets kopf up, and waits until the API server knows Samples."""
    # The schema has no room for kopf's own fields, and needs none: they go into annotations.
    prefix = f"sample-operator.{Sample.GROUP}"
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=prefix, v1=False)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=prefix, v1=False)
    settings.persistence.finalizer = f"{Sample.GROUP}/sample-operator"
    # Namespaces and definitions are not followed: that would need rights on the whole cluster.
    settings.scanning.disabled = True
    settings.watching.field_selectors[DEPLOYMENTS] = f"metadata.name={memo.state.controller.base.name}"
    settings.posting.reporting_component = "sample-operator"
    settings.posting.reporting_instance = f"sample-operator-{__version__}"
    settings.posting.event_name_prefix = "sample-"
    if not await _later(memo.state.controller.served):
        raise kopf.TemporaryError(f"waiting for {Sample.PLURAL}.{Sample.GROUP}", delay=2 * FIRST)


@kopf.on.login()
def login(**kwargs: Any) -> kopf.ConnectionInfo | None:
    """Logs kopf in as ``kubernetes`` does: by the service account in a cluster, else by the kubeconfig."""
    return kopf.login_via_client(**kwargs)


@kopf.index(*SAMPLES)
def claims(namespace: str | None, body: kopf.Body, **_: Any) -> dict[str, Claim]:
    """Keeps the claims of the Samples of each namespace."""
    return {str(namespace): Claim.of(Sample.from_dict(body))}


@kopf.on.create(*SAMPLES)
@kopf.on.update(*SAMPLES, field="spec")
@kopf.on.resume(*SAMPLES)
async def sample_changed(namespace: str | None, memo: kopf.Memo, retry: int, **indices: Any) -> None:
    """Makes the Deployment as a Sample asks that is new, changed, or met at the start."""
    memo.met = True
    await _sync(namespace, memo, indices["claims"], retry=retry)


def _by_kubectl(memo: kopf.Memo, **_: Any) -> bool:
    return memo.state.controller.by_kubectl is True


@kopf.on.delete(*SAMPLES, when=_by_kubectl)
async def sample_deleted(body: kopf.Body, namespace: str | None, memo: kopf.Memo, retry: int, **_: Any) -> None:
    """Runs ``kubectl delete -k``, and holds the Sample by a finalizer until that is done.

    By the API there is nothing to hold it for: see ``sample_seen``.
    """
    await _release(body, namespace, memo, retry)


@kopf.on.event(*SAMPLES)
async def sample_seen(
    type: str | None, body: kopf.Body, namespace: str | None, memo: kopf.Memo, **indices: Any
) -> None:
    """Deletes the Deployment of a Sample that is gone, without waiting for the garbage collector.

    And after a watch had to be begun anew it looks at all Samples, since nobody tells what was
    deleted meanwhile.
    """
    if type == "DELETED":
        await _settle(lambda: _release(body, namespace, memo))
    elif type is None and memo.get("met"):
        await _settle(lambda: _sync(namespace, memo, indices["claims"]))


@kopf.on.event(*DEPLOYMENTS)
async def deployment_seen(
    type: str | None, body: kopf.Body, namespace: str | None, memo: kopf.Memo, **indices: Any
) -> None:
    """Puts a Deployment right that was edited or deleted, and tells the Samples of its replicas."""
    seen = iter([] if type == "DELETED" else [dict(body)])
    await _settle(lambda: _sync(namespace, memo, indices["claims"], next(seen, None)))


async def _sync(
    namespace: str | None, memo: kopf.Memo, claims: Claims, live: Manifest | None = None, retry: int = 0
) -> None:
    """Brings a namespace in order; TemporaryError if that is to be tried again."""
    async with memo.state.locks[namespace]:
        found = list(claims.get(str(namespace), ()))
        if found:
            await _later(memo.state.controller.sync, namespace, found, live, _warn, retry=retry)


async def _release(body: kopf.Body, namespace: str | None, memo: kopf.Memo, retry: int = 0) -> None:
    """Deletes the Deployment of a Sample that goes; TemporaryError if that is to be tried again."""
    async with memo.state.locks[namespace]:
        await _later(memo.state.controller.release, Claim.of(Sample.from_dict(body)), retry=retry)


async def _later(method: Callable[..., T], *arguments: object, retry: int = 0) -> T:
    """Runs a method in a thread. If it fails, kopf runs the handler again, each time after twice as long."""
    try:
        return await asyncio.to_thread(method, *arguments)
    except (errors.ApiError, KustomizeError) as error:
        raise kopf.TemporaryError(str(error), delay=min(FIRST * 2 ** min(retry, 16), MOST)) from error


async def _settle(attempt: Callable[[], Awaitable[None]]) -> None:
    """Tries until it is done, as kopf does not for handlers of mere events."""
    delay = FIRST
    while True:
        try:
            return await attempt()
        except kopf.TemporaryError as error:
            logger.warning("trying again in %s s: %s", delay, error)
        await asyncio.sleep(delay)
        delay = min(2 * delay, MOST)


def _warn(claim: Claim, reason: str, message: str) -> None:
    sample = {**claim.reference, "metadata": {"name": claim.name, "namespace": claim.namespace, "uid": claim.uid}}
    kopf.warn(cast(kopf.Body, sample), reason=reason, message=message)
