"""Every worker passes its items through one queue, though it takes out what it put in.

Expected: lock, at the ``put`` or ``get``: the queue's own lock guards each.
Goes away: a queue for each worker.
"""

import queue

ITEMS = 800
QUEUE = queue.Queue()


def operation():
    for _ in range(ITEMS):
        QUEUE.put(1)  # knee: here
        QUEUE.get()  # knee: here


class fixed:
    """The same items through a queue of the worker's own."""

    @staticmethod
    def setup_worker(index, workers):
        return queue.Queue()

    @staticmethod
    def operation(mine):
        for _ in range(ITEMS):
            mine.put(1)
            mine.get()
