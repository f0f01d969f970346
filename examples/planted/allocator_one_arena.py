"""Native code gets and returns blocks of mixed sizes from a malloc that was told to keep one arena, to save memory.

Expected: allocator. The C library's malloc has one arena and one lock on it for all threads.
Goes away: as many arenas as threads (unset ``MALLOC_ARENA_MAX``; the twin runs without it), or another
allocator.
"""
# knee: env MALLOC_ARENA_MAX=1

import ctypes

import compiled

ROUNDS = 2_000

NATIVE = compiled.library(r"""
#include <stdlib.h>

void churn(long rounds)
{
    enum { HELD = 24 };
    void *held[HELD];
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < HELD; i++) {
            held[i] = malloc(1200 + 176 * ((i * 7 + round) % 29));
            *(volatile char *)held[i] = 1;
        }
        for (int i = 0; i < HELD; i++)
            free(held[(i * 5) % HELD]);
    }
}
""")


def operation():
    NATIVE.churn(ctypes.c_long(ROUNDS))


class fixed:
    """The same blocks; ``scripts/planted`` sets the variable for ``operation`` only."""

    operation = staticmethod(operation)
