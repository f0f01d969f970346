"""A library pins whichever thread calls it to the first CPU, "for cache locality".

Expected: machine.cores, at the call that pins. All workers end up on one CPU and wait for it.
Goes away: threads pinned to a CPU each, or not at all (the twin).
"""

import os

ROUNDS = 40_000
CPUS = sorted(os.sched_getaffinity(0))


def work():
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 255
    return total


def operation():
    os.sched_setaffinity(0, CPUS[:1])  # knee: here
    return work()


class fixed:
    """The same work on whichever CPU is free."""

    @staticmethod
    def operation():
        os.sched_setaffinity(0, CPUS)
        return work()
