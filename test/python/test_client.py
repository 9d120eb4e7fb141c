# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The clients against a server that answers as a test tells it to."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Tuple
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, MiniClusterContainer, MiniClusterSpec, errors
from fluxoperator._streams import Streams
from fluxoperator._transport import Transport, segments
from fluxoperator.api import FluxFrameworkOrgV1alpha1Api
from fluxoperator.client import AsyncClient, Client, Event

BASE = "/apis/flux-framework.org/v1alpha1/namespaces/default/miniclusters"
STATUS = {"jobid": "x", "maximumSize": 1, "selector": "a=b", "size": 1}
JSON = {"Content-Type": "application/json"}


class Asked:
    """A request as it came.

    Attributes:
        method (str): of HTTP.
        path (str): the raw path without the query.
        query (Dict[str, str]): the query's last value for each name.
        headers (Dict[str, str]): by lower-case name.
        text (str): the body.
    """

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        split = urlsplit(handler.path)
        self.method, self.path = handler.command, split.path
        self.query = dict(parse_qsl(split.query))
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.text = handler.rfile.read(int(handler.headers.get("Content-Length", 0))).decode()

    @property
    def body(self) -> Any:
        """The decoded JSON of the body."""
        return json.loads(self.text)


class Server:
    """Answers each request with what the next of ``script`` returns for it.

    What it returns is a value for JSON, a status and a value, those and headers, or an iterator
    of values, each sent as a line when it comes. The last of the script answers what follows.
    """

    def __init__(self) -> None:
        self.script: List[Callable[[Asked], Any]] = []
        self.asked: List[Asked] = []
        self.ended = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                asked = Asked(self)
                server.asked.append(asked)
                step = server.script.pop(0) if len(server.script) > 1 else server.script[0]
                found = step(asked)
                if isinstance(found, Iterator):
                    return self.lines(found)
                status, value, headers = (found + (JSON,))[:3] if isinstance(found, tuple) else (200, found, JSON)
                data = json.dumps(value).encode()
                self.send_response(status)
                for name, text in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(data)

            def lines(self, values: Iterator[Any]) -> None:
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    for value in values:
                        data = json.dumps(value).encode() + b"\n"
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                    self.wfile.write(b"0\r\n\r\n")
                except EOFError:  # from quiet
                    while self.connection.recv(1):
                        pass
                    server.ended.set()
                except OSError:
                    pass
                self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *args: Any) -> None:
                """Says nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def leave(self) -> None:
        """Is at this address no more."""
        self.http.shutdown()
        self.http.server_close()

    def api_client(self) -> Any:
        """Gives an ApiClient of the installed kubernetes that leads here."""
        configuration = kubernetes.Configuration()
        configuration.host = self.url
        return kubernetes.ApiClient(configuration)

    def client(self) -> Client[MiniCluster]:
        """Gives a client that leads here."""
        return Client(MiniCluster, api_client=self.api_client())


@pytest.fixture
def server() -> Iterator[Server]:
    """Starts a server for one test."""
    found = Server()
    thread = threading.Thread(target=found.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield found
    found.leave()
    thread.join()


def manifest(name: str = "one", version: str = "5", **more: Any) -> Dict[str, Any]:
    """Gives a MiniCluster as a server sends it."""
    meta = {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": version}
    spec = {"containers": [{"image": "any"}]}
    return {"apiVersion": MiniCluster.API_VERSION, "kind": "MiniCluster", "metadata": meta, "spec": spec, **more}


def listed(*items: Dict[str, Any], version: str = "10", **meta: Any) -> Dict[str, Any]:
    """Gives a list as a server sends it."""
    return {"kind": "MiniClusterList", "metadata": {"resourceVersion": version, **meta}, "items": list(items)}


def status(code: int, reason: str, **more: Any) -> Dict[str, Any]:
    """Gives a Status as a server sends it."""
    return {"kind": "Status", "code": code, "reason": reason, "message": f"it is {reason}", **more}


def model(**meta: Any) -> MiniCluster:
    """Gives a MiniCluster as a user makes it."""
    return MiniCluster(metadata={"name": "one", **meta}, spec=MiniClusterSpec(containers=[MiniClusterContainer()]))


def always(value: Any) -> Callable[[Asked], Any]:
    """Gives a step that answers with a value."""
    return lambda asked: value


def change(kind: str, found: Dict[str, Any]) -> Dict[str, Any]:
    """Gives a watch event as a server sends it."""
    return {"type": kind, "object": found}


def quiet(asked: Asked) -> Iterator[Any]:
    """Is a step that says nothing until the other side ends the connection."""
    raise EOFError
    yield


def eventually(ask: Callable[[], Any]) -> None:
    """Asks until the answer is true, for a minute."""
    deadline = time.monotonic() + 60
    while not ask():
        assert time.monotonic() < deadline
        time.sleep(0.01)


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


# the API class


def test_operations_have_the_names_and_arguments_of_the_official_client():
    found = {
        name: [p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty][1:-1]
        for name, method in vars(FluxFrameworkOrgV1alpha1Api).items()
        if not name.startswith("_")
    }
    official = {
        name.replace("job", "mini_cluster"): [
            p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty and p.name != "kwargs"
        ][1:]
        for name, method in vars(kubernetes.BatchV1Api).items()
        if "_namespaced_job" in name and not name.endswith("_with_http_info") or name == "list_job_for_all_namespaces"
    }
    scale = {name: args for name, args in found.items() if name.endswith("_scale")}
    assert scale == {
        "read_namespaced_mini_cluster_scale": ["name", "namespace"],
        "replace_namespaced_mini_cluster_scale": ["name", "namespace", "body"],
        "patch_namespaced_mini_cluster_scale": ["name", "namespace", "body"],
    }
    for name in found.keys() - scale.keys():
        known = {"name", "namespace", "body"} & set(inspect.signature(getattr(kubernetes.BatchV1Api, name.replace("mini_cluster", "job"))).parameters)
        assert [arg for arg in official[name] if arg in known] == found[name], name


def test_the_api_class_sends_and_reads_what_operations_say(server):
    server.script = [always(manifest())]
    api = FluxFrameworkOrgV1alpha1Api(server.api_client())
    assert isinstance(api.create_namespaced_mini_cluster("default", model(), dry_run="All"), MiniCluster)
    assert isinstance(api.patch_namespaced_mini_cluster("one", "default", {"spec": {}}, force=True), MiniCluster)
    api.patch_namespaced_mini_cluster("one", "default", [{"op": "test"}])
    api.patch_namespaced_mini_cluster_status("one", "default", {}, content_type="application/apply-patch+yaml")
    sent = [(asked.method, asked.path, asked.query, asked.headers["content-type"]) for asked in server.asked]
    assert sent == [
        ("POST", BASE, {"dryRun": "All"}, "application/json"),
        ("PATCH", BASE + "/one", {"force": "true"}, "application/merge-patch+json"),
        ("PATCH", BASE + "/one", {}, "application/json-patch+json"),
        ("PATCH", BASE + "/one/status", {}, "application/apply-patch+yaml"),
    ]
    assert server.asked[0].body == dict(model())


def test_the_api_class_gives_classes_of_kubernetes(server):
    api = FluxFrameworkOrgV1alpha1Api(server.api_client())
    scale = {"kind": "Scale", "metadata": {"name": "one"}, "spec": {"replicas": 3}, "status": {"replicas": 2}}
    server.script = [always(scale)]
    found = api.read_namespaced_mini_cluster_scale("one", "default")
    assert isinstance(found, kubernetes.V1Scale)
    assert (found.spec.replicas, found.status.replicas) == (3, 2)
    found.spec.replicas = 4
    api.replace_namespaced_mini_cluster_scale("one", "default", found)
    assert server.asked[-1].body["spec"] == {"replicas": 4}
    server.script = [always({"kind": "Status", "status": "Success", "details": {"uid": "x"}})]
    body = kubernetes.V1DeleteOptions(propagation_policy="Orphan")
    done = api.delete_namespaced_mini_cluster("one", "default", body)
    assert isinstance(done, kubernetes.V1Status) and done.details.uid == "x"
    assert server.asked[-1].body == {"propagationPolicy": "Orphan"}
    server.script = [always(manifest())]
    assert isinstance(api.delete_namespaced_mini_cluster("one", "default"), MiniCluster)
    server.script = [always(listed(manifest()))]
    assert api.delete_collection_namespaced_mini_cluster("default").items[0] == manifest()
    assert api.list_mini_cluster_for_all_namespaces(_continue="x").items[0].spec.containers[0].image == "any"
    assert server.asked[-1].query == {"continue": "x"}


def test_an_option_that_an_operation_does_not_have_is_refused(server):
    api = FluxFrameworkOrgV1alpha1Api(server.api_client())
    with pytest.raises(TypeError, match="'labelSelector'"):
        api.list_namespaced_mini_cluster("default", labelSelector="a=b")
    with pytest.raises(TypeError, match="'force'"):
        api.create_namespaced_mini_cluster("default", model(), force=True)
    assert not server.asked


# the client


def test_the_namespace_of_the_object_wins(server):
    server.script = [always(manifest())]
    found = server.client()
    found.create(model())
    found.create(model(), namespace="b")
    found.create(model(namespace="a"))
    found.create(model(namespace="a"), namespace="a")
    homes = [asked.path.split("/")[5] for asked in server.asked]
    assert homes == ["default", "b", "a", "a"]
    with pytest.raises(ValueError, match="'a', not 'b'"):
        found.create(model(namespace="a"), namespace="b")


def test_a_cluster_scoped_kind_has_no_namespace(server):
    class Scoped(MiniCluster):
        GROUP, VERSION, KIND, PLURAL, NAMESPACED = "", "v1", "Scoped", "scopeds", False

    server.script = [always(manifest())]
    found = Client(Scoped, api_client=server.api_client())
    found.get("one")
    assert server.asked[0].path == "/api/v1/scopeds/one"
    with pytest.raises(ValueError, match="Scoped"):
        found.get("one", namespace="default")
    with pytest.raises(ValueError):
        server.client().list(all_namespaces=True, namespace="default")


def test_a_list_follows_its_pages(server):
    server.script = [
        always(listed(manifest("a"), **{"continue": "next"})),
        always(listed(manifest("b"))),
    ]
    found = server.client().list(label_selector="a=b", field_selector="metadata.name!=c", limit=1)
    assert [item["metadata"]["name"] for item in found] == ["a", "b"]
    selectors = {"labelSelector": "a=b", "fieldSelector": "metadata.name!=c", "limit": "1"}
    assert [asked.query for asked in server.asked] == [selectors, {**selectors, "continue": "next"}]


def test_a_list_that_expires_is_read_again_as_a_whole(server):
    server.script = [
        always(listed(manifest("a"), **{"continue": "next"})),
        always((410, status(410, "Expired", metadata={"continue": "inconsistent"}))),
        always(listed(manifest("a"), manifest("b"))),
    ]
    found = server.client().list(limit=1, all_namespaces=True)
    assert [item["metadata"]["name"] for item in found] == ["a", "b"]
    assert server.asked[-1].query == {}
    assert server.asked[-1].path == "/apis/flux-framework.org/v1alpha1/miniclusters"


def test_apply_sends_what_a_user_describes(server):
    server.script = [always(manifest())]
    read = manifest(status=STATUS)
    read["metadata"].update(managedFields=[{}], generation=1, creationTimestamp="2026-01-02T03:04:05Z", labels={"a": "b"})
    server.client().apply(MiniCluster.from_dict(read), force=True)
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("PATCH", BASE + "/one")
    assert asked.headers["content-type"] == "application/apply-patch+yaml"
    assert asked.query == {"force": "true", "fieldManager": "fluxoperator"}
    meta = {"name": "one", "namespace": "default", "labels": {"a": "b"}}
    assert asked.body == {**manifest(), "metadata": meta}


def test_an_object_without_a_name_cannot_be_applied_or_replaced(server):
    nameless = MiniCluster(spec=MiniClusterSpec(containers=[MiniClusterContainer()]))
    for call in (server.client().apply, server.client().replace):
        with pytest.raises(ValueError):
            call(nameless)
    assert not server.asked


def test_each_write_says_who_writes(server):
    server.script = [always(manifest())]
    found = Client(MiniCluster, api_client=server.api_client(), field_manager="me")
    found.create(model())
    found.replace(model())
    found.patch("one", {"status": {}}, subresource="status")
    found.patch("one", [])
    server.script = [always({"kind": "Scale", "spec": {"replicas": 2}})]
    assert found.scale("one", 2).spec.replicas == 2
    assert {asked.query["fieldManager"] for asked in server.asked} == {"me"}
    assert [asked.path[len(BASE):] for asked in server.asked] == ["", "/one", "/one/status", "/one", "/one/scale"]


def test_the_selector_of_pods_is_the_one_of_the_scale(server):
    server.script = [always({"status": {"selector": "a=b"}}), always({"status": {"replicas": 0}})]
    assert server.client().pod_selector("one") == "a=b"
    with pytest.raises(LookupError, match="MiniCluster one"):
        server.client().pod_selector("one")


def test_delete_says_how_and_waits_for_the_object_that_was_there(server):
    server.script = [always({"kind": "Status", "details": {"uid": "uid-one"}})]
    server.client().delete("one", propagation="Foreground", grace=0)
    assert server.asked[0].query == {"propagationPolicy": "Foreground", "gracePeriodSeconds": "0"}
    again = manifest()
    again["metadata"]["uid"] = "uid-two"
    server.script += [
        always(listed(manifest())),
        lambda asked: iter([change("MODIFIED", manifest(version="11")), change("DELETED", manifest(version="12"))]),
    ]
    server.client().delete("one", wait=True)
    server.script = [always(manifest()), always(listed(again))]
    server.client().delete("one", wait=True)


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


def test_a_watch_from_a_version_gives_what_came_after_it(server):
    server.script = [lambda asked: iter([change("ADDED", manifest(version="8"))]), quiet]
    with server.client().watch(resource_version="7") as watch:
        assert next(kinds(iter(watch))) == ("ADDED", "one", "8")
    assert server.asked[0].query["resourceVersion"] == "7"


def test_a_watch_ends_at_its_timeout_also_without_a_server(server):
    server.script = [always(listed()), quiet]
    assert list(server.client().watch(timeout=0.3)) == []
    server.leave()
    assert list(server.client().watch(timeout=0.3)) == []


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
        monkeypatch.setattr("fluxoperator._client._GRACE", 0.1)
        with pytest.raises(errors.Forbidden):
            next(events)


def test_no_time_is_enough_for_one_look(server):
    server.script = [always(listed(ready("True", "5"))), quiet]
    assert server.client().wait_for("one", timeout=0)["metadata"]["name"] == "one"
    server.script = [always(listed(ready("False", "5"))), quiet]
    with pytest.raises(errors.WaitTimeout, match="not in 0 s; last seen: Ready=False$"):
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
    assert str(caught.value) == "MiniCluster one: Ready: not in 0.2 s; last seen: Ready=False"
    assert caught.value.last == ready("False", "5")
    server.leave()
    with pytest.raises(errors.WaitTimeout, match="last seen: nothing; no answer: .*refused"):
        server.client().wait_for("one", timeout=0.3)


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


# asyncio


def threads() -> List[str]:
    """Gives the names of the threads that calls run in."""
    return [thread.name for thread in threading.enumerate() if "fluxoperator" in thread.name]


def test_the_asynchronous_client_has_every_method_of_the_other(server):
    found = AsyncClient(MiniCluster, api_client=server.api_client())
    public = {n for n in {**vars(Streams), **vars(Client)} if not n.startswith("_")}
    own = {name for name in vars(found) if callable(getattr(found, name))}
    assert public - {"transport", "namespace"} == own | {"port_forward"}
    assert found.get.__doc__ == Client.get.__doc__
    assert inspect.signature(found.patch) == inspect.signature(found.client.patch)


def test_asynchronous_calls_run_at_the_same_time(server):
    both = threading.Barrier(2, timeout=60)
    server.script = [lambda asked: both.wait() >= 0 and manifest(asked.path[-3:])]

    async def main() -> List[MiniCluster]:
        found = AsyncClient(MiniCluster, api_client=server.api_client())
        return list(await asyncio.gather(found.get("one"), found.get("two")))

    assert [item["metadata"]["name"] for item in asyncio.run(main())] == ["one", "two"]
    eventually(lambda: not threads())


def test_asynchronous_calls_raise_what_the_others_do(server):
    server.script = [always((404, status(404, "NotFound")))]
    with pytest.raises(errors.NotFound):
        asyncio.run(AsyncClient(MiniCluster, api_client=server.api_client()).get("one"))


@pytest.mark.parametrize("how", ["watch", "wait_for", "delete"])
def test_cancelling_closes_the_connection_and_leaves_no_thread(server, how):
    deleted = {"kind": "Status", "details": {"uid": "uid-one"}}
    server.script = [always(deleted)] if how == "delete" else []
    server.script += [always(listed(manifest())), quiet]

    async def watch(found: AsyncClient[MiniCluster]) -> None:
        async for event in found.watch():
            assert event.object["metadata"]["name"] == "one"

    async def main() -> None:
        found = AsyncClient(MiniCluster, api_client=server.api_client())
        calls = {"watch": lambda: watch(found), "wait_for": lambda: found.wait_for("one"), "delete": lambda: found.delete("one", wait=True)}
        task = asyncio.ensure_future(calls[how]())
        while "watch" not in (server.asked[-1].query if server.asked else {}):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert server.ended.wait(60)
    eventually(lambda: not threads())


def test_leaving_an_asynchronous_watch_closes_its_connection(server):
    server.script = [always(listed(manifest())), quiet]

    async def main() -> None:
        events = AsyncClient(MiniCluster, api_client=server.api_client()).watch()
        async for _ in events:
            break
        await events.aclose()

    asyncio.run(main())
    eventually(lambda: not threads())


def test_a_call_that_is_cancelled_asks_no_more(server):
    asked, go_on = threading.Event(), threading.Event()

    def page(request: Asked) -> Any:
        asked.set()
        go_on.wait(60)
        return listed(manifest(), **{"continue": "more"})

    server.script = [page]

    async def main() -> None:
        task = asyncio.ensure_future(AsyncClient(MiniCluster, api_client=server.api_client()).list())
        while not asked.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(main())
    eventually(lambda: not threads())
    assert len(server.asked) == 1


def test_the_clients_are_importable_without_kubernetes():
    code = (
        "import sys; sys.modules['kubernetes'] = sys.modules['urllib3'] = None\n"
        "from fluxoperator import MiniCluster, api, errors\n"
        "from fluxoperator.client import AsyncClient, Client\n"
        "Client(MiniCluster); AsyncClient(MiniCluster); api.FluxFrameworkOrgV1alpha1Api()\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
