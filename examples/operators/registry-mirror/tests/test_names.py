# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry_mirror.names import LONGEST, base

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
# Names that the API server takes for an object that is in no namespace.
NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,80}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,80}[a-z0-9])?){0,2}", fullmatch=True)


def test_a_name_that_can_be_a_label_is_kept():
    for name in ("docker-hub", "quay", "0", "a" * LONGEST):
        assert base(name) == name


@pytest.mark.parametrize("name", ["a" * (LONGEST + 1), "quay.io", "a-deadbeef", "a" * 33 + "-." + "b"])
def test_another_is_cut_and_gets_a_hash(name):
    assert base(name) != name
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?-[0-9a-f]{8}", base(name))


@given(NAMES)
def test_a_base_is_a_label_and_short(name):
    assert LABEL.fullmatch(base(name)) and len(base(name)) <= LONGEST
    assert base(name) == base(name)


@given(NAMES, NAMES)
def test_no_two_names_have_the_same_base(one, other):
    assert (base(one) == base(other)) == (one == other)


@given(NAMES)
def test_a_name_that_looks_like_a_base_has_another_one(name):
    if base(name) != name:
        assert base(base(name)) != base(name)
