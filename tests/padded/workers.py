"""Threads for tests: started together, and their exceptions raised."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def run_together(work: Callable[[int], T], count: int, seconds: float = 60) -> list[T]:
    """What ``work(index)`` returned in each of the threads, in order.

    Raises:
        AssertionError: one did not end in time (a deadlock, most likely).
    """
    results: dict[int, T] = {}
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def run(index: int) -> None:
        try:
            start.wait()
            results[index] = work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
        assert not thread.is_alive(), "a thread did not end"
    if errors:
        raise errors[0]
    return [results[index] for index in range(count)]
