#include "table.h"

#include <stdlib.h>

bool table_set(table *of, uint32_t slot, void *stored)
{
    unsigned segment = table_segment(slot);
    table_entry *entries = atomic_load_explicit(&of->segments[segment], memory_order_acquire);
    if (entries == NULL) {
        table_entry *fresh = calloc(table_length(segment), sizeof *fresh);
        if (fresh == NULL)
            return false;
        if (atomic_compare_exchange_strong(&of->segments[segment], &entries, fresh))
            entries = fresh;
        else
            free(fresh);
    }
    atomic_store_explicit(&entries[slot - table_first(segment)], stored, memory_order_seq_cst);
    return true;
}

void table_each(table *of, void (*call)(void *stored, uint32_t slot, void *data), void *data)
{
    for (unsigned segment = 0; segment < TABLE_SEGMENTS; segment++) {
        table_entry *entries = atomic_load_explicit(&of->segments[segment], memory_order_seq_cst);
        for (uint32_t i = 0; entries != NULL && i < table_length(segment); i++) {
            void *stored = atomic_load_explicit(&entries[i], memory_order_seq_cst);
            if (stored != NULL)
                call(stored, table_first(segment) + i, data);
        }
    }
}

void table_clear(table *of)
{
    for (unsigned segment = 0; segment < TABLE_SEGMENTS; segment++)
        free(atomic_exchange(&of->segments[segment], NULL));
}
