#define _GNU_SOURCE
#include "placement.h"

#include <sched.h>
#include <unistd.h>

void placement_clear(struct placement *placement)
{
    for (int i = 0; i < PLACES / 64; i++)
        atomic_store_explicit(&placement->taken[i], 0, memory_order_relaxed);
}

#ifdef __linux__

static int take(struct placement *placement, int cpu)
{
    uint64_t bit = (uint64_t)1 << (cpu % 64);
    return !(atomic_fetch_or(&placement->taken[cpu / 64], bit) & bit);
}

/* The kernel moves a thread at once from a CPU that it may no longer use; then all is allowed again. */
static void move_to(int cpu, const cpu_set_t *allowed)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    if (sched_setaffinity(0, sizeof only, &only) == 0)
        sched_setaffinity(0, sizeof *allowed, allowed);
}

void placement_take(struct placement *placement)
{
    cpu_set_t allowed;
    int here = sched_getcpu();
    if (here < 0 || here >= PLACES || take(placement, here))
        return;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return; /* more CPUs than a cpu_set_t holds */
    for (int step = 1; step < CPU_SETSIZE; step++) {
        int cpu = (here + step) % CPU_SETSIZE;
        if (cpu < PLACES && CPU_ISSET(cpu, &allowed) && take(placement, cpu)) {
            move_to(cpu, &allowed);
            return;
        }
    }
}

uint32_t placement_allowed(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

#else

void placement_take(struct placement *placement)
{
    (void)placement; /* no call tells or sets a thread's CPU */
}

uint32_t placement_allowed(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

#endif
