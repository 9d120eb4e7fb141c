# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Watching and waiting against a server that answers as a test tells it to."""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, Iterator, Tuple

import pytest

from fluxoperator import MiniCluster, errors
from fluxoperator.client import Client, Event
from scripted import BASE, STATUS, Asked, always, change, eventually, listed, manifest, quiet, status

# watching


def kinds(events: Iterator[Event[MiniCluster]]) -> Iterator[Tuple[str, str, str]]:
    """Gives what tells events apart."""
    for event in events:
        meta = event.object["metadata"]
        yield event.type, meta["name"], meta["resourceVersion"]


def test_a_watch_goes_on_where_the_connection_broke(server):
    def broken(asked: Asked) -> Iterator[Any]:
        yield change("MODIFIED", manifest(version="11"))
        yield change("BOOKMARK", {"metadata": {"resourceVersion": "12"}})
        raise OSError

    server.script = [
        always(listed(manifest())),
        broken,
        always((503, status(503, "ServiceUnavailable"))),
        lambda asked: iter([change("DELETED", manifest(version="13"))]),
        quiet,
    ]
    with server.client().watch("one", field_selector="a=b") as watch:
        events = kinds(iter(watch))
        assert [next(events) for _ in range(3)] == [("ADDED", "one", "5"), ("MODIFIED", "one", "11"), ("DELETED", "one", "13")]
    selected = [asked.query for asked in server.asked]
    assert {query["fieldSelector"] for query in selected} == {"metadata.name=one,a=b"}
    assert [query.get("resourceVersion") for query in selected[:4]] == [None, "10", "12", "12"]
    assert selected[1]["watch"] == selected[1]["allowWatchBookmarks"] == "true"
    assert list(watch) == []


@pytest.mark.parametrize("how", ["event", "answer"])
def test_a_watch_that_is_too_old_gives_what_has_changed_meanwhile(server, how):
    gone = status(410, "Expired")
    recreated = manifest("d", "21")
    recreated["metadata"]["uid"] = "another"
    server.script = [
        always(listed(manifest("a"), manifest("b"), manifest("c"), manifest("d"))),
        (lambda asked: iter([change("ERROR", gone)])) if how == "event" else always((410, gone)),
        always(listed(manifest("a"), manifest("b", "20"), recreated, manifest("e", "22"), version="30")),
        quiet,
    ]
    with server.client().watch() as watch:
        events = kinds(iter(watch))
        assert [event[:2] for event in (next(events) for _ in range(4))] == [("ADDED", name) for name in "abcd"]
        assert [next(events) for _ in range(5)] == [
            ("DELETED", "c", "5"),
            ("DELETED", "d", "5"),
            ("MODIFIED", "b", "20"),
            ("ADDED", "d", "21"),
            ("ADDED", "e", "22"),
        ]
        eventually(lambda: len(server.asked) == 3)
        watch.close()


def test_a_watch_tells_when_all_that_there_was_has_been_given(server):
    server.script = [always(listed(manifest("a"), manifest("b"))), quiet]
    with server.client().watch() as watch:
        events = kinds(iter(watch))
        assert [next(events)[1], next(events)[1]] == ["a", "b"] and not watch.synced.is_set()
        thread = threading.Thread(target=list, args=(events,))
        thread.start()
        assert watch.synced.wait(10)
        watch.close()
        thread.join(10)


def test_a_watch_from_a_version_gives_what_came_after_it(server):
    server.script = [lambda asked: iter([change("ADDED", manifest(version="8"))]), quiet]
    with server.client().watch(resource_version="7") as watch:
        assert next(kinds(iter(watch))) == ("ADDED", "one", "8")
    assert server.asked[0].query["resourceVersion"] == "7"


def test_a_watch_ends_at_its_timeout_also_if_the_server_that_it_reached_is_gone(server):
    server.script = [always(listed()), quiet]
    client = server.client()
    assert list(client.watch(timeout=0.3)) == []
    server.leave()
    watch = client.watch(resource_version="10", timeout=0.3)
    with pytest.raises(errors.Unreachable, match="refused"):  # not a list without events
        list(watch)


@pytest.mark.parametrize("timeout", [60, None])
def test_a_server_that_was_never_reached_is_an_error_at_once(server, timeout):
    server.leave()
    began = time.monotonic()
    with pytest.raises(errors.Unreachable, match="refused") as caught:
        list(server.client().watch(timeout=timeout))
    with pytest.raises(errors.Unreachable, match="refused"):
        server.client().wait_for("one", timeout=timeout)
    assert time.monotonic() - began < 10 and not caught.value.permanent


def test_a_server_without_an_answer_but_errors_is_an_error_at_the_end(server):
    server.script = [always((503, status(503, "ServiceUnavailable")))]
    with pytest.raises(errors.ServerError, match="it is ServiceUnavailable"):
        list(server.client().watch(timeout=0.3))
    with pytest.raises(errors.WaitTimeout, match="last seen: nothing; it is ServiceUnavailable"):
        server.client().wait_for("one", timeout=0.3)


def test_a_line_that_is_not_an_event_is_an_error_of_the_server(server):
    server.script = [always(listed(manifest())), lambda asked: iter(["login"]), quiet]
    with server.client().watch(timeout=0.5) as watch:
        assert len(list(watch)) == 1 and len(server.asked) == 3
    server.script = [lambda asked: iter(["login"]), always((503, status(503, "ServiceUnavailable")))]
    with server.client().watch(resource_version="1", timeout=0.3) as watch:
        assert list(watch) == [] and "ServiceUnavailable" in str(watch.error)


def test_what_a_watch_does_is_logged_without_values(server, caplog):
    def broken(asked: Asked) -> Iterator[Any]:
        yield change("MODIFIED", manifest(version="11", note="hush"))
        raise OSError

    gone = always((410, status(410, "Expired")))
    server.script = [always(listed(manifest())), broken, gone, always(listed(manifest(version="12"), version="12")), quiet]
    caplog.set_level("DEBUG", "fluxoperator")
    api = server.api_client()
    api.set_default_header("Authorization", "Bearer hush")
    assert len(list(Client(MiniCluster, api_client=api).watch(timeout=1))) == 3
    own = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "fluxoperator"]
    assert ("INFO", f"watch of {BASE}: resource version 11 has expired") in own
    assert ("DEBUG", f"list of {BASE}: 1 objects, resource version 12") in own
    assert any(level == "INFO" and f"watch of {BASE}: no answer: " in text for level, text in own)
    assert "hush" not in str(own)


def test_a_refusal_may_pass_once_there_was_an_answer(server, monkeypatch):
    no = always((403, status(403, "Forbidden")))
    server.script = [
        always(listed()),
        lambda asked: iter([]),
        no,
        no,
        lambda asked: iter([change("ADDED", manifest(version="11"))]),
        no,
    ]
    with server.client().watch() as watch:
        events = kinds(iter(watch))
        assert next(events) == ("ADDED", "one", "11")
        monkeypatch.setattr("fluxoperator._watch._GRACE", 0.1)
        with pytest.raises(errors.Forbidden):
            next(events)


def test_no_time_is_enough_for_one_look(server):
    server.script = [always(listed(ready("True", "5"))), quiet]
    assert server.client().wait_for("one", timeout=0)["metadata"]["name"] == "one"
    server.script = [always(listed(ready("False", "5"))), quiet]
    with pytest.raises(errors.WaitTimeout, match="not in 0 s; last seen: Ready=False .Any.$"):
        server.client().wait_for("one", timeout=0)


def test_a_watch_without_the_right_to_it_is_an_error(server):
    server.script = [always((403, status(403, "Forbidden")))]
    with pytest.raises(errors.Forbidden):
        list(server.client().watch(timeout=60))
    assert len(server.asked) == 1


def test_closing_a_watch_from_another_thread_ends_it_and_its_connection(server):
    server.script = [always(listed()), quiet]
    watch = server.client().watch()
    threading.Timer(0.2, watch.close).start()
    assert list(watch) == []
    assert server.ended.wait(60)


# waiting


def ready(value: str, version: str, generation: int = 1) -> Dict[str, Any]:
    """Gives a MiniCluster with a condition."""
    condition = {"type": "Ready", "status": value, "observedGeneration": 1}
    condition.update(lastTransitionTime="2026-01-02T03:04:05Z", message="", reason="Any")
    found = manifest(version=version, status={**STATUS, "conditions": [condition]})
    found["metadata"]["generation"] = generation
    return found


def test_waiting_ends_when_the_condition_is_met(server):
    steps = [
        always(listed(ready("True", "5", generation=2))),
        lambda asked: iter([change("MODIFIED", ready("False", "6")), change("MODIFIED", ready("True", "7"))]),
    ]
    server.script = list(steps)
    found = server.client().wait_for("one")
    assert isinstance(found, MiniCluster) and found["metadata"]["resourceVersion"] == "7"
    server.script = list(steps)
    assert server.client().wait_for("one", "Ready=False")["metadata"]["resourceVersion"] == "6"
    server.script = list(steps)
    found = server.client().wait_for("one", lambda seen: seen["metadata"]["resourceVersion"] > "5")
    assert found["metadata"]["resourceVersion"] == "6"


def test_waiting_ends_with_an_error_that_says_what_was_seen(server):
    server.script = [always(listed(ready("False", "5"))), quiet]
    with pytest.raises(errors.WaitTimeout) as caught:
        server.client().wait_for("one", timeout=0.2)
    assert isinstance(caught.value, TimeoutError)
    assert str(caught.value) == "MiniCluster one: Ready: not in 0.2 s; last seen: Ready=False (Any)"
    assert caught.value.last == ready("False", "5")
    client = server.client()
    client.transport.reached = True
    server.leave()
    with pytest.raises(errors.WaitTimeout, match="last seen: nothing; no answer: .*refused"):
        client.wait_for("one", timeout=0.3)


def test_waiting_for_what_is_not_there_ends_at_once(server):
    server.script = [always(listed())]
    with pytest.raises(errors.NotFound, match="MiniCluster one: Ready: it does not exist"):
        server.client().wait_for("one")
    deleted = lambda asked: iter([change("DELETED", manifest(version="6"))])  # noqa: E731
    server.script = [always(listed(manifest())), deleted]
    with pytest.raises(errors.NotFound, match="it was deleted"):
        server.client().wait_for("one")
    server.script = [always(listed(manifest())), deleted]
    server.client().wait_deleted("one")
    server.script = [always(listed())]
    server.client().wait_deleted("one")


def test_waiting_for_deletion_has_its_time_too(server):
    server.script = [always(listed(manifest())), quiet]
    with pytest.raises(errors.WaitTimeout, match="MiniCluster one: deletion: not in 0.2 s"):
        server.client().wait_deleted("one", timeout=0.2)
