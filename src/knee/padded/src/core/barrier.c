#include "barrier.h"

#include "line.h"

enum { GATHERING, OPEN, BROKEN };

barrier *barrier_new(uint32_t parties, size_t line)
{
    barrier *fresh = line_alloc(sizeof *fresh, line);
    cell *door = cell_take(line);
    cell *round = cell_take(line);
    if (fresh == NULL || door == NULL || round == NULL) {
        if (door != NULL)
            cell_give(door, line);
        if (round != NULL)
            cell_give(round, line);
        line_free(fresh);
        return NULL;
    }
    *fresh = (barrier){.door = door, .line = line, .parties = parties, .round = round};
    fresh->forks = atomic_load(&slot_forks);
    return fresh;
}

void barrier_hold(barrier *held) { cell_hold(held->door); }

void barrier_drop(barrier *held)
{
    if (atomic_fetch_sub_explicit(&held->door->refs, 1, memory_order_acq_rel) != 1)
        return;
    cell_drop(held->round, held->line);
    cell_give(held->door, held->line);
    line_free(held);
}

static void end_round(cell *round, uint32_t how)
{
    atomic_store(&round->word, how);
    park_wake_all(&round->word);
}

/* A fresh round in place of the current one, whose threads keep it alive. */
static bool next_round(barrier *of)
{
    cell *fresh = cell_take(of->line);
    if (fresh == NULL)
        return false;
    cell_drop(of->round, of->line);
    of->round = fresh;
    of->waiting = 0;
    return true;
}

static void enter(barrier *of, uint32_t me)
{
    lock_enter(&of->door->word, me);
    uint32_t now = atomic_load(&slot_forks);
    if (of->forks != now) { /* those who had arrived stayed behind in the parent */
        of->forks = now;
        if (of->waiting > 0 && !next_round(of))
            of->broken = true;
    }
}

static void leave(barrier *of) { lock_release(&of->door->word); }

wait_result barrier_arrive(barrier *of, uint32_t me, cell **round, uint32_t *index)
{
    wait_result result = WAIT_DONE;
    enter(of, me);
    if (of->broken)
        result = WAIT_BROKEN;
    else {
        *round = of->round;
        *index = of->waiting++;
        cell_hold(of->round);
        if (of->waiting == of->parties && !next_round(of)) {
            of->waiting--;
            cell_drop(of->round, of->line);
            result = WAIT_MEMORY;
        }
    }
    leave(of);
    return result;
}

wait_result barrier_wait(barrier *of, uint32_t me, cell *round, int64_t deadline)
{
    wait_result result = WAIT_DONE;
    uint32_t state;
    while ((state = atomic_load(&round->word)) == GATHERING && result == WAIT_DONE)
        result = park_wait(&round->word, GATHERING, deadline);
    if (state == GATHERING && result == WAIT_TIMEOUT) {
        enter(of, me);
        bool full = of->round != round; /* all have arrived: it will open, unless the action fails */
        if (!full) {
            of->broken = true;
            end_round(round, BROKEN);
        }
        leave(of);
        return full ? barrier_wait(of, me, round, NEVER) : WAIT_BROKEN;
    }
    return state == OPEN ? WAIT_DONE : state == BROKEN ? WAIT_BROKEN : result;
}

void barrier_open(cell *round) { end_round(round, OPEN); }
void barrier_leave(barrier *of, cell *round) { cell_drop(round, of->line); }

void barrier_abort(barrier *of, uint32_t me, cell *round)
{
    enter(of, me);
    of->broken = true;
    end_round(of->round, BROKEN);
    if (round != NULL && round != of->round && atomic_load(&round->word) == GATHERING)
        end_round(round, BROKEN);
    leave(of);
}

bool barrier_reset(barrier *of, uint32_t me)
{
    enter(of, me);
    cell *round = of->round;
    cell_hold(round);
    bool made = of->waiting == 0 && !of->broken ? true : next_round(of);
    if (made) {
        of->broken = false;
        if (round != of->round && atomic_load(&round->word) == GATHERING)
            end_round(round, BROKEN);
    }
    cell_drop(round, of->line);
    leave(of);
    return made;
}

uint32_t barrier_waiting(barrier *of, uint32_t me, bool *broken)
{
    enter(of, me);
    uint32_t waiting = of->broken ? 0 : of->waiting;
    if (broken != NULL)
        *broken = of->broken;
    leave(of);
    return waiting;
}
