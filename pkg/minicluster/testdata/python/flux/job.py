"""Jobs."""

import json
import os
from types import SimpleNamespace


class JobList:
    """The jobs in the environment variable JOBS, one on each line, that have one of the states or results in filters."""

    def __init__(self, handle, filters, max_entries):
        self.filters = filters

    def jobs(self):
        for line in os.environ["JOBS"].splitlines():
            job = json.loads(line, object_hook=lambda fields: SimpleNamespace(**fields))
            if job.is_ in self.filters:
                yield job
