"""Each worker stores results into places of its own in one list.

Expected: sharing.container. No place is used twice, but each store enters the critical section of the one list.
Goes away: a list for each worker, put together at the end.
"""

ROUNDS = 50_000
RESULTS = [0] * 1024  # knee: here


def setup_worker(index, workers):
    return 64 * (index + 1)


def operation(place):
    for _ in range(ROUNDS):
        RESULTS[place] = 1  # knee: here


class fixed:
    """The same stores into a list of the worker's own."""

    @staticmethod
    def setup_worker(index, workers):
        return [0] * 1024, 64 * (index + 1)

    @staticmethod
    def operation(mine):
        results, place = mine
        for _ in range(ROUNDS):
            results[place] = 1
