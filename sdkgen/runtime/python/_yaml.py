# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""YAML as kubectl reads and writes it, by way of PyYAML.

The two disagree on what a plain scalar means: to kubectl 1e3 is a number and y is
true, while 12:30:45 and 2024-01-01 are text.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Union, cast

import yaml

_NULL, _TRUE = "|~|null|Null|NULL", "y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON"
_FALSE = "n|N|no|No|NO|false|False|FALSE|off|Off|OFF"
_INT = r"[-+]?(?:0b[01_]+|0[xX][0-9a-fA-F_]+|0o?[0-7_]+|0|[1-9][0-9_]*)"
_FLOAT = r"[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"

# Text that stands without quotes; whatever looks like a number or a date does not.
_PLAIN = re.compile(rf"(?!(?:{_NULL}|{_TRUE}|{_FALSE})$)[A-Za-z/_][ -~]*")
_LINES = re.compile(r"[!-~][ -~]*(\n[ -~]*)*[ -~]\n")


# How deep a document may be nested, and by how many values and characters aliases may lengthen it.
_DEPTH, _ALIASED = 200, 1_000_000


class _Loader(yaml.SafeLoader):
    """Refuses what would take much more memory than its text, and duplicate keys."""

    yaml_implicit_resolvers = {}

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = self.size = self.aliased = 0
        self.sizes: Dict[int, int] = {}  # by id, of the nodes that are complete

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:
        if self.flow_level >= _DEPTH:  # the scanner takes quadratic time for the levels
            raise _refused(f"nested more than {_DEPTH} levels deep", cast(Any, self).get_mark())
        cast(Any, super()).fetch_flow_collection_start(TokenClass)

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Composes a node, and counts what its value takes with all aliases expanded."""
        loader: Any = self
        alias, mark = loader.check_event(yaml.AliasEvent), loader.peek_event().start_mark
        before = self.size
        self.depth += 1
        if self.depth > _DEPTH:
            raise _refused(f"nested more than {_DEPTH} levels deep", mark)
        node: Any = super().compose_node(parent, index)
        self.depth -= 1
        if alias:
            if id(node) not in self.sizes:
                raise _refused("an alias of the value that it is in", mark)
            self.size += self.sizes[id(node)]
            self.aliased += self.sizes[id(node)]
            if self.aliased > _ALIASED:
                raise _refused("aliases make the document too long", mark)
            return node
        self.size += 1 + (len(node.value) if isinstance(node, yaml.ScalarNode) else 0)
        self.sizes[id(node)] = self.size - before
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        node: Any = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise _refused(f"duplicate key {key.value!r}", key.start_mark)
                seen.add(key.value)
        return node


def _refused(text: str, mark: Any) -> yaml.YAMLError:
    return yaml.MarkedYAMLError(problem=text, problem_mark=mark)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _number(loader: _Loader, node: yaml.ScalarNode) -> Union[int, float]:
    text = str(node.value).replace("_", "")
    if re.fullmatch(_INT, text) is None:
        return float(text)
    octal = re.fullmatch("([-+]?)0([0-7]+)", text)
    return int(octal[1] + octal[2], 8) if octal else int(text, 0)


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = None if _PLAIN.fullmatch(text) else "|" if _LINES.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_FORMS = {"null": _NULL, "bool": f"{_TRUE}|{_FALSE}", "float": f"{_INT}|{_FLOAT}", "merge": "<<"}
for _tag in _FORMS:
    _form = re.compile(f"(?:{_FORMS[_tag]})$")
    cast(Any, _Loader).add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", _form, None)
_Loader.bool_values = {  # by PyYAML in lower case
    **dict.fromkeys(_TRUE.lower().split("|"), True),
    **dict.fromkeys(_FALSE.lower().split("|"), False),
}
_Loader.add_constructor("tag:yaml.org,2002:float", _number)
_Dumper.add_representer(str, _text)


def load(text: str) -> Any:
    """Decodes one document.

    Raises:
        ValueError: it is not YAML, or more than one document, or one that `_Loader` refuses.
    """
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    except RecursionError:  # where few levels are left
        raise ValueError("nested too deeply") from None


def dump(value: Any) -> str:
    """Encodes plain values, in their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text
