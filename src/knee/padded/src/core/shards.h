/* Data that each thread writes on lines of its own, and that one reader at a time sees as a whole.

   A writer announces itself on its own line, looks whether a reader holds the gate, and writes. A reader takes the
   gate, waits until no writer is inside, reads all shards and lets go: what it read is the state at one moment, so
   reads are linearisable. In the fast path a writer writes no line that another thread writes. */
#ifndef KNEE_SHARDS_H
#define KNEE_SHARDS_H

#include "cell.h"
#include "fence.h"
#include "table.h"

typedef struct {
    _Atomic uint32_t busy; /* its thread is inside */
    uint32_t unused;
    _Atomic int64_t data[]; /* written inside only, or by the reader at the gate */
} shard;

typedef struct {
    cell *gate; /* word: a lock, held while all shards are read; refs: of the Python objects that share this */
    size_t line;
    size_t bytes; /* of one shard, whole lines */
    void *extra; /* what all shards have in common, read only; freed with them */
    table table;
} shards;

/* `count` is the number of 8-byte fields in a shard. One reference; NULL without memory. */
shards *shards_new(size_t count, size_t line);
void shards_hold(shards *held);
void shards_drop(shards *held);

/* This thread's shard, made at its first use, or NULL without memory. */
shard *shards_make(shards *of, uint32_t me);

static inline shard *shards_mine(shards *of, uint32_t me)
{
    shard *mine = table_get(&of->table, me);
    return __builtin_expect(mine != NULL, 1) ? mine : shards_make(of, me);
}

/* Waits until no reader holds the gate; the shard's busy mark is set again then. */
void shards_yield(shards *of, shard *mine);

static inline void shards_announce(shard *mine)
{
    atomic_store_explicit(&mine->busy, 1, memory_order_relaxed);
    fence_often();
}

static inline void shards_enter(shards *of, shard *mine)
{
    shards_announce(mine);
    if (__builtin_expect(atomic_load_explicit(&of->gate->word, memory_order_seq_cst) != 0, 0))
        shards_yield(of, mine);
}

static inline void shards_leave(shard *mine) { atomic_store_explicit(&mine->busy, 0, memory_order_release); }

/* Visits every shard while no writer is inside any. */
void shards_each(shards *of, uint32_t me, void (*call)(shard *each, void *data), void *data);

/* Fields have one writer at a time: plain loads and stores, that a reader may look at meanwhile. */
static inline int64_t shard_get(shard *of, size_t field)
{
    return atomic_load_explicit(&of->data[field], memory_order_relaxed);
}

static inline void shard_put(shard *of, size_t field, int64_t value)
{
    atomic_store_explicit(&of->data[field], value, memory_order_relaxed);
}

static inline double shard_get_float(shard *of, size_t field)
{
    union {
        int64_t bits;
        double value;
    } pun = {.bits = shard_get(of, field)};
    return pun.value;
}

static inline void shard_put_float(shard *of, size_t field, double value)
{
    union {
        double value;
        int64_t bits;
    } pun = {.value = value};
    shard_put(of, field, pun.bits);
}

#endif
