"""A C library guards its whole work with one mutex, left from the days when only one thread called it.

Expected: lock, in the library's ``render``. Workers are blocked in native code.
Goes away: a mutex for each context, as nothing but the context is shared.
"""

import ctypes

import compiled

ROUNDS = 200

NATIVE = compiled.library(r"""
#include <pthread.h>
#include <stdlib.h>

struct context { pthread_mutex_t mutex; unsigned long state; char apart[128]; };

static pthread_mutex_t everything = PTHREAD_MUTEX_INITIALIZER;

struct context *context_made(void)
{
    struct context *context = aligned_alloc(256, 256);
    pthread_mutex_init(&context->mutex, NULL);
    context->state = 1;
    return context;
}

void render(struct context *context, int own, long rounds)
{
    pthread_mutex_t *mutex = own ? &context->mutex : &everything;
    for (long round = 0; round < rounds; round++) {
        pthread_mutex_lock(mutex);
        unsigned long x = context->state;
        for (int i = 0; i < 20000; i++)
            x = x * 6364136223846793005UL + 1442695040888963407UL;
        context->state = x;
        pthread_mutex_unlock(mutex);
    }
}
""")
NATIVE.context_made.restype = ctypes.c_void_p


def setup_worker(index, workers):
    return ctypes.c_void_p(NATIVE.context_made())


def operation(context):
    NATIVE.render(context, 0, ctypes.c_long(ROUNDS))  # knee: here


class fixed:
    """The same work under the context's own mutex."""

    setup_worker = staticmethod(setup_worker)

    @staticmethod
    def operation(context):
        NATIVE.render(context, 1, ctypes.c_long(ROUNDS))
