# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys

import pytest


def test_an_operator_is_killed_with_its_children_and_started_again(operators, eventually):
    code = "import subprocess, sys; subprocess.Popen(['sleep', '1000']); print('up', flush=True); sys.stdin = None; import time; time.sleep(1000)"
    operator = operators([sys.executable, "-c", code])
    operator.start()
    with pytest.raises(RuntimeError, match="runs already"):
        operator.start()
    eventually(lambda: operator.log() == "up\n")
    operator.kill()
    assert not operator.running
    operator.start()
    eventually(lambda: operator.log() == "up\nup\n")
    assert operator.stop() == -15
