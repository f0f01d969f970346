/* A lock in one word: 0 when free, else its owner's slot, with a bit that says that someone may be asleep. */
#ifndef KNEE_LOCK_H
#define KNEE_LOCK_H

#include <stdbool.h>

#include "park.h"
#include "slot.h"

#define LOCK_WAITED 0x80000000u

static inline bool lock_try(_Atomic uint32_t *word, uint32_t me)
{
    uint32_t free = 0;
    return atomic_compare_exchange_strong_explicit(word, &free, me, memory_order_acquire, memory_order_relaxed);
}

static inline uint32_t lock_owner(_Atomic uint32_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed) & ~LOCK_WAITED;
}

/* Whether a thread that exists holds it. */
static inline bool lock_held(_Atomic uint32_t *word)
{
    uint32_t owner = lock_owner(word);
    return owner != 0 && !slot_lost(owner);
}

/* Spins for at most `spins` looks, then sleeps. Takes over from an owner that a fork left behind. */
wait_result lock_acquire(_Atomic uint32_t *word, uint32_t me, unsigned spins, int64_t deadline);

/* The same, through signals and for as long as it takes: for the short critical sections inside this library. */
void lock_enter(_Atomic uint32_t *word, uint32_t me);

/* False if it was not held. Any thread may release, as with threading.Lock. */
static inline bool lock_release(_Atomic uint32_t *word)
{
    uint32_t held = atomic_exchange_explicit(word, 0, memory_order_release);
    if (__builtin_expect((held & LOCK_WAITED) != 0, 0))
        park_wake_one(word);
    return held != 0;
}

#endif
