# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
import time

from registry_mirror.queue import Queue


def test_a_name_is_given_once_however_often_it_was_added():
    queue = Queue()
    for name in ("a", "b", "a"):
        queue.add(name)
    assert [queue.get(), queue.get()] == ["a", "b"]
    queue.close()
    assert queue.get() is None


def test_a_name_that_a_worker_has_waits_for_it():
    queue = Queue()
    queue.add("a")
    assert queue.get() == "a"
    queue.add("a")
    queue.add("b", 0.01)
    assert queue.get() == "b"
    queue.done("a")
    assert queue.get() == "a"


def test_the_sooner_time_counts():
    queue = Queue()
    queue.add("a", 60)
    queue.add("a", 0.05)
    queue.add("a", 60)
    start = time.monotonic()
    assert queue.get() == "a"
    assert 0.04 < time.monotonic() - start


def test_who_waits_is_woken():
    queue, got = Queue(), []
    threads = [threading.Thread(target=lambda: got.append(queue.get())) for _ in range(2)]
    for thread in threads:
        thread.start()
    queue.add("a")
    queue.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert set(got) <= {"a", None}
