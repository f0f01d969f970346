"""Native code seals and unseals a page of its own around each write, as a security measure.

Expected: kernel, in ``mprotect``. The process has one address space: each change locks it for all threads.
Goes away: seal once for a batch (the twin); processes.
"""

import ctypes

import compiled

WRITES = 1_500

NATIVE = compiled.library(r"""
#include <sys/mman.h>

char *page_made(void) { return mmap(0, 16384, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

void sealed_writes(char *page, long writes)
{
    for (long write = 0; write < writes; write++) {
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
        ++*(volatile char *)page;
        mprotect(page, 4096, PROT_READ);
    }
}

void batched_writes(char *page, long writes)
{
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    for (long write = 0; write < 1000 * writes; write++)
        ++*(volatile char *)page;
    mprotect(page, 4096, PROT_READ);
}
""")
NATIVE.page_made.restype = ctypes.c_void_p


def setup_worker(index, workers):
    return ctypes.c_void_p(NATIVE.page_made())


def operation(page):
    NATIVE.sealed_writes(page, ctypes.c_long(WRITES))  # knee: here


class fixed:
    """The page unsealed once for all the writes."""

    setup_worker = staticmethod(setup_worker)

    @staticmethod
    def operation(page):
        NATIVE.batched_writes(page, ctypes.c_long(WRITES))
