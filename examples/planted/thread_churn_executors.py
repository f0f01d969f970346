"""Every worker makes a thread pool for each batch and throws it away afterwards.

Expected: thread-churn, at the ``submit`` that starts the threads or the ``with`` around it.
Goes away: no pool for work as small as this (the twin, with many more items), or one that is kept.
"""

from concurrent.futures import ThreadPoolExecutor

ITEMS = 40


def item():
    total = 0
    for _ in range(60):
        total = (total + 3) & 127
    return total


def operation():
    with ThreadPoolExecutor(ITEMS) as pool:  # knee: here
        for _ in range(ITEMS):  # knee: here
            pool.submit(item)


class fixed:
    """The worker does its items."""

    @staticmethod
    def operation():
        for _ in range(25 * ITEMS):
            item()
