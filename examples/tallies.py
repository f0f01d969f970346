"""Two workers, each with tallies of its own, do about as much together as one alone.

``setup`` makes small tallies one after the other (an instance with one slot takes 48 bytes) and deals them out, so
that tallies of two workers lie on one cache line. Each worker writes only to its own; the cores fight over the
line all the same: false sharing in pure Python, which nothing in the source shows.

Two kinds of tally rather than one: of objects 48 bytes apart, one pair in four happens to meet at the end of a
64-byte line, and shares nothing.

Expected on free-threaded CPython: ``knee why examples/tallies.py:operation`` names ``false-sharing.objects`` and the
line that makes the tallies; ``knee compare examples/tallies.py:operation examples/tallies.py:fixed`` finds the twin
faster at two workers and the same at one.
"""

KINDS = 2


class Tally:
    __slots__ = ("count",)

    def __init__(self):
        self.count = 0


def setup(workers):
    tallies = [Tally() for _ in range(KINDS * workers)]
    return [tallies[worker::workers] for worker in range(workers)]


def operation(tallies):
    for tally in tallies:
        for _ in range(10_000):
            tally.count = (tally.count + 1) & 255


class fixed:
    """The same tallies by the same thread, but only every 64th of those made is used."""

    @staticmethod
    def setup(workers):
        tallies = [Tally() for _ in range(64 * KINDS * workers)][::64]
        return [tallies[worker::workers] for worker in range(workers)]

    operation = staticmethod(operation)
