# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The methods that are made of a model's fields: tracebacks, pdb and inspect show their source."""

import inspect
import io
import linecache
import pdb
import traceback
from pathlib import Path
from typing import Any

import pytest
from runtime.python import _compile, _model
from runtime.python._check import ValidationError
from runtime.python.tests import models

WHERE = "methods of runtime.python.tests.models.Part"
ACCEPTS = "self.count = count if count is None or False else F_count(count)"
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


@pytest.mark.parametrize("name", ["__init__", "_blank", "_build", "_json"])
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
    assert linecache.getline(where, 1).startswith("def __init__(self, count=D_count")
    assert len(linecache.cache[where]) == 4


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
