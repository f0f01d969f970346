"""Every worker guards each request of a batch by a timer, which is a thread of its own, started and cancelled.

Expected: thread-churn, at the start of the timer.
Goes away: one thread for all deadlines, or requests that look at the clock themselves (the twin does without).
"""

import threading

REQUESTS = 30
PATIENCE = 60


def request():
    total = 0
    for _ in range(60):
        total = (total + 3) & 127
    return total


def operation():
    timers = [threading.Timer(PATIENCE, request) for _ in range(REQUESTS)]
    for timer in timers:
        timer.start()  # knee: here
    for timer in timers:
        request()
        timer.cancel()
    for timer in timers:
        timer.join()


class fixed:
    """Many more requests, unguarded."""

    @staticmethod
    def operation():
        for _ in range(25 * REQUESTS):
            request()
