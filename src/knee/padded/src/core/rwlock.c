#include "rwlock.h"

#include <stdlib.h>

#include "line.h"

#define BUSY 0x80000000u
#define WAITED 1u /* in `turn`: readers sleep; the rest of it counts turns */

rwlock *rwlock_new(size_t line)
{
    rwlock *fresh = line_alloc(sizeof *fresh, line);
    if (fresh == NULL)
        return NULL;
    fresh->line = line;
    fresh->forks = atomic_load(&slot_forks);
    for (int i = 0; i < 4; i++) {
        fresh->cells[i] = cell_take(line);
        if (fresh->cells[i] == NULL) {
            while (i-- > 0)
                cell_give(fresh->cells[i], line);
            line_free(fresh);
            return NULL;
        }
    }
    fresh->writer = &fresh->cells[0]->word;
    fresh->writers = &fresh->cells[1]->word;
    fresh->turn = &fresh->cells[2]->word;
    fresh->drained = &fresh->cells[3]->word;
    return fresh;
}

void rwlock_hold(rwlock *held) { cell_hold(held->cells[0]); }

static void give_reader(void *stored, uint32_t slot, void *line)
{
    (void)slot;
    cell_give(stored, *(size_t *)line);
}

void rwlock_drop(rwlock *held)
{
    if (atomic_fetch_sub_explicit(&held->cells[0]->refs, 1, memory_order_acq_rel) != 1)
        return;
    table_each(&held->readers, give_reader, &held->line);
    table_clear(&held->readers);
    for (int i = 0; i < 4; i++)
        cell_give(held->cells[i], held->line);
    line_free(held);
}

static void forget_lost(void *stored, uint32_t slot, void *data)
{
    cell *reader = stored;
    (void)data;
    if (slot_lost(slot))
        atomic_store(&reader->word, 0);
}

static void forget_threads(rwlock *of, uint32_t survivor)
{
    table_each(&of->readers, forget_lost, NULL);
    bool writes = survivor != 0 && lock_owner(of->writer) == survivor;
    atomic_store(of->writer, writes ? survivor : 0);
    atomic_store(of->writers, writes ? 1 : 0);
}

/* In a forked child, the first to come forgets the threads that are gone, before anyone goes on. */
static void after_fork(rwlock *of)
{
    uint32_t now = atomic_load(&slot_forks);
    uint32_t then = atomic_load(&of->forks);
    if (then != (now | BUSY) && then != now && atomic_compare_exchange_strong(&of->forks, &then, now | BUSY)) {
        uint32_t owner = lock_owner(of->writer);
        forget_threads(of, owner != 0 && !slot_lost(owner) ? owner : 0);
        atomic_store(&of->forks, now);
    }
    for (unsigned rounds = 0; atomic_load(&of->forks) != now;)
        park_backoff(&rounds);
}

static inline void look_for_fork(rwlock *of)
{
    if (__builtin_expect(atomic_load_explicit(&of->forks, memory_order_acquire) !=
                             atomic_load_explicit(&slot_forks, memory_order_relaxed),
                         0))
        after_fork(of);
}

static cell *reader_of(rwlock *of, uint32_t me)
{
    cell *mine = table_get(&of->readers, me);
    if (__builtin_expect(mine == NULL, 0)) {
        mine = cell_take(of->line);
        if (mine != NULL && !table_set(&of->readers, me, mine)) {
            cell_give(mine, of->line);
            mine = NULL;
        }
    }
    return mine;
}

/* A reader's count went to 0: a waiting writer must look again. Pairs with the scan in rwlock_write: of the reader's
   store of its count and load of `writers`, and the writer's store of `writers` and load of the count, one load
   sees the other's store (both sequentially consistent). */
static void reader_left(rwlock *of)
{
    if (atomic_load(of->writers) != 0) {
        atomic_fetch_add(of->drained, 1);
        park_wake_all(of->drained);
    }
}

wait_result rwlock_read(rwlock *of, uint32_t me, int64_t deadline)
{
    look_for_fork(of);
    cell *mine = reader_of(of, me);
    if (mine == NULL)
        return WAIT_MEMORY;
    uint32_t holds = atomic_load_explicit(&mine->word, memory_order_relaxed);
    if (holds > 0) { /* a writer that waits already waits for this thread: letting it pass would be a deadlock */
        atomic_store_explicit(&mine->word, holds + 1, memory_order_relaxed);
        return WAIT_DONE;
    }
    for (;;) {
        uint32_t turn = atomic_load(of->turn);
        if (atomic_load(of->writers) == 0) {
            atomic_exchange(&mine->word, 1);
            if (atomic_load(of->writers) == 0)
                return WAIT_DONE;
            atomic_exchange(&mine->word, 0);
            reader_left(of);
        }
        else {
            if (!(turn & WAITED) && !atomic_compare_exchange_strong(of->turn, &turn, turn | WAITED))
                continue;
            wait_result result = park_wait(of->turn, turn | WAITED, deadline);
            if (result != WAIT_DONE)
                return result;
        }
    }
}

bool rwlock_read_release(rwlock *of, uint32_t me)
{
    look_for_fork(of);
    cell *mine = table_get(&of->readers, me);
    uint32_t holds = mine == NULL ? 0 : atomic_load_explicit(&mine->word, memory_order_relaxed);
    if (holds > 1)
        atomic_store_explicit(&mine->word, holds - 1, memory_order_relaxed);
    else if (holds == 1) {
        atomic_exchange(&mine->word, 0);
        reader_left(of);
    }
    return holds != 0;
}

static void count_reader(void *stored, uint32_t slot, void *count)
{
    cell *reader = stored;
    (void)slot;
    *(uint32_t *)count += atomic_load(&reader->word) != 0;
}

uint32_t rwlock_readers(rwlock *of)
{
    uint32_t count = 0;
    look_for_fork(of);
    table_each(&of->readers, count_reader, &count);
    return count;
}

uint32_t rwlock_reading(rwlock *of, uint32_t me)
{
    look_for_fork(of);
    cell *mine = table_get(&of->readers, me);
    return mine == NULL ? 0 : atomic_load_explicit(&mine->word, memory_order_relaxed);
}

static void writer_left(rwlock *of)
{
    if (atomic_fetch_sub(of->writers, 1) != 1)
        return;
    uint32_t turn = atomic_load(of->turn);
    while (!atomic_compare_exchange_weak(of->turn, &turn, (turn + 2) & ~WAITED))
        ;
    if (turn & WAITED)
        park_wake_all(of->turn);
}

wait_result rwlock_write(rwlock *of, uint32_t me, int64_t deadline)
{
    look_for_fork(of);
    atomic_fetch_add(of->writers, 1);
    wait_result result = lock_try(of->writer, me) ? WAIT_DONE : lock_acquire(of->writer, me, 40, deadline);
    if (result != WAIT_DONE) {
        writer_left(of);
        return result;
    }
    for (;;) {
        uint32_t drained = atomic_load(of->drained);
        if (rwlock_readers(of) == 0)
            return WAIT_DONE;
        result = park_wait(of->drained, drained, deadline);
        if (result != WAIT_DONE) {
            lock_release(of->writer);
            writer_left(of);
            return result;
        }
    }
}

bool rwlock_write_release(rwlock *of, uint32_t me)
{
    look_for_fork(of);
    if (lock_owner(of->writer) != me)
        return false;
    lock_release(of->writer);
    writer_left(of);
    return true;
}

void rwlock_reset(rwlock *of, uint32_t me)
{
    table_each(&of->readers, forget_lost, NULL);
    cell *mine = table_get(&of->readers, me);
    if (mine != NULL)
        atomic_store(&mine->word, 0);
    forget_threads(of, 0);
    atomic_store(&of->forks, atomic_load(&slot_forks));
}
