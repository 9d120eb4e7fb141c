# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The fixtures. KUBECONFIG leads to the control plane, CLUSTER to the program that started it."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

import pytest
import yaml
from kubernetes import client, config

from .process import Operator
from .proxy import Proxy


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --figures."""
    parser.addoption("--figures", metavar="FILE", help="write the measured figures into this Markdown file")


@pytest.fixture(scope="session")
def kubeconfig() -> str:
    """Gives the administrator's kubeconfig, and loads it; a test without one is skipped, or fails in CI."""
    path = os.environ.get("KUBECONFIG")
    if not path:
        reason = "KUBECONFIG names no cluster to test on: `make test-e2e` starts one"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    load: Any = config.load_kube_config
    load(path)
    return path


@pytest.fixture
def namespace(kubeconfig: str) -> Iterator[str]:
    """Gives a namespace of the test's own."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    core = client.CoreV1Api()
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=name)))
    yield name
    core.delete_namespace(name)


@pytest.fixture(scope="session")
def eventually() -> Callable[..., Any]:
    """Gives ``eventually(ask, timeout=60)``, which asks until the answer is true, and returns it.

    ``ask`` may raise AssertionError for "not yet"; at the end the last one is raised.
    """

    def function(ask: Callable[[], Any], timeout: float = 60) -> Any:
        deadline = time.monotonic() + timeout
        while True:
            try:
                answer = ask()
                if answer:
                    return answer
                assert time.monotonic() < deadline, f"after {timeout} s it is still {answer!r}"
            except AssertionError:
                if time.monotonic() >= deadline:
                    raise
            time.sleep(0.2)

    return function


@pytest.fixture(scope="session")
def kubectl(kubeconfig: str) -> Callable[..., str]:
    """Gives ``kubectl(*args, input=None)``, which returns what is printed and raises if it fails."""

    def function(*args: str, input: Optional[str] = None) -> str:
        done = subprocess.run(["kubectl", *args], input=input, capture_output=True, text=True)
        assert done.returncode == 0, f"kubectl {' '.join(args)}: {done.stderr}"
        return done.stdout

    return function


@pytest.fixture(scope="session")
def can_i(kubeconfig: str) -> Callable[..., bool]:
    """Gives ``can_i(verb, resource, *, as_user, namespace=None, name=None, all_namespaces=False)``.

    A resource is named as ``copyrators.test.com/status``, a user as
    ``system:serviceaccount:NAMESPACE:NAME``.
    """

    def function(
        verb: str,
        resource: str,
        *,
        as_user: str,
        namespace: Optional[str] = None,
        name: Optional[str] = None,
        all_namespaces: bool = False,
    ) -> bool:
        resource, _, subresource = resource.partition("/")
        command = ["kubectl", "auth", "can-i", verb, f"{resource}/{name}" if name else resource, "--as", as_user]
        command += ["--as-group", "system:authenticated", "--as-group", "system:serviceaccounts"]
        command += ["--subresource", subresource] if subresource else []
        command += ["--namespace", namespace] if namespace else []
        command += ["--all-namespaces"] if all_namespaces else []
        done = subprocess.run(command, capture_output=True, text=True)
        answer = done.stdout.strip().splitlines()[-1:]
        assert answer and answer[0].split()[0] in ("yes", "no"), f"{' '.join(command)}: {done.stdout}{done.stderr}"
        assert "server doesn't have a resource type" not in done.stderr, done.stderr
        return answer[0].startswith("yes")

    return function


@pytest.fixture
def service_account(kubeconfig: str, kubectl: Callable[..., str], tmp_path: Path) -> Iterator[Callable[[str, str], Proxy]]:
    """Gives ``service_account(namespace, name)``: a Proxy that sends as that ServiceAccount."""
    settings: Dict[str, Any] = yaml.safe_load(Path(kubeconfig).read_text())
    cluster = settings["clusters"][0]["cluster"]
    ca_file = cluster.get("certificate-authority")
    if not ca_file:
        ca_file = str(tmp_path / "ca.crt")
        Path(ca_file).write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    proxies: List[Proxy] = []

    def function(namespace: str, name: str) -> Proxy:
        token = kubectl("create", "token", name, "--namespace", namespace, "--duration", "24h").strip()
        proxies.append(Proxy(cluster["server"], ca_file, token, tmp_path, namespace))
        return proxies[-1]

    yield function
    for proxy in proxies:
        proxy.close()


@pytest.fixture
def operators(tmp_path: Path) -> Iterator[Callable[..., Operator]]:
    """Gives ``operators(argv, env={})``: an Operator, which ends with the test. A failed test prints its log's end.

    Its temporary files, which it leaves when it is killed, lie in the test's directory.
    """
    made: List[Operator] = []

    def function(argv: List[str], env: Optional[Mapping[str, str]] = None) -> Operator:
        made.append(Operator(argv, {"TMPDIR": str(tmp_path), **(env or {})}, tmp_path / f"operator-{len(made)}.log"))
        return made[-1]

    yield function
    for operator in made:
        if operator.running:
            operator.kill()
        print(f"the end of the operator's log:\n{operator.log()[-8000:]}")


@pytest.fixture(scope="session")
def restart(kubeconfig: str) -> Callable[..., None]:
    """Gives ``restart(component="kube-apiserver", kill=False)``, which waits until it is ready again."""

    def function(component: str = "kube-apiserver", kill: bool = False) -> None:
        command = [os.environ["CLUSTER"], "restart", component]
        subprocess.run([*command, "--kill"] if kill else command, check=True, capture_output=True)

    return function


@pytest.fixture(scope="session")
def figures(pytestconfig: pytest.Config) -> Callable[[str, Mapping[str, object]], None]:
    """Gives ``figures(name, values)``, which prints a table of two columns.

    With --figures FILE it goes into that file too, between the lines
    ``<!-- figures: NAME -->`` and ``<!-- end -->``, which must be there.
    """

    def function(name: str, values: Mapping[str, object]) -> None:
        table = "\n".join(["| | |", "|---|---|", *(f"| {what} | {value} |" for what, value in values.items())])
        print(f"{name}\n{table}")
        file: Optional[str] = pytestconfig.getoption("--figures")
        if file:
            text = Path(file).read_text()
            marked = re.compile(rf"(<!-- figures: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
            assert marked.search(text), f"{file} has no place for the figures {name}"
            Path(file).write_text(marked.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text))

    return function
