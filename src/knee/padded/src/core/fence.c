#define _GNU_SOURCE
#include "fence.h"

#ifdef __linux__
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Atomic bool fence_for_all;

void fence_start(void)
{
#if defined(__linux__) && defined(__NR_membarrier)
    atomic_store(&fence_for_all, syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
#endif
}

void fence_seldom(void)
{
#if defined(__linux__) && defined(__NR_membarrier)
    if (atomic_load_explicit(&fence_for_all, memory_order_relaxed))
        syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
#endif
    atomic_thread_fence(memory_order_seq_cst);
}
