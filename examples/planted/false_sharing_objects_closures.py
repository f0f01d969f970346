"""Each worker counts with closures of its own; the closures of all were made one after the other.

Expected: false-sharing.objects, at the lines that make a closure: the cell that holds its variable takes 48
bytes, and the next worker's lies beside it.
Goes away: memory rounded up to the line, or closures made far apart (the twin uses every 64th).
"""

ROUNDS = 3_000
CLOSURES = 8


def counter():
    count = 0  # knee: here

    def bump():
        nonlocal count
        count = (count + 1) & 127

    return bump


def dealt(bumps, workers):
    return [bumps[worker::workers] for worker in range(workers)]


def setup(workers):
    return dealt([counter() for _ in range(CLOSURES * workers)], workers)  # knee: here


def operation(bumps):
    for _ in range(ROUNDS):
        for bump in bumps:
            bump()


class fixed:
    """As many closures by the same thread, but far from each other."""

    @staticmethod
    def setup(workers):
        return dealt([counter() for _ in range(64 * CLOSURES * workers)][::64], workers)

    operation = staticmethod(operation)
