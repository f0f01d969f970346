"""Every worker parses outside a lock and merges its result inside; the merge is the bigger part.

Expected: lock, at the ``with``. Workers are blocked, not waiting for memory.
Goes away: merge without the lock, publish with it.
"""

import threading

GUARD = threading.Lock()


def work(rounds):
    total = 0
    for _ in range(rounds):
        total = (total + 3) & 127
    return total


def operation():
    for _ in range(20):
        work(500)
        with GUARD:  # knee: here
            work(1_500)


class fixed:
    """The same work, the lock held only to publish."""

    @staticmethod
    def operation():
        for _ in range(20):
            work(2_000)
        with GUARD:
            pass
