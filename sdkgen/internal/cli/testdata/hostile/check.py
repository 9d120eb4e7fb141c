"""Reads every Python file, and says what the defaults of a Part are."""

import ast
import json
import pathlib
import sys

for file in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(file.read_bytes(), str(file))

sys.path.insert(0, sys.argv[1])
import widget.models  # noqa: E402

part = dict(widget.models.Part(words=widget.models.Words()))
print(json.dumps([part.get("text%d" % i) for i in range(int(sys.argv[2]))]))
