"""Every worker collects garbage after each batch, to keep memory low.

Expected: gc, at ``gc.collect()``. A collection stops all threads and walks all objects.
Goes away: no explicit collections (the twin), or one for all workers now and then.
"""

import gc

ROUNDS = 8_000
KEPT = [[] for _ in range(20_000)]  # what every program has: objects that live on


def work():
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 127
    return total


def operation():
    work()
    gc.collect()  # knee: here


class fixed:
    """The same work without collections."""

    @staticmethod
    def operation():
        work()
