"""Native code counts in a slot of its thread's own, padded to 32 bytes on a machine whose lines are 64.

Expected: false-sharing.slots. Slots go to threads in the order in which they start, so two threads that
start one after the other share a line (a 64-byte pad on a 128-byte line is the same, as on Apple chips).
Goes away: slots padded to 64 (the twin); an idle thread started between two workers; processes.
"""

import ctypes

import compiled
import threadnumber

ROUNDS = 2_000_000

NATIVE = compiled.library(r"""
static _Alignas(4096) char slots[1024 * 64];
static long first;

void slots_start(long number) { first = number; }

void tick(long number, long pad, long rounds)
{
    volatile long *mine = (volatile long *)(slots + ((number - first) & 1023) * pad);
    for (long round = 0; round < rounds; round++)
        mine[round & 1]++;
}
""")


def setup(workers):
    NATIVE.slots_start(ctypes.c_long(threadnumber.following()))
    return [None] * workers


def operation(_):
    NATIVE.tick(ctypes.c_long(threadnumber.number()), ctypes.c_long(32), ctypes.c_long(ROUNDS))


class fixed:
    """The same slots, padded to the line."""

    setup = staticmethod(setup)

    @staticmethod
    def operation(_):
        NATIVE.tick(ctypes.c_long(threadnumber.number()), ctypes.c_long(64), ctypes.c_long(ROUNDS))
