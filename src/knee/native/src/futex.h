/* Sleeping on a word that processes may share. Non-private, so that it works across mappings. */
#ifndef KNEE_FUTEX_H
#define KNEE_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Sleeps while *word is `seen`, for up to `span_ns` (negative: without end). May wake for no reason. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t span_ns)
{
#ifdef __linux__
    struct timespec span = {span_ns / 1000000000, span_ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT, seen, span_ns < 0 ? NULL : &span, NULL, 0);
#else
    /* No wait across processes that all releases have: look again soon. */
    struct timespec span = {0, span_ns >= 0 && span_ns < 50000 ? span_ns : 50000};
    if (atomic_load(word) == seen)
        nanosleep(&span, NULL);
#endif
}

static inline void futex_wake_all(_Atomic uint32_t *word)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
}

#endif
