/* Times of many short batches: the median stands where a mean would hold every interruption. */
#ifndef KNEE_BATCHES_H
#define KNEE_BATCHES_H

#include "knee.h"

#include <stdint.h>

/* No probe runs longer than this, whatever it was asked. */
#define DURATION_MOST_NS 60000000000

static inline int duration_bad(int64_t duration_ns)
{
    return duration_ns <= 0 || duration_ns > DURATION_MOST_NS;
}

/* Sorts spans; returns the sum of the fastest tenth (at least one) and how many that were. */
int64_t batches_fastest_tenth(int64_t *spans, int count, int *tenth);

/* Sorts spans; fills the cost of one of the `steps` in each. -ETIMEDOUT when there are none. */
int batches_cost(int64_t *spans, int count, int steps, struct knee_cost *cost);

#endif
