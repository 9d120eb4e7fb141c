# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from functools import partial

from registry_mirror_sdk.client import Client
from registry_mirror_sdk.models import RegistryMirror

from conftest import CONFIG, assert_exact, mirror, stored


def exact(made):
    assert_exact([made])
    return True


def test_the_operator_waits_for_its_definition_and_goes_on(operator, proxy, volumes, kubectl, eventually):
    crd, log = CONFIG / "crd", operator.log
    kubectl("delete", "-k", str(crd), "--ignore-not-found")
    operator.start()
    eventually(lambda: log().count("waiting for the definition") == 1)
    eventually(lambda: proxy.counts["watch", "customresourcedefinitions"])
    assert not proxy.counts["list", "registrymirrors"]

    client = Client(RegistryMirror)
    for time in (1, 2):
        kubectl("apply", "-k", str(crd))
        eventually(lambda: log().count("following the mirrors") == time)
        kubectl("wait", "--for=condition=Established", "crd/registrymirrors.registry.example.org")
        client.create(mirror(f"quay-{time}", 5002))
        made = client.wait_for(f"quay-{time}", timeout=90)
        # What the first definition's mirror was made of goes too, once the garbage collector knows the kind again.
        eventually(partial(exact, made), 90)
        if time == 1:
            kubectl("delete", "-k", str(crd))
            eventually(lambda: log().count("waiting for the definition") == 2)
    assert operator.running
    client.delete("quay-2")
    eventually(lambda: not stored(), 60)
    assert operator.stop() == 0
