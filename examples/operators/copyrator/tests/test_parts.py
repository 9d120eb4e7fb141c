# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The queue, the cache and the command line."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Any, Iterator, List, Tuple

import copyrator_api
import pytest
import yaml
from copyrator_api import errors
from kubernetes.client import ApiClient

import copyrator
from copyrator.cache import Cache
from copyrator.cli import parse
from copyrator.health import serve
from copyrator.objects import Key
from copyrator.operator import Operator, Settings
from copyrator.queue import Queue


def test_queue_holds_an_item_once() -> None:
    queue: Queue[str] = Queue()
    for item in "abab":
        queue.add(item)
    assert [queue.get(), queue.get()] == ["a", "b"]
    for item in "ab":
        queue.done(item)
    queue.add("c", 0.05)
    assert queue.get() == "c"


def test_queue_gives_an_item_to_one_thread_at_a_time() -> None:
    queue: Queue[str] = Queue()
    queue.add("a")
    assert queue.get() == "a"
    queue.add("a")
    queue.add("b", 0.05)
    assert queue.get() == "b", "a is not done yet"
    queue.done("a")
    assert queue.get() == "a", "it was added meanwhile"


def test_queue_makes_an_item_due_earlier_but_not_later() -> None:
    queue: Queue[str] = Queue()
    queue.add("a", 60)
    queue.add("a", 0)
    queue.add("a", 60)
    assert queue.get() == "a"
    queue.done("a")
    queue.add("b")
    assert queue.get() == "b"


def test_queue_waits_longer_each_time_that_an_item_fails() -> None:
    queue: Queue[str] = Queue()
    assert [queue.retry("a") for _ in range(9)] == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30]
    queue.forget("a")
    assert queue.retry("a") == 0.2


def test_queue_ends() -> None:
    queue: Queue[str] = Queue()
    got: List[Any] = []
    thread = threading.Thread(target=lambda: got.append(queue.get()))
    thread.start()
    queue.close()
    thread.join(5)
    assert got == [None]


def thing(name: str) -> Any:
    return {"metadata": {"namespace": "n", "name": name}}


class Scripted:
    """A feed of what a test says."""

    def __init__(self, changes: Iterator[Tuple[str, Any]]) -> None:
        self.changes, self.closed = changes, False

    def close(self) -> None:
        self.closed = True


def test_cache_tells_what_has_gone_while_the_feed_was_broken() -> None:
    feeds = [
        [("ADDED", "a"), ("ADDED", "b"), ("LISTED", ""), ("DELETED", "a"), ("ADDED", "c")],
        [("ADDED", "c")],  # breaks before all is listed
        [("ADDED", "b"), ("LISTED", ""), ("MODIFIED", "b")],
    ]
    told: List[Tuple[str, str]] = []
    done = threading.Event()

    def changes() -> Iterator[Tuple[str, Any]]:
        if not feeds:
            done.set()
            return
        yield from ((change, thing(name) if name else {}) for change, name in feeds.pop(0))
        raise ConnectionError("broken")

    def apply(change: str, manifest: Any) -> None:
        told.append((change, manifest["metadata"]["name"] if manifest else ""))

    cache = Cache("test", lambda: Scripted(changes()), apply)
    cache.start()
    assert done.wait(30)
    cache.end()
    cache.join(30)
    assert told == [
        ("ADDED", "a"), ("ADDED", "b"), ("LISTED", ""), ("DELETED", "a"), ("ADDED", "c"),
        ("ADDED", "c"),
        ("ADDED", "b"), ("DELETED", "c"), ("LISTED", ""), ("MODIFIED", "b"),
    ]  # fmt: skip


def test_cache_hands_on_nothing_after_its_end() -> None:
    told: List[str] = []

    def changes() -> Iterator[Tuple[str, Any]]:
        yield "ADDED", thing("a")
        cache.end()
        yield "ADDED", thing("b")

    made = Scripted(changes())
    cache = Cache("test", lambda: made, lambda change, manifest: told.append(manifest["metadata"]["name"]))
    started = time.monotonic()
    cache.run()
    assert told == ["a"] and made.closed and time.monotonic() - started < 5


def test_flags_precede_variables_precede_defaults() -> None:
    assert vars(parse([], {})) == {
        "namespace": "default", "rule_name": "", "source_namespaces": "", "workers": 4, "health_port": 8080, "log_level": "info",
    }  # fmt: skip
    environ = {"NAMESPACE": "ours", "RULE_NAME": "main-rule", "WORKERS": "2", "HEALTH_PORT": "0", "LOG_LEVEL": "debug"}
    assert parse([], environ).rule_name == "main-rule"
    args = parse(["--namespace", "theirs", "--workers=8"], environ)
    assert (args.namespace, args.workers, args.health_port, args.log_level) == ("theirs", 8, 0, "debug")


@pytest.mark.parametrize("argv, environ", [
    (["--workers", "0"], {}), (["--workers", "x"], {}), ([], {"WORKERS": "0"}), (["--rule-type", "x"], {}),
    ([], {"LOG_LEVEL": "loud"}), (["--health-port", "-1"], {}),
])  # fmt: skip
def test_wrong_arguments(argv: List[str], environ: Any) -> None:
    with pytest.raises(SystemExit) as error:
        parse(argv, environ)
    assert error.value.code == 2


def test_there_is_one_version() -> None:
    chart = yaml.safe_load((Path(__file__).parents[1] / "chart" / "Chart.yaml").read_text())
    assert copyrator.__version__ == copyrator_api.__version__ == chart["version"] == chart["appVersion"]


@pytest.mark.parametrize("status, permanent", [(422, True), (400, True), (413, True), (403, False), (500, False), (0, False)])
def test_what_the_server_will_never_take_is_not_sent_again_and_again(status: int, permanent: bool) -> None:
    operator, key = Operator(Settings(), ApiClient()), Key("configmap", "a", "s")
    kinds = {422: errors.Invalid, 400: errors.BadRequest, 403: errors.Forbidden}
    added: List[float] = []
    operator._queue._add = lambda item, delay: added.append(delay)  # type: ignore[method-assign]
    for _ in range(3):
        operator._failed(key, kinds.get(status, errors.ApiError)(status, "No", "no"))
    assert (max(delay for delay in added) >= 600) is permanent


def test_probes_that_say_nothing_do_not_hold_a_thread_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = serve(port, Operator(Settings(), ApiClient()))
    assert server.RequestHandlerClass.timeout == 10  # type: ignore[attr-defined]
    server.RequestHandlerClass.timeout = 0.2  # type: ignore[attr-defined]
    with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
        assert silent.recv(1) == b"", "the server has hung up"
    server.shutdown()
