"""Hooks of mkdocs: pages from outside of docs/, and links that lead there.

The README is the first page; the reference pages are those that `sdkgen docs` wrote to the directory REFERENCE. A link to
a file of the repository that is no page leads to it on GitHub.
"""

import os
import posixpath
import re
from pathlib import Path
from typing import Any, Dict, List

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = Path(os.environ.get("REFERENCE", ROOT / ".tools" / "reference"))
REPOSITORY = "https://github.com/flux-framework/flux-operator"

# Pages by their source in the repository, where that is not docs/.
OUTSIDE = {"README.md": "index.md", **{name: name for name in ("CONTRIBUTING.md", "MAINTAINERS.md", "SECURITY.md")}}

FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")


def on_config(config: MkDocsConfig) -> None:
    """Lists the pages of the directories in nav."""
    config.nav = expand(config.nav, {"adr/": Path(config.docs_dir) / "adr", "reference/": REFERENCE})


def expand(nav: List[Any], directories: Dict[str, Path]) -> List[Any]:
    out: List[Any] = []
    for item in nav:
        if isinstance(item, dict):
            out.append({title: expand(below, directories) for title, below in item.items()})
        elif item in directories:
            base = directories[item]
            names = sorted(path.relative_to(base).as_posix() for path in base.rglob("*.md"))
            names.sort(key=lambda name: (name != "README.md", name.startswith("kubernetes/")))
            out += [item + name for name in names]
        else:
            out.append(item)
    return out


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the pages from outside of docs/."""
    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / source)))
    for path in sorted(REFERENCE.rglob("*")):
        if path.suffix in (".md", ".txt"):
            name = "reference/" + path.relative_to(REFERENCE).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Corrects the links to what is not in docs/."""
    if page.file.src_uri.startswith("reference/"):
        return markdown
    sources = {name: source for source, name in OUTSIDE.items()}
    source = sources.get(page.file.src_uri, "docs/" + page.file.src_uri)

    def target(match: "re.Match[str]") -> str:
        return resolve(match.group(), source, page.file.src_uri, files)

    lines, fenced = [], False
    for line in markdown.split("\n"):
        fence = bool(FENCE.match(line))
        lines.append(line if fenced or fence else LINK.sub(target, line))
        fenced ^= fence
    return "\n".join(lines)


def resolve(link: str, source: str, page: str, files: Files) -> str:
    """A link of a file of the repository, as its page has it."""
    path, hash_, heading = link.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return link
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    name = OUTSIDE.get(target, target[len("docs/") :] if target.startswith("docs/") else "")
    if name and files.get_file_from_path(name):
        return posixpath.relpath(name, posixpath.dirname(page) or ".") + hash_ + heading
    if not (ROOT / target).exists():
        return link  # strict mode reports it
    kind = "tree" if (ROOT / target).is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{target}{hash_}{heading}"
