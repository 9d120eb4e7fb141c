#!/usr/bin/env python3
# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Reaches a port of a pod from here, without kubectl: once as a local port, once as a socket."""

from http.client import HTTPConnection

from kubernetes import config
from kubernetes.client import V1ObjectMeta

from fluxoperator.client import MiniClusterClient
from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

config.load_kube_config()  # type: ignore[no-untyped-call]
client = MiniClusterClient()

# Without a command, the lead broker serves the Flux RESTful API.
client.create(
    MiniCluster(
        metadata=V1ObjectMeta(name="restful"),
        spec=MiniClusterSpec(containers=[MiniClusterContainer(image="ghcr.io/rse-ops/accounting:app-latest")]),
    )
)
try:
    client.wait_for("restful", "JobRunning", timeout=600)
    pod = client.lead_broker("restful")

    with client.port_forward(pod, 5000) as port:
        connection = HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/v1/")
        print(connection.getresponse().read().decode())
        connection.close()

    with client.connect(pod, 5000) as sock:
        sock.sendall(b"GET /v1/ HTTP/1.1\r\nHost: restful\r\nConnection: close\r\n\r\n")
        with sock.makefile("rb") as answer:
            print(answer.readline().decode().strip())
finally:
    client.delete("restful", wait=True)
