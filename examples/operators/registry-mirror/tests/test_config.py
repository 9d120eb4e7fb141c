# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The manifests and the health server."""

from __future__ import annotations

import socket
from pathlib import Path

import yaml

import registry_mirror
from registry_mirror.__main__ import _serve_health
from registry_mirror.mirror import Settings
from registry_mirror.operator import Operator

CONFIG = Path(__file__).parents[1] / "config"


def test_images_have_a_version():
    """A tag that moves is another program after each restart of a pod."""
    deployment = yaml.safe_load((CONFIG / "manager/deployment.yaml").read_text())
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    defaults = Settings("")
    for image in (container["image"], defaults.registry_image, defaults.listener_image):
        assert image.rpartition(":")[2][0].isdigit(), image
    assert container["image"].endswith(f":{registry_mirror.__version__}")


def test_no_rule_of_rbac_has_a_wildcard():
    rules = [
        rule
        for file in (CONFIG / "rbac").glob("*.yaml")
        for made in yaml.safe_load_all(file.read_text())
        for rule in made.get("rules", [])
    ]
    assert rules and not [rule for rule in rules if "*" in str(rule)]


def test_probes_that_say_nothing_do_not_hold_a_thread_for_ever():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = _serve_health(Operator(Settings("")), port)
    assert server.RequestHandlerClass.timeout == 10
    server.RequestHandlerClass.timeout = 0.2
    with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
        assert silent.recv(1) == b"", "the server has hung up"
    server.shutdown()
