#!/usr/bin/env python3
"""Tests the site that `make site` built: run `make test-all ONLY=site`.

It has a page for each document and each kind, its links lead somewhere, and its pages ask no other host for anything.
"""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Dict, List, Optional, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "site"
MKDOCS = ROOT / ".tools" / "site" / "bin" / "mkdocs"

# The attributes by which a page has the browser load something.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "embed": "src", "object": "data"}
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}


class Loads(html.parser.HTMLParser):
    """What a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: List[str] = []
        self.classes: List[str] = []

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        values: Dict[str, str] = {name: value or "" for name, value in attrs}
        self.classes += values.get("class", "").split()
        if tag in LOADED:
            self.addresses.append(values.get(LOADED[tag], ""))
        if tag == "link" and LOADING_LINKS & set(values.get("rel", "").split()):
            self.addresses.append(values.get("href", ""))


class Test(unittest.TestCase):
    def test_pages(self) -> None:
        names = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
        names.remove(pathlib.Path("README.md"))  # the navigation has its links
        self.assertGreater(len(names), 20)
        for name in names + [pathlib.Path("index.md"), pathlib.Path("CONTRIBUTING.md")]:
            self.assertTrue((SITE / name).with_suffix(".html").exists(), name)
        page = (SITE / "reference/flux-framework.org/v1alpha1/minicluster.html").read_text()
        self.assertIn('id="spec.flux.brokerConfig"', page)

    def test_search(self) -> None:
        index = json.loads((SITE / "search/search_index.json").read_text())
        places = [doc["location"] for doc in index["docs"] if "brokerConfig" in doc["text"] + doc["title"]]
        self.assertTrue(any(place.startswith("reference/") for place in places), places)

    def test_requests(self) -> None:
        pages = list(SITE.rglob("*.html"))
        self.assertGreater(len(pages), 30)
        for path in pages:
            loads = Loads()
            loads.feed(path.read_text())
            self.assertTrue(loads.addresses, path)
            for address in loads.addresses:
                self.assertNotRegex(address, r"^([a-z]+:)?//", path)
            self.assertNotIn("mermaid", loads.classes, "%s: the theme would fetch mermaid" % path)
            self.assertNotIn("md-source", loads.classes, "%s: the theme would ask GitHub for its stars" % path)
        for path in SITE.rglob("*.css"):
            found = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)", path.read_text())
            self.assertEqual(found, [], path)

    def test_broken_links(self) -> None:
        for link, said in (("nowhere.md", "nowhere.md"), ("install.md#nothing", "#nothing"), ("../../nowhere/else.go", "nowhere/else.go")):
            with self.subTest(link), tempfile.TemporaryDirectory() as name:
                docs = pathlib.Path(name) / "docs"
                shutil.copytree(ROOT / "docs", docs)
                with open(docs / "use" / "samples.md", "a", encoding="utf-8") as file:
                    file.write("\nSee [this](%s).\n" % link)
                config = {
                    "INHERIT": str(ROOT / "hack/site/mkdocs.yml"), "docs_dir": str(docs), "site_dir": name + "/site",
                    "hooks": [str(ROOT / "hack/site/pages.py")],
                }
                (pathlib.Path(name) / "mkdocs.yml").write_text(json.dumps(config))
                done = subprocess.run(
                    [str(MKDOCS), "build", "--strict", "-f", name + "/mkdocs.yml"],
                    env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
                )
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertIn(said, done.stdout)


if __name__ == "__main__":
    unittest.main()
