# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Prints the names in each Python file that stdin lists, as CPython finds them.

A line is FILE, LINE, COLUMN, KIND and NAME, with tabs between; a file that does not
compile has one line, of the kind "refused". Before Python 3.12, which is the first to
know where names in f-strings stand, all lines and columns are 0.
"""

import ast
import sys
import warnings

warnings.simplefilter("ignore")


def names(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.lineno, node.col_offset, "name", node.id
        elif isinstance(node, ast.Attribute):
            yield node.end_lineno, node.end_col_offset - len(node.attr.encode()), "attr", node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.lineno, node.col_offset, "keyword", node.arg
        elif isinstance(node, ast.alias) and node.name != "*":
            where = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)  # from 3.10 on
            yield *where, "import", node.name
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            yield 0, len(arguments), "def", node.name
        elif isinstance(node, ast.ClassDef):
            yield 0, len(node.bases) + len(node.keywords), "class", node.name
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if isinstance(node.slice.value, str):
                where = node.slice.lineno, node.slice.col_offset
                yield *where, "key", node.slice.value.encode("unicode_escape", "replace").decode()


for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        print(path, 0, 0, "refused", "", sep="\t")
        continue
    for line, column, kind, name in sorted(names(tree)):
        if sys.version_info < (3, 12):
            line, column = 0, -1
        print(path, line, column + 1, kind, name, sep="\t")
