# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""An operator as a process that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Dict, Optional, Sequence


class Operator:
    """A program that is started, killed and started again, with one log for all its lives.

    Args:
        argv (Sequence[str]): the program and its arguments.
        env (Dict[str, str]): added to the environment.
        log_file (Path): what it prints is appended here.
    """

    def __init__(self, argv: Sequence[str], env: Dict[str, str], log_file: Path) -> None:
        self._argv = list(argv)
        self._env = {**os.environ, **env}
        self._log_file = log_file
        self._process: Optional["subprocess.Popen[bytes]"] = None

    @property
    def running(self) -> bool:
        """Says whether the program runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the program, in a group of processes of its own.

        Raises:
            RuntimeError: it runs already.
        """
        if self.running:
            raise RuntimeError(f"{self._argv[0]} runs already")
        with self._log_file.open("ab") as log:
            self._process = subprocess.Popen(
                self._argv, env=self._env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self) -> None:
        """Ends the program and what it has started at once, as a container is ended by force."""
        self._end(signal.SIGKILL)

    def stop(self, timeout: float = 30) -> int:
        """Asks the program to end, and gives its exit code.

        Args:
            timeout (float): seconds until it must have ended. Default 30.

        Raises:
            subprocess.TimeoutExpired: it goes on.
        """
        return self._end(signal.SIGTERM, timeout)

    def log(self) -> str:
        """Gives all that was printed since the first start."""
        return self._log_file.read_text(errors="replace") if self._log_file.exists() else ""

    def _end(self, how: signal.Signals, timeout: Optional[float] = None) -> int:
        process = self._process
        if process is None:
            raise RuntimeError(f"{self._argv[0]} was not started")
        if process.poll() is None:
            # The program alone is asked to end, and takes care of its children.
            if how == signal.SIGKILL:
                os.killpg(process.pid, how)
            else:
                process.send_signal(how)
        return process.wait(timeout)
