"""Ctrl-C ends every wait, and leaves nothing locked."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WAITS = {
    "lock": ("x = Lock(); x.acquire()", "x.acquire()", "x.release(); assert x.acquire(timeout=1)"),
    "spinlock": ("x = SpinLock(); x.acquire()", "x.acquire()", "x.release(); assert x.acquire(timeout=1)"),
    "with a timeout": (
        "x = Lock(); x.acquire()",
        "x.acquire(timeout=60)",
        "x.release(); assert x.acquire(False)",
    ),
    "reader": (
        "x = RWLock(); hold(x.write)",
        "x.read.acquire()",
        "go.set(); assert x.read.acquire(timeout=5)",
    ),
    "writer": (
        "x = RWLock(); hold(x.read)",
        "x.write.acquire()",
        "go.set(); assert x.write.acquire(timeout=5)",
    ),
    "event": ("x = Event()", "x.wait()", "assert not x.is_set(); x.set(); assert x.wait(1)"),
    "barrier": ("x = Barrier(2)", "x.wait()", "assert x.broken; x.reset(); assert not x.broken"),
}

# A shell that starts tests in the background has them ignore the interrupt; Python keeps that.
PROGRAM = """
import signal, threading
from knee.padded import *
signal.signal(signal.SIGINT, signal.default_int_handler)
go = threading.Event()
def hold(lock):
    held = threading.Event()
    def run():
        with lock:
            held.set()
            go.wait()
    threading.Thread(target=run, daemon=True).start()
    held.wait()
{setup}
try:
    print("waiting", flush=True)
    {wait}
except KeyboardInterrupt:
    {after}
    print("interrupted", flush=True)
"""


def wait_until_asleep(process: int) -> None:
    """Until its main thread sleeps in the kernel, which after its last line of output it does in one place only."""
    state = Path(f"/proc/{process}/task/{process}/stat")
    if not state.exists():
        time.sleep(0.5)
        return
    asleep = 0
    while asleep < 3:
        time.sleep(0.01)
        asleep = asleep + 1 if state.read_text().rpartition(")")[2].split()[0] == "S" else 0


@pytest.mark.parametrize("kind", WAITS)
def test_an_interrupt_ends_the_wait(kind: str) -> None:
    setup, wait, after = WAITS[kind]
    program = PROGRAM.format(setup=setup, wait=wait, after=after)
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{program}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        wait_until_asleep(process.pid)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)


def test_a_handler_that_returns_does_not_end_the_wait() -> None:
    program = """
import signal, threading, time
from knee.padded import *
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
lock = Lock(); lock.acquire(); rw = RWLock(); rw.read.acquire()
waits = [Event().wait, lambda timeout: lock.acquire(timeout=timeout), lambda timeout: rw.write.acquire(timeout=timeout)]
for wait in waits:
    begun, had = time.monotonic(), len(seen)
    assert wait(timeout=0.2) is False
    assert time.monotonic() - begun >= 0.2
    assert len(seen) > had
print("right")
"""
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{program}"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("right\n", "")
