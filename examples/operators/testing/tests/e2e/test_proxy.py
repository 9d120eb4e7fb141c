# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading

import pytest
from kubernetes import client, config, watch


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
    # One connection serves many requests, and each is counted once.
    proxy.reset()
    for _ in range(5):
        core.list_namespaced_config_map(namespace)
    assert proxy.counts == {("list", "configmaps"): 5}


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
