/* A pointer for each thread, found by its slot. Grows without moving and without locks; each entry is written by its
   own thread, read by all. */
#ifndef KNEE_TABLE_H
#define KNEE_TABLE_H

#include <stdatomic.h>
#include <stddef.h>

#include "slot.h"

#define TABLE_SEGMENTS 18 /* 8, 8, 16, 32, ... entries: SLOT_MOST in all */

typedef _Atomic(void *) table_entry;

typedef struct {
    _Atomic(table_entry *) segments[TABLE_SEGMENTS];
} table;

static inline unsigned table_segment(uint32_t slot)
{
    return slot < 8 ? 0 : 29 - (unsigned)__builtin_clz(slot);
}

static inline uint32_t table_first(unsigned segment) { return segment == 0 ? 0 : 4u << segment; }
static inline uint32_t table_length(unsigned segment) { return segment == 0 ? 8 : 4u << segment; }

/* What is stored for the slot, or NULL. */
static inline void *table_get(table *of, uint32_t slot)
{
    unsigned segment = table_segment(slot);
    table_entry *entries = atomic_load_explicit(&of->segments[segment], memory_order_acquire);
    if (entries == NULL)
        return NULL;
    return atomic_load_explicit(&entries[slot - table_first(segment)], memory_order_acquire);
}

/* Stores it; false without memory. */
bool table_set(table *of, uint32_t slot, void *stored);

/* Calls back for each pointer stored, in the order of the slots. */
void table_each(table *of, void (*call)(void *stored, uint32_t slot, void *data), void *data);

void table_clear(table *of); /* frees the segments, not what they point to */

#endif
