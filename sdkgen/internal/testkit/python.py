"""Runs each program that stdin has, [directory of its modules, source], in a fork, and prints its traceback or ""."""

import json
import os
import sys
import traceback

for line in sys.stdin:
    path, program = json.loads(line)
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        sys.path.insert(0, path)
        failure = ""
        try:
            exec(compile(program, "<caller>", "exec"), {"__name__": "__main__"})
        except BaseException:
            failure = traceback.format_exc()
        with os.fdopen(writer, "w") as pipe:
            pipe.write(failure)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        failure = pipe.read()
    if os.waitpid(child, 0)[1] != 0:
        failure = failure or "the program ended the process"
    print(json.dumps(failure), flush=True)
