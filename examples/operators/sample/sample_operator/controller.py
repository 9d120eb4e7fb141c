# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes the Deployment of a namespace as its Samples ask, and tells them how it stands."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from kubernetes.client import ApiClient
from nuvolaris import errors
from nuvolaris.client import Client
from nuvolaris.models import Sample, SampleStatus

from . import plan
from .kustomize import Base, KustomizeError, kubectl, overlay, patch
from .plan import Claim, Manifest

# Posts an Event about a Sample: its claim, a reason, a message.
Warn = Callable[[Claim, str, str], None]

logger = logging.getLogger(__name__)


class Controller:
    """Does the work of the handlers. Threads may share it, one for each namespace at a time.

    Every method raises ``errors.ApiError`` or ``KustomizeError`` where a later try may help.

    Args:
        api_client (ApiClient): the connection to the API server.
        base (Base): what makes the Deployment.
        by_kubectl (bool): let ``kubectl apply -k`` do it in place of a server-side apply.
    """

    def __init__(self, api_client: ApiClient, base: Base, by_kubectl: bool = False) -> None:
        self.base, self.by_kubectl = base, by_kubectl
        # By uid of the Sample, what was written: a watch is behind.
        self._told: dict[str, SampleStatus] = {}
        self._samples = Client(Sample, api_client=api_client, field_manager=plan.OPERATOR)
        self._request = self._samples.transport.request

    def sync(self, namespace: str, claims: Iterable[Claim], live: Manifest | None, warn: Warn) -> None:
        """Makes the Deployment of a namespace as the Sample asks that it belongs to.

        If it belongs to none, the first Sample gets it. Each Sample's status is written where
        it is not as it should be.

        Args:
            namespace (str): where.
            claims (Iterable[Claim]): of all Samples that are there.
            live (dict, None): the Deployment, None if it is to be read.
            warn (Warn): is called for each trouble that begins.
        """
        now = datetime.now(UTC).replace(microsecond=0)
        live = live or self.read(namespace)
        trouble: Exception | None = None
        for claim in sorted(claims):
            if claim.going:
                continue
            claim = replace(claim, status=self._told.get(claim.uid, claim.status))
            who = plan.holder(live, claim)
            if who is not None:
                why = f"{plan.title(self.base.name)} {who}; this Sample waits until it is deleted"
                self._report(claim, plan.conflict(claim, why, now), warn, "OwnedByAnother")
                continue
            try:
                live, done = self._make(claim, live)
            except (errors.BadRequest, errors.Forbidden, errors.Invalid, KustomizeError) as error:
                if "NamespaceTerminating" in getattr(error, "body", ""):
                    return
                self._report(claim, plan.failure(claim, str(error), now), warn, "ApplyFailed")
                trouble = trouble or error
            else:
                if live is not None:
                    self._report(claim, plan.status(claim, live, done, now), warn)
        if trouble is not None:
            raise trouble

    def release(self, claim: Claim) -> str:
        """Deletes the Deployment that belongs to a Sample, which is or will be gone; says what was done."""
        self._told.pop(claim.uid, None)
        namespace, name = claim.namespace, self.base.name
        live = self.read(namespace)
        if live is None or not plan.belongs(live, claim):
            return f"{plan.title(name)} does not belong to Sample {claim.name}"
        if self.by_kubectl:
            with overlay(self.base.directory, patch(name, claim.count)) as directory:
                return kubectl("delete", "-k", str(directory), "-n", namespace, "--ignore-not-found")
        same = {"preconditions": {"uid": live["metadata"]["uid"]}, "propagationPolicy": "Background"}
        with suppress(errors.NotFound, errors.Conflict):  # the garbage collector was faster
            self._request("DELETE", self._path(namespace), body=same)
        return f"{plan.title(name)} deleted"

    def served(self) -> bool:
        """Says whether the API server knows Samples."""
        try:
            known = self._request("GET", f"/apis/{Sample.API_VERSION}")
        except errors.NotFound:
            return False
        return Sample.PLURAL in [resource["name"] for resource in known["resources"]]

    def read(self, namespace: str) -> Manifest | None:
        """Reads the Deployment of a namespace, None if there is none."""
        try:
            live: Manifest = self._request("GET", self._path(namespace))
        except errors.NotFound:
            return None
        return live

    def _path(self, namespace: str) -> str:
        return f"/apis/apps/v1/namespaces/{namespace}/deployments/{self.base.name}"

    def _make(self, claim: Claim, live: Manifest | None) -> tuple[Manifest | None, str | None]:
        """Gives the Deployment as a Sample asks and what was done to it, None if nothing was."""
        wanted = plan.marked(self.base.render(claim.count), claim)
        if plan.contains(live, wanted):
            return live, None
        if not plan.belongs(live, claim) and not self._exists(claim):
            return live, None
        if self.by_kubectl:
            return self._apply_by_kubectl(claim, live)
        return self._apply(claim, wanted, live)

    def _exists(self, claim: Claim) -> bool:
        """Asks the API server whether a Sample is still there, before anything is made for it.

        What a watch has told may be old; a Deployment for a Sample that is gone would be
        removed by the garbage collector, again and again.
        """
        try:
            found = Claim.of(self._samples.get(claim.name, claim.namespace))
        except errors.NotFound:
            return False
        return found.uid == claim.uid and not found.going

    def _apply(self, claim: Claim, wanted: Manifest, live: Manifest | None) -> tuple[Manifest, str]:
        """Applies on the server's side, as a field manager of the Sample's own.

        One that is there is changed by force, and only if it is the one that was looked at; one
        that is not there must not meet another's fields. Both are errors.Conflict.
        """
        if live is not None:
            wanted = {**wanted, "metadata": {**wanted["metadata"], "uid": live["metadata"]["uid"]}}
        query = {"fieldManager": manager(claim), "force": live is not None}
        path, apply = self._path(claim.namespace), "application/apply-patch+yaml"
        made: Manifest = self._request("PATCH", path, query, wanted, apply)
        done = f"{plan.title(self.base.name)} {'created' if live is None else 'configured'}"
        logger.info("%s/%s: %s", claim.namespace, claim.name, done)
        return made, done

    def _apply_by_kubectl(self, claim: Claim, live: Manifest | None) -> tuple[Manifest | None, str]:
        """Creates what is not there, and applies to the one that was looked at: kubectl refuses to create
        what somebody else has made since, and the API server to change an object's uid."""
        marks = plan.marks(claim)
        verb = ["create", "--save-config"] if live is None else ["apply"]
        if live is not None:
            marks["uid"] = live["metadata"]["uid"]
        changes, namespace = patch(self.base.name, claim.count, marks), claim.namespace
        with overlay(self.base.directory, changes) as directory:
            done = kubectl(*verb, "-k", str(directory), "-n", namespace, f"--field-manager={manager(claim)}")
        logger.info("%s/%s: %s", namespace, claim.name, done)
        return self.read(namespace), done

    def _report(self, claim: Claim, status: SampleStatus, warn: Warn, trouble: str = "") -> None:
        """Writes a status where it differs, and warns if it tells a trouble that the last did not."""
        if status == claim.status:
            return
        body = {"status": {"selector": None, **status}}
        try:
            self._samples.patch(claim.name, body, subresource="status", namespace=claim.namespace)
        except errors.NotFound:
            return
        self._told[claim.uid] = status
        if trouble and status.message != claim.status.message:
            warn(claim, trouble, status.message or "")


def manager(claim: Claim) -> str:
    """Gives the field manager of a Sample."""
    return f"{plan.MANAGERS}{claim.uid}"
