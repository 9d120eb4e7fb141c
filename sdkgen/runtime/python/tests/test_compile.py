# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The methods that are made of a model's fields: tracebacks, pdb and inspect show their source."""

import inspect
import io
import linecache
import pdb
import traceback
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from runtime.python import _compile, _model, _parts
from runtime.python._check import ValidationError
from runtime.python.tests import models

WHERE = "methods of runtime.python.tests.models.Part"
ACCEPTS = (
    "self.count = count if count is Default_count or count is None or "
    "(count.__class__ is Int and 1 <= count) else Accept_count(count)"
)
META: Any = type(_model.Model)


def fresh(name: str) -> Any:
    """Gives a model that has no methods yet."""
    count = _model.field("count", "int", default=1)
    body = {"__module__": __name__, "__annotations__": {"count": "int"}, "count": count}
    return META(name, (_model.Model,), body)


def test_a_traceback_shows_the_line() -> None:
    with pytest.raises(ValidationError) as caught:
        models.Part(name="x", count="y")  # type: ignore[arg-type]  # pyright: ignore
    frames = {f.name: f for f in traceback.extract_tb(caught.tb)}
    assert frames["__init__"].filename == WHERE
    assert frames["__init__"].line == ACCEPTS
    shown = "".join(traceback.format_exception(caught.type, caught.value, caught.tb))
    assert f'File "{WHERE}", line ' in shown
    assert f"    {ACCEPTS}\n" in shown


def test_a_traceback_shows_the_line_when_the_cache_was_cleared() -> None:
    linecache.clearcache()
    test_a_traceback_shows_the_line()


def test_pdb_shows_the_lines() -> None:
    with pytest.raises(ValidationError) as caught:
        models.Part(name="x", count="y")  # type: ignore[arg-type]  # pyright: ignore
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("where\nup\nlist\nquit\n"), stdout=out, readrc=False)
    tb = caught.tb.tb_next
    assert tb is not None
    while tb is not None and tb.tb_frame.f_code.co_name != "__init__":
        tb = tb.tb_next
    assert tb is not None
    debugger.reset()
    debugger.interaction(tb.tb_frame, None)
    assert ACCEPTS in out.getvalue()


@pytest.mark.parametrize("name", ["__init__", "_blank", "_build", "_json", "_parse"])
def test_inspect_gives_the_source(name: str) -> None:
    _compile.method(models.Part, name)
    source = inspect.getsource(getattr(models.Part, name))
    assert source.startswith(f"def {name}(")
    assert "count" in source
    assert source.count("def ") == 1


def test_the_source_is_that_which_runs() -> None:
    _compile.method(models.Sample, "__init__")
    function = vars(models.Sample)["__init__"]
    source = "".join(linecache.getlines(function.__code__.co_filename, function.__globals__))
    scope = dict(function.__globals__)
    exec(compile(source, "again", "exec"), scope)
    for name in ("__init__", "_build", "_json"):
        assert scope[name].__code__.co_code == vars(models.Sample)[name].__code__.co_code


def test_no_source_is_kept_before_it_is_asked_for() -> None:
    made = fresh("Kept")
    where = f"methods of {__name__}.Kept"
    assert where not in linecache.cache
    made(count=2)
    assert len(linecache.cache[where]) == 1, "the source was made"
    assert linecache.getline(where, 1).startswith("def __init__(self, Given=Nothing, count=Default")
    assert len(linecache.cache[where]) == 4


@pytest.mark.filterwarnings("error")
def test_a_class_that_replaces_another_has_its_own_source() -> None:
    for attr in ("first", "second"):
        body = {"__module__": __name__, attr: _model.field(attr, "int", default=1)}
        made = META("Again", (_model.Model,), body)
        made()
        assert f"self.{attr} = " in inspect.getsource(made.__init__)


def test_a_class_without_fields_of_its_own_has_the_methods_of_its_base() -> None:
    class Derived(models.Part):
        pass

    derived = Derived(name="x")
    assert dict(derived) == {"name": "x", "count": 3}
    assert type(derived) is Derived
    assert "__init__" not in vars(Derived)


def test_what_is_no_model_of_the_api_has_no_methods() -> None:
    with pytest.raises(TypeError, match="Model is not a model of the API"):
        _model.Model()


def test_methods_are_named_after_their_class() -> None:
    _compile.method(models.Part, "__init__")
    assert vars(models.Part)["__init__"].__qualname__ == "Part.__init__"


def test_every_module_has_the_header() -> None:
    for file in Path(__file__).parents[1].glob("*.py"):
        lines = file.read_text(encoding="utf-8").splitlines()
        assert lines[:2] == [
            "# Copyright The Flux Operator Authors.",
            "# SPDX-License-Identifier: Apache-2.0",
        ], file.name


@pytest.mark.parametrize("manifest", [MappingProxyType({"name": "x", "count": 2}), {"name": "x"}])
def test_any_mapping_is_read(manifest: Any) -> None:
    assert dict(models.Part.from_dict(manifest)) == dict(manifest)
    assert models.Part.from_dict(manifest)._read is None, "nothing is kept"


@pytest.mark.parametrize(
    "manifest",
    [
        {"mainPart": {"name": "x"}, "ratio": 1, "anything": {"a": [1]}, "port": 2},
        {"mainPart": {"name": "x", "inner": {"name": "y", "z": None}}, "parts": None},
        {"mainPart": {"name": 5, "count": "x"}, "paused": "no", "names": [1, {"a": None}]},
        {"byName": {"a": {"name": "b"}}, "labels": {"a": None}, "metadata": None, "x": None},
        {},
    ],
)
def test_reading_at_once_gives_what_reading_key_by_key_gives(manifest: Any) -> None:
    at_once = models.Sample.from_dict(manifest)
    by_key: Any = _parts.parse_each(models.Sample, manifest, False)
    assert dict(at_once) == dict(by_key) == manifest
    assert at_once.to_dict() == by_key.to_dict()
    for one in models.Sample._fields:
        assert at_once._held(one) == by_key._held(one)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({"mainPart": 1}, "mainPart: expected Part, not int"),
        ({"mainPart": {"inner": []}}, "mainPart.inner: expected Part, not list"),
        ({"parts": {}}, "parts: expected a list, not dict"),
        ({"parts": [{}, {"inner": {"inner": 1}}]}, "parts[1].inner.inner: expected Part, not int"),
        ({"parts": [{}, None, 1]}, "parts[2]: expected Part, not int"),
        ({"byName": {"a": 1}}, "byName.a: expected Part, not int"),
        ({"names": 1}, "names: expected a list, not int"),
        ({"labels": [1]}, "labels: expected an object, not list"),
    ],
)
def test_a_wrong_shape_has_its_path(manifest: Any, message: str) -> None:
    for read in (models.Sample.from_dict, lambda m: _parts.parse_each(models.Sample, m, False)):
        with pytest.raises(ValidationError) as caught:
            read(manifest)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("type", "rules", "good", "bad"),
    [
        ("str", {"minLength": 1, "maxLength": 3}, ["a", "abc"], ["", "abcd", 1]),
        ("str", {"enum": ["a", "b"]}, ["a"], ["c"]),
        ("str", {"pattern": "^a"}, ["ab"], ["b"]),
        ("int", {"minimum": 1, "maximum": 3}, [1, 3], [0, 4, True, "1", 1.0]),
        ("int", {"format": "int32", "minimum": 0}, [0, 2**31 - 1], [-1, 2**31]),
        ("int", {"minimum": 1, "exclusiveMinimum": True}, [2], [1]),
        ("list[str]", {"minItems": 1, "maxItems": 2}, [["a"]], [[], ["a"] * 3, [1], "a"]),
        ("dict(str, list[str])", {"maxProperties": 1}, [{"a": ["b"]}], [{"a": [1]}]),
        ("list[int]", {"items": {"minimum": 1}}, [[1]], [[1, 0]]),
        ("dict(str, str)", {"maxProperties": 1}, [{}, {"a": "b"}], [{"a": "b", "c": "d"}, []]),
        ("dict(str, int)", {"additionalProperties": {"maximum": 1}}, [{"a": 1}], [{"a": 2}]),
        ("list[str]", {"x-kubernetes-list-type": "set"}, [["a", "b"]], [["a", "a"]]),
        ("list[str]", {"items": {"enum": ["a", "b"]}}, [["a"], []], [["c"], ["a", 1]]),
        (
            "dict(str, list[str])",
            {"additionalProperties": {"items": {"enum": ["a"]}}},
            [{"x": ["a"]}],
            [{"x": ["b"]}],
        ),
    ],
)
def test_constraints_in_line_are_those_of_validate(
    type: str, rules: Any, good: Any, bad: Any
) -> None:
    body = {"__module__": __name__, "a": _model.field("a", type, default=None, rules=rules)}
    made = META("Constrained", (_model.Model,), body)
    for value in good:
        made(a=value).validate()
    for value in bad:
        with pytest.raises(ValidationError) as caught:
            made(a=value)
        with pytest.raises(ValidationError) as again:
            made.from_dict({}).__replace__(a=value)
        assert caught.value.problems == again.value.problems


def test_attributes_may_be_named_as_builtins_and_locals_are() -> None:
    names = ["all", "len", "int", "str", "list", "dict", "locals", "item", "key", "value", "get"]
    for name in [*names, "manifest", "out", "add", "cls", "taken", "unbuilt", "first"]:
        body: Any = {"__module__": __name__, "other": _model.field("other", "int", default=None)}
        rules = {"maxItems": 2, "items": {"maxLength": 1}}
        body[name] = _model.field(name, "list[str]", default=None, rules=rules)
        made = META("Shadowed", (_model.Model,), body)
        manifest = {name: ["a"], "other": 1}
        for model in (made(**manifest), made.from_dict(manifest)):
            assert {key: model[key] for key in manifest} == manifest
            assert sorted(model.to_json()) == sorted(made.from_dict(manifest).to_json())
        with pytest.raises(ValidationError):
            made(**{name: ["aa"]})
        with pytest.raises(TypeError, match="unexpected"):
            made(**{name: ["a"], "nothing": 1})
