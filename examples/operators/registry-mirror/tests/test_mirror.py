# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The objects of a mirror: what each is to be, one fact at a time, and one mirror as a whole."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubernetes.client import V1ObjectMeta
from registry_mirror_sdk.models import RegistryMirror, RegistryMirrorSpec

from registry_mirror.mirror import Mirror, Settings, wanted
from test_names import NAMES

GOLDEN = Path(__file__).with_name("docker-hub.yaml")
SETTINGS = Settings("mirrors", "registry:3", "socat:1")


def mirror(name="quay", **more):
    return Mirror(
        **{"name": name, "uid": "1-2", "upstream": "https://quay.io", "port": 5002, "settings": SETTINGS, **more}
    )


def environment(mirror):
    return {env.name: env.value or env.value_from for env in mirror.registry.spec.template.spec.containers[0].env}


def test_a_mirror_is_two_services_a_claim_a_stateful_set_and_a_daemon_set():
    kinds = [made.kind for made in mirror().objects()]
    assert kinds == ["Service", "Service", "PersistentVolumeClaim", "StatefulSet", "DaemonSet"]


def test_all_are_of_the_mirror_and_in_the_namespace_of_the_operator():
    for made in mirror().objects():
        assert made.metadata.namespace == "mirrors"
        (owner,) = made.metadata.owner_references
        assert (owner.kind, owner.name, owner.uid, owner.controller) == ("RegistryMirror", "quay", "1-2", True)
        assert owner.api_version == "registry.example.org/v1alpha1"
        assert made.metadata.labels["app.kubernetes.io/instance"] == "quay"
        assert made.metadata.labels["app.kubernetes.io/managed-by"] == "registry-mirror-operator"


def test_the_registry_fetches_from_the_upstream_into_the_claim():
    one = mirror()
    assert environment(one)["REGISTRY_PROXY_REMOTEURL"] == "https://quay.io"
    assert environment(one)["REGISTRY_STORAGE_FILESYSTEM_ROOTDIRECTORY"].startswith("/var/lib/registry/quay.io-")
    pod = one.registry.spec.template.spec
    assert pod.containers[0].image == "registry:3"
    assert pod.volumes[0].persistent_volume_claim.claim_name == one.claim.metadata.name
    assert pod.containers[0].volume_mounts[0].mount_path == "/var/lib/registry"
    assert one.registry.spec.service_name == one.headless_service.metadata.name
    assert one.registry.spec.replicas == 1


def test_images_of_two_upstreams_are_kept_apart():
    directories = {mirror(upstream=upstream).directory for upstream in ("https://a", "http://a", "https://a:1", "https://b")}
    assert len(directories) == 4


def test_without_credentials_nobody_logs_in():
    assert not [
        name for name in environment(mirror()) if name in ("REGISTRY_PROXY_USERNAME", "REGISTRY_PROXY_PASSWORD")
    ]


def test_credentials_are_left_to_the_kubelet_to_read():
    found = environment(mirror(credentials_secret="quay-login"))
    for key in ("username", "password"):
        reference = found[f"REGISTRY_PROXY_{key.upper()}"].secret_key_ref
        assert (reference.name, reference.key) == ("quay-login", f"quay.io.{key}")
        assert not reference.optional  # so that the pod waits for it


def test_credentials_are_given_to_the_upstream_alone_that_their_secret_names():
    """Who may write mirrors must not send the password of one registry to another."""

    def asked(upstream):
        found = environment(mirror(credentials_secret="quay-login", upstream=upstream))
        return found["REGISTRY_PROXY_PASSWORD"].secret_key_ref.key

    upstreams = ["https://quay.io", "https://quay.io:8443", "https://quay.io.evil.example", "https://evil.example"]
    assert len({asked(upstream) for upstream in upstreams}) == len(upstreams)
    assert asked("https://quay.io:8443") == "quay.io_8443.password"
    assert re.fullmatch(r"[-._a-zA-Z0-9]+", asked("https://quay.io:8443")), "a Secret may have it"


def test_a_directory_has_a_name_that_a_file_system_takes():
    host = ".".join(["a" * 63] * 4)
    assert len(Path(mirror(upstream=f"https://{host}").directory).name) <= 255
    assert mirror().directory.startswith("/var/lib/registry/quay.io-")


def test_the_claim_is_as_large_and_of_the_class_that_is_asked_for():
    claim = mirror(storage="1Ti", storage_class_name="fast").claim
    assert claim.spec.resources.requests == {"storage": "1Ti"}
    assert claim.spec.storage_class_name == "fast"
    assert mirror(storage=1024).claim.spec.resources.requests == {"storage": "1024"}
    assert mirror().claim.spec.storage_class_name is None


def test_both_services_lead_to_the_registry_and_not_to_the_listeners():
    one = mirror()
    assert one.headless_service.spec.cluster_ip == "None" and one.service.spec.cluster_ip is None
    for service in (one.headless_service, one.service):
        labels = one.registry.spec.template.metadata.labels
        assert service.spec.selector.items() <= labels.items()
        assert not service.spec.selector.items() <= one.listener.spec.template.metadata.labels.items()


def test_a_listener_is_on_the_loopback_address_of_every_node():
    one = mirror(port=5777)
    pod = one.listener.spec.template.spec
    (port,) = pod.containers[0].ports
    assert (port.host_ip, port.host_port) == ("127.0.0.1", 5777)
    assert one.endpoint == "localhost:5777"
    assert [toleration.operator for toleration in pod.tolerations] == ["Exists"]


def test_a_listener_hands_on_to_the_service():
    one = mirror()
    assert one.service_endpoint == f"{one.service.metadata.name}.mirrors.svc:{one.service.spec.ports[0].port}"
    assert one.listener.spec.template.spec.containers[0].args[2].split(",")[0] == f"TCP:{one.service_endpoint}"


def test_a_listener_s_processes_are_limited():
    args = mirror().listener.spec.template.spec.containers[0].args
    assert "max-children=64" in args[1].split(",") and "connect-timeout=10" in args[2].split(",")
    assert args[0] == "-T600", "a connection that says nothing does not stay"


def test_containers_have_no_rights():
    for made in (mirror().registry, mirror().listener):
        pod = made.spec.template.spec
        assert pod.security_context.run_as_non_root and pod.automount_service_account_token is False
        assert not pod.host_network and pod.enable_service_links is False
        for container in pod.containers:
            assert container.security_context.read_only_root_filesystem
            assert container.security_context.allow_privilege_escalation is False
            assert container.security_context.capabilities.drop == ["ALL"]


def test_a_mirror_is_read_from_the_generated_model():
    spec = RegistryMirrorSpec(upstream="https://quay.io", port=5002, credentials_secret="s", storage_class_name="c")
    read = Mirror.of(RegistryMirror(metadata=V1ObjectMeta(name="quay", uid="1-2"), spec=spec), SETTINGS)
    assert read == mirror(credentials_secret="s", storage_class_name="c")
    with pytest.raises(ValueError):
        Mirror.of(RegistryMirror.from_dict({"metadata": {"name": "quay"}}), SETTINGS)


@given(
    NAMES,
    st.integers(1024, 65535),
    st.sampled_from(["https://quay.io", "http://localhost:5000", "https://registry-1.docker.io"]),
    st.none() | st.just("login"),
)
def test_whatever_the_mirror_the_objects_fit_together(name, port, upstream, secret):
    one = mirror(name, port=port, upstream=upstream, credentials_secret=secret)
    objects = wanted(one)
    assert len({each.key for each in objects}) == 5
    for each in objects:
        assert len(each.name) <= 63 and each.name[0].isalpha() and "." not in each.name
        assert all(len(value) <= 63 for value in each.body["metadata"]["labels"].values())
    for made in (one.registry, one.listener):
        assert made.spec.selector.match_labels.items() <= made.spec.template.metadata.labels.items()
    assert len(one.registry_name) <= 52  # the label controller-revision-hash has 11 more


@given(NAMES, NAMES)
def test_no_two_mirrors_share_an_object_or_a_pod(one, other):
    if one == other:
        return
    first, second = mirror(one), mirror(other)
    assert not {each.key for each in wanted(first)} & {each.key for each in wanted(second)}
    for made in (first.registry, first.listener):
        for others in (second.registry, second.listener):
            assert not made.spec.selector.match_labels.items() <= others.spec.template.metadata.labels.items()


@pytest.mark.parametrize(
    "change",
    [{"upstream": "https://b"}, {"port": 6000}, {"credentials_secret": "s"}, {"storage": "20Gi"}, {"uid": "3"}],
    ids=lambda change: next(iter(change)),
)
def test_a_hash_tells_what_has_changed(change):
    assert [w.digest for w in wanted(mirror())] == [w.digest for w in wanted(mirror())]
    assert [w.digest for w in wanted(mirror())] != [w.digest for w in wanted(mirror(**change))]


def test_a_mirror_as_a_whole():
    one = mirror(
        "docker-hub",
        upstream="https://registry-1.docker.io",
        port=5001,
        credentials_secret="docker-hub",
        storage="50Gi",
    )
    text = "---\n".join(each.body.to_yaml() for each in wanted(one))
    if os.environ.get("UPDATE"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text(), "if it is meant to differ: UPDATE=1 make test"
