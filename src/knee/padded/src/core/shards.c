#include "shards.h"

#include <stdlib.h>

#include "line.h"
#include "lock.h"

shards *shards_new(size_t count, size_t line)
{
    shards *fresh = line_alloc(sizeof *fresh, line);
    if (fresh == NULL)
        return NULL;
    fresh->gate = cell_take(line);
    if (fresh->gate == NULL) {
        line_free(fresh);
        return NULL;
    }
    fresh->line = line;
    fresh->bytes = line_round(sizeof(shard) + count * sizeof(int64_t), line);
    return fresh;
}

void shards_hold(shards *held) { cell_hold(held->gate); }

static void free_shard(void *stored, uint32_t slot, void *data)
{
    (void)slot;
    (void)data;
    line_free(stored);
}

void shards_drop(shards *held)
{
    if (atomic_fetch_sub_explicit(&held->gate->refs, 1, memory_order_acq_rel) != 1)
        return;
    table_each(&held->table, free_shard, NULL);
    table_clear(&held->table);
    free(held->extra);
    cell_give(held->gate, held->line);
    line_free(held);
}

shard *shards_make(shards *of, uint32_t me)
{
    shard *fresh = line_alloc(of->bytes, of->line);
    if (fresh != NULL && !table_set(&of->table, me, fresh)) {
        line_free(fresh);
        fresh = NULL;
    }
    return fresh;
}

void shards_yield(shards *of, shard *mine)
{
    do {
        shards_leave(mine);
        for (unsigned rounds = 0; lock_held(&of->gate->word);)
            park_backoff(&rounds);
        uint32_t seen = atomic_load(&of->gate->word);
        if (seen != 0 && slot_lost(seen & ~LOCK_WAITED)) /* its reader stayed behind at a fork */
            atomic_compare_exchange_strong(&of->gate->word, &seen, 0);
        shards_announce(mine);
    } while (atomic_load_explicit(&of->gate->word, memory_order_seq_cst) != 0);
}

struct visit {
    void (*call)(shard *each, void *data);
    void *data;
};

static void settle(void *stored, uint32_t slot, void *data)
{
    shard *each = stored;
    (void)data;
    for (unsigned rounds = 0; atomic_load_explicit(&each->busy, memory_order_seq_cst) != 0;) {
        if (slot_lost(slot)) { /* nobody is inside: its thread stayed behind at a fork */
            shards_leave(each);
            return;
        }
        park_backoff(&rounds);
    }
}

static void visit(void *stored, uint32_t slot, void *data)
{
    struct visit *visit = data;
    (void)slot;
    visit->call(stored, visit->data);
}

void shards_each(shards *of, uint32_t me, void (*call)(shard *each, void *data), void *data)
{
    lock_enter(&of->gate->word, me);
    fence_seldom();
    table_each(&of->table, settle, NULL);
    table_each(&of->table, visit, &(struct visit){call, data});
    lock_release(&of->gate->word);
}
