# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""YAML as kubectl reads and writes it, by way of PyYAML."""

from __future__ import annotations

import re
from typing import Any

import yaml

# What another reader of YAML might not take for text: numbers in all notations, dates.
_NUMBER = re.compile(r"[-+.0-9]")


class _Loader(yaml.SafeLoader):
    """Leaves timestamps text, as JSON does."""

    yaml_implicit_resolvers = {
        first: [(tag, form) for tag, form in found if not tag.endswith(":timestamp")]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


class _Dumper(yaml.SafeDumper):
    """Quotes text that might be taken for something else, and keeps lines apart."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else '"' if _NUMBER.match(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text)


def load(text: str) -> Any:
    """Decodes one document.

    Raises:
        ValueError: it is not YAML, or more than one document.
    """
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def dump(value: Any) -> str:
    """Encodes plain values, in their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text
