# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The channels of a command or a port, over a websocket that does not block."""

from __future__ import annotations

import selectors
import socket
import ssl
import time
from contextlib import suppress
from math import inf
from typing import Any, Iterator, List

from . import errors

CHUNK, _FULL = 1 << 16, 1 << 20  # bytes: moved at once; waiting, so that no more are read
_BINARY, _CLOSE, _PING, _PONG = 2, 8, 9, 10  # the kinds of frames
_LINGER = 2.0  # seconds that a pod may be silent after we have ended


def cut(sock: socket.socket) -> None:
    """Ends a connection from another thread."""
    with suppress(OSError):  # it has ended
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def encode(message: bytes, opcode: int = _BINARY) -> bytes:
    """Gives the frame of a message, to be sent."""
    from websocket import ABNF

    frame: bytes = ABNF.create_frame(message, opcode).format()
    return frame


def _try(function: Any, *arguments: Any) -> Any:
    """Calls a method of a socket that does not block; gives None if it would."""
    try:
        return function(*arguments)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return None


def _receive(ws: Any) -> Any:
    """Gives kind and data of the next frame, None if it is not there. A break is an end."""
    from websocket import WebSocketException

    try:
        frame = _try(ws.recv_frame)
    except (OSError, WebSocketException):
        return _CLOSE, b""
    return frame and (frame.opcode, frame.data)


def exchange(
    ws: Any, out: bytearray, seconds: float, local: Any = None, inbox: Any = b""
) -> Iterator[Any]:
    """Sends frames, and gives messages as channel and data, until the server closes.

    Nothing blocks but the wait for all at once: a pod that takes no more until it is
    read from, as one that echoes, would stop both directions for good.

    Args:
        ws (Any): the websocket; it is closed in the end.
        out (bytearray): frames to send; it is emptied.
        seconds (float): how long until WaitTimeout. With local, for how long the pod may
            be silent after local has ended.
        local (Any): a socket; what comes from there goes to channel 0. Default None.
        inbox (Any): a bytearray of what is to go there; it is emptied. Default empty.
    """
    deadline, wire = time.monotonic() + seconds, ws.sock
    reading = forwards = bool(local)
    closed = False
    with wire:
        while inbox or not closed:
            try:
                if inbox:
                    del inbox[: _try(local.send, inbox) or 0]
                data = _try(local.recv, CHUNK) if reading and len(out) < _FULL else None
            except OSError:
                return
            out += encode(b"\0" + data) if data else b""
            reading = reading and data != b""
            with suppress(OSError):  # what the server sent before it closed is still to be read
                while out and not closed and (count := _try(wire.send, out[:CHUNK])):
                    del out[:count]
            while not closed and len(inbox) < _FULL and (frame := _receive(ws)):
                kind, message = frame
                closed = kind == _CLOSE
                if kind == _PING:
                    out += encode(message, _PONG)
                elif message and not closed:
                    yield message[0], message[1:]
            if closed:
                reading, deadline = False, inf
            elif forwards:
                deadline = inf if reading else time.monotonic() + seconds
            to_wire = 0 if closed else (len(inbox) < _FULL) | 2 * bool(out)
            to_local = (reading and len(out) < _FULL) | 2 * bool(inbox)
            left = deadline - time.monotonic()
            with selectors.DefaultSelector() as ready:
                for sock, events in ((wire, to_wire), (local, to_local)):
                    if events:
                        ready.register(sock, events)
                if ready.get_map() and (
                    left <= 0 or not ready.select(None if left == inf else left)
                ):
                    if forwards:
                        return
                    raise errors.WaitTimeout("the command has not ended")


def carry(ws: Any, local: socket.socket, failed: List[Exception]) -> None:
    """Moves bytes between a port and a socket until both have ended."""
    local.setblocking(False)
    inbox, numbered = bytearray(), {0, 1}
    for channel, data in exchange(ws, bytearray(), _LINGER, local, inbox):
        if channel in numbered:  # the first message is the number of the port
            numbered.remove(channel)
        elif channel == 0:
            inbox += data
        else:
            failed.append(
                errors.make(errors.Unreachable, 0, "PortForward", data.decode(errors="replace"))
            )
    with local, suppress(OSError):  # closed before all is read, it would lose what was sent
        local.shutdown(socket.SHUT_WR)
        local.settimeout(_LINGER)
        while local.recv(CHUNK):
            pass
