# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The operator runs as its own ServiceAccount, with the rights of config/rbac and no others."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest
from kubernetes.client import V1ObjectMeta
from registry_mirror_sdk.client import Client
from registry_mirror_sdk.client import Object
from registry_mirror_sdk.models import RegistryMirror, RegistryMirrorSpec

from registry_mirror.kinds import CHILDREN
from registry_mirror.mirror import Mirror, Settings, wanted

CONFIG = Path(__file__).parents[2] / "config"
HOME = "registry-mirror-system"


class PersistentVolume(Object):
    API_VERSION, GROUP, VERSION = "v1", "", "v1"
    KIND, PLURAL, NAMESPACED = "PersistentVolume", "persistentvolumes", False


@pytest.fixture(scope="session")
def home(kubectl):
    """Installs all but the definition and the Deployment."""
    kubectl("apply", "-f", str(CONFIG / "manager/namespace.yaml"))
    kubectl("apply", "-k", str(CONFIG / "rbac"))
    return HOME


@pytest.fixture
def definition(kubectl):
    """Installs the definition."""
    kubectl("apply", "-k", str(CONFIG / "crd"))
    kubectl("wait", "--for=condition=Established", "crd/registrymirrors.registry.example.org")


@pytest.fixture(scope="session")
def volumes(home):
    """Makes a volume for each claim, as a provisioner does; the test's control plane has none."""
    stop, claims, volumes = Event(), Client(CHILDREN[1], home), Client(PersistentVolume)

    def provision():
        with claims.watch() as watch:
            Thread(target=lambda: (stop.wait(), watch.close()), daemon=True).start()
            for change in watch:
                claim = dict(change.object)
                if change.type == "ADDED":
                    volumes.create(volume(claim))

    thread = Thread(target=provision, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join(10)


def volume(claim):
    meta, spec = claim["metadata"], claim["spec"]
    return PersistentVolume.from_dict(
        {
            "metadata": {"name": f"pv-{meta['uid']}"},
            "spec": {
                "capacity": spec["resources"]["requests"],
                "accessModes": spec["accessModes"],
                "storageClassName": spec.get("storageClassName", ""),
                "hostPath": {"path": "/none"},
                "claimRef": {
                    "kind": "PersistentVolumeClaim",
                    "namespace": HOME,
                    "name": meta["name"],
                    "uid": meta["uid"],
                },
            },
        }
    )


@pytest.fixture
def proxy(home, service_account):
    """Gives what the operator reaches the API server by."""
    return service_account(home, "registry-mirror-operator")


@pytest.fixture
def operator(proxy, operators):
    """Gives the operator, which has not been started."""
    env = {"KUBECONFIG": str(proxy.kubeconfig), "NAMESPACE": HOME, "HEALTH_PORT": "0"}
    return operators([sys.executable, "-m", "registry_mirror"], env)


@pytest.fixture
def running(operator, volumes, definition):
    """Gives the operator, which runs."""
    operator.start()
    return operator


@pytest.fixture
def mirrors(definition, eventually):
    """Gives a client; when the test is over there is no mirror and nothing of one."""
    client = Client(RegistryMirror)
    yield client
    for mirror in client.list():
        client.delete(mirror.metadata.name)
    eventually(lambda: not stored(), 90)


@pytest.fixture
def ready(mirrors, eventually):
    """Gives ``ready(name, port, …)``, which creates a mirror and waits until it can be used."""

    def function(name, port, upstream="https://quay.io", **spec):
        mirrors.create(mirror(name, port, upstream, **spec))
        return mirrors.wait_for(name, timeout=60)

    return function


def mirror(name, port, upstream="https://quay.io", **spec):
    spec = RegistryMirrorSpec(upstream=upstream, port=port, **spec)
    return RegistryMirror(metadata=V1ObjectMeta(name=name), spec=spec)


def stored():
    """Gives what is stored in the operator's namespace, by kind and name."""
    items = [dict(item) for kind in CHILDREN for item in Client(kind, HOME).list()]
    return {(item["kind"], item["metadata"]["name"]): item for item in items}


def expected(mirrors):
    """Gives what is to be stored for mirrors as they were read, by kind and name."""
    return {each.key: dict(each.body) for m in mirrors for each in wanted(Mirror.of(m, Settings(HOME)))}


def holds(have, want):
    """Says whether a stored value is the wanted one, but for what the server or others add to objects."""
    if isinstance(want, dict):
        return isinstance(have, dict) and all(key in have and holds(have[key], want[key]) for key in want)
    if isinstance(want, list):
        return len(have) == len(want) and all(map(holds, have, want))
    return bool(have == want)


def assert_exact(mirrors, timeout=60):
    """Asserts that what is stored comes to be what these mirrors are made of, and no more."""
    want, deadline = expected(mirrors), time.monotonic() + timeout
    while True:
        have = stored()
        wrong = [key for key in want if key in have and not holds(have[key], want[key])]
        if set(have) == set(want) and not wrong:
            return
        assert time.monotonic() < deadline, f"more or less: {set(have) ^ set(want)}, and wrong: {wrong}"
        time.sleep(0.2)
