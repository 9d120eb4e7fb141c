# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What typing, inspect and help tell of models, and how models are shown."""

import inspect
import pydoc
import sys
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Optional, Union, get_type_hints

import pytest
from kubernetes.client import V1ObjectMeta
from runtime.python import _inspect
from runtime.python.tests import models
from runtime.python.tests.models import Holder, Part, Sample


def test_type_hints_are_classes() -> None:
    hints = get_type_hints(Sample)
    assert hints["metadata"] == Optional[V1ObjectMeta]
    assert hints["main_part"] is Part
    assert hints["by_name"] == Optional[Dict[str, Part]]
    assert hints["port"] == Optional[Union[int, str]]
    assert hints["started"] == Optional[datetime]
    assert hints["anything"] is Any
    assert dict(Sample.__annotations__)["parts"] == Optional[List[Part]]


def test_type_hints_without_kubernetes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == "kubernetes"]:
        monkeypatch.setitem(sys.modules, name, None)
    annotations = {"a": "Optional[V1ObjectMeta]", "b": "builtins.int", "c": "_datetime"}
    found = _inspect.Annotations(annotations, models.__name__, models.__name__)
    assert dict(found) == {"a": Optional[Any], "b": int, "c": datetime}


def test_a_name_that_is_nowhere_is_an_error() -> None:
    found = _inspect.Annotations({"a": "Nowhere"}, models.__name__, models.__name__)
    with pytest.raises(NameError, match="Nowhere"):
        dict(found)


def test_the_signature_has_types_and_defaults() -> None:
    found = inspect.signature(Part)
    assert [*found.parameters] == ["name", "count", "inner"]
    assert found.parameters["name"].default is inspect.Parameter.empty
    assert found.parameters["name"].annotation is str
    assert found.parameters["count"].default == 3
    assert {p.kind for p in found.parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert "Ellipsis" not in str(inspect.signature(Sample))


def test_the_signature_of_a_constructor_written_by_hand() -> None:
    class Named(Part):
        def __init__(self, title: str) -> None:
            super().__init__(name=title)

    class Derived(Part):
        pass

    assert str(inspect.signature(Named)) in ("(title: str) -> None", "(title: 'str') -> None")
    assert inspect.signature(Derived) == inspect.signature(Part)


@pytest.mark.parametrize(
    ("attribute", "wanted"),
    [
        (Part.name, "name of the part,\non two lines."),
        (Sample.metadata, "metadata of the sample."),
        (Part.count, None),
        (Sample.started, None),
    ],
)
def test_attributes_are_described(attribute: Any, wanted: Any) -> None:
    assert inspect.getdoc(attribute) == wanted


def test_help_describes_attributes() -> None:
    shown = pydoc.plain(pydoc.render_doc(Part))
    assert " |  name of the part,\n" in shown.replace("|      name", "|  name")
    assert "count: Optional[int] = 3" in shown


def test_descriptions_are_read_from_the_source_of_the_moment(tmp_path: Path) -> None:
    source = 'class A:\n    x: int = 1\n    """of x."""\n    y: int = 2\n'
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as packed:
        packed.writestr("packed_described.py", source)
    sys.path.insert(0, str(tmp_path / "packed.zip"))
    try:
        __import__("packed_described")
        assert _inspect.descriptions("packed_described", "A") == {"x": "of x."}
    finally:
        sys.path.remove(str(tmp_path / "packed.zip"))
    assert _inspect.descriptions("packed_described", "Other") == {}
    assert _inspect.descriptions("no.such.module", "A") == {}


def test_a_short_model_is_shown_on_one_line() -> None:
    assert repr(Part(name="x")) == "Part(name='x', count=3)"
    assert repr(Holder.from_dict({"value": None, "other": 1})) == "Holder(**{'other': 1})"


LONG = """\
Sample(
    api_version='example.org/v1',
    kind='Sample',
    metadata={'name': 'm'},
    main_part=Part(name='main', count=3),
    parts=[
        Part(
            name='bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
            inner=Part(name='cccccccccccccccccccc'),
        ),
    ],
    names=['a'],
    mode='On',
)"""


def long() -> Sample:
    given: Any = {"name": "m", "managedFields": [{"manager": "x"}]}
    parts: Any = [{"name": "b" * 40, "inner": {"name": "c" * 20}}]
    return Sample(metadata=given, main_part=Part(name="main"), parts=parts)


def test_a_long_model_is_shown_on_several_lines() -> None:
    made = Sample.from_dict(dict(long()))
    assert repr(made) == LONG
    assert made.metadata is not None, "builds it"
    assert "metadata=V1ObjectMeta(name='m')" in repr(made)
    assert eval(LONG, {"Sample": Sample, "Part": Part})["mainPart"] == made["mainPart"]


def test_ipython_shows_a_model_in_its_width() -> None:
    lines: List[str] = []
    breaks: List[int] = []

    class Printer:
        max_width = 40
        text, break_ = lines.append, lambda self: breaks.append(len(lines))

    Part(name="x" * 10, inner=Part(name="y"))._repr_pretty_(Printer(), False)
    assert lines == [
        "Part(",
        f"    name='{'x' * 10}',",
        "    count=3,",
        "    inner=Part(name='y', count=3),",
        ")",
    ]
    assert breaks == [1, 2, 3, 4]
