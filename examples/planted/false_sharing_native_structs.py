"""Each worker counts in C structures of its own, which one thread got from malloc one after the other.

Expected: false-sharing.native, at the allocation. Blocks of 24 bytes lie 32 bytes apart, so that structures of
different workers share cache lines.
Goes away: ``aligned_alloc`` to the line, here in the twin; or a malloc that rounds up.
"""

import ctypes

import compiled

ROUNDS = 300_000
STRUCTURES = 8

NATIVE = compiled.library(r"""
#include <stdlib.h>

struct tally { volatile long hits, misses, bytes; };

struct tally *tally_packed(void) { return calloc(1, sizeof(struct tally)); }

struct tally *tally_aligned(void) { return aligned_alloc(128, 128); }

void count(struct tally **tallies, int many, long rounds)
{
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < many; i++) {
            tallies[i]->hits++;
            tallies[i]->bytes += round;
        }
    }
}
""")
NATIVE.tally_packed.restype = NATIVE.tally_aligned.restype = ctypes.c_void_p


def dealt(make, workers):
    tallies = [make() for _ in range(STRUCTURES * workers)]  # knee: here
    return [(ctypes.c_void_p * STRUCTURES)(*tallies[worker::workers]) for worker in range(workers)]


def setup(workers):
    return dealt(NATIVE.tally_packed, workers)


def operation(tallies):
    NATIVE.count(tallies, STRUCTURES, ctypes.c_long(ROUNDS))


class fixed:
    """The same structures, each on a line of its own."""

    @staticmethod
    def setup(workers):
        return dealt(NATIVE.tally_aligned, workers)

    operation = staticmethod(operation)
