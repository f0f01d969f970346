/* A flag to wait for, in one word: set, waited for, and how often it has been set. */
#ifndef KNEE_EVENT_H
#define KNEE_EVENT_H

#include <stdbool.h>

#include "park.h"

#define EVENT_SET 1u
#define EVENT_ONCE 4u /* the word from here up counts how often it was set */

static inline bool event_is_set(_Atomic uint32_t *word)
{
    return (atomic_load_explicit(word, memory_order_acquire) & EVENT_SET) != 0;
}

void event_set(_Atomic uint32_t *word);
void event_clear(_Atomic uint32_t *word);

static inline uint32_t event_times(_Atomic uint32_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed) / EVENT_ONCE;
}

/* Waits until it is set, or has been since it was set `times` times, even if it was cleared again. */
wait_result event_wait(_Atomic uint32_t *word, uint32_t times, int64_t deadline);

#endif
