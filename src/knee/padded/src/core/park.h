/* Sleeping until a word changes: futexes on Linux, condition variables elsewhere. */
#ifndef KNEE_PARK_H
#define KNEE_PARK_H

#include <stdatomic.h>
#include <stdint.h>

#define NEVER INT64_MAX

typedef enum {
    WAIT_DONE,
    WAIT_TIMEOUT,
    WAIT_SIGNAL, /* let the interpreter look at its signals, then call again */
    WAIT_BROKEN, /* barriers only */
    WAIT_MEMORY,
} wait_result;

int64_t park_now(void); /* monotonic nanoseconds, the clock of all deadlines */

/* Sleeps while *word == expected, until woken, the deadline or a signal; may return WAIT_DONE for no reason. */
wait_result park_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline);

void park_wake_one(_Atomic uint32_t *word);
void park_wake_all(_Atomic uint32_t *word);

static inline void park_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* For waits that are a few instructions long unless the other thread is preempted: spin, then give way. */
void park_backoff(unsigned *rounds);

#endif
