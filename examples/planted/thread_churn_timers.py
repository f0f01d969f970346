"""Every worker guards each request by a timer, which is a thread of its own, started and cancelled.

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
    timers = []
    for _ in range(REQUESTS):
        timer = threading.Timer(PATIENCE, request)
        timer.start()  # knee: here
        request()
        timer.cancel()
        timers.append(timer)
    for timer in timers:
        timer.join()


class fixed:
    """Many more requests, unguarded."""

    @staticmethod
    def operation():
        for _ in range(25 * REQUESTS):
            request()
