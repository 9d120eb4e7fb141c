# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Commands in containers: their arguments, their result and how they fail."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any, Iterable, List, NamedTuple, Sequence, Tuple, Union

from . import errors

OUTPUT = 1 << 28  # bytes of a channel that are kept
_LINES, _CHARACTERS = 5, 1000  # of stderr in the message of an error

# What a command is given as: a list of strings, or with ``shell`` a string.
Words = Union[str, Sequence[str]]

_BROKEN = '{"message": "the connection broke before the command ended", "code": 503}'


class ExecResult(NamedTuple):
    """Output and exit code of a command."""

    stdout: str
    stderr: str
    exit_code: int


class CommandFailed(subprocess.CalledProcessError):
    """A command has failed. Its message ends with the last lines of stderr."""

    def __str__(self) -> str:
        text = f"command {shlex.join(self.cmd)} returned exit code {self.returncode}"
        last = "\n".join((self.stderr or "").strip().splitlines()[-_LINES:])[-_CHARACTERS:]
        return f"{text}: {last}" if last else text


def words(command: Words, shell: bool, name: str = "command") -> List[str]:
    """Returns a command as a list. Raises TypeError if it is a string and ``shell`` is not set,
    or the other way round; ValueError if it has an unbalanced quote."""
    if shell:
        if not isinstance(command, str):
            raise TypeError(f"{name}: expected a str with shell=True, not {_type(command)}")
        return shlex.split(command)
    if isinstance(command, str):
        try:
            split = shlex.split(command)
        except ValueError:
            split = command.split()
        raise TypeError(f"{name}: expected a list such as {split}, not a str; shell=True splits it")
    if isinstance(command, (bytes, bytearray)):
        raise TypeError(f"{name}: expected a list of strings, not {_type(command)}")
    return list(command)


def _type(value: Any) -> str:
    return type(value).__name__


def result(messages: Iterable[Tuple[int, bytes]]) -> ExecResult:
    """Returns the result that the messages of a command's channels mean. Raises errors.ApiError
    if it was not started or not watched to its end, and errors.TooLarge."""
    got = {1: bytearray(), 2: bytearray(), 3: bytearray()}
    for channel, part in messages:
        got[channel] += part
        if len(got[channel]) > OUTPUT:
            text = f"the command has written more than {OUTPUT >> 20} MiB: write to a file instead"
            raise errors.TooLarge(text)
    status = json.loads(got[3] or _BROKEN)
    causes = {
        cause.get("reason"): cause["message"]
        for cause in status.get("details", {}).get("causes", ())
    }
    if status.get("status") != "Success" and "ExitCode" not in causes:
        raise errors.of(500, json.dumps(status))
    stdout, stderr = (got[channel].decode(errors="replace") for channel in (1, 2))
    return ExecResult(stdout, stderr, int(causes.get("ExitCode", 0)))


def checked(found: ExecResult, command: Sequence[str]) -> ExecResult:
    """Returns the result of a command. Raises CommandFailed if it has failed."""
    if found.exit_code:
        raise CommandFailed(found.exit_code, list(command), found.stdout, found.stderr)
    return found
