"""Every worker starts a thread for each of its items, and waits for all.

Expected: thread-churn, at the start of the threads. Starting and ending a thread maps memory, takes locks of the
interpreter and the kernel and wakes another core; the item itself takes a fraction of that.
Goes away: the worker does its items itself (the twin, with many more of them), or keeps threads.
"""

import threading

ITEMS = 40


def item():
    total = 0
    for _ in range(60):
        total = (total + 3) & 127
    return total


def operation():
    threads = [threading.Thread(target=item) for _ in range(ITEMS)]
    for thread in threads:
        thread.start()  # knee: here
    for thread in threads:
        thread.join()


class fixed:
    """The worker does its items."""

    @staticmethod
    def operation():
        for _ in range(25 * ITEMS):
            item()
