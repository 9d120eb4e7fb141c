# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Commands over websockets: what they are given, how they fail, and what is too large."""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
import struct
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator, List
from urllib.parse import parse_qs, urlsplit

import pytest
from kubernetes import client as kubernetes

from fluxoperator import _command, errors
from fluxoperator.client import MiniClusterClient
from scripted import manifest

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
SUCCESS = json.dumps({"status": "Success"}).encode()


def frame(channel: int, data: bytes, declared: int = 0) -> bytes:
    """Gives a binary frame with a message of a channel, which may declare another size."""
    return b"\x82\x7f" + struct.pack("!Q", declared or len(data) + 1) + bytes([channel]) + data


def failure(code: int) -> bytes:
    """Gives the status of a command that failed."""
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return json.dumps({"status": "Failure", "details": {"causes": causes}}).encode()


class Pods:
    """Answers a websocket with frames, other requests with a pod of the lead broker."""

    def __init__(self) -> None:
        self.frames: Callable[[], Any] = lambda: [frame(3, SUCCESS)]
        self.receive: Callable[[Any], Any] = lambda file: None
        self.commands: List[List[str]] = []
        pods = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if "Upgrade" not in self.headers:
                    return self.plain()
                pods.commands.append(parse_qs(urlsplit(self.path).query)["command"])
                key = self.headers["Sec-WebSocket-Key"] + GUID
                self.send_response(101)
                self.send_header("Upgrade", "websocket")
                self.send_header("Connection", "Upgrade")
                self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
                self.send_header("Sec-WebSocket-Protocol", "v5.channel.k8s.io")
                self.end_headers()
                self.close_connection = True
                try:
                    pods.receive(self.rfile)
                    for part in pods.frames():
                        self.wfile.write(part)
                except OSError:
                    pass  # the other side has had enough

            def plain(self) -> None:
                meta = {"name": "lead", "creationTimestamp": "2026-01-02T03:04:05Z"}
                pod = {"metadata": {**meta, "labels": {"batch.kubernetes.io/job-completion-index": "0"}}, "status": {"phase": "Running"}}
                path = urlsplit(self.path).path
                found = {"items": [pod]} if path.endswith("/pods") else {**manifest(), "status": {"selector": "a=b"}}
                data = json.dumps(found).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                """Says nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        configuration = kubernetes.Configuration()
        configuration.host = f"http://127.0.0.1:{self.http.server_port}"
        self.client = MiniClusterClient(api_client=kubernetes.ApiClient(configuration))


@pytest.fixture
def pods() -> Iterator[Pods]:
    """Starts a server for one test."""
    found = Pods()
    thread = threading.Thread(target=found.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield found
    found.http.shutdown()
    found.http.server_close()
    thread.join()


def test_a_string_is_refused_with_the_list_that_it_means(pods):
    calls = [
        (lambda: pods.client.exec("one", "echo 'a b'"), r"command: expected a list such as \['echo', 'a b'\], not a str"),
        (lambda: pods.client.flux("one", "jobs -a"), r"arguments: expected a list such as \['jobs', '-a'\], not a str"),
        (lambda: pods.client.submit("one", "echo hi"), r"command: expected a list such as \['echo', 'hi'\], not a str"),
        (lambda: pods.client.submit("one", ["hostname"], "-n 2"), r"options: expected a list such as \['-n', '2'\]"),
        (lambda: pods.client.exec("one", "echo '"), r"such as \['echo', \"'\"\], not a str; shell=True splits it"),
        (lambda: pods.client.exec("one", b"echo"), "command: expected a list of strings, not bytes"),
        (lambda: pods.client.exec("one", ["echo"], shell=True), "command: expected a str with shell=True, not list"),
    ]
    for call, message in calls:
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(ValueError, match="quotation"):
        pods.client.exec("one", "echo '", shell=True)
    assert pods.commands == []


def test_a_string_is_split_where_a_shell_is_asked_for(pods):
    pods.client.exec("one", "echo 'a  b' $HOME", shell=True)
    assert pods.commands.pop() == ["echo", "a  b", "$HOME"]
    pods.client.flux("one", "jobs -a", shell=True)
    assert pods.commands.pop()[-2:] == ["jobs", "-a"]
    pods.client.submit("one", "echo 'a b'", ["-n2"], shell=True)
    assert pods.commands.pop()[-4:] == ["submit", "-n2", "echo", "a b"]


def test_the_message_of_a_failed_command_has_the_end_of_stderr(pods):
    lines = "".join(f"line {i}\n" for i in range(9)).encode()
    pods.frames = lambda: [frame(1, b"out"), frame(2, lines + b"sudo: not found\n"), frame(3, failure(127))]
    with pytest.raises(subprocess.CalledProcessError) as caught:
        pods.client.exec("one", ["sh", "-c", "a b"], check=True)
    text = "command sh -c 'a b' returned exit code 127: line 5\nline 6\nline 7\nline 8\nsudo: not found"
    assert str(caught.value) == text
    assert (caught.value.stdout, caught.value.stderr[-16:], caught.value.returncode) == ("out", "sudo: not found\n", 127)
    assert str(pickle.loads(pickle.dumps(caught.value))) == text
    with pytest.raises(subprocess.CalledProcessError, match="^command flux jobs -a returned exit code 127: "):
        pods.client.flux("one", ["jobs", "-a"])
    pods.frames = lambda: [frame(3, failure(1))]
    with pytest.raises(subprocess.CalledProcessError, match="^command false returned exit code 1$"):
        pods.client.exec("one", ["false"], check=True)
    assert pods.client.exec("one", ["false"]) == ("", "", 1)


def test_the_output_of_a_command_is_bounded(pods, monkeypatch):
    monkeypatch.setattr(_command, "OUTPUT", 1 << 20)

    def endless() -> Iterator[bytes]:
        while True:
            yield frame(1, b"x" * 30_000)

    pods.frames = endless
    with pytest.raises(errors.TooLarge, match="the command has written more than 1 MiB: write to a file"):
        pods.client.exec("one", ["yes"])


def test_a_message_that_declares_too_many_bytes_is_refused_before_they_come(pods):
    done = threading.Event()

    def silent() -> Iterator[bytes]:
        yield frame(1, b"x" * 10, 1 << 40)
        done.wait(60)

    pods.frames = silent
    began = time.monotonic()
    with pytest.raises(errors.TooLarge, match="a message of the pod has more than 16 MiB"):
        pods.client.exec("one", ["true"])
    assert time.monotonic() - began < 30
    done.set()


def test_large_output_takes_time_in_proportion_to_its_size(pods):
    def seconds(count: int) -> float:
        pods.frames = lambda: [*(frame(1, b"x" * 30_000) for _ in range(count)), frame(3, SUCCESS)]
        began = time.process_time()
        assert len(pods.client.exec("one", ["cat"]).stdout) == 30_000 * count
        return time.process_time() - began

    small, large = (min(seconds(count) for _ in range(3)) for count in (50, 800))
    assert large < 64 * small + 0.5, "16 times the bytes take more than 64 times the time"


def test_input_is_sent_whole_before_the_command_answers(pods):
    size = 8 << 20  # more than waits at once

    def receive(file: Any) -> None:
        got = 0
        while got < size:
            header = file.read(2)
            length = header[1] & 127
            if length > 125:
                length = int.from_bytes(file.read(2 if length == 126 else 8), "big")
            file.read(4 + length)
            got += length - 1

    pods.receive = receive
    assert pods.client.exec("one", ["wc"], stdin=b"x" * size, timeout=30).exit_code == 0


def test_a_command_whose_connection_breaks_is_no_success(pods):
    pods.frames = lambda: [frame(1, b"half")]
    with pytest.raises(errors.ServerError, match="the connection broke before the command ended"):
        pods.client.exec("one", ["cat"])


def test_a_command_that_does_not_end_is_left_after_its_time(pods):
    pods.frames = lambda: (time.sleep(1) or b"" for _ in range(3))
    with pytest.raises(errors.WaitTimeout, match="the command has not ended in 0.2 s"):
        pods.client.exec("one", ["sleep", "3"], timeout=0.2)
