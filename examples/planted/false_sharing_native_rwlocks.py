"""Each worker write-locks rwlocks that nobody else takes; malloc handed them out one after the other.

Expected: false-sharing.native, at the allocation. No lock is ever contended, but the memory of several
locks is on one line (FreeBSD PR 272238 tells the story for its libpthread).
Goes away: each lock on a line of its own, here in the twin; or a malloc that rounds up.
"""

import ctypes

import compiled

ROUNDS = 20_000
LOCKS = 8

NATIVE = compiled.library(r"""
#include <pthread.h>
#include <stdlib.h>

struct guarded { pthread_rwlock_t lock; long value; };

static struct guarded *ready(struct guarded *made)
{
    pthread_rwlock_init(&made->lock, NULL);
    made->value = 0;
    return made;
}

struct guarded *guarded_packed(void) { return ready(malloc(sizeof(struct guarded))); }

struct guarded *guarded_aligned(void) { return ready(aligned_alloc(128, 128)); }

void count(struct guarded **all, int many, long rounds)
{
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < many; i++) {
            pthread_rwlock_wrlock(&all[i]->lock);
            all[i]->value++;
            pthread_rwlock_unlock(&all[i]->lock);
        }
    }
}
""")
NATIVE.guarded_packed.restype = NATIVE.guarded_aligned.restype = ctypes.c_void_p


def dealt(make, workers):
    locks = [make() for _ in range(LOCKS * workers)]  # knee: here
    return [(ctypes.c_void_p * LOCKS)(*locks[worker::workers]) for worker in range(workers)]


def setup(workers):
    return dealt(NATIVE.guarded_packed, workers)


def operation(locks):
    NATIVE.count(locks, LOCKS, ctypes.c_long(ROUNDS))


class fixed:
    """The same locks, each on a line of its own."""

    @staticmethod
    def setup(workers):
        return dealt(NATIVE.guarded_aligned, workers)

    operation = staticmethod(operation)
