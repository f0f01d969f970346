/* The half of the barrier that the bracket needs: released, but the common instant is still ahead. */
#ifndef KNEE_BARRIER_H
#define KNEE_BARRIER_H

#include <stdint.h>

/* As knee_barrier_wait, but returns on the release, before the instant. */
int barrier_pass(void *barrier, int64_t timeout_ns, int64_t *instant_ns);

#endif
