# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What holds for every model and any value, with values that hypothesis makes up.

Everything is derived from the tables that each model has: what a value may be from
``openapi_types`` and the enumerations among the rules, what it is called from
``attribute_map``.
"""

from __future__ import annotations

import copy
import functools
import importlib
import json
import pickle
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

import pytest
import rules.models
from hypothesis import given
from hypothesis import strategies as st

import fluxoperator.models

MODELS = {
    f"{package.__name__.partition('.')[0]}.{name}": getattr(package, name)
    for package in (fluxoperator.models, rules.models)
    for name in package.__all__
}
# The rules that a value has to keep are the subject of test_rules.py.
FREE = [name for name in MODELS if name.startswith("fluxoperator.")] + [
    "rules.Names",
    "rules.Pair",
    "rules.Range",
]

TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)
NUMBER = st.integers(-(2**31), 2**31 - 1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FINITE | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)
# None of these is a key of any model, in either spelling.
UNKNOWN = st.dictionaries(TEXT.map("later_{}".format), JSON, max_size=2)
ZONES = st.integers(-14 * 60, 14 * 60).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)
TIMES = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28), timezones=ZONES)
SCALARS = {
    "str": TEXT,
    "int": NUMBER,
    "float": FINITE,
    "bool": st.booleans(),
    "datetime": TIMES,
}
META = {
    "V1ObjectMeta": st.fixed_dictionaries(
        {"name": TEXT}, optional={"labels": st.dictionaries(TEXT, TEXT, max_size=2)}
    ),
    "V1ListMeta": st.fixed_dictionaries({"resourceVersion": TEXT}),
}
WRITTEN_TIME = TIMES.map(lambda time: time.isoformat())
CONDITION = st.fixed_dictionaries(
    {
        **dict.fromkeys(("type", "status", "reason", "message"), TEXT),
        "lastTransitionTime": WRITTEN_TIME,
    }
)
CONTAINER = re.compile(r"(list|dict)[\[(](?:str, *)?(.+)[\])]")


def same(one, other):
    """Tells whether two JSON values are equal and of the same types throughout."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def own(cls, spelling):
    """Gives the model of the same package that a type names, or None."""
    return MODELS.get(f"{cls.__module__.partition('.')[0]}.{spelling}")


def required(cls):
    """Gives the attributes that the constructor demands."""
    try:
        cls.from_dict({}).validate()
    except ValueError as error:
        missing = {path for path, _ in error.problems}
        return [attr for attr, key in cls.attribute_map.items() if key in missing]
    return []


REQUIRED = {cls: required(cls) for cls in MODELS.values()}


@functools.lru_cache(maxsize=None)
def values(cls, spelling, written):
    """Gives a strategy for a type: attribute values, or as written in a manifest."""
    container = CONTAINER.fullmatch(spelling)
    if container:
        inner = values(cls, container[2], written)
        if container[2] == "object":  # ContainerResources: quantities
            inner = NUMBER | TEXT
        if container[1] == "list":
            return st.lists(inner, max_size=2)
        return st.dictionaries(TEXT, inner, max_size=2)
    model = own(cls, spelling)
    if model is not None:
        return manifests(model) if written else built(model)
    if spelling == "datetime" and written:
        return WRITTEN_TIME
    if spelling == "V1Condition":
        return CONDITION
    if spelling in META:
        return META[spelling]
    return SCALARS.get(spelling, OBJECT)


def held(cls, attr, written):
    """Gives a strategy for what a field may hold."""
    allowed = cls._fields[attr].rules.get("enum")
    if allowed:
        return st.sampled_from(allowed)
    return values(cls, cls.openapi_types[attr], written)


@functools.lru_cache(maxsize=None)
def arguments(cls):
    """Gives a strategy for keywords of a constructor: any subset, all that must be."""
    fields = {attr: held(cls, attr, False) for attr in cls.openapi_types}
    must = {attr: fields.pop(attr) for attr in REQUIRED[cls]}
    return st.fixed_dictionaries(must, optional=fields)


@functools.lru_cache(maxsize=None)
def built(cls):
    return st.deferred(lambda: arguments(cls)).map(lambda given: cls(**given))


@functools.lru_cache(maxsize=None)
def manifests(cls):
    """Gives a strategy for a manifest with unknown keys at any depth."""
    fields = {
        key: held(cls, attr, True) for attr, key in cls.attribute_map.items()
    }
    must = {cls.attribute_map[attr]: None for attr in REQUIRED[cls]}
    must = {key: fields.pop(key) for key in must}
    known = st.fixed_dictionaries(must, optional=fields)
    return st.builds(lambda one, other: {**other, **one}, known, UNKNOWN)


@pytest.fixture(params=FREE)
def cls(request):
    return MODELS[request.param]


def test_what_is_built_is_a_manifest_that_is_read_back(cls):
    @given(arguments(cls))
    def check(given):
        model = cls(**given)
        manifest = dict(model)
        assert set(manifest) >= {cls.attribute_map[attr] for attr in given}
        assert json.loads(json.dumps(manifest)) == manifest
        assert same(json.loads(model.to_json()), manifest)
        again = cls.from_dict(manifest)
        assert again == model
        assert model == manifest
        assert same(dict(again), manifest)

    check()


def test_any_manifest_is_kept(cls):
    @given(manifests(cls))
    def check(manifest):
        before = copy.deepcopy(manifest)
        model = cls.from_dict(manifest)
        assert same(dict(model), before)
        assert same(manifest, before)
        assert same({key: model[key] for key in model}, before)
        assert len(model) == len(before)
        for attr in cls.attribute_map:
            getattr(model, attr)
        assert same(dict(model), before)

    check()


def later(value):
    """Gives how many keys a manifest has that no model has."""
    if isinstance(value, list):
        return sum(map(later, value))
    if isinstance(value, dict):
        return sum(key.startswith("later_") or later(value[key]) for key in value)
    return 0


def unknown(action):
    """Gives the paths of the unknown fields that an action tells of."""
    try:
        action()
    except ValueError as error:
        return [path for path, text in error.problems if "no such field" in text]
    return []


def test_unknown_keys_are_told_at_any_depth(cls):
    @given(manifests(cls))
    def check(manifest):
        said = unknown(cls.from_dict(manifest).validate)
        assert len(said) == later(manifest)
        assert all(".later_" in f".{path}" for path in said)
        given = {a: manifest[k] for a, k in cls.attribute_map.items() if k in manifest}
        assert bool(unknown(lambda: cls(**given))) == bool(later([*given.values()]))

    check()


def test_copies_are_equal_and_apart(cls):
    @given(manifests(cls))
    def check(manifest):
        model = cls.from_dict(manifest)
        twins = [copy.copy(model), copy.deepcopy(model)]
        twins += [pickle.loads(pickle.dumps(model, n)) for n in (2, 4)]
        for twin in twins:
            assert type(twin) is cls
            assert twin == model
            assert repr(twin) == repr(model)
            assert same(dict(twin), manifest)

    check()


def test_repr_can_be_printed_and_names_the_class(cls):
    @given(arguments(cls))
    def check(given):
        assert repr(cls(**given)).startswith(f"{cls.__name__}(")

    check()


def test_unset_null_and_zero_are_three(cls):
    @given(st.data())
    def check(data):
        attrs = [attr for attr in cls.attribute_map if attr not in REQUIRED[cls]]
        if not attrs:
            return
        null = importlib.import_module(cls.__module__.partition(".")[0]).NULL
        attr = data.draw(st.sampled_from(attrs))
        key = cls.attribute_map[attr]
        given = data.draw(arguments(cls))
        model = cls(**{**given, attr: null})
        assert model[key] is None
        assert not getattr(model, attr)
        read = cls.from_dict(dict(model))
        assert same(dict(read), dict(model))
        assert getattr(read, attr) is None
        delattr(model, attr)
        assert key not in model
        assert key not in dict(model)
        assert key not in json.loads(model.to_json())
        setattr(model, attr, null)
        assert dict(model)[key] is None
        setattr(model, attr, None)
        assert key not in model

    check()


def test_yaml_gives_the_model_back(cls):
    @given(manifests(cls))
    def check(manifest):
        model = cls.from_dict(manifest)
        assert same(dict(cls.from_yaml(model.to_yaml())), manifest)

    check()


@pytest.mark.parametrize("name", MODELS)
def test_any_mapping_is_read_or_refused_with_a_value_error(name):
    """Nothing else may come out of from_dict, whatever goes in."""

    @given(st.dictionaries(st.sampled_from(keys(MODELS[name])) | TEXT, JSON))
    def check(manifest):
        try:
            model = MODELS[name].from_dict(manifest)
        except (ValueError, TypeError):
            return
        assert isinstance(model, Mapping)
        assert same(dict(model), manifest)

    check()


def keys(cls):
    return list(cls.attribute_map.values())
