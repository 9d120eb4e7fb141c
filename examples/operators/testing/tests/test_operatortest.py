# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
import threading

import pytest
from kubernetes import client, config, watch

from operatortest.proxy import request_info

REQUESTS = {
    ("GET", "/api/v1/namespaces"): ("list", "namespaces"),
    ("GET", "/api/v1/namespaces?watch=true"): ("watch", "namespaces"),
    ("GET", "/api/v1/namespaces/a"): ("get", "namespaces"),
    ("PUT", "/api/v1/namespaces/a/finalize"): ("update", "namespaces/finalize"),
    ("GET", "/api/v1/namespaces/a/pods?watch=1&x=y"): ("watch", "pods"),
    ("GET", "/api/v1/namespaces/a/pods?watch=false"): ("list", "pods"),
    ("GET", "/api/v1/namespaces/a/pods/b/log"): ("get", "pods/log"),
    ("POST", "/apis/apps/v1/namespaces/a/deployments"): ("create", "deployments"),
    ("PATCH", "/apis/apps/v1/namespaces/a/deployments/b/status"): ("patch", "deployments/status"),
    ("DELETE", "/apis/apps/v1/namespaces/a/deployments/b"): ("delete", "deployments"),
    ("DELETE", "/apis/apps/v1/namespaces/a/deployments"): ("deletecollection", "deployments"),
    ("PATCH", "/apis/example.org/v1/things/b"): ("patch", "things"),
    ("GET", "/apis/apps/v1"): ("get", "/apis/apps/v1"),
    ("GET", "/version"): ("get", "/version"),
}


@pytest.mark.parametrize("request_line", REQUESTS, ids=" ".join)
def test_a_request_is_named_as_by_rbac(request_line):
    assert request_info(*request_line) == REQUESTS[request_line]


def account(namespace, name):
    body = client.V1ServiceAccount(metadata=client.V1ObjectMeta(name=name))
    client.CoreV1Api().create_namespaced_service_account(namespace, body)


def test_a_proxy_sends_as_the_service_account_and_counts(namespace, service_account, eventually, kubectl, can_i):
    account(namespace, "reader")
    proxy = service_account(namespace, "reader")
    core = client.CoreV1Api(config.new_client_from_config(str(proxy.kubeconfig)))
    with pytest.raises(client.ApiException) as refused:
        core.list_namespaced_config_map(namespace)
    assert refused.value.status == 403 and f"system:serviceaccount:{namespace}:reader" in refused.value.body

    user = f"system:serviceaccount:{namespace}:reader"
    assert not can_i("list", "configmaps", as_user=user, namespace=namespace)
    rights = ["create", "role", "reader", "--verb=get,list,watch,create", "--resource=configmaps", "-n", namespace]
    kubectl(*rights)
    kubectl("create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={namespace}:reader", "-n", namespace)
    eventually(lambda: can_i("list", "configmaps", as_user=user, namespace=namespace))
    assert not can_i("list", "configmaps", as_user=user, all_namespaces=True)

    proxy.reset()
    seen = []

    def follow():
        for event in watch.Watch().stream(core.list_namespaced_config_map, namespace, timeout_seconds=60):
            seen.append(event["object"].metadata.name)
            if "last" in seen:
                return

    thread = threading.Thread(target=follow)
    thread.start()
    eventually(lambda: proxy.counts["watch", "configmaps"])
    for name in ("first", "last"):
        body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data={"big": "x" * 500_000})
        core.create_namespaced_config_map(namespace, body)
    thread.join(60)
    assert not thread.is_alive() and seen[-2:] == ["first", "last"]
    assert proxy.counts["create", "configmaps"] == 2


def test_a_proxy_outlives_a_restart_of_the_api_server(namespace, service_account, restart, eventually):
    account(namespace, "any")
    proxy = service_account(namespace, "any")
    core = client.CoreV1Api(config.new_client_from_config(str(proxy.kubeconfig)))

    def refused():
        try:
            core.list_namespaced_secret(namespace)
        except client.ApiException as error:
            return error.status == 403
        except Exception as error:  # the server is away
            raise AssertionError from error

    assert refused()
    restart(kill=True)
    assert eventually(refused)


def test_an_operator_is_killed_with_its_children_and_started_again(operators, eventually):
    code = "import subprocess, sys; subprocess.Popen(['sleep', '1000']); print('up', flush=True); sys.stdin = None; import time; time.sleep(1000)"
    operator = operators([sys.executable, "-c", code])
    operator.start()
    with pytest.raises(RuntimeError, match="runs already"):
        operator.start()
    eventually(lambda: operator.log() == "up\n")
    operator.kill()
    assert not operator.running
    operator.start()
    eventually(lambda: operator.log() == "up\nup\n")
    assert operator.stop() == -15
