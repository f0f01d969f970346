/* The one clock, and the pause between two looks at a word that another CPU will change. */
#ifndef KNEE_CLOCK_H
#define KNEE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_of(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t clock_now(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

static inline void cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

/* Returns at `instant`, or at once when it is past. */
static inline void spin_until(int64_t instant)
{
    while (clock_now() < instant)
        ;
}

#endif
