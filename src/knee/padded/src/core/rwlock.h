/* A readers-writer lock whose readers count themselves on a line per thread, so that readers never meet.

   Writers come first: a reader that arrives while a writer waits lets it pass, unless it already reads. */
#ifndef KNEE_RWLOCK_H
#define KNEE_RWLOCK_H

#include "cell.h"
#include "lock.h"
#include "table.h"

typedef struct {
    _Atomic uint32_t *writer;  /* a lock; on a line of its own, as the next three */
    _Atomic uint32_t *writers; /* how many hold it or wait for it */
    _Atomic uint32_t *turn;    /* changes when readers may look again */
    _Atomic uint32_t *drained; /* changes when a reader has left while a writer waits */
    cell *cells[4];
    size_t line;
    _Atomic uint32_t forks; /* as of its last use */
    table readers;          /* a cell per thread: how often it reads */
} rwlock;

rwlock *rwlock_new(size_t line);
void rwlock_hold(rwlock *held);
void rwlock_drop(rwlock *held);

wait_result rwlock_read(rwlock *of, uint32_t me, int64_t deadline);
wait_result rwlock_write(rwlock *of, uint32_t me, int64_t deadline);
bool rwlock_read_release(rwlock *of, uint32_t me); /* false: this thread does not read */
bool rwlock_write_release(rwlock *of, uint32_t me); /* false: this thread does not write */

uint32_t rwlock_reading(rwlock *of, uint32_t me); /* how often this thread holds it for reading */
uint32_t rwlock_readers(rwlock *of);              /* how many threads hold it for reading */
void rwlock_reset(rwlock *of, uint32_t me);       /* in a forked child: only this thread is left */

#endif
