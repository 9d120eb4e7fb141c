# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Waits that end as soon as they cannot be met, and connections that cannot be made."""

from __future__ import annotations

import pickle
import socket
import ssl
import subprocess
import threading
import time
from typing import Any, Dict, Iterator, List

import pytest
from kubernetes import client as kubernetes

from fluxoperator import MiniCluster, errors
from fluxoperator._lines import LINE, lines
from fluxoperator.client import Client
from scripted import STATUS, always, change, listed, manifest, quiet


def seen(version: str = "5", **conditions: Any) -> Dict[str, Any]:
    """Gives a MiniCluster with conditions by type: status, reason and message."""
    found = [
        {"type": kind, "status": value, "reason": reason, "message": message, "lastTransitionTime": "2026-01-02T03:04:05Z"}
        for kind, (value, reason, message) in conditions.items()
    ]
    return manifest(version=version, status={**STATUS, "conditions": found})


# waits


def test_a_wait_ends_with_the_reason_when_the_failed_condition_is_met(server):
    failed = seen("6", Ready=("False", "Any", ""), Failed=("True", "Broken", "no disk"))
    server.script = [always(listed(seen())), lambda asked: iter([change("MODIFIED", failed)]), quiet]
    with pytest.raises(errors.WaitFailed) as caught:
        server.client().wait_for("one", failed="Failed")
    assert str(caught.value) == "MiniCluster one: Ready: cannot be met any more: Broken: no disk"
    assert (caught.value.reason, caught.value.message, caught.value.last) == ("Broken", "no disk", failed)
    assert isinstance(caught.value, RuntimeError) and not isinstance(caught.value, errors.ApiError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.reason, again.last) == (str(caught.value), "Broken", failed)


def test_a_failed_object_is_no_success_even_if_the_condition_is_met(server):
    server.script = [always(listed(seen(Ready=("True", "Any", ""), Failed=("True", "Broken", ""))))]
    with pytest.raises(errors.WaitFailed, match="cannot be met any more: Broken$"):
        server.client().wait_for("one", failed="Failed")
    assert server.client().wait_for("one")["metadata"]["name"] == "one"


@pytest.mark.parametrize(
    "said, reason, message",
    [(True, "broken", ""), ("no disk", "broken", "no disk"), ({"reason": "Disk", "message": "full"}, "Disk", "full")],
)
def test_a_function_may_say_why_an_object_has_failed(server, said, reason, message):
    def broken(found: MiniCluster) -> Any:
        return said if found["metadata"]["resourceVersion"] == "6" else None

    server.script = [always(listed(seen())), lambda asked: iter([change("MODIFIED", seen("6"))]), quiet]
    with pytest.raises(errors.WaitFailed) as caught:
        server.client().wait_for("one", failed=broken)
    assert (caught.value.reason, caught.value.message) == (reason, message)


def test_a_function_of_the_status_is_false_until_there_is_one(server):
    server.script = [always(listed(manifest())), lambda asked: iter([change("MODIFIED", seen("6"))]), quiet]
    found = server.client().wait_for("one", lambda found: found.status.size == 1)
    assert found["metadata"]["resourceVersion"] == "6"
    server.script = [always(listed(seen()))]
    with pytest.raises(AttributeError, match="sise"):
        server.client().wait_for("one", lambda found: found.status.sise == 1)


def test_a_wait_that_times_out_says_why_conditions_are_as_they_are(server):
    server.script = [always(listed(seen(Ready=("False", "Rejected", "exceeded quota")))), quiet]
    with pytest.raises(errors.WaitTimeout, match=r"last seen: Ready=False \(Rejected: exceeded quota\)$"):
        server.client().wait_for("one", timeout=0.2)


# connections that cannot be made


def unloaded(host: str) -> Client[MiniCluster]:
    """Gives a client whose configuration has a host."""
    configuration = kubernetes.Configuration()
    configuration.host, configuration.verify_ssl = host, True
    return Client(MiniCluster, api_client=kubernetes.ApiClient(configuration))


def at_once(client: Client[MiniCluster], reason: str, text: str) -> errors.ApiError:
    """Checks that all calls fail in the same way, without waiting, and gives an error."""
    calls = (
        lambda: client.get("one"),
        lambda: client.wait_for("one"),
        lambda: list(client.watch(timeout=3)),
        lambda: client.exec("one", ["true"]),
        lambda: list(client.logs("one")),
    )
    began = time.monotonic()
    for call in calls:
        with pytest.raises(errors.Unreachable, match=text) as caught:
            call()
        assert caught.value.reason == reason
    assert time.monotonic() - began < 10
    return caught.value


def test_a_client_without_a_host_says_what_to_call():
    error = at_once(unloaded(""), "NoHost", r"call kubernetes.config.load_kube_config\(\)")
    assert error.permanent and isinstance(error, kubernetes.ApiException)


def test_the_default_of_kubernetes_is_no_host():
    fresh = Client(MiniCluster, api_client=kubernetes.ApiClient(kubernetes.Configuration()))
    with pytest.raises(errors.Unreachable, match=r"call kubernetes.config.load_kube_config\(\)"):
        fresh.wait_for("one")


def test_a_name_that_cannot_be_resolved_is_an_error_at_once():
    at_once(unloaded("https://nowhere.invalid"), "NameNotFound", "the name of https://nowhere.invalid cannot be resolved")


@pytest.fixture
def stranger(tmp_path) -> Iterator[str]:
    """Starts a server with a certificate of its own, and gives its URL."""
    pem = tmp_path / "server.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject, "-keyout", pem, "-out", tmp_path / "cert"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", pem)
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                context.wrap_socket(listening.accept()[0], server_side=True)
            except ssl.SSLError:
                continue
            except OSError:
                return

    threading.Thread(target=serve, daemon=True).start()
    yield f"https://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()


def test_a_certificate_that_cannot_be_verified_is_an_error_at_once(stranger):
    client = unloaded(stranger)
    assert at_once(client, "CertificateInvalid", "CERTIFICATE_VERIFY_FAILED").permanent
    client.transport.reached = True  # an earlier server of this address
    at_once(client, "CertificateInvalid", "cannot be verified")


# lines


def test_lines_are_those_of_the_bytes_however_they_are_cut():
    text = b"a\n\nbc\n" + b"x" * 70_000 + b"\nend"
    for size in (1, 2, 3, 65_536, len(text)):
        cut = (text[at : at + size] for at in range(0, len(text), size))
        assert list(lines(cut)) == text.split(b"\n")
    assert list(lines([b"a\n"])) == [b"a"] and list(lines([])) == []


def test_a_long_line_takes_time_in_proportion_to_its_length():
    def seconds(size: int) -> float:
        began = time.process_time()
        assert [len(line) for line in lines(b"x" * 1000 for _ in range(size // 1000))] == [size]
        return time.process_time() - began

    best: List[float] = [min(seconds(size) for _ in range(3)) for size in (1_000_000, 16_000_000)]
    assert best[1] < 64 * best[0] + 0.1, "16 times the bytes take more than 64 times the time"


def test_a_line_without_an_end_is_an_error_once_it_is_too_long():
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1 << 16
            yield b"x" * (1 << 16)

    with pytest.raises(errors.TooLarge, match="more than 16 MiB"):
        list(lines(endless()))
    assert taken <= LINE + (1 << 17)
    assert not issubclass(errors.TooLarge, errors.ApiError), "a retry would not help"


def test_a_watch_of_an_endless_line_is_an_error(server):
    server.script = [always(listed(manifest())), lambda asked: iter(["x" * (LINE + 1)])]
    with pytest.raises(errors.TooLarge):
        list(server.client().watch(timeout=60))
