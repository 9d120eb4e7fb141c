# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Typed clients of the kinds: what to import, and nothing else."""

from ._aio import AsyncClient as AsyncClient
from ._client import Client as Client
from ._installed import Difference as Difference
from ._model import Object as Object
from ._watch import Event as Event
from ._watch import Watch as Watch
