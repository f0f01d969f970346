"""Ctrl-C held back while something must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held() -> Iterator[None]:
    """Hold Ctrl-C back until the block has ended, then let it through; pressing it again changes nothing.

    Keep the block short: storing what was measured, ending a launch. Outside the main thread, where Python delivers no
    signals, and where Ctrl-C is ignored or handled by somebody else, this does nothing.

    Raises:
        KeyboardInterrupt: after the block, if Ctrl-C was pressed in it.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt
