"""Runs a command in the lead broker's instance and exits with its status.

If the command fails, the ranks of the brokers that were lost under its jobs are written to a file.
"""

import json
import subprocess
import sys
import time

LOST = "/run/flux/lost"

# The exceptions of jobs whose broker disappeared. One that shuts down in good order raises others.
LOSSES = ("node failure on ", "lost contact with job shell")


def departures():
    """Returns the time and the ranks of each departure of brokers.

    Flux before 0.62 keeps these events in the KVS, Flux 0.71 and newer in a journal.
    """
    for command in (
        ["flux", "resource", "eventlog", "--format=json"],
        ["flux", "kvs", "eventlog", "get", "--unformatted", "resource.eventlog"],
    ):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            events = [json.loads(line) for line in done.stdout.splitlines()]
            return [(e["timestamp"], e["context"]["idset"]) for e in events if e["name"] == "offline"]
    return []


def lost():
    """Returns the ranks that were lost under jobs that failed."""
    import flux
    from flux.idset import IDset
    from flux.job import JobList

    ranks = set()
    events = departures()
    for job in JobList(flux.Flux(), filters=["failed", "canceled", "cleanup"], max_entries=100000).jobs():
        if not job.t_run or not job.ranks:
            continue
        used = set(IDset(job.ranks))
        gone = [IDset(ids) for when, ids in events if job.t_run <= when <= job.t_cleanup + 1]
        left = used & {rank for ids in gone for rank in ids}
        if job.exception.type == "node-failure" or job.exception.note.startswith(LOSSES):
            left = left or used
        ranks |= left
    return sorted(ranks)


def main():
    status = subprocess.call(sys.argv[1:])
    if status:
        time.sleep(1)  # a departure is noted a moment after its jobs have failed
        try:
            ranks = lost()
        except Exception as error:  # the command's own status is kept
            print(f"flux-operator: finding out which brokers were lost failed: {error!r}", file=sys.stderr)
            ranks = []
        with open(LOST, "w", encoding="ascii") as file:
            print(*ranks, file=file)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
