"""Two workers, each with customers of its own to count for, do about as much together as one alone.

``setup`` makes a small tally a customer (an instance with one slot takes 48 bytes) and deals the customers out in turn,
so that tallies of two workers lie on one cache line. Each worker writes only to its own; the cores fight over the
line all the same: false sharing in pure Python, which nothing in the source shows.

Expected on free-threaded CPython: ``knee why examples/tallies.py:operation`` names ``false-sharing.objects`` and the
line that makes the tallies; ``knee compare examples/tallies.py:operation examples/tallies.py:fixed`` finds the twin
faster at two workers and the same at one.
"""

CUSTOMERS = 4_000  # a worker; enough that the newest ones lie in memory that was never used before
BUSY = 2  # of objects 48 bytes apart, one pair in four meets just where a line ends, and shares nothing


class Tally:
    __slots__ = ("count",)

    def __init__(self):
        self.count = 0


def setup(workers):
    tallies = [Tally() for _ in range(CUSTOMERS * workers)]
    return [tallies[worker::workers] for worker in range(workers)]


def operation(tallies):
    for tally in tallies[-BUSY:]:
        for _ in range(10_000):
            tally.count = (tally.count + 1) & 255


class fixed:
    """The same tallies, made by the same thread, but one worker's customers after the other's."""

    @staticmethod
    def setup(workers):
        return [[Tally() for _ in range(CUSTOMERS)] for _ in range(workers)]

    operation = staticmethod(operation)
