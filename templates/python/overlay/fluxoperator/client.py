# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Typed clients of the kinds in fluxoperator, and one that knows what a MiniCluster does."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from math import inf
from os import PathLike
from typing import Any, Optional, Sequence, TextIO, Union

from ._aio import AsyncClient as AsyncClient
from ._aio import threaded
from ._client import Client as Client
from ._model import Object as Object
from ._streams import ExecResult as ExecResult
from ._streams import pause
from ._watch import Event as Event
from ._watch import Watch as Watch
from .models import MiniCluster

# Where the operator has the lead broker listen, and what it lets a shell find.
_FLUX = 'export PATH="$0/bin:$PATH" FLUX_URI=local:///run/flux/local; exec flux "$@"'


class MiniClusterClient(Client[MiniCluster]):
    """A client of the MiniClusters in a namespace, and of the Flux in each of them."""

    def __init__(self, namespace: str = "default", api_client: Any = None) -> None:
        super().__init__(MiniCluster, namespace, api_client)

    def lead_broker(self, name: str, timeout: float = 0) -> str:
        """Gives the pod of the lead broker, waiting so many seconds for it, then WaitTimeout."""
        deadline = time.monotonic() + timeout
        while True:
            with suppress(LookupError):  # the operator has not seen the MiniCluster yet
                pods = [p["metadata"] for p in self.pods(name) if p["status"]["phase"] != "Failed"]
                leads = [p["name"] for p in pods if p["labels"]["batch.kubernetes.io/job-completion-index"] == "0"]
                return str(leads[-1])
            pause(deadline, 0.5, f"MiniCluster {name} has no lead broker")

    def wait_ready(self, name: str, timeout: float = 600) -> MiniCluster:
        """Waits until all pods are up and the lead broker takes jobs. Raises WaitTimeout."""
        deadline = time.monotonic() + timeout
        found = self.wait_for(name, "JobRunning", timeout)
        while (asked := self.flux(name, ["queue", "status"], check=False)).exit_code:
            pause(deadline, 0.5, f"the lead broker of {name} is not up: {asked.stderr.strip()}")
        return found

    def wait_finished(self, name: str, timeout: Optional[float] = None) -> MiniCluster:
        """Waits until the lead broker has ended; its condition's reason says how."""
        return self.wait_for(name, "JobFinished", timeout)

    def flux(
        self, name: str, arguments: Sequence[str], user: Optional[str] = None, check: bool = True,
        timeout: Optional[float] = None,
    ) -> ExecResult:  # fmt: skip
        """Runs a command of Flux beside the lead broker, as ``["run", "-n2", "hostname"]``.

        Args:
            name (str): the MiniCluster.
            arguments (Sequence[str]): what comes after ``flux``.
            user (Optional[str]): one of spec.users. Default who Flux runs as.
            check (bool): raise subprocess.CalledProcessError if it fails. Default True.
            timeout (Optional[float]): seconds until it is a WaitTimeout. Default no limit.
        """
        spec = dict(self.get(name))["spec"]
        container = next((c for c in spec["containers"] if c.get("runFlux")), spec["containers"][0])
        owner = container.get("fluxUser", {}).get("name", "flux")
        user = user or ("root" if container.get("commands", {}).get("runFluxAsRoot") else owner)
        sudo = [] if user == "root" else ["sudo", "-E", "-H", "-u", user]
        command = [*sudo, "sh", "-c", _FLUX, spec.get("flux", {}).get("installRoot", "/usr"), *arguments]
        return self.exec(self.lead_broker(name), command, name, timeout=timeout, check=check)

    def submit(self, name: str, command: Sequence[str], options: Sequence[str] = (), user: Optional[str] = None) -> str:
        """Hands a job to Flux, with options of ``flux submit``, and gives its id."""
        return self.flux(name, ["submit", *options, *command], user).stdout.strip()

    def stream_output(self, name: str, file: Union[str, PathLike[str], TextIO], timeout: float = inf) -> None:
        """Writes the lead broker's log to a file, line by line, until that ends."""
        pod = self.lead_broker(name, timeout)
        with ExitStack() as stack:
            if isinstance(file, (str, PathLike)):
                file = stack.enter_context(open(file, "w", encoding="utf-8"))
            for line in self.logs(name, pod, name, follow=True, timeout=timeout):
                print(line, file=file, flush=True)


class AsyncMiniClusterClient(AsyncClient[MiniCluster]):
    """A ``MiniClusterClient`` for asyncio: its methods as coroutines."""

    def __init__(self, namespace: str = "default", api_client: Any = None) -> None:
        client = MiniClusterClient(namespace, api_client)
        self._wrap(client)
        self.lead_broker, self.flux = threaded(client.lead_broker), threaded(client.flux)
        self.wait_ready, self.wait_finished = threaded(client.wait_ready), threaded(client.wait_finished)
        self.submit, self.stream_output = threaded(client.submit), threaded(client.stream_output)
