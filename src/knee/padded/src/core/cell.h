/* A word that threads fight over, on a line of its own (or packed among others, to show what that costs). */
#ifndef KNEE_CELL_H
#define KNEE_CELL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    _Atomic uint32_t word;
    _Atomic uint32_t refs; /* Python objects that share the cell; written when handles come and go only */
    _Atomic int64_t value;
} cell;

/* A zeroed cell with one reference, `stride` bytes (a valid line) from the next; NULL without memory. Cells
   taken one after the other are neighbours, whatever the stride: a stride of 16 packs them. */
cell *cell_take(size_t stride);
void cell_give(cell *given, size_t stride);

static inline void cell_hold(cell *held) { atomic_fetch_add_explicit(&held->refs, 1, memory_order_relaxed); }

/* Gives the cell back with the last reference. */
static inline void cell_drop(cell *held, size_t stride)
{
    if (atomic_fetch_sub_explicit(&held->refs, 1, memory_order_acq_rel) == 1)
        cell_give(held, stride);
}

/* Around fork(), so that the child never finds the pools locked by a thread that is gone. */
void cell_before_fork(void);
void cell_after_fork(void);

#endif
