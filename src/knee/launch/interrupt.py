"""Ctrl-C, and a request to end, held back while something must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def termination() -> Iterator[None]:
    """Take a request to end for Ctrl-C while the block runs.

    SIGTERM is what ``kill``, ``timeout`` and a cancelled CI job send. What was measured is then kept, and the run is
    told to be interrupted. Outside the main thread, and where somebody else handles the signal, this does nothing.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def held() -> Iterator[None]:
    """Hold Ctrl-C back until the block has ended, then let it through; pressing it again changes nothing.

    Keep the block short: storing what was measured, ending a launch. Outside the main thread, where Python delivers no
    signals, and where Ctrl-C is ignored or handled by somebody else, this does nothing. It holds SIGTERM too within
    ``termination()``.

    Raises:
        KeyboardInterrupt: after the block, if Ctrl-C was pressed in it.
    """
    main = threading.current_thread() is threading.main_thread()
    ours = [
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if main and signal.getsignal(number) is signal.default_int_handler
    ]
    if not ours:
        yield
        return
    pressed: list[int] = []
    for number in ours:
        signal.signal(number, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt
