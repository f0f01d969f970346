"""Every worker makes a thread pool for each request and throws it away afterwards.

Expected: thread-churn, at the ``with``. The pool's threads start and end with each request.
Goes away: one pool for each worker, kept (the twin).
"""

from concurrent.futures import ThreadPoolExecutor

REQUESTS = 8


def request():
    total = 0
    for _ in range(2_000):
        total = (total + 3) & 127
    return total


def operation():
    for _ in range(REQUESTS):
        with ThreadPoolExecutor(4) as pool:  # knee: here
            for _ in range(4):
                pool.submit(int)
            request()


class fixed:
    """The same requests; the pool is kept."""

    @staticmethod
    def setup_worker(index, workers):
        return ThreadPoolExecutor(1)

    @staticmethod
    def operation(pool):
        for _ in range(REQUESTS):
            request()
            request()
        pool.submit(int).result()
