# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The channels of a command or a port, over a websocket that does not block.

Nothing waits for one direction alone: a pod that takes no more until it is read from, such as
one that echoes, would stop both for good.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import time
from contextlib import suppress
from math import inf
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

from . import errors
from ._lines import LINE, READ

CHUNK = 1 << 16  # bytes that are moved at once
_FULL = 1 << 20  # bytes that wait to be sent, above which no more are read
_BINARY, _CLOSE, _PING, _PONG = 2, 8, 9, 10  # opcodes of frames
_LINGER = 2.0  # seconds of silence after which a port whose local end has closed is closed


def cut(sock: socket.socket) -> None:
    """Ends a connection from another thread, which finds the end when it reads."""
    how = READ if isinstance(sock, ssl.SSLSocket) else socket.SHUT_RDWR
    with suppress(OSError):  # it has ended
        socket.socket.shutdown(sock, how)


def _attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a method of a socket that does not block. Returns None if it would block."""
    try:
        return function(*arguments)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return None


def _select(wanted: Dict[Any, int], seconds: float) -> bool:
    """Waits until a socket is ready for its events. Returns False if none is in time."""
    with selectors.DefaultSelector() as selector:
        for sock, events in wanted.items():
            if events:
                selector.register(sock, events)
        if not selector.get_map():
            return True
        return seconds > 0 and bool(selector.select(None if seconds == inf else seconds))


class Channels:
    """The messages of a websocket, each the number of a channel and bytes.

    Attributes:
        wire (socket.socket): the connection, to be closed by the user of the channels.
        closed (bool): the server has closed the connection, or it broke.
    """

    def __init__(self, ws: Any) -> None:
        self._ws, self._out = ws, bytearray()
        self.wire: socket.socket = ws.sock
        self.closed = False

    @property
    def full(self) -> bool:
        """Whether so much waits to be sent that no more should be added."""
        return len(self._out) >= _FULL

    def add(self, message: bytes, opcode: int = _BINARY) -> None:
        """Adds a message to what waits to be sent."""
        from websocket import ABNF

        self._out += ABNF.create_frame(message, opcode).format()

    def flush(self) -> None:
        """Sends as much as the connection takes now. A break is noticed by ``received``, after
        what the server sent before."""
        with suppress(OSError):
            while self._out and not self.closed:
                count = _attempt(self.wire.send, self._out[:CHUNK])
                if not count:
                    return
                del self._out[:count]

    def received(self) -> Iterator[Tuple[int, bytes]]:
        """Yields the messages that have arrived. Raises errors.TooLarge if one has more than
        16 MiB."""
        while not self.closed:
            opcode, data = self._frame()
            if opcode == _CLOSE:
                self.closed = True
            elif opcode == _PING:
                self.add(data, _PONG)
            elif opcode is None:
                return
            elif data:
                yield data[0], data[1:]

    def _frame(self) -> Tuple[Any, bytes]:
        """Returns opcode and data of the next frame; no opcode if it has not arrived. A broken
        connection is the same as a closed one."""
        from websocket import WebSocketException

        try:
            frame = _attempt(self._ws.recv_frame)
        except (OSError, WebSocketException):
            return _CLOSE, b""
        if (self._ws.frame_buffer.length or 0) > LINE:
            raise errors.TooLarge(f"a message of the pod has more than {LINE >> 20} MiB")
        return (frame.opcode, frame.data) if frame else (None, b"")

    def events(self, reading: bool = True) -> int:
        """Returns the events of the connection to wait for."""
        writes = selectors.EVENT_WRITE if self._out else 0
        return 0 if self.closed else writes | (selectors.EVENT_READ if reading else 0)


def converse(ws: Any, messages: Iterable[bytes], seconds: float) -> Iterator[Tuple[int, bytes]]:
    """Sends messages, and yields those that arrive until the server closes the websocket, which
    is closed in the end. Raises WaitTimeout after so many seconds, and errors.TooLarge."""
    channels, deadline = Channels(ws), time.monotonic() + seconds
    rest, more = iter(messages), True
    with channels.wire:
        while not channels.closed:
            while more and not channels.full:
                message = next(rest, None)
                more = message is not None
                if message is not None:
                    channels.add(message)
            channels.flush()
            yield from channels.received()
            if more and not channels.full:
                continue  # there is room for more
            if not _select({channels.wire: channels.events()}, deadline - time.monotonic()):
                raise errors.WaitTimeout(f"the command has not ended in {seconds:g} s")


class _Local:
    """The local end of a port: a socket, and the bytes that wait to be sent to it."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock, self.inbox, self.reading = sock, bytearray(), True

    @property
    def full(self) -> bool:
        """Whether so much waits to be sent that no more should be added."""
        return len(self.inbox) >= _FULL

    def exchange(self, channels: Channels) -> None:
        """Sends what the socket takes now, and adds what it has to channel 0. Raises OSError if
        the socket is broken."""
        if self.inbox:
            del self.inbox[: _attempt(self.sock.send, self.inbox) or 0]
        self.reading = self.reading and not channels.closed
        if self.reading and not channels.full:
            data = _attempt(self.sock.recv, CHUNK)
            self.reading = data != b""
            if data:
                channels.add(b"\0" + data)

    def events(self, channels: Channels) -> int:
        """Returns the events of the socket to wait for."""
        reading = self.reading and not channels.closed and not channels.full
        reads = selectors.EVENT_READ if reading else 0
        return reads | (selectors.EVENT_WRITE if self.inbox else 0)

    def end(self) -> None:
        """Closes the socket. Closed before the other side has ended, it would lose bytes."""
        with self.sock, suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
            self.sock.settimeout(_LINGER)
            while self.sock.recv(CHUNK):
                pass


def carry(ws: Any, local: socket.socket, failed: List[Exception]) -> None:
    """Moves bytes between a port and a socket until both have ended, and closes both. Adds what
    fails to ``failed``."""
    end = _Local(local)
    try:
        _carry(Channels(ws), end, failed)
    except (OSError, errors.TooLarge) as error:
        failed += [error] if isinstance(error, errors.TooLarge) else []
    end.end()


def _carry(channels: Channels, end: _Local, failed: List[Exception]) -> None:
    numbered = {0, 1}
    with channels.wire:
        while end.inbox or not channels.closed:
            end.exchange(channels)
            channels.flush()
            for channel, data in channels.received() if not end.full else ():
                if channel in numbered:  # the first message of each is the number of the port
                    numbered.remove(channel)
                elif channel == 0:
                    end.inbox += data
                else:
                    failed.append(_refused(data))
                if end.full:
                    break
            silence = inf if end.reading or channels.closed else _LINGER
            wanted = {
                channels.wire: channels.events(reading=not end.full),
                end.sock: end.events(channels),
            }
            if not _select(wanted, silence):
                return


def _refused(data: bytes) -> errors.ApiError:
    text = data.decode(errors="replace")
    return errors.Unreachable(0, "PortForward", text)
