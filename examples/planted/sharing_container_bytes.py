"""Each worker sets flags of its own; the flags of all workers are one buffer, eight bytes each.

Expected: sharing.container. The bytes are different, the cache line is the same.
Goes away: each worker's flags on a line of their own (the twin leaves 256 bytes between).
"""

ROUNDS = 6_000
FLAGS = 8


def setup(workers):
    flags = memoryview(bytearray(FLAGS * workers))  # knee: here
    return [flags[FLAGS * worker : FLAGS * (worker + 1)] for worker in range(workers)]


def operation(flags):
    for _ in range(ROUNDS):
        for i in range(FLAGS):
            flags[i] ^= 1  # knee: here


class fixed:
    """The same flags, on lines of the worker's own."""

    @staticmethod
    def setup(workers):
        flags = memoryview(bytearray(256 * (workers + 1)))
        return [flags[256 * worker :][:FLAGS] for worker in range(1, workers + 1)]

    operation = staticmethod(operation)
