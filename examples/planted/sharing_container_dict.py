"""Each worker keeps a total under a key of its own in one dict.

Expected: sharing.container. No entry is used twice, but each store enters the critical section of the one dict.
Goes away: a dict for each worker, merged at the end.
"""

ROUNDS = 20_000
TOTALS = {}  # knee: here


def setup_worker(index, workers):
    TOTALS[f"worker {index}"] = 0
    return f"worker {index}"


def operation(key):
    for _ in range(ROUNDS):
        TOTALS[key] = (TOTALS[key] + 3) & 127  # knee: here


class fixed:
    """The same totals in a dict of the worker's own."""

    @staticmethod
    def setup_worker(index, workers):
        key = f"worker {index}"
        return {key: 0}, key

    @staticmethod
    def operation(mine):
        totals, key = mine
        for _ in range(ROUNDS):
            totals[key] = (totals[key] + 3) & 127
