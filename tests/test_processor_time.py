"""Processor seconds, of processes that end while somebody counts them."""

import subprocess
import sys

import pytest
from bench.processor_time import between, look

PARENT = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, {handler})
child = os.fork()
if not child:
    while time.process_time() < 0.3:
        pass
    os.write(1, b"w")
    sys.stdin.read(1)
    os._exit(0)
sys.stdin.readline()
os.kill(child, signal.SIGKILL)
try:
    os.waitpid(child, 0)
except ChildProcessError:  # it is gone, and nobody knows what it has used
    pass
os.write(1, b"e")
sys.stdin.readline()
"""


@pytest.mark.parametrize("handler", ["signal.SIG_IGN", "signal.SIG_DFL"])
def test_a_worker_that_ends_takes_nothing_away_and_adds_nothing(handler: str) -> None:
    command = [sys.executable, "-c", PARENT.format(handler=handler)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        start = look(parent.pid)
        assert parent.stdout.read(1) == b"w"
        worked = look(parent.pid)
        assert between(start, worked) > 0.25
        assert len(worked) == 2
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        assert parent.stdout.read(1) == b"e"
        ended = look(parent.pid)
        assert len(ended) == 1
        assert -0.01 < between(worked, ended) < 0.2
        assert look(parent.pid, without=[parent.pid]) == ended
        assert parent.pid not in look(without=[parent.pid])
        parent.stdin.write(b"\n")
