"""Every worker adds two long vectors into a third.

Expected: machine.bandwidth. Three streams to and from memory, one operation an element: a core waits for
memory most of the time, two cores wait longer; processes fare no better.
Goes away: vectors that fit into the cache (the twin does as many operations).
"""

import ctypes

import compiled

LENGTH = 4 << 20

NATIVE = compiled.library(
    r"""
#include <stdlib.h>

double *vectors_made(size_t length)
{
    double *vectors = aligned_alloc(4096, 3 * length * sizeof(double));
    for (size_t i = 0; i < 3 * length; i++)
        vectors[i] = 1;
    return vectors;
}

void triad(double *vectors, size_t length, long rounds)
{
    for (long round = 0; round < rounds; round++) {
        double *restrict a = vectors, *restrict b = vectors + length, *restrict c = b + length;
        for (size_t i = 0; i < length; i++)
            a[i] = b[i] + 0.5 * c[i];
        __asm__ volatile("" ::: "memory");
    }
}
""",
    "-O3",
)
NATIVE.vectors_made.restype = ctypes.c_void_p


def vectors(length):
    return ctypes.c_void_p(NATIVE.vectors_made(ctypes.c_size_t(length)))


def setup_worker(index, workers):
    return vectors(LENGTH)


def operation(mine):
    NATIVE.triad(mine, ctypes.c_size_t(LENGTH), ctypes.c_long(1))  # knee: here


class fixed:
    """As many operations on vectors that fit into the cache."""

    @staticmethod
    def setup_worker(index, workers):
        return vectors(LENGTH >> 12)

    @staticmethod
    def operation(mine):
        NATIVE.triad(mine, ctypes.c_size_t(LENGTH >> 12), ctypes.c_long(1 << 12))
