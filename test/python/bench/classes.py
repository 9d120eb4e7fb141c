# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Prints a module with the models of this SDK as classes of another library:
`python classes.py SDK LIBRARY`, where LIBRARY is msgspec or attrs.

The classes have the same fields, types and defaults, and write what this SDK writes.
"""

import sys

HEADS = {
    "msgspec": "import msgspec\nfrom msgspec import UNSET, UnsetType\nfrom typing import Any, Dict, List, Union\n",
    "attrs": "from attrs import define, Factory\nfrom typing import Any, Dict, List, Optional, Union\n\nKEYS = {}\n",
}


def hint(kind, rules):
    """Gives the annotation of a type. What is kubernetes' own is a dict."""
    if kind.inner is not None:
        inner = hint(kind.inner, rules.get("items", rules.get("additionalProperties", {})))
        return f"List[{inner}]" if kind.name == "list" else f"Dict[str, {inner}]"
    if rules.get("x-kubernetes-int-or-string"):
        return "Union[int, str]"
    if kind.own is not None:
        return kind.name
    if kind.external:
        return "Dict[str, Any]"
    return {"object": "Any", "datetime": "str"}.get(kind.name, kind.name)


def struct(cls):
    """Gives the lines of a class of msgspec. A field that is not set is not written."""
    yield f"class {cls.__name__}(msgspec.Struct, kw_only=True):"
    for attr, field in cls._fields.items():
        spelled, key = hint(field.kind, field.rules), f"name={field.key!r}"
        if field.default is ...:
            yield f"    {attr}: {spelled} = msgspec.field({key})"
        elif field.default is None:
            yield f"    {attr}: Union[{spelled}, UnsetType] = msgspec.field({key}, default=UNSET)"
        else:
            yield f"    {attr}: {spelled} = msgspec.field({key}, default={field.default!r})"


def attrs(cls):
    """Gives the lines of a class of attrs, and those that tell its keys and defaults."""
    yield "@define(kw_only=True)"
    yield f"class {cls.__name__}:"
    for attr, field in cls._fields.items():
        spelled = hint(field.kind, field.rules)
        if field.default is ...:
            yield f"    {attr}: {spelled}"
        elif field.default is None:
            yield f"    {attr}: Optional[{spelled}] = None"
        else:
            yield f"    {attr}: {spelled} = {field.default!r}"
    keys = {a: (f.key, f.default is None) for a, f in cls._fields.items()}
    yield f"KEYS[{cls.__name__}] = {keys!r}"


def ordered(models):
    """Gives the models so that each comes after those that its fields name."""
    done = {}

    def visit(cls):
        for field in cls._fields.values():
            kind = field.kind
            while kind.inner is not None:
                kind = kind.inner
            if kind.own is not None and kind.own not in done:
                visit(kind.own)
        done[cls] = None

    for cls in models:
        if cls not in done:
            visit(cls)
    return [*done]


def main(sdk, library):
    sys.path.insert(0, sdk)
    from fluxoperator import models

    print(HEADS[library])
    for cls in ordered(getattr(models, name) for name in models.__all__):
        print("\n".join({"msgspec": struct, "attrs": attrs}[library](cls)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
