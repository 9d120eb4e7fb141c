# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""What is checked inside Kubernetes' own types: as much as the installed kubernetes tells of them."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import kubernetes
import pytest
from fluxoperator import NULL, ValidationError, WrongTypeError, _kubernetes, _model
from kubernetes import client

MAJOR = int(kubernetes.__version__.split(".")[0])


class Template(_model.Object):
    """A kind that holds Kubernetes' own types, as sdkgen writes it."""

    API_VERSION, GROUP, VERSION, KIND = "example.org/v1", "example.org", "v1", "Template"
    metadata: object = _model.field("metadata", "V1ObjectMeta", default=None)
    template: object = _model.field("template", "V1PodTemplateSpec", default=None)
    env: object = _model.field("env", "list[V1EnvVar]", default=None)
    by_name: object = _model.field("byName", "dict(str, V1Toleration)", default=None)


CONTAINER = {
    "name": "a",
    "image": "b",
    "ports": [{"containerPort": 80}],
    "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 5},
    "resources": {"limits": {"cpu": 2, "memory": "1Gi"}},
    "env": [{"name": "x", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": 1}}}],
}
TEMPLATE = {
    "metadata": {"labels": {"a": "b"}, "creationTimestamp": None},
    "spec": {
        "containers": [CONTAINER],
        "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
        "tolerations": [{"key": "k", "tolerationSeconds": 3}],
    },
}
NO_FIELD = "{} of the installed kubernetes has no such field, did you mean {}?"
TEXT, REQUIRED = "expected a string, not int", "a value is required"

# By the path of a value in the template, what is put there, and what is said of it; ... removes it.
WRONG = {
    "spec.containers": [
        ("oops", "expected a list, not str"),
        ({}, "expected a list, not dict"),
        (None, REQUIRED),
        (..., REQUIRED),
    ],
    "spec.containers[0]": [(None, "expected an object, not NoneType"), ("a", "expected an object, not str")],
    "spec.containers[0].image": [(5, TEXT), (True, "expected a string, not bool")],
    "spec.containers[0].name": [(..., REQUIRED), (None, REQUIRED), (NULL, REQUIRED)],
    "spec.containers[0].imgae": [("x", NO_FIELD.format("V1Container", "image"))],
    "spec.containers[0].ports[0].containerPort": [("80", "expected an integer, not str")],
    "spec.containers[0].resources.limits.cpu": [(0.5, "expected an integer or a string, not float")],
    "spec.containers[0].livenessProbe.httpGet.port": [(1.5, "expected an integer or a string, not float")],
    "spec.volumes[0].emptyDir.sizeLimit": [([], "expected an integer or a string, not list")],
    "spec.tolerations[0].tolerationSeconds": [(1.5, "expected an integer, not float")],
    "spec.nodeselector": [({}, NO_FIELD.format("V1PodSpec", "nodeSelector"))],
    "spec.dns_policy": [("Default", NO_FIELD.format("V1PodSpec", "dnsPolicy"))],
    "spec": [("x", "expected an object, not str")],
    "metadata.labels.a": [(1, TEXT)],
    "metadata.creationTimestamp": [("now", "not an RFC 3339 timestamp: 'now'"), (1, "expected datetime, not int")],
    "metadata.annotation": [({}, NO_FIELD.format("V1ObjectMeta", "annotations"))],
}
CASES = [(path, value, text) for path, cases in WRONG.items() for value, text in cases]


def changed(path, value):
    """Gives TEMPLATE with another value at a path."""
    made = copy.deepcopy(TEMPLATE)
    place = made
    *way, last = path.replace("[", ".").replace("]", "").split(".")
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    last = int(last) if last.isdigit() else last
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return made


def problems(action):
    """Gives what an action raises."""
    with pytest.raises(ValidationError) as caught:
        action()
    assert isinstance(caught.value, WrongTypeError) == all("expected" in text for _, text in caught.value.problems)
    return caught.value.problems


@pytest.mark.parametrize(("path", "value", "text"), CASES)
def test_a_mapping_is_checked(path, value, text):
    wrong, want = changed(path, value), [("template." + path, text)]
    assert problems(lambda: Template(template=wrong)) == want
    read = Template.from_dict({"template": wrong})
    assert problems(read.validate) == want
    assigned = Template()
    assigned.template = wrong
    assert problems(assigned.validate) == want


def test_what_is_right_is_taken():
    for made in (Template(template=TEMPLATE), Template.from_dict({"template": TEMPLATE})):
        made.validate()
        assert dict(made) == {"template": TEMPLATE}


def test_quantities_are_read_as_they_are_written():
    read = Template.from_dict({"template": TEMPLATE})
    limits = read.template.spec.containers[0].resources.limits
    assert limits == {"cpu": 2 if MAJOR < 37 else "2", "memory": "1Gi"}
    read.validate()
    read.template.spec.containers[0].image = "c"
    assert dict(read)["template"] == changed("spec.containers[0].image", "c")


def test_all_problems_are_told():
    wrong = changed("spec.containers[0].image", 5)
    wrong["spec"]["volumes"] = [{}]
    want = [("template.spec.containers[0].image", TEXT), ("template.spec.volumes[0].name", REQUIRED)]
    assert sorted(problems(lambda: Template(template=wrong))) == want


def test_members_of_lists_and_dicts_are_checked():
    assert problems(lambda: Template(env=[{"name": "a"}, {}])) == [("env[1].name", REQUIRED)]
    assert problems(lambda: Template(by_name={"x": {"key": 1}})) == [("byName.x.key", TEXT)]


def test_metadata_is_checked():
    wrong = {"name": 1, "owner_references": [], "annotation": {}, "labels": {"a": 1}}
    want = [
        ("metadata.owner_references", NO_FIELD.format("V1ObjectMeta", "ownerReferences")),
        ("metadata.annotation", NO_FIELD.format("V1ObjectMeta", "annotations")),
        ("metadata.labels.a", TEXT),
        ("metadata.name", TEXT),
    ]
    assert problems(lambda: Template(metadata=wrong)) == want
    made = Template()
    made.metadata = wrong
    assert problems(made.validate) == want
    assert dict(made)["metadata"] == wrong, "what is wrong is not lost"


@pytest.mark.parametrize("key", ["metadata", "template", "env", "byName"])
def test_mappings_become_objects_of_kubernetes(key):
    """As they do when they are read: when the attribute is asked for, once."""
    given = {
        "metadata": {"name": "a", "labels": {"b": "c"}},
        "template": TEMPLATE,
        "env": [{"name": "x"}],
        "byName": {"x": {"key": "k"}},
    }[key]
    attr = {"byName": "by_name"}.get(key, key)
    assigned = Template()
    setattr(assigned, attr, copy.deepcopy(given))
    read = Template.from_dict({key: given})
    for made in (Template(**{attr: copy.deepcopy(given)}), assigned, read):
        assert dict(made) == {key: given} == dict(copy.deepcopy(made))
        held = getattr(made, attr)
        assert held is getattr(made, attr)
        one = next(iter(held.values())) if key == "byName" else held[0] if key == "env" else held
        assert isinstance(one, (client.V1ObjectMeta, client.V1PodTemplateSpec, client.V1EnvVar, client.V1Toleration))
        assert dict(made) == {key: given}
        made.validate()
    assert assigned == read


def test_a_change_of_an_object_that_was_a_mapping_is_written():
    made = Template(metadata={"name": "a"})
    made.metadata.labels = {"b": "c"}
    assert dict(made) == {"metadata": {"name": "a", "labels": {"b": "c"}}}
    made.metadata = {"name": "d", "unknown": 1}
    twin = copy.copy(made)
    twin.metadata = {"name": "e"}
    assert made.metadata.name == "d" and dict(made)["metadata"] == {"name": "d", "unknown": 1}
    assert dict(twin)["metadata"] == {"name": "e"}
    made.metadata = None
    assert dict(copy.deepcopy(made)) == dict(pickle.loads(pickle.dumps(made))) == {}


def test_a_pickle_names_nothing_of_kubernetes():
    """So that it opens with another version, whose objects have other attributes."""
    read = Template.from_dict({"metadata": {"name": "a", "unknown": 1}, "template": TEMPLATE})
    read.metadata.labels = {"b": "c"}
    read.template.spec.containers[0].image = "c"
    given = Template(metadata=client.V1ObjectMeta(name="a"), env=[client.V1EnvVar(name="x")])
    for made in (read, given):
        pickled = pickle.dumps(made)
        assert b"kubernetes.client" not in pickled
        again = pickle.loads(pickled)
        assert dict(again) == dict(made)
        assert type(again.metadata) is client.V1ObjectMeta and again.metadata.name == "a"
        assert dict(again) == dict(made)
        assert pickle.loads(pickle.dumps(again)) == made


def test_an_object_of_another_class_is_refused():
    container = client.V1Container(name="a")
    want = [("template", "expected V1PodTemplateSpec, not V1Container")]
    assert problems(lambda: Template(template=container)) == want
    made = Template(metadata=container)
    assert problems(made.validate) == [("metadata", "expected V1ObjectMeta, not V1Container")]


def test_a_derived_class_is_taken():
    class Mine(client.V1Container):
        pass

    spec = client.V1PodSpec(containers=[Mine(name="a")])
    Template(template=client.V1PodTemplateSpec(spec=spec)).validate()


def test_objects_of_kubernetes_are_checked():
    """Up to 36 they take anything; 37 and newer raise by themselves, ValidationErrors of pydantic."""

    def pod():
        spec = client.V1PodSpec(containers=[client.V1Container(name="a", env=[client.V1EnvVar(name="x")])])
        return Template(template=client.V1PodTemplateSpec(spec=spec))

    def image(made):
        made.template.spec.containers[0].image = 5

    def name(made):
        made.template.spec.contaners = []

    def inside(made):
        made.template.spec.containers[0].env.append(1)

    at = "template.spec.containers[0]."
    said = [(image, at + "image", TEXT), (name, "template.spec.contaners", NO_FIELD.format("V1PodSpec", "containers"))]
    for change, path, text in said:
        made = pod()
        if MAJOR < 37:
            change(made)
            assert problems(made.validate) == [(path, text)]
        else:
            with pytest.raises(ValueError):
                change(made)
    made = pod()
    inside(made)
    assert problems(made.validate) == [(at + "env[1]", "expected an object, not int")]


def test_keys_that_were_read_are_told_of_after_the_object_is_built():
    read = Template.from_dict({"template": changed("spec.containers[0].imgae", "x")})
    assert read.template.spec.containers[0].image == "b"
    want = [("template.spec.containers[0].imgae", NO_FIELD.format("V1Container", "image"))]
    assert problems(read.validate) == want
    read.template.spec.containers[0] = client.V1Container(name="a")
    read.validate()


def test_reading_what_kubernetes_refuses_says_where():
    read = Template.from_dict({"template": changed("spec.containers[0].name", ...)})
    assert problems(lambda: read.template) == [("template.spec.containers[0].name", REQUIRED)]


def test_every_class_tells_its_members():
    """Of each class the members are found, and those that a constructor wants are required."""
    either = 0
    for name in dir(client.models):
        cls = getattr(client.models, name)
        if not hasattr(cls, "openapi_types"):
            continue
        members = _kubernetes.members(cls)
        either += any(member.rules for member in members.values())
        assert {m.attr: m.type for m in members.values()} == cls.openapi_types
        assert all(member.held is None or MAJOR >= 37 for member in members.values())
    assert either > 20
    assert [key for key, m in _kubernetes.members(client.V1Container).items() if m.required] == ["name"]
    ingress = _kubernetes.members(client.V1NetworkPolicyIngressRule)
    assert ingress["from"].attr == "_from" and not ingress["from"].required


SCRIPT = """
import sys, fluxoperator.models as models
assert "kubernetes" not in sys.modules and "fluxoperator._kubernetes" not in sys.modules
made = models.MiniCluster(metadata={"name": "a"}, spec={"containers": [{"image": "b"}]})
made.to_json(), repr(made), made.validate(), dict(models.MiniCluster.from_dict(dict(made)))
made.metadata = {"name": "b", "labels": {"c": "d"}}
made.to_json(), repr(made), made.validate()
assert "kubernetes" not in sys.modules
assert made.metadata.name == "b" and "kubernetes" in sys.modules
"""


def test_kubernetes_is_loaded_when_it_is_needed():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, env=environment)
