# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the clients send and read, and what they make of errors."""

from __future__ import annotations

import copy
import json
import os
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator
from urllib.parse import unquote

import pytest
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, errors
from fluxoperator._pool import pool
from fluxoperator._transport import Transport, segments
from fluxoperator.client import Client, Event
from scripted import BASE, JSON, Asked, always, manifest, model, quiet, status

# errors

KINDS = [
    (400, "BadRequest", errors.BadRequest),
    (401, "Unauthorized", errors.Unauthorized),
    (403, "Forbidden", errors.Forbidden),
    (404, "NotFound", errors.NotFound),
    (409, "Conflict", errors.Conflict),
    (409, "AlreadyExists", errors.AlreadyExists),
    (410, "Expired", errors.Gone),
    (418, "Teapot", errors.ApiError),
    (422, "Invalid", errors.Invalid),
    (429, "TooManyRequests", errors.TooManyRequests),
    (500, "InternalError", errors.ServerError),
    (504, "Timeout", errors.ServerError),
]


@pytest.mark.parametrize("code, reason, kind", KINDS)
def test_an_answer_that_is_an_error_is_raised_as_its_kind(server, code, reason, kind):
    causes = [{"field": "spec.size", "message": "too small"}]
    answer = status(code, reason, details={"causes": causes})
    server.script = [always((code, answer, {**JSON, "X-Test": "yes"}))]
    with pytest.raises(kind) as caught:
        server.client().get("one")
    error: Any = caught.value
    assert kind is errors.ApiError or type(error).__bases__[0] is kind
    assert isinstance(error, kubernetes.ApiException)
    assert (error.status, error.reason, error.message) == (code, reason, f"it is {reason}")
    assert json.loads(error.body) == answer
    assert error.headers["X-Test"] == "yes"
    assert error.causes == [("spec.size", "too small")]
    assert str(error) == f"it is {reason} ({code} {reason})"
    for same in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(same) is type(error) and vars(same) == vars(error)


def test_an_error_without_a_status_object_has_the_answer_as_its_message(server):
    server.script = [always((502, "a proxy speaks"))]
    with pytest.raises(errors.ServerError) as caught:
        server.client().get("one")
    assert str(caught.value) == '"a proxy speaks" (502 Bad Gateway)'
    assert caught.value.causes == []


def test_a_server_that_is_not_there_is_a_clear_error(server):
    found = server.client()
    server.leave()
    with pytest.raises(errors.Unreachable, match="no answer: .*refused") as caught:
        found.create(model())
    assert isinstance(caught.value, (ConnectionError, kubernetes.ApiException))
    assert caught.value.status == 0
    with pytest.raises(errors.Unreachable):
        next(iter(found.watch()))


def test_an_error_made_by_hand_is_one_of_kubernetes_too():
    class Mine(errors.NotFound):
        """A kind of a user's own."""

    for kind in (errors.NotFound, errors.Unreachable, Mine):
        error = kind(404, "NotFound", "it is not there", headers={"X-Test": "yes"})
        assert isinstance(error, (kind, kubernetes.ApiException))
        assert isinstance(error, kubernetes.ApiException)
        assert (str(error), error.args) == ("it is not there (404 NotFound)", ("it is not there",))
        assert type(copy.copy(error)) is type(error) and vars(copy.copy(error)) == vars(error)


CALLS = {
    "GET": lambda client: client.get("one"),
    "POST": lambda client: client.create(model()),
    "PUT": lambda client: client.replace(model()),
    "PATCH": lambda client: client.patch("one", {}),
    "DELETE": lambda client: client.delete("one"),
}

LOGIN = "<!DOCTYPE html><title>Log in</title>"


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("answer", [LOGIN, "[]", "3", "", "{"])
def test_an_answer_that_is_not_of_an_api_server_is_an_error_that_says_so(server, method, answer):
    server.script = [always(answer.encode())]
    with pytest.raises(errors.ApiError, match="proxy or login page") as caught:
        CALLS[method](server.client())
    assert (caught.value.status, caught.value.body) == (200, answer)
    assert server.url in str(caught.value) and answer[:5] in str(caught.value)


# transport


def test_credentials_are_renewed_for_each_request(server):
    tokens = iter("abc")
    api_client = server.api_client()
    api_client.configuration.api_key["authorization"] = "none"

    def renew(configuration: Any) -> None:
        configuration.api_key["authorization"] = f"Bearer {next(tokens)}"

    api_client.configuration.refresh_api_key_hook = renew
    api_client.set_default_header("X-Mine", "yes")
    server.script = [always(manifest())]
    found = Client(MiniCluster, api_client=api_client)
    found.get("one")
    found.get("one")
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer a", "Bearer b"]
    assert server.asked[0].headers["x-mine"] == "yes"


def test_the_configuration_that_is_loaded_at_the_first_request_counts(server):
    server.script = [always(manifest())]
    found = Client(MiniCluster)
    before = kubernetes.Configuration.get_default_copy()
    after = kubernetes.Configuration()
    after.host = server.url + "/prefix/"
    kubernetes.Configuration.set_default(after)
    try:
        assert found.get("one").metadata.name == "one"
    finally:
        kubernetes.Configuration.set_default(before)
    assert server.asked[0].path == "/prefix" + BASE + "/one"


def refusal(code: int, after: str) -> Any:
    """Gives a step that says when to come again."""
    return always((code, status(code, "TooManyRequests"), {**JSON, "Retry-After": after}))


@pytest.mark.parametrize("method", CALLS)
def test_a_request_that_the_server_is_too_busy_for_is_sent_again(server, method):
    server.script = [refusal(429, "0"), refusal(503, "Wed, 21 Oct 2015 07:28:00 GMT"), always(manifest())]
    CALLS[method](server.client())
    assert [asked.method for asked in server.asked] == [method] * 3
    assert server.asked[0].text == server.asked[2].text
    assert server.asked[0].headers == server.asked[2].headers


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_server_that_is_busy_for_longer_than_the_timeout_is_an_error_at_once(server, method):
    server.script = [refusal(429, "30")]
    before = time.monotonic()
    with pytest.raises(errors.TooManyRequests, match="it is TooManyRequests"):
        Transport(server.api_client()).request(method, "/x", timeout=20)
    assert time.monotonic() - before < 15
    assert len(server.asked) == 1


def test_a_server_that_stays_busy_is_an_error_in_time(server):
    server.script = [refusal(429, "0")]
    before = time.monotonic()
    with pytest.raises(errors.TooManyRequests):
        Transport(server.api_client()).request("POST", "/x", timeout=0.6)
    assert time.monotonic() - before < 10
    assert 1 < len(server.asked) < 9


def test_a_stream_that_the_server_is_too_busy_for_is_asked_for_again(server):
    server.script = [refusal(429, "0"), lambda asked: iter([{"a": 1}])]
    with Transport(server.api_client()).stream("GET", "/x") as stream:
        assert list(stream) == [b'{"a": 1}']


def test_an_eviction_that_must_not_be_yet_is_not_sent_again(server):
    server.script = [always((429, status(429, "TooManyRequests")))]
    with pytest.raises(errors.TooManyRequests):
        server.client().create(model())
    assert len(server.asked) == 1


def test_a_read_is_not_repeated_without_being_told(server):
    server.script = [always((503, status(503, "ServiceUnavailable")))]
    with pytest.raises(errors.ServerError):
        server.client().get("one")
    assert len(server.asked) == 1


def test_a_silent_server_is_an_error_in_time(server):
    silent = threading.Event()
    server.script = [lambda asked: silent.wait(60) and manifest()]
    with pytest.raises(errors.Unreachable, match="timed out"):
        Transport(server.api_client()).request("GET", "/x", timeout=0.1)
    silent.set()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_does_not_have_is_not_sent(server, number):
    with pytest.raises(ValueError):
        server.client().patch("one", {"spec": {"size": number}})
    assert not server.asked


def meeting(count: int) -> Any:
    """Gives a step that answers requests when there are so many."""
    all_of_them = threading.Barrier(count, timeout=60)
    return lambda asked: all_of_them.wait() >= 0 and manifest()


@pytest.mark.parametrize("mine", [None, 3, 2000])
def test_connections_of_concurrent_requests_are_kept(server, caplog, mine):
    api_client = server.api_client(connection_pool_maxsize=mine)
    found, more = Client(MiniCluster, api_client=api_client), Client(MiniCluster, api_client=api_client)
    for _ in range(3):
        server.script = [meeting(50)]
        with ThreadPoolExecutor(50) as threads:
            list(threads.map(lambda i: (found, more)[i % 2].get("one"), range(50)))
    assert len({asked.source for asked in server.asked}) == 50
    assert not caplog.records
    theirs = api_client.rest_client.pool_manager
    assert not theirs.pools  # nothing is done to what is the user's
    assert pool(api_client).connection_pool_kw["maxsize"] == max(mine or 0, 1000)


def test_requests_at_the_same_time_share_one_api_client(monkeypatch):
    made = []

    def slowly() -> Any:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    monkeypatch.setattr(kubernetes, "ApiClient", slowly)
    transport = Transport()
    with ThreadPoolExecutor(8) as pool:
        assert {id(each) for each in pool.map(lambda _: transport.api_client, range(8))} == {id(made[0])}
    assert len(made) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_was_forked_opens_connections_of_its_own(server):
    server.script = [always(manifest())]
    found = server.client()
    found.get("one")
    for _ in range(2):
        child = os.fork()
        if not child:
            try:
                found.get("one")
                found.get("one")
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        found.get("one")
    first, a, _, second, b, _, third = (asked.source for asked in server.asked)
    assert first == second == third
    assert len({first, a, b}) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_was_forked_cannot_end_the_streams_of_its_parent(server):
    go_on = threading.Event()
    server.script = [lambda asked: (go_on.wait(60) and {"a": i} for i in range(1))]
    with Transport(server.api_client()).stream("GET", "/x") as stream:
        child = os.fork()
        if not child:
            try:
                stream.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        go_on.set()
        assert list(stream) == [b'{"a": 0}']


def test_names_cannot_change_the_path(server):
    server.script = [always(manifest())]
    server.client().get("a/../b?c=d#e")
    assert unquote(server.asked[0].path) == BASE + "/a/../b?c=d#e"
    assert server.asked[0].path.count("/") == BASE.count("/") + 1
    for name in ("", ".", ".."):
        with pytest.raises(ValueError):
            server.client().get(name)
        with pytest.raises(ValueError):
            segments("api", name)


def test_a_query_is_spelled_for_the_wire(server):
    found = Transport(server.api_client())
    query = {"watch": True, "stdin": False, "none": None, "limit": 3, "command": ["a b", "c&d"]}
    assert found.url("/x", query) == server.url + "/x?watch=true&stdin=false&limit=3&command=a+b&command=c%26d"


def test_a_stream_gives_lines_and_ends_when_another_thread_closes_it(server):
    server.script = [lambda asked: iter([{"a": 1}, {"b": "ü"}])]
    transport = Transport(server.api_client())
    with transport.stream("GET", "/x") as stream:
        assert list(stream) == [b'{"a": 1}', b'{"b": "\\u00fc"}']
    server.script = [quiet]
    with transport.stream("GET", "/x") as stream:
        timer = threading.Timer(0.1, stream.close)
        timer.start()
        assert set(stream) <= {b""}
        timer.join()
    assert server.ended.wait(60)


def test_a_stream_that_breaks_off_is_an_error(server):
    def broken(asked: Asked) -> Iterator[Any]:
        yield {"a": 1}
        raise OSError

    server.script = [broken]
    with pytest.raises(errors.Unreachable):
        with Transport(server.api_client()).stream("GET", "/x") as stream:
            list(stream)
