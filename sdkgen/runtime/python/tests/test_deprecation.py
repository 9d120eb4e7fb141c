# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is deprecated warns at the line that uses it, and only there."""

import copy
import inspect
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, List, Tuple

import pytest
from runtime.python import _compile
from runtime.python.tests import models

Aged: Any = models.Aged
Old: Any = models.Old
MANIFEST = {
    "size": 5,
    "must": "x",
    "names": ["b"],
    "since": "2026-01-02T03:04:05Z",
    "metadata": {"name": "x"},
    "old": {"letter": "a"},
    "unknown": 1,
}
SIZE, MUST = "Aged.size is deprecated: use parts.", "Aged.must is deprecated: it does nothing."
OLD = "Old is deprecated: use Part."


def caught(use: Callable[[], Any]) -> List[str]:
    """Gives the texts of the warnings of a call, which are all at the line of its function."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        use()
    line = use.__code__.co_firstlineno
    for one in found:
        assert one.category is DeprecationWarning
        assert (one.filename, one.lineno) == (__file__, line)
    return [str(one.message) for one in found]


def aged(**values: Any) -> Any:
    return Aged.from_dict({"must": "x", **values})


def test_construction_warns() -> None:
    for _ in range(2):  # methods are compiled at the first call
        assert caught(lambda: Aged(must="x", size=5)) == [SIZE, MUST]
        assert caught(lambda: Old(letter="a")) == [OLD]


def test_a_keyword_that_is_a_json_key_warns() -> None:
    since = "2026-01-02T03:04:05Z"
    model = models.Sample.from_dict({"mainPart": {"name": "x"}})
    assert caught(lambda: models.Sample(**model)) == []
    assert caught(lambda: Aged(must="x", since=since, local_vars_configuration=None)) == [
        MUST,
        "Aged.since is deprecated: use parts.",
    ]


def test_what_is_not_given_does_not_warn() -> None:
    assert caught(lambda: Aged(must="x", size=None, names=None, since=None)) == [MUST]
    assert caught(lambda: models.Part(name="x", count=1)) == []


def test_a_derived_class_warns_at_its_own_line() -> None:
    class Mine(models.Aged):
        pass

    assert caught(lambda: Mine(must="x")) == [MUST]


def test_assignment_warns() -> None:
    model = aged()
    for attr, value in [("size", 1), ("names", []), ("since", None), ("metadata", {"name": "x"})]:
        text = f"Aged.{attr} is deprecated: use parts."
        assert caught(lambda: setattr(model, attr, value)) == ([] if value is None else [text])  # noqa: B023
        assert getattr(model, attr) in (value, model.metadata)
    assert caught(lambda: model.__replace__(size=2)) == [SIZE]
    assert caught(lambda: delattr(model, "size")) == []


def test_a_mapping_in_place_of_a_model_warns() -> None:
    inner = {"must": "x", "inner": {"must": "y", "size": 1}, "old": {}}
    found = caught(lambda: Aged(must="x", inner=inner))
    assert found == [MUST, MUST, OLD, SIZE, MUST]
    assert caught(lambda: Aged.partial(size=1, old={"letter": "a"})) == [SIZE, OLD]
    assert caught(lambda: Aged.partial(parts=[{"name": "x"}])) == []


READS: List[Tuple[str, Callable[[Any], Any]]] = [
    ("from_dict", lambda m: Aged.from_dict(MANIFEST)),
    ("legacy", lambda m: Aged.from_dict(m.to_dict())),
    ("validate", lambda m: m.validate()),
    ("read", lambda m: [m.size, m.must, m.since, m.old, m.metadata, m["size"]]),
    ("write", lambda m: [m.to_json(), dict(m), m.to_yaml(), repr(m)]),
    ("copy", lambda m: [copy.copy(m), copy.deepcopy(m)]),
    ("pickle", lambda m: pickle.loads(pickle.dumps(m))),
    ("signature", lambda m: [inspect.signature(Aged), inspect.getdoc(Aged.size)]),
]


@pytest.mark.parametrize(("name", "use"), READS, ids=[name for name, _ in READS])
def test_reading_and_writing_do_not_warn(name: str, use: Callable[[Any], Any]) -> None:
    model = Aged.from_dict({key: MANIFEST[key] for key in MANIFEST if key != "unknown"})
    assert caught(lambda: use(model)) == []


def test_a_deprecated_attribute_is_as_any_other() -> None:
    model = Aged.from_dict(MANIFEST)
    assert dict(model) == MANIFEST
    assert (model.size, model.must, model.names) == (5, "x", ["b"])
    assert dict(copy.deepcopy(model)) == dict(pickle.loads(pickle.dumps(model))) == MANIFEST
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        made = Aged(must="x", names=["c"])
        made.names.append("d")
        assert dict(made) == {"must": "x", "size": 3, "names": ["c", "d"]}
        assert dict(Aged(must="x"))["names"] == ["a"]
        with pytest.raises(ValueError, match="must"):
            Aged()
    assert inspect.getdoc(Aged.size) == "size of it."


def test_it_warns_once_at_a_place() -> None:
    script = "models.Aged(must='x', size=5)\nfor i in range(3): models.Aged(must='x')\n"
    header = "import runtime.python.tests.conftest\nfrom runtime.python.tests import models\n"
    top = Path(__file__).resolve().parents[3]
    for options, count in (([], 3), (["-W", "ignore"], 0)):
        ran = subprocess.run(
            [sys.executable, *options, "-c", header + script],
            cwd=top,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        assert ran.stderr.count("DeprecationWarning") == count, ran.stderr
        assert ran.stderr.count("<string>:3: ") == (2 if count else 0)


def test_a_warning_that_is_an_error_leaves_the_model_as_it_was() -> None:
    model = aged(size=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning):
            model.size = 2
    assert model.size == 1


def test_what_is_not_deprecated_costs_nothing() -> None:
    _compile.method(models.Sample, "__init__")
    for name in _compile.METHODS:
        source = inspect.getsource(getattr(models.Sample, name))
        assert "Warn" not in source and "Deprecated" not in source
    assert "Set_parts" not in inspect.getsource(Aged.__init__)
    names = vars(models.Sample)["__init__"].__globals__
    assert "Warn" not in names
