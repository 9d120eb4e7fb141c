# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""A fake API server in memory, for unit tests of programs that use the clients."""

from ._http import Request as Request
from ._server import FakeServer as FakeServer
