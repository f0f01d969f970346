#include "lock.h"

wait_result lock_acquire(_Atomic uint32_t *word, uint32_t me, unsigned spins, int64_t deadline)
{
    /* Look before trying: a failed compare-exchange takes the line away from the owner, who needs it to release. */
    for (unsigned wait = 1; spins > 0; wait = wait < 16 ? wait * 2 : wait) {
        if (atomic_load_explicit(word, memory_order_relaxed) == 0 && lock_try(word, me))
            return WAIT_DONE;
        for (unsigned i = 0; i < wait && spins > 0; i++, spins--)
            park_relax();
    }
    for (;;) {
        uint32_t seen = atomic_load_explicit(word, memory_order_relaxed);
        if (seen == 0 || slot_lost(seen & ~LOCK_WAITED)) {
            /* Others may sleep too, and the release that woke this thread has cleared their bit: keep it set. */
            if (atomic_compare_exchange_strong_explicit(word, &seen, me | LOCK_WAITED, memory_order_acquire,
                                                        memory_order_relaxed))
                return WAIT_DONE;
            continue;
        }
        uint32_t waited = seen | LOCK_WAITED;
        if (seen != waited && !atomic_compare_exchange_strong_explicit(word, &seen, waited, memory_order_relaxed,
                                                                       memory_order_relaxed))
            continue;
        wait_result result = park_wait(word, waited, deadline);
        if (result != WAIT_DONE)
            return result;
    }
}

void lock_enter(_Atomic uint32_t *word, uint32_t me)
{
    if (!lock_try(word, me))
        while (lock_acquire(word, me, 100, NEVER) != WAIT_DONE)
            ;
}
