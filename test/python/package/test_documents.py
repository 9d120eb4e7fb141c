# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The package's README and pages: links lead somewhere, and the pages are complete."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fluxoperator import models

SDK = Path(os.environ["FLUXOPERATOR_SDK"])
CHECKOUT = Path(os.environ["FLUXOPERATOR_CHECKOUT"])
DOCUMENTS = [SDK / "README.md", *sorted(SDK.glob("docs/*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.M)
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.M | re.S)
PROJECT = re.compile(r"/flux-framework/flux-operator/(?:blob|tree)/main/(.+)")


def text(path):
    """Gives a document without its code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", path.read_text(encoding="utf-8")))


def links(path):
    return [one or other for one, other in LINK.findall(text(path))]


def headings(path):
    """Gives the anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text()), re.M)
    plain = [re.sub(r"[^\w\- ]", "", title.lower()) for title in titles]
    return {title.strip().replace(" ", "-") for title in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for link in links(document):
        parts = urlsplit(link)
        project = PROJECT.fullmatch(parts.path)
        if parts.scheme and not (parts.netloc == "github.com" and project):
            continue
        base = CHECKOUT / project[1] if project else document.parent / parts.path
        target = document if not (parts.scheme or parts.path) else base
        assert target.exists(), link
        assert not parts.fragment or parts.fragment in headings(target), link


def test_the_readme_can_be_read_on_pypi():
    """PyPI shows the README alone, a relative link there leads nowhere."""
    relative = [link for link in links(SDK / "README.md") if not urlsplit(link).scheme]
    assert [link for link in relative if not link.startswith("#")] == []


def test_every_model_has_a_page():
    assert {path.stem for path in SDK.glob("docs/*.md")} >= set(models.__all__)


def test_the_code_of_the_readme_is_python():
    blocks = re.findall(r"^```python\n(.*?)^```", (SDK / "README.md").read_text(), re.M | re.S)
    assert blocks
    for block in blocks:
        compile(block, "README.md", "exec")
