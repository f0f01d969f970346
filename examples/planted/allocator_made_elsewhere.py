"""Each worker grows and shrinks buffers of its own, which the main thread made for all of them.

Expected: allocator. A block that is resized stays in the arena it came from, the main thread's, so all
workers take that arena's lock.
Goes away: buffers made by the worker that uses them (the twin), or an allocator with heaps of its own for
each thread.
"""

import ctypes

import compiled

ROUNDS = 2_000
BUFFERS = 16

NATIVE = compiled.library(r"""
#include <stdlib.h>

void **buffers_made(int many)
{
    void **all = malloc(sizeof(void *) * many);
    for (int i = 0; i < many; i++)
        all[i] = malloc(2000);
    return all;
}

void resize(void **all, int many, long rounds)
{
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < many; i++) {
            all[i] = realloc(all[i], 2000 + 400 * ((i * 7 + round) % 13));
            *(volatile char *)all[i] = 1;
        }
}
""")
NATIVE.buffers_made.restype = ctypes.c_void_p


def made():
    return ctypes.c_void_p(NATIVE.buffers_made(BUFFERS))


def setup(workers):
    return [made() for _ in range(workers)]


def operation(buffers):
    NATIVE.resize(buffers, BUFFERS, ctypes.c_long(ROUNDS))


class fixed:
    """Each worker makes its own buffers."""

    @staticmethod
    def setup_worker(index, workers):
        return made()

    operation = staticmethod(operation)
