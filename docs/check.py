#!/usr/bin/env python3
"""Checks the documents: relative links lead to a file and a heading, `make X ONLY=Y` is a target and its part.

Run by `make lint ONLY=docs`, from anywhere. Findings go to stdout as file:line: text; exit 1 with findings.
"""

import os
import re
import subprocess
import sys
from typing import Iterator, List, Set, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")
MAKE_INLINE = re.compile(r"`make ([a-z][a-z0-9-]*(?: ONLY=[a-z]+)?)")
MAKE_FENCED = re.compile(r"^(?:\$ )?make ([a-z][a-z0-9-]*(?: ONLY=[a-z]+)?)")


def main() -> int:
    targets = make_targets()
    findings: List[str] = []
    for name in documents():
        for number, text, fenced in lines(name):
            if not fenced:
                links = LINK.findall(CODE.sub("", text))
                findings += [
                    "%s:%d: %s" % (name, number, bad)
                    for bad in filter(None, (link_error(name, link) for link in links))
                ]
            for target in (MAKE_FENCED if fenced else MAKE_INLINE).findall(text):
                if target not in targets:
                    findings.append("%s:%d: make has no target %s" % (name, number, target))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def documents() -> List[str]:
    """The Markdown files written by hand: in the root and below docs/."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", "*.md"]
    listed = (
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
    )
    wanted = [name for name in sorted(set(listed)) if "/" not in name or name.startswith("docs/")]
    return [name for name in wanted if os.path.exists(os.path.join(ROOT, name))]


def lines(name: str) -> Iterator[Tuple[int, str, bool]]:
    """Number and text of each line, and whether it is in a fenced block."""
    fenced = False
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            fence = text.lstrip().startswith("```")
            yield number, text.rstrip("\n"), fenced or fence
            fenced = fenced != fence


def link_error(name: str, link: str) -> str:
    """What is wrong with a link in the named document; empty if nothing is."""
    if re.match(r"[a-z]+:", link):
        return ""
    path, _, heading = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
    if not os.path.exists(os.path.join(ROOT, target)):
        return "there is no %s" % target
    if heading and heading not in headings(target):
        return "%s has no heading #%s" % (target, heading)
    return ""


def headings(name: str) -> Set[str]:
    """The anchors of a document's headings, made the way GitHub makes them."""
    found = (re.match(r"#+ (.*)", text) for _, text, fenced in lines(name) if not fenced)
    return {re.sub(r"[^\w\- ]", "", match.group(1).lower()).replace(" ", "-") for match in found if match}


def make_targets() -> Set[str]:
    """The targets, and those with ONLY= and each of their parts, which `make help` lists."""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        names = set(re.findall(r"^(\.?[a-z0-9-]+):", file.read(), re.MULTILINE))
    parts = [name[1:].split("-") for name in names if name.startswith(".") and "-" in name]
    targets = {"test": ["test", "test-all"], "e2e": ["test-e2e"]}
    return names | {
        "%s ONLY=%s" % (target, part) for kind, part in parts for target in targets.get(kind, [kind])
    }


if __name__ == "__main__":
    sys.exit(main())
