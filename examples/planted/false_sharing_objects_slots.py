"""Each worker bumps progress counters of its own; the counters of all were made one after the other.

Expected: false-sharing.objects, at the line that makes them. An instance with one slot takes 48 bytes, so that
neighbours, which belong to different workers, lie on one cache line.
Goes away: memory rounded up to the line, or counters made far apart (the twin uses every 64th).
"""

ROUNDS = 4_000
COUNTERS = 8


class Progress:
    __slots__ = ("done",)

    def __init__(self):
        self.done = 0


def dealt(counters, workers):
    return [counters[worker::workers] for worker in range(workers)]


def setup(workers):
    return dealt([Progress() for _ in range(COUNTERS * workers)], workers)  # knee: here


def operation(counters):
    for _ in range(ROUNDS):
        for counter in counters:
            counter.done = (counter.done + 1) & 127


class fixed:
    """As many counters by the same thread, but far from each other."""

    @staticmethod
    def setup(workers):
        return dealt([Progress() for _ in range(64 * COUNTERS * workers)][::64], workers)

    operation = staticmethod(operation)
