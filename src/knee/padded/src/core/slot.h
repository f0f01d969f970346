/* Small numbers for threads: 1 and up, dense, reused after a thread has ended.

   A lock's word holds its owner's number, and a sharded counter finds its thread's shard by it. A number that was in
   use by another thread at a fork() is lost in the child for good, so that a lock found held by it is known to be
   held by nobody. */
#ifndef KNEE_SLOT_H
#define KNEE_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SLOT_MOST (1u << 20)

/* Four bytes of the space that glibc keeps for libraries loaded late: read without a call. */
#ifdef __GLIBC__
#define SLOT_MODEL __attribute__((tls_model("initial-exec")))
#else
#define SLOT_MODEL
#endif

extern _Thread_local uint32_t slot_current SLOT_MODEL; /* 0 before the thread's first use */
extern _Atomic uint8_t slot_gone[SLOT_MOST];
extern _Atomic uint32_t slot_forks; /* forks between the first process and this one */

/* Once a process, before anything else here. */
void slot_start(void);

uint32_t slot_take(void);

static inline uint32_t slot_mine(void)
{
    uint32_t mine = slot_current;
    return __builtin_expect(mine != 0, 1) ? mine : slot_take();
}

/* Whether the number belonged to a thread that a fork left behind. */
static inline bool slot_lost(uint32_t slot)
{
    return atomic_load_explicit(&slot_gone[slot % SLOT_MOST], memory_order_relaxed) != 0;
}

#endif
