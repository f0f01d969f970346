"""Every worker starts a short-lived thread for each item.

Expected: thread-churn, at the start of the threads. Starting and ending a thread maps memory, takes the
interpreter's locks and wakes another core; the item itself takes a fraction of that.
Goes away: the worker does its items itself (the twin), or keeps threads.
"""

import threading

ITEMS = 40


def item():
    total = 0
    for _ in range(60):
        total = (total + 3) & 127
    return total


def operation():
    for _ in range(ITEMS):
        thread = threading.Thread(target=item)
        thread.start()  # knee: here
        thread.join()


class fixed:
    """The same items in the worker itself, many more of them."""

    @staticmethod
    def operation():
        for _ in range(50 * ITEMS):
            item()
