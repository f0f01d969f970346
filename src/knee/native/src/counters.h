#ifndef KNEE_COUNTERS_H
#define KNEE_COUNTERS_H

#include "knee.h"

/* Fills cycles, instructions and migrations of the stamp, -1 where they are not open. */
void counters_read(struct knee_stamp *stamp);

#endif
