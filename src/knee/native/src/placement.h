/* No two parties on one CPU while another is free: the scheduler would part them only some milliseconds later. */
#ifndef KNEE_PLACEMENT_H
#define KNEE_PLACEMENT_H

#include <stdatomic.h>
#include <stdint.h>

#define PLACES 1024

/* The CPUs on which parties of this release run. */
struct placement {
    _Atomic uint64_t taken[PLACES / 64];
};

void placement_clear(struct placement *placement);

/* Takes the calling thread's CPU; if another party has it, moves the thread to a free one that it may use. */
void placement_take(struct placement *placement);

/* How many CPUs the calling thread may use. */
uint32_t placement_allowed(void);

#endif
