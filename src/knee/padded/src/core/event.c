#include "event.h"

#define WAITED 2u

void event_set(_Atomic uint32_t *word)
{
    uint32_t seen = atomic_load(word);
    do {
        if (seen & EVENT_SET)
            return;
    } while (!atomic_compare_exchange_weak(word, &seen, ((seen & ~WAITED) + EVENT_ONCE) | EVENT_SET));
    if (seen & WAITED)
        park_wake_all(word);
}

void event_clear(_Atomic uint32_t *word) { atomic_fetch_and(word, ~EVENT_SET); }

wait_result event_wait(_Atomic uint32_t *word, uint32_t times, int64_t deadline)
{
    uint32_t seen = atomic_load(word);
    while (!(seen & EVENT_SET) && seen / EVENT_ONCE == times) {
        if (!(seen & WAITED) && !atomic_compare_exchange_weak(word, &seen, seen | WAITED))
            continue;
        wait_result result = park_wait(word, seen | WAITED, deadline);
        if (result != WAIT_DONE)
            return result;
        seen = atomic_load(word);
    }
    return WAIT_DONE;
}
