"""Every worker pushes to and pops from one deque.

Expected: lock, at the deque. Each call enters the deque's critical section, for an instant, all the time.
Goes away: a deque for each worker.
"""

from collections import deque

ROUNDS = 20_000
WAITING = deque()


def operation():
    for _ in range(ROUNDS):
        WAITING.append(1)  # knee: here
        WAITING.pop()  # knee: here


class fixed:
    """The same calls on a deque of the worker's own."""

    @staticmethod
    def setup_worker(index, workers):
        return deque()

    @staticmethod
    def operation(waiting):
        for _ in range(ROUNDS):
            waiting.append(1)
            waiting.pop()
