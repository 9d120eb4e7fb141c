"""Runs a program, and writes the MiB that it took at most to a file.

Usage: peak.py FILE PROGRAM ARGUMENT...
"""

import resource
import subprocess
import sys

code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=file)
sys.exit(code)
