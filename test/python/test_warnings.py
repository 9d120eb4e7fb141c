# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the clients make of the warnings that a server sends."""

from __future__ import annotations

import asyncio
import inspect
import warnings

import pytest

from fluxoperator import MiniCluster, errors
from fluxoperator._transport import Transport
from fluxoperator._warning import parse
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import AsyncClient
from scripted import JSON, always, listed, manifest, model, status

PARSED = [
    ('299 - "text"', ["text"]),
    ('299 - "a \\"quoted\\" \\\\ one"', ['a "quoted" \\ one']),
    ('299 - "one", 299 kube.example:443 "two, with a comma"', ["one", "two, with a comma"]),
    ('299 - "dated" "Wed, 21 Oct 2026 07:28:00 GMT", 299 - "next"', ["dated", "next"]),
    ('199 - "of a proxy", 299 - "of the server"', ["of the server"]),
    ('299 - "gr\u00c3\u00bcn"', ["gr\u00fcn"]),  # UTF-8 that http.client has decoded
    ('299 - "first", not one, 299 - "lost"', ["first"]),
    ('299 - ""', []),
    ('299 - "open', []),
    ("", []),
]


def warning(*texts):
    """Gives a step that answers with warnings."""
    return always((200, manifest(), {**JSON, "Warning": ", ".join(f'299 - "{text}"' for text in texts)}))


@pytest.mark.parametrize("header, texts", PARSED)
def test_a_header_is_parsed(header, texts):
    assert [*parse(header)] == texts


def test_a_warning_of_the_server_is_one_of_python_where_the_client_is_called(server):
    server.script = [warning("one", "two")]
    with pytest.warns(errors.ServerWarning) as caught:
        line = inspect.currentframe().f_lineno + 1
        server.client().create(model())
    assert [str(each.message) for each in caught] == ["one", "two"]
    assert {(each.filename, each.lineno) for each in caught} == {(__file__, line)}
    with pytest.warns(errors.ServerWarning) as caught:
        line = inspect.currentframe().f_lineno + 1
        FluxFrameworkOrgV1alpha1Api(server.api_client()).read_namespaced_mini_cluster("one", "default")
    assert {(each.filename, each.lineno) for each in caught} == {(__file__, line)}


def test_a_warning_of_an_asynchronous_call_has_its_line(server):
    server.script = [warning("one"), always((200, listed(manifest()), {**JSON, "Warning": '299 - "two"'}))]
    lines = []

    async def main():
        client = AsyncClient(MiniCluster, "default", server.api_client())
        lines.append(inspect.currentframe().f_lineno + 1)
        await client.get("one")
        lines.append(inspect.currentframe().f_lineno + 1)
        async for _ in client.watch("one", timeout=0.5):
            break

    with pytest.warns(errors.ServerWarning) as caught:
        asyncio.run(main())
    assert [(str(each.message), each.filename, each.lineno) for each in caught] == [("one", __file__, lines[0]), ("two", __file__, lines[1])]


def test_a_client_issues_a_text_once(server):
    server.script = [warning("one"), warning("one", "two"), warning("one")]
    client = server.client()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            client.get("one")
        server.client().get("one")
    assert [str(each.message) for each in caught] == ["one", "two", "one"]


def test_a_warning_that_is_an_exception_is_one_each_time(server):
    server.script = [warning("one")]
    client = server.client()
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.ServerWarning)
        for _ in range(2):
            with pytest.raises(errors.ServerWarning, match="one"):
                client.get("one")
        warnings.simplefilter("ignore", errors.ServerWarning)
        assert client.get("one") == manifest()


def test_errors_lists_and_streams_bring_warnings_too(server):
    headers = {**JSON, "Warning": '299 - "text"'}
    server.script = [always((400, status(400, "BadRequest"), headers)), always((200, listed(), headers))]
    with pytest.warns(errors.ServerWarning, match="text"), pytest.raises(errors.BadRequest):
        server.client().create(model())
    with pytest.warns(errors.ServerWarning, match="text"):
        server.client().list()
    with pytest.warns(errors.ServerWarning, match="text"), Transport(server.api_client()).stream("GET", "/x"):
        pass


def test_what_is_remembered_of_warnings_is_bounded(server, monkeypatch):
    monkeypatch.setattr("fluxoperator._warning._MOST", 3)
    transport = Transport(server.api_client())
    server.script = [lambda asked: warning(asked.path[1:])(asked)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.ServerWarning)
        for number in range(5):
            transport.request("GET", f"/{number}")
    assert transport._warned == {"3", "4"}
