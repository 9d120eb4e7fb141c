# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the clients send and read, and what they make of errors."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from typing import Any, Iterator
from urllib.parse import unquote

import pytest
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, errors
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


def test_a_read_that_is_told_to_come_later_does_so(server):
    later = always((429, status(429, "TooManyRequests"), {**JSON, "Retry-After": "0"}))
    busy = always((503, status(503, "ServiceUnavailable"), {**JSON, "Retry-After": "0"}))
    server.script = [later, busy, always(manifest())]
    assert server.client().get("one")["metadata"]["uid"] == "uid-one"
    assert len(server.asked) == 3


def test_a_write_that_is_told_to_come_later_is_an_error(server):
    server.script = [always((429, status(429, "TooManyRequests"), {**JSON, "Retry-After": "0"}))]
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
