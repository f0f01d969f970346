/* A meeting point for a fixed number of threads. Each round is a cell of its own, alive until the last of its threads
   has left, so that a slow thread still learns how its round ended after others have begun the next. */
#ifndef KNEE_BARRIER_H
#define KNEE_BARRIER_H

#include "cell.h"
#include "lock.h"

typedef struct {
    cell *door; /* word: a lock around the fields below; refs: of the Python objects that share this */
    size_t line;
    uint32_t parties;
    uint32_t waiting; /* arrived in the current round */
    bool broken;
    uint32_t forks;
    cell *round; /* word: 0 gathering, 1 open, 2 broken */
} barrier;

barrier *barrier_new(uint32_t parties, size_t line);
void barrier_hold(barrier *held);
void barrier_drop(barrier *held);

/* Joins the round: WAIT_BROKEN, WAIT_MEMORY, or WAIT_DONE with its number (parties - 1: the last). Whoever joined must
   end with barrier_leave; the last must open or break the round. */
wait_result barrier_arrive(barrier *of, uint32_t me, cell **round, uint32_t *index);
wait_result barrier_wait(barrier *of, uint32_t me, cell *round, int64_t deadline); /* a timeout breaks it */
void barrier_open(cell *round);
void barrier_leave(barrier *of, cell *round);

void barrier_abort(barrier *of, uint32_t me, cell *round); /* round: another one to break as well, or NULL */
bool barrier_reset(barrier *of, uint32_t me);              /* false without memory */
uint32_t barrier_waiting(barrier *of, uint32_t me, bool *broken);

#endif
