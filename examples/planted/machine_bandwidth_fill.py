"""Every worker clears a buffer much larger than the caches.

Expected: machine.bandwidth. Nothing is shared but the way to memory, which one core fills; processes fare no better.
Goes away: blocks that fit into the cache (the twin clears as many bytes), or fewer workers.
"""
# knee: needs bandwidth

import ctypes

import compiled

SIZE = 64 << 20
BLOCK = 128 << 10

NATIVE = compiled.library(r"""
#include <stdlib.h>
#include <string.h>

char *bytes_made(size_t size)
{
    char *bytes = aligned_alloc(4096, size);
    memset(bytes, 1, size);
    return bytes;
}

void clear(char *bytes, size_t size, size_t block)
{
    for (size_t done = 0; done < size; done += block) {
        memset(bytes, 0, block);
        __asm__ volatile("" ::: "memory");
    }
}
""")
NATIVE.bytes_made.restype = ctypes.c_void_p


def setup_worker(index, workers):
    return ctypes.c_void_p(NATIVE.bytes_made(ctypes.c_size_t(SIZE)))


def operation(buffer):
    NATIVE.clear(buffer, ctypes.c_size_t(SIZE), ctypes.c_size_t(SIZE))  # knee: here


class fixed:
    """As many bytes, block by block within the cache."""

    @staticmethod
    def setup_worker(index, workers):
        return ctypes.c_void_p(NATIVE.bytes_made(ctypes.c_size_t(BLOCK)))

    @staticmethod
    def operation(buffer):
        NATIVE.clear(buffer, ctypes.c_size_t(SIZE), ctypes.c_size_t(BLOCK))
