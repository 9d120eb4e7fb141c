# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Typed clients of the kinds in fluxoperator, and one that knows what a MiniCluster does."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing, suppress
from math import inf
from os import PathLike
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    TextIO,
    Union,
)

from . import _conditions, errors
from ._aio import AsyncClient as AsyncClient
from ._aio import iterated, threaded
from ._client import FIELD_MANAGER
from ._client import Client as Client
from ._command import ExecResult as ExecResult
from ._command import Words, checked, words
from ._conditions import Progress as Progress
from ._deprecated import lookup
from ._installed import Difference as Difference
from ._model import Object as Object
from ._streams import DAY, pause
from ._transport import segments
from ._wait import Condition, failure
from ._watch import Event as Event
from ._watch import Watch as Watch
from .models import MiniCluster

if TYPE_CHECKING:
    from ._upstream import FluxBrokerMiniCluster as FluxBrokerMiniCluster
    from ._upstream import FluxMiniCluster as FluxMiniCluster
    from ._upstream import FluxOperator as FluxOperator
else:
    _UPSTREAM = "fluxoperator._upstream", f"{__name__}.MiniClusterClient"
    __getattr__ = lookup(
        __name__,
        dict.fromkeys(("FluxMiniCluster", "FluxBrokerMiniCluster", "FluxOperator"), _UPSTREAM),
    )

# With the value "restricted" all processes run as the user that runs Flux.
_POD_SECURITY = "flux-framework.org/pod-security"

_INDEX = "batch.kubernetes.io/job-completion-index"
_NOT_WAITING = f"{_conditions.WAITING}=False".lower()

# Where the operator has the lead broker listen, and what it lets a shell find.
_FLUX = 'export PATH="$0/bin:$PATH" FLUX_URI=local:///run/flux/local; exec flux "$@"'


class MiniClusterClient(Client[MiniCluster]):
    """A client of the MiniClusters in a namespace, and of the Flux in each of them."""

    def __init__(
        self,
        namespace: Optional[str] = None,
        api_client: Any = None,
        field_manager: str = FIELD_MANAGER,
        field_validation: str = "Strict",
    ) -> None:
        super().__init__(MiniCluster, namespace, api_client, field_manager, field_validation)

    def wait_for(
        self,
        name: str,
        condition: Condition[MiniCluster] = _conditions.RUNNING,
        timeout: Optional[float] = 300,
        namespace: Optional[str] = None,
        failed: Optional[Condition[MiniCluster]] = None,
    ) -> MiniCluster:
        """Waits until a MiniCluster meets a condition, as ``Client.wait_for``.

        By default, it raises WaitFailed once the MiniCluster has finished, or if the operator
        refuses its spec: JobMiniClusterReady is False with a reason such as Invalid, and there is
        no Job. JobWaitingForResources=False is met when the pods are ready, not when they ended.
        """
        deadline = _deadline(timeout)
        try:
            return super().wait_for(name, condition, timeout, namespace, failed)
        except errors.WaitFailed as error:
            if error.reason != "Ended":
                raise
            wanted, left = str(error).partition(": cannot be met")[0], deadline - time.monotonic()
            with suppress(errors.WaitTimeout):  # how it ended is known once its pods have ended
                soon = max(0.0, min(5.0, left))
                found = super().wait_for(name, _conditions.FINISHED, soon, namespace)
                cause = _conditions.final(found, _conditions.FINISHED) or {}
                error = failure(wanted, cause, found)
            raise error from None

    def _meets(self, obj: MiniCluster, condition: Condition[MiniCluster]) -> bool:
        met = super()._meets(obj, condition)
        if met and isinstance(condition, str) and condition.lower() == _NOT_WAITING:
            return _conditions.pods_are_ready(obj)
        return met

    def _final(
        self, obj: MiniCluster, condition: Condition[MiniCluster]
    ) -> Optional[Mapping[str, Any]]:
        return _conditions.final(obj, condition)

    def progress(self, name: str, timeout: Optional[float] = DAY) -> Iterator[Progress]:
        """Yields the state of a MiniCluster, and again after each change, until it has completed
        or failed. Raises WaitTimeout after ``timeout`` seconds, by default one day, and NotFound
        if the MiniCluster does not exist or is deleted."""
        last: Optional[Progress] = None
        with closing(self._states(name, f"MiniCluster {name}: progress", timeout)) as states:
            for found in states:
                state = _conditions.progress(found)
                if state != last:
                    yield state
                if state.finished:
                    return
                last = state

    def pods(self, name: str, namespace: Optional[str] = None) -> List[Dict[str, Any]]:
        """Lists a MiniCluster's pods as manifests, by index in their Job, then by name.

        Pods of a deleted MiniCluster of the same name, which stay a while longer, are left out
        if the user may get Jobs.
        """
        found = super().pods(name, namespace)
        if any(_owners(pod) for pod in found):
            with suppress(errors.Forbidden):
                job = self._job(name, namespace)
                found = [pod for pod in found if not _owners(pod) or job in _owners(pod)]
        return found

    def _job(self, name: str, namespace: Optional[str]) -> Optional[str]:
        """Returns the UID of a MiniCluster's Job, None if it has none yet."""
        path = segments("apis", "batch", "v1", "namespaces", namespace or self.namespace)
        try:
            job = self.transport.request("GET", path + segments("jobs", name))
        except errors.NotFound:
            return None
        mine = self.get(name, namespace)["metadata"]["uid"] in _owners(job)
        return str(job["metadata"]["uid"]) if mine else None

    def lead_broker(self, name: str, timeout: Optional[float] = 0) -> str:
        """Returns the name of the lead broker's pod. Waits so many seconds for it, by default 0.
        Raises WaitTimeout, WaitFailed once the MiniCluster cannot get one, and NotFound."""
        return self._lead(name, _deadline(timeout))

    def _lead(self, name: str, deadline: float, ended: bool = False) -> str:
        """Returns the newest pod of the lead broker that has not failed, with ``ended`` one that
        has failed if there will be no other."""
        while True:
            pods: List[Any] = []
            with suppress(LookupError):  # the operator has not seen the MiniCluster yet
                pods = [pod for pod in self.pods(name) if pod["metadata"]["labels"][_INDEX] == "0"]
            pods.sort(key=lambda pod: pod["metadata"]["creationTimestamp"])
            live = [pod for pod in pods if pod["status"]["phase"] != "Failed"]
            if live:
                return str(live[-1]["metadata"]["name"])
            try:
                self._check_possible(name, "lead broker", None)
            except errors.WaitFailed:
                if ended and pods:
                    return str(pods[-1]["metadata"]["name"])
                raise
            pause(deadline, 0.5, f"MiniCluster {name} has no lead broker")

    def wait_ready(self, name: str, timeout: Optional[float] = 600) -> MiniCluster:
        """Waits until all pods are up and the lead broker takes jobs.

        ``timeout`` is in seconds, by default 600. Raises WaitTimeout, NotFound, and WaitFailed as
        soon as the MiniCluster has finished or cannot start.
        """
        deadline = _deadline(timeout)
        while True:
            found = self.wait_for(name, _conditions.RUNNING, _left(deadline))
            try:
                left = max(deadline - time.monotonic(), 5)
                asked = self.flux(name, ["queue", "status"], check=False, timeout=left)
                if not asked.exit_code:
                    return found
                why = asked.stderr.strip()
            except _RESTARTS as error:
                if isinstance(error, errors.Unreachable) and error.permanent:
                    raise
                why = str(error)
            pause(deadline, 0.5, f"the lead broker of {name} is not up: {why}")

    def wait_finished(self, name: str, timeout: Optional[float] = DAY) -> MiniCluster:
        """Waits until the MiniCluster has completed, and returns it.

        ``timeout`` is in seconds, by default one day. Raises WaitTimeout, NotFound, and WaitFailed
        if the MiniCluster has failed or cannot start: its ``reason``, ``message`` and ``last`` say
        how. ``wait_for(name, "JobFinished")`` returns a MiniCluster that has failed, too.
        """
        return self.wait_for(name, _conditions.FINISHED, timeout, failed=_conditions.failed)

    def flux(
        self,
        name: str,
        arguments: Words,
        user: Optional[str] = None,
        check: bool = True,
        timeout: Optional[float] = DAY,
        shell: bool = False,
    ) -> ExecResult:
        """Runs a command of Flux in the pod of the lead broker.

        Args:
            name (str): the MiniCluster.
            arguments (Sequence[str]): arguments of ``flux``, such as ["run", "-n2", "hostname"].
            user (Optional[str]): one of spec.users. Default the user that runs Flux.
            check (bool): raise subprocess.CalledProcessError if it fails. Default True.
            timeout (Optional[float]): seconds until WaitTimeout. Default one day.
            shell (bool): ``arguments`` is a string, which is split as a shell does. Default False.

        Raises:
            TypeError: ``arguments`` is a string without ``shell``.
        """
        given = words(arguments, shell, "arguments")
        spec = dict(self.get(name))["spec"]
        container = next((c for c in spec["containers"] if c.get("runFlux")), spec["containers"][0])
        owner = container.get("fluxUser", {}).get("name", "flux")
        user = user or ("root" if container.get("commands", {}).get("runFluxAsRoot") else owner)
        restricted = spec.get("pod", {}).get("annotations", {}).get(_POD_SECURITY) == "restricted"
        sudo = [] if user == "root" or restricted else ["sudo", "-E", "-H", "-u", user]
        root = spec.get("flux", {}).get("installRoot", "/usr")
        command = [*sudo, "sh", "-c", _FLUX, root, *given]
        found = self.exec(self.lead_broker(name), command, name, timeout=timeout)
        return checked(found, ["flux", *given]) if check else found

    def submit(
        self,
        name: str,
        command: Words,
        options: Sequence[str] = (),
        user: Optional[str] = None,
        shell: bool = False,
    ) -> str:
        """Submits a job to Flux, with options of ``flux submit`` such as ["-n2"], and returns its
        ID. With ``shell``, ``command`` is a string, which is split as a shell does. Raises
        TypeError for other strings, and subprocess.CalledProcessError."""
        job = [*words(options, False, "options"), *words(command, shell)]
        return self.flux(name, ["submit", *job], user).stdout.strip()

    def stream_output(
        self,
        name: str,
        file: Union[str, PathLike[str], TextIO],
        timeout: Optional[float] = DAY,
    ) -> None:
        """Writes the lead broker's log to a file, line by line, until the log ends.

        That of a MiniCluster that has failed is written, too: ``wait_finished`` says how it
        ended. ``timeout`` is in seconds, by default one day. Raises WaitTimeout, NotFound, and
        WaitFailed if the MiniCluster will have no lead broker.
        """
        deadline = _deadline(timeout)
        pod = self._lead(name, deadline, ended=True)
        with ExitStack() as stack:
            if isinstance(file, (str, PathLike)):
                file = stack.enter_context(open(file, "w", encoding="utf-8"))
            try:
                for line in self.logs(name, pod, name, follow=True, timeout=_left(deadline)):
                    print(line, file=file, flush=True)
            except errors.NotFound:  # the pod was deleted, maybe because the Job has failed
                self._check_possible(name, "log", None)
                raise


def _owners(manifest: Mapping[str, Any]) -> List[str]:
    return [owner["uid"] for owner in manifest["metadata"].get("ownerReferences", ())]


# What a restart of the API server or of the lead broker's pod ends a command with.
_RESTARTS = errors.Unreachable, errors.ServerError, errors.NotFound, errors.WaitTimeout


def _deadline(timeout: Optional[float]) -> float:
    return inf if timeout is None else time.monotonic() + timeout


def _left(deadline: float) -> Optional[float]:
    return None if deadline == inf else max(deadline - time.monotonic(), 0)


class AsyncMiniClusterClient(AsyncClient[MiniCluster]):
    """A ``MiniClusterClient`` for asyncio, as ``AsyncClient`` is a ``Client``."""

    def __init__(
        self,
        namespace: Optional[str] = None,
        api_client: Any = None,
        field_manager: str = FIELD_MANAGER,
        field_validation: str = "Strict",
    ) -> None:
        self.client = MiniClusterClient(namespace, api_client, field_manager, field_validation)

    pods = threaded(MiniClusterClient.pods)
    lead_broker = threaded(MiniClusterClient.lead_broker)
    wait_for = threaded(MiniClusterClient.wait_for)
    progress = iterated(MiniClusterClient.progress)
    wait_ready = threaded(MiniClusterClient.wait_ready)
    wait_finished = threaded(MiniClusterClient.wait_finished)
    flux = threaded(MiniClusterClient.flux)
    submit = threaded(MiniClusterClient.submit)
    stream_output = threaded(MiniClusterClient.stream_output)
