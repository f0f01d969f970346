/* Counters that many threads bump without sharing a line. */
#ifndef KNEE_TALLY_H
#define KNEE_TALLY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#define TALLY_SHARDS 64
#define TALLY_COUNTS 3

struct tally {
    struct {
        alignas(128) _Atomic int64_t counts[TALLY_COUNTS];
    } shards[TALLY_SHARDS];
};

/* A number for the calling thread, counted from 0 in order of first call. */
unsigned tally_thread(void);

static inline void tally_add(struct tally *tally, int which, int64_t amount)
{
    atomic_fetch_add_explicit(&tally->shards[tally_thread() % TALLY_SHARDS].counts[which], amount,
                              memory_order_relaxed);
}

static inline int64_t tally_sum(struct tally *tally, int which)
{
    int64_t sum = 0;
    for (int i = 0; i < TALLY_SHARDS; i++)
        sum += atomic_load_explicit(&tally->shards[i].counts[which], memory_order_relaxed);
    return sum;
}

#endif
