# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Every rule that an API may declare: Python refuses what the API server refuses.

The API is that of testdata/rules, its SDK is made by sdkgen for the test run. What the
server says is asked of the library that it is made of, and nothing else decides here
whether a value is right.
"""

from __future__ import annotations

import copy
import json
from datetime import datetime, timezone

import pytest
from rules import NULL, ValidationError, models
from rules.models import Numbers, Rule, RuleSpec, Strings, Values

INT32, INT64 = 2**31, 2**63

# By field, values some of which are right and some of which are wrong.
CASES = {
    "numbers.closed": [0, 1, 9, 10, "5", True, None, 1.5],
    "numbers.open": [0, 1, 9, 10],
    "numbers.multiple": [0, 5, -5, 4, 10**15, 10**15 + 1],
    "numbers.enum": [1, 2, 3, 4, "1", True],
    "numbers.plain32": [INT32 - 1, -INT32, INT32, -INT32 - 1, 0, 1.5, "1", False],
    "numbers.plain64": [INT64 - 1, -INT64, INT64, -INT64 - 1, 2**70, 0.5],
    "strings.color": ["red", "light-blue", "Red", "", "re", 1],
    "strings.colors": [[], ["red"], ["red", "blue"], ["red", None], "red"],
    "strings.length": ["", "a", "ab", "abcd", "abcde", "éé", "\U0001f600" * 4, 12],
    "strings.anchored": ["a", "a\n", "\na", "a\nb", "", "A", "é"],
    "strings.found": ["abc", "b", "a", "a\nb\n", "B"],
    "strings.digits": ["1", "1\n", "٣", "1a", "", 1],
    "strings.words": ["a b", "a\u00a0b", "a\u2003b", "é b", "a\nb", "a\x0bb", "a\x1cb"],
    "strings.letters": ["a", "é", "λ", "1", "ab1", "\U00010400", "ª", "一"],
    "strings.greek": ["λ", "Ω", "a", "λa"],
    "strings.fold": ["abc", "ABC", "aBc", "abcd", "abc\n"],
    "strings.class": ["a", "é", "a\n", ""],
    "strings.any": ["a", "\n", "", "ab", "\U0001f600", "\r"],
    "lists.count": [[], [1], [1, 2, 3], [1, 2, 3, 4], [None], ["1"], {}],
    "lists.set": [[], ["a", "b"], ["a", "a"], ["a", "b", "a"]],
    "lists.map": [
        [],
        [{"name": "a", "port": 1}, {"name": "a", "port": 2}],
        [{"name": "a", "port": 1}, {"name": "a", "port": 1}],
        [{"name": "a"}],
        [{"name": "a", "port": 1, "value": 5}],
    ],
    "lists.short": [["abc"], ["abcd"], ["a", "abcd"]],
    "maps.count": [{}, {"a": "b"}, {"a": "", "b": ""}, dict.fromkeys("abc", "")],
    "maps.objects": [
        {"a": {"name": "a", "port": 1}},
        {"a": {"name": "a"}},
        {"a": {"name": 1, "port": 1}},
        {"a": 5},
    ],
    "nulls.scalar": ["a", None, 5],
    "nulls.object": [None, {"name": "a", "port": 1}, {}],
    "values.port": [80, "http", "", 1.5, True, [], {}],
    "values.quantity": [1, "1", "1Gi", "1.5", "-1", "+.5k", "1e3", "1 Gi", "", "Gi", "1Gi\n", True, 1.5],
    "values.resources": [{}, {"cpu": 1}, {"cpu": "100m"}, {"cpu": "x"}, {"cpu": [1]}],
    "values.time": [
        "2024-01-02T03:04:05Z",
        "2024-01-02T03:04:05+02:00",
        "2024-01-02T03:04:05.123456789Z",
        "2024-01-02t03:04:05z",
        "2024-01-02",
        "yesterday",
        "2024-13-02T03:04:05Z",
        "2024-02-30T03:04:05Z",
        "2024-01-02T25:04:05Z",
        5,
    ],
    "values.micro": ["2024-01-02T03:04:05.123456Z", "now"],
    "values.duration": ["1h30m", "", 5],
    "values.flag": [True, False, 0, "true"],
    "values.bytes": ["YQ==", 5],
    "values.raw": [{}, {"a": [None]}, [], "a", 5],
    "values.embedded": [{"apiVersion": "v1", "kind": "Any"}, "a"],
    "names.items": [["a"], [5]],
    "names.class": ["a", 5],
    "names.none": ["a", 5],
    "names.keys": [["a"], "a"],
    "names.update": ["a", 5],
    "names.values": [{"a": "b"}, {"a": 5}],
    "object": [{}, {"a": "a"}, {"a": "a", "b": "b"}],
    "range": [{"low": 1, "high": 2}, {"low": 1}, {}],
}
ROWS = [(field, value) for field, values in CASES.items() for value in values]


def manifest(field, value):
    """Gives a Rule with a value at a field, as ``numbers.closed``, and no other."""
    for part in reversed(field.split(".")):
        value = {part: value}
    if field.startswith("nulls."):
        value = {"nulls": {"scalar": "a", **value["nulls"]}}
    return {"apiVersion": Rule.API_VERSION, "kind": Rule.KIND, "spec": value}


def refused(manifest):
    """Gives what Python has to say against a manifest, or nothing."""
    try:
        Rule.from_dict(manifest).validate()
    except ValidationError as error:
        return str(error).splitlines()
    return []


def built(manifest):
    """The same for building it with the constructor."""
    try:
        Rule(spec=manifest["spec"])
    except ValidationError as error:
        return str(error).splitlines()
    return []


@pytest.fixture(scope="module")
def verdicts(wire, crd):
    lines = wire("validate", "-crd", crd, values=[manifest(*row) for row in ROWS])
    return [json.loads(line) for line in lines]


def test_every_field_has_a_case():
    parts = {"numbers", "strings", "lists", "maps", "nulls", "values"}
    fields = {
        f"{part}.{key}"
        for part in parts
        for key in getattr(models, part.title()).attribute_map.values()
    }
    assert fields - set(CASES) == {"nulls.never"}


def test_every_rule_is_kept_and_broken(verdicts):
    seen = {}
    for (field, _), problems in zip(ROWS, verdicts):
        seen.setdefault(field, set()).add(not problems)
    unbroken = {field for field, both in seen.items() if both != {True, False}}
    assert unbroken == set()


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda n: repr(ROWS[n]))
def test_python_refuses_what_the_server_refuses(verdicts, number):
    field, value = ROWS[number]
    wanted = verdicts[number]
    for said in (refused(manifest(field, value)), built(manifest(field, value))):
        assert bool(said) == bool(wanted), (said, wanted)
        for line in said:
            assert line.startswith(f"spec.{field}"), line


def test_patterns_mean_what_they_mean_in_go(wire, crd):
    """All texts of up to three of these characters, in every field with a pattern."""
    alphabet = ["", "a", "B", "1", "é", "λ", " ", "\n", "_", "\u0663", "\u212a", "\u017f"]
    texts = sorted({a + b + c for a in alphabet for b in alphabet for c in alphabet})
    fields = [field for field in CASES if field.startswith("strings.")]
    fields = [field for field in fields if not field.startswith("strings.color")]
    rows = [(field, text) for field in fields for text in texts]
    lines = wire("validate", "-crd", crd, values=[manifest(*row) for row in rows])
    wrong = [
        row
        for row, line in zip(rows, lines)
        if bool(refused(manifest(*row))) != bool(json.loads(line))
    ]
    assert wrong == []


def test_rules_in_cel_are_there_as_data():
    (rule,) = models.Range.CEL_RULES[""]
    assert rule["rule"] == "self.low <= self.high"
    assert rule["message"] == "low is above high"
    models.Range(low=2, high=1).validate()


def test_null_is_for_what_is_nullable():
    assert dict(models.Nulls(scalar=NULL)) == {"scalar": None}
    with pytest.raises(ValidationError, match="^scalar: "):
        models.Nulls()


def test_a_broken_rule_says_which():
    for build, text in (
        (lambda: Numbers(closed=10), "closed: .*9"),
        (lambda: Strings(color="blue"), "color: .*red.*green.*light-blue"),
        (lambda: Strings(length="a"), "length: .*2"),
        (lambda: Strings(digits="a"), "digits: 'a'"),
    ):
        with pytest.raises(ValidationError, match=f"^{text}"):
            build()


def test_defaults_of_enums_are_filled_in():
    assert Strings().color == "red"
    assert Numbers().enum == 2


def test_validate_lists_every_broken_rule():
    spec = RuleSpec.from_dict(
        {
            "numbers": {"closed": 10, "multiple": 3},
            "strings": {"color": "blue", "length": ""},
            "lists": {"set": ["a", "a"], "count": []},
        }
    )
    with pytest.raises(ValidationError) as caught:
        Rule(spec=spec).validate()
    paths = [line.partition(": ")[0] for line in str(caught.value).splitlines()]
    assert {path.partition("[")[0] for path in paths} == {
        "spec.numbers.closed",
        "spec.numbers.multiple",
        "spec.strings.color",
        "spec.strings.length",
        "spec.lists.set",
        "spec.lists.count",
    }


def test_times_go_both_ways():
    instant = datetime(2024, 1, 2, 3, 4, 5, 120000, tzinfo=timezone.utc)
    values = Values(time=instant.replace(microsecond=0), micro=instant)
    assert dict(values)["time"] == "2024-01-02T03:04:05Z"
    # Go's MicroTime wants six digits.
    assert dict(values)["micro"] == "2024-01-02T03:04:05.120000Z"
    read = Values.from_dict(dict(values))
    assert (read.time, read.micro) == (values.time, values.micro)
    with pytest.raises(ValidationError, match="^time: .*zone"):
        Values(time=datetime(2024, 1, 2))


def test_numbers_and_quantities_keep_their_type():
    given = {"port": 80, "quantity": 1, "resources": {"cpu": 2, "memory": "1Gi"}}
    values = Values(**copy.deepcopy(given))
    assert json.dumps(dict(values)) == json.dumps(given)
    assert type(Values.from_dict(given).quantity) is int


def test_every_name_can_be_built_read_written_and_unset():
    texts = {attr: kind for attr, kind in models.Names.openapi_types.items()}
    samples = {"str": "a", "int": 1, "bool": True, "list[str]": ["a"]}
    given = {attr: samples.get(kind, {"a": "b"}) for attr, kind in texts.items()}
    names = models.Names(**given)
    assert {attr: getattr(names, attr) for attr in given} == given
    manifest = {models.Names.attribute_map[attr]: v for attr, v in given.items()}
    assert dict(names) == manifest
    assert models.Names.from_dict(manifest) == names
    rule = Rule(spec=RuleSpec(names=names))
    assert Rule.from_yaml(rule.to_yaml()) == rule
    rule.validate()
    for attr in given:
        delattr(names, attr)
    assert dict(names) == {}


def test_kinds_without_a_namespace_say_so():
    assert Rule.NAMESPACED is False
    assert (Rule.GROUP, Rule.VERSION) == ("rules.example.org", "v1")
    assert Rule.PLURAL == "rules"


def test_the_schema_of_the_definition_is_the_models(crd):
    import yaml
    from rules._installed import compare

    with open(crd, encoding="utf-8") as file:
        (version,) = yaml.safe_load(file)["spec"]["versions"]
    assert [*compare(Rule, version["schema"]["openAPIV3Schema"])] == []
