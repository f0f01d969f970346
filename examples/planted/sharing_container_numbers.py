"""Each worker adds up in a C array's element of its own, 8 bytes from its neighbour's.

Expected: sharing.container. The elements are different, the cache line is the same.
Goes away: elements 256 bytes apart (the twin).
"""

import ctypes

import compiled

ROUNDS = 6_000_000

NATIVE = compiled.library(r"""
void add(volatile long *total, long rounds)
{
    for (long round = 0; round < rounds; round++)
        *total += round;
}
""")


def setup(workers):
    totals = (ctypes.c_long * workers)()  # knee: here
    return [ctypes.c_long.from_buffer(totals, 8 * worker) for worker in range(workers)]


def operation(total):
    NATIVE.add(ctypes.byref(total), ctypes.c_long(ROUNDS))  # knee: here


class fixed:
    """The same array, every 32nd element used."""

    @staticmethod
    def setup(workers):
        totals = (ctypes.c_long * (32 * (workers + 1)))()
        return [ctypes.c_long.from_buffer(totals, 256 * (worker + 1)) for worker in range(workers)]

    operation = staticmethod(operation)
