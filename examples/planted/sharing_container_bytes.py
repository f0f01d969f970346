"""Each worker sets flags of its own; the flags of all workers are one buffer, one byte each.

Expected: sharing.container. The bytes are different, the cache line is the same.
Goes away: each worker's flags on a line of their own (the twin leaves 256 bytes between).
"""

ROUNDS = 8_000
FLAGS = bytearray(4096)  # knee: here


def setup_worker(index, workers):
    return memoryview(FLAGS)[index :: max(workers, 2)][:8]


def operation(flags):
    for _ in range(ROUNDS):
        for i in range(8):
            flags[i] = flags[i] ^ 1  # knee: here


class fixed:
    """The same view, on lines of the worker's own."""

    @staticmethod
    def setup_worker(index, workers):
        return memoryview(FLAGS)[256 * (index + 1) :][:8]

    operation = staticmethod(operation)
