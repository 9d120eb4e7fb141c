# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

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
