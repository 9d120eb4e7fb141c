# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Killed, cut off, edited against and loaded, the operator brings about the right state."""

from __future__ import annotations

import random
import threading
import time
from typing import Any, Callable, Dict, List, Mapping

from conftest import Cluster
from operatortest import Operator, Proxy

Eventually = Callable[..., Any]


def contents(cluster: Cluster) -> Dict[str, Any]:
    """Gives what is in each copy."""
    return {place: it.get("data") for place, it in cluster.copies("configmap").items()}


def writes(operator: Operator) -> int:
    """Gives how many writes of copies the operator has told of."""
    return sum(operator.log().count(f'"msg": "{done}"') for done in ("created", "updated", "deleted"))


def expected(cluster: Cluster, targets: List[str]) -> Dict[str, Any]:
    """Gives what should be in each copy, by what there is of sources."""
    found = cluster.core.list_namespaced_config_map(cluster.home, label_selector="copyrator=true").items
    return {f"{namespace}/{it.metadata.name}": it.data for it in found for namespace in targets}


def test_converges_though_it_is_killed_again_and_again(
    cluster: Cluster, operator: Operator, eventually: Eventually
) -> None:
    """Twenty times, at random moments, most after its first write, while sources, copies and the rule change."""
    chance = random.Random(8)
    targets = [cluster.namespace() for _ in range(3)]
    cluster.rule()
    for n in range(10):
        cluster.create("configmap", f"it-{n}", data={"n": "0"}, immutable=n % 5 == 0)
    ended = threading.Event()

    def change() -> None:
        step = 0
        while not ended.wait(chance.uniform(0, 0.1)):
            step, name = step + 1, f"it-{chance.randrange(14)}"
            found = cluster.get("configmap", name, cluster.home)
            data = {"n": str(step)}
            if found is None:
                cluster.create("configmap", name, data=data, immutable=chance.random() < 0.3)
            elif found.get("immutable") or chance.random() < 0.3:
                cluster.delete("configmap", name, cluster.home)
            else:
                cluster.patch("configmap", name, cluster.home, data=data)
            if step % 7 == 0:
                chosen = chance.choice([{"team": "x"}, {}])
                cluster.rules.patch("main-rule", {"targets": {"matchLabels": {"team": None, **chosen}}})
            if step % 5 == 0:
                copies = sorted(cluster.copies("configmap").items())
                if copies and not copies[0][1].get("immutable"):
                    namespace, name = copies[0][0].split("/")
                    if cluster.get("configmap", name, namespace):
                        cluster.core.delete_namespaced_config_map(name, namespace)

    errors: List[BaseException] = []

    def changes() -> None:
        try:
            change()
        except Exception as error:  # an object may go between two calls
            if getattr(error, "status", 0) not in (404, 409):
                errors.append(error)
            elif not ended.is_set():
                changes()

    thread = threading.Thread(target=changes)
    thread.start()
    try:
        for life in range(20):
            before = writes(operator)
            operator.start()
            if life % 4:
                eventually(lambda: writes(operator) > before)
            time.sleep(chance.uniform(0, 0.5))
            operator.kill()
    finally:
        ended.set()
        thread.join()
    assert not errors
    cluster.rules.patch("main-rule", {"targets": {"matchLabels": {"team": None}}})
    operator.start()
    eventually(lambda: contents(cluster) == expected(cluster, targets))
    eventually(cluster.ready)
    assert '"trace"' not in operator.log()


def test_edits_at_the_same_time(cluster: Cluster, operator: Operator, eventually: Eventually) -> None:
    """Somebody edits a copy again and again while its source changes."""
    target = cluster.namespace()
    cluster.rule()
    cluster.create("configmap", "one", data={"n": "0"})
    operator.start()
    eventually(cluster.ready)
    for n in range(30):
        cluster.patch("configmap", "one", cluster.home, data={"n": str(n)})
        cluster.patch("configmap", "one", target, data={"n": "theirs"}, metadata={"annotations": {"n": str(n)}})
    eventually(lambda: cluster.data("configmap", "one", target) == {"n": "29"})
    eventually(cluster.ready)
    copy = cluster.get("configmap", "one", target)
    assert copy and copy["metadata"]["annotations"]["n"] == "29", "what others add stays"
    assert '"trace"' not in operator.log()


def test_two_hundred_objects_at_once(
    cluster: Cluster, operator: Operator, proxy: Proxy, eventually: Eventually, restart: Callable[..., None],
    figures: Callable[[str, Mapping[str, object]], None]
) -> None:
    """Quietly first; then all change while the API server is away."""
    targets = [cluster.namespace() for _ in range(5)]
    cluster.rule()
    operator.start()
    eventually(cluster.ready)
    proxy.reset()
    began = time.monotonic()
    for n in range(200):
        cluster.create("configmap", f"it-{n}", data={"n": str(n)})
    made = time.monotonic() - began
    eventually(lambda: contents(cluster) == expected(cluster, targets), timeout=120)
    took = time.monotonic() - began
    eventually(cluster.ready)
    counts = proxy.counts
    assert counts["create", "configmaps"] == 1000
    assert not {verb for verb, _ in counts} & {"update", "delete", "deletecollection"}, counts
    assert cluster.rules.get("main-rule").status.copies == 1000
    figures("load", {
        "200 ConfigMaps were created in": f"{made:.1f} s",
        "their 1000 copies in 5 namespaces were all there after": f"{took:.1f} s",
        **{f"`{verb} {resource}`": number for (verb, resource), number in sorted(counts.items())},
    })  # fmt: skip

    for n in range(200):
        cluster.patch("configmap", f"it-{n}", cluster.home, data={"n": f"{n} again"})
        if n == 100:
            restart(kill=True)
    eventually(lambda: contents(cluster) == expected(cluster, targets), timeout=120)
    eventually(cluster.ready)
    cluster.rules.delete("main-rule")
    eventually(lambda: not contents(cluster), timeout=120)
    assert operator.stop() == 0
    assert '"trace"' not in operator.log()
