/* A fence between two sides that each announce themselves and then look for the other, one of them rare.

   Both need a fence between the store and the load; on the frequent side it costs more than the rest. Where the system
   can run a fence on all running threads of the process (membarrier on Linux), the rare side pays for both. */
#ifndef KNEE_FENCE_H
#define KNEE_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic bool fence_for_all; /* the rare side runs it for all */

/* Finds out whether it can; again in a forked child. */
void fence_start(void);

static inline void fence_often(void)
{
    if (__builtin_expect(atomic_load_explicit(&fence_for_all, memory_order_relaxed), 1))
        atomic_signal_fence(memory_order_seq_cst); /* for the compiler */
    else
        atomic_thread_fence(memory_order_seq_cst);
}

void fence_seldom(void);

#endif
