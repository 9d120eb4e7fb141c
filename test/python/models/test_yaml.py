# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Models as YAML, for Python and for Go."""

from __future__ import annotations

import json
import re

import pytest

from fluxoperator.models import MiniCluster, MiniClusterContainer, MiniClusterSpec

# Texts that are something else in YAML 1.1, YAML 1.2, go-yaml or PyYAML where they
# stand without quotes.
TEXTS = """
yes no on off y n Y N true True FALSE null NULL ~ 1 0 -1 +1 1.5 1. .5 1e3 1E3 1e+3
0o17 017 0x1f 0b1 1_000 .inf -.INF .nan 12:30:45 190:20:30 2024-01-01 2024-1-1
2024-01-01T00:00:00Z = << - ? : -- --- ... [ ] { } , # & * ! | > ' " % @ ` \\ a:b
""".split() + [
    "",
    " ",
    " a",
    "a ",
    "a: b",
    "a #b",
    "- a",
    "\t",
    "\n",
    "a\n",
    "a\n\nb\n",
    "\n a",
    "é",
    "\U0001f600",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "2001-12-14 21:59:43.10 -5",
    "x" * 300,
    "word " * 100,
]


def model(text: str) -> MiniCluster:
    container = MiniClusterContainer(image=text, environment={text: text})
    return MiniCluster(
        metadata={"name": text}, spec=MiniClusterSpec(containers=[container])
    )


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_texts_survive(text):
    assert MiniCluster.from_yaml(model(text).to_yaml()) == model(text)


def test_texts_are_texts_for_go(wire):
    models = [model(text) for text in TEXTS]
    read = wire("yaml", values=[one.to_yaml() for one in models])
    assert [json.loads(line) for line in read] == [dict(one) for one in models]


def label(manifest):
    """Gives the value of the label a, which nothing checks; whole numbers as int."""
    value = manifest["metadata"]["labels"]["a"]
    return int(value) if type(value) is float and value.is_integer() else value


def test_what_people_write_is_read_as_kubectl_reads_it(wire):
    plain = re.compile(r"[-+.\w]*\w[-+.:\w]*|~|=", re.ASCII)
    words = [text for text in TEXTS if plain.fullmatch(text)]
    words = [word for word in words if not word.lower().endswith(("inf", ".nan"))]
    assert len(words) > 30
    texts = [f"metadata: {{labels: {{a: {word}}}}}" for word in words]
    read = [label(MiniCluster.from_yaml(text)) for text in texts]
    wanted = [label(json.loads(line)) for line in wire("yaml", values=texts)]
    assert list(map(repr, read)) == list(map(repr, wanted))


def test_yaml_is_in_the_order_of_the_manifest_and_plain():
    written = model("a").to_yaml()
    assert written.splitlines()[:2] == [
        "apiVersion: flux-framework.org/v1alpha1",
        "kind: MiniCluster",
    ]
    assert "!!" not in written
    assert "&id" not in written


def test_a_shared_value_gets_no_alias():
    container = MiniClusterContainer(image="a")
    labels = {"a": "b"}
    cluster = MiniCluster(
        metadata={"labels": labels, "annotations": labels},
        spec=MiniClusterSpec(containers=[container, container]),
    )
    assert "*" not in cluster.to_yaml()


def test_yaml_cannot_make_objects():
    with pytest.raises(ValueError):
        MiniCluster.from_yaml("spec: !!python/object/apply:os.getcwd []")


@pytest.mark.parametrize("text", ["", "[]", "a", "spec: [", "a: 1\n---\nb: 1\n"])
def test_what_is_no_manifest_is_a_value_error(text):
    with pytest.raises(ValueError):
        MiniCluster.from_yaml(text)
