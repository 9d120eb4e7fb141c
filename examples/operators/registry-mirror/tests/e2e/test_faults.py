# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Many mirrors, and whatever happens meanwhile."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from registry_mirror_sdk import errors

from conftest import assert_exact, mirror, stored

KILLS, MANY = 20, 200


def is_ready(found):
    generation = found["metadata"]["generation"]
    said = (dict(found).get("status") or {}).get("conditions") or ()
    return len(said) == 2 and all(c["status"] == "True" and c["observedGeneration"] == generation for c in said)


def wait_ready(mirrors, count, timeout=180):
    """Waits until so many mirrors are ready."""
    ready = set()
    with mirrors.watch(timeout=timeout) as watch:
        for change in watch:
            name = change.object["metadata"]["name"]
            (ready.add if change.type != "DELETED" and is_ready(change.object) else ready.discard)(name)
            if len(ready) == count:
                return
    raise AssertionError(f"after {timeout} s {len(ready)} of {count} are ready")


# What an API server that ends or begins answers, or does not.
AWAY = errors.Unreachable, errors.ServerError, errors.TooManyRequests, errors.Unauthorized, errors.Forbidden


def moved(mirrors, name):
    """Gives a mirror another upstream, if the API server is there."""
    try:
        return mirrors.patch(name, {"spec": {"upstream": "https://ghcr.io"}})
    except AWAY:
        return None


def test_killed_at_any_moment_it_comes_to_the_right_end(running, mirrors, eventually):
    dice, over = random.Random(8), threading.Event()
    upstreams = ["https://quay.io", "https://ghcr.io", "https://registry-1.docker.io"]

    def change():
        while not over.wait(dice.uniform(0, 0.15)):
            number = dice.randrange(12)
            try:
                mirrors.apply(mirror(f"m-{number}", 6000 + number, dice.choice(upstreams)), force=True)
                if dice.random() < 0.3:
                    mirrors.delete(f"m-{dice.randrange(12)}")
            except errors.NotFound:
                pass

    changes = threading.Thread(target=change)
    changes.start()
    try:
        for _ in range(KILLS):
            time.sleep(random.uniform(0.3, 1.5))
            running.kill()
            running.start()
    finally:
        over.set()
        changes.join()
    eventually(lambda: all(map(is_ready, mirrors.list())), 90)
    assert mirrors.list()
    assert_exact(mirrors.list())


def test_two_hundred_at_once(running, proxy, mirrors, eventually, restart, figures):
    eventually(lambda: proxy.counts["watch", "registrymirrors"])
    names = [f"many-{number}" for number in range(MANY)]
    proxy.reset()
    start = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: mirrors.create(mirror(names[number], 7000 + number)), range(MANY)))
    created = time.monotonic()
    wait_ready(mirrors, MANY)
    ready, counts = time.monotonic(), proxy.counts
    assert_exact(mirrors.list())
    assert not counts["delete", "services"]
    for kind, each in (("services", 2), ("persistentvolumeclaims", 1), ("statefulsets", 1), ("daemonsets", 1)):
        assert each * MANY <= counts["patch", kind] <= 1.05 * each * MANY  # once, but for what had to be tried again

    # Half of them change while the API server is away and back.
    away = threading.Thread(target=restart)
    away.start()
    for name in names[: MANY // 2]:
        eventually(partial(moved, mirrors, name))
    away.join()
    restarted = time.monotonic()
    wait_ready(mirrors, MANY)
    settled = time.monotonic()

    assert_exact(mirrors.list())

    proxy.reset()
    running.kill()
    running.start()
    again = time.monotonic()
    eventually(lambda: sum(n for (verb, _), n in proxy.counts.items() if verb == "patch") >= 5 * MANY, 120)
    restarted_in = time.monotonic() - again
    time.sleep(2)
    assert proxy.counts["patch", "registrymirrors/status"] <= 0.05 * MANY  # nothing has changed

    proxy.reset()
    deleted = time.monotonic()
    for name in names:
        mirrors.delete(name)
    eventually(lambda: not stored(), 120)
    gone = time.monotonic()
    # An object may be seen to go before its mirror is; hardly any is made again for that.
    assert sum(n for (verb, _), n in proxy.counts.items() if verb in ("patch", "delete")) <= 0.05 * 5 * MANY
    figures(
        "many",
        {
            f"{MANY} mirrors created in": f"{created - start:.1f} s",
            f"all ready, and their {5 * MANY} objects there, after": f"{ready - start:.1f} s",
            **{f"calls: {verb} {kind}": n for (verb, kind), n in sorted(counts.items())},
            f"{MANY // 2} changed while the API server was restarted; all right after": f"{settled - restarted:.1f} s",
            "the operator killed and started; everything looked at after": f"{restarted_in:.1f} s",
            "all mirrors deleted; nothing left after": f"{gone - deleted:.1f} s",
        },
    )
