"""Native code counts in a slot of its thread's own, padded to a full line, in an array that starts in mid-line.

Expected: false-sharing.slots. Every slot lies on two lines, one shared with the thread that started before
and one with the thread that started after (CPython 3.13 allocates its per-thread array like this).
Goes away: an aligned array (the twin); an idle thread started between two workers; processes.
"""

import ctypes

import compiled
import threadnumber

ROUNDS = 2_000_000

NATIVE = compiled.library(r"""
static _Alignas(4096) char slots[1025 * 64];

void tick(long number, long start, long rounds)
{
    volatile long *mine = (volatile long *)(slots + start + (number & 1023) * 64);
    for (long round = 0; round < rounds; round++) {
        mine[0]++;
        mine[7]++;
    }
}
""")


def operation():
    NATIVE.tick(ctypes.c_long(threadnumber.number()), ctypes.c_long(32), ctypes.c_long(ROUNDS))


class fixed:
    """The same slots, the array aligned to the line."""

    @staticmethod
    def operation():
        NATIVE.tick(ctypes.c_long(threadnumber.number()), ctypes.c_long(0), ctypes.c_long(ROUNDS))
