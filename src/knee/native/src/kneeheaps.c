/* libkneeheaps: a preloaded malloc with which threads do not meet.
 *
 *     LD_PRELOAD=libkneeheaps.so program
 *
 * Every thread keeps the blocks that it frees, by size, and serves itself from them; only what it has none of comes from
 * the next allocator. It removes contention inside malloc and nothing else, for a scratch run: blocks wander between
 * threads as they are freed, and memory is given back only where a list is full or its thread ends. Where it helps, an
 * allocator with heaps for each thread (jemalloc, mimalloc, tcmalloc) will help, or more arenas.
 */
#define _GNU_SOURCE
#include "knee.h"
#include "next.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum {
    STEP = 16,
    SMALL = 512,              /* classes 16 bytes apart up to here, */
    PER_DOUBLING = 4,         /* then four for each doubling, */
    DOUBLINGS = 8,            /* up to 128 KiB: larger blocks are the next allocator's */
    LARGEST = SMALL << DOUBLINGS,
    CLASSES = SMALL / STEP + PER_DOUBLING * DOUBLINGS,
    KEPT = 1 << 20,           /* bytes that a thread keeps of one class, */
    FEWEST = 8,               /* but so many blocks at least */
};

struct block {
    struct block *after;
};

struct heap {
    struct block *first[CLASSES];
    unsigned number[CLASSES];
    int known; /* whether its end is seen to */
};

static _Thread_local struct heap heap;
static pthread_key_t ending;
static int ready;

static size_t size_of(int class)
{
    if (class < SMALL / STEP)
        return (size_t)(class + 1) * STEP;
    int above = class - SMALL / STEP;
    size_t base = (size_t)SMALL << (above / PER_DOUBLING);
    return base + base / PER_DOUBLING * (size_t)(above % PER_DOUBLING + 1);
}

/* The least class that holds `size` bytes. */
static int class_for(size_t size)
{
    if (size <= SMALL)
        return size ? (int)((size - 1) / STEP) : 0;
    int doubling = 63 - __builtin_clzl(size - 1) - 9; /* SMALL is 1 << 9 */
    size_t base = (size_t)SMALL << doubling;
    return SMALL / STEP + PER_DOUBLING * doubling + (int)((size - 1 - base) / (base / PER_DOUBLING));
}

/* The greatest class that a block of `usable` bytes can serve; -1 if it can serve none. */
static int class_within(size_t usable)
{
    if (usable < STEP || usable > LARGEST + LARGEST / PER_DOUBLING)
        return -1;
    int class = usable >= LARGEST ? CLASSES - 1 : class_for(usable);
    return size_of(class) <= usable ? class : class - 1;
}

static void *take(size_t size)
{
    int class = class_for(size);
    struct block *block = heap.first[class];
    if (!block)
        return next.malloc(size_of(class));
    heap.first[class] = block->after;
    heap.number[class]--;
    return block;
}

static void give(void *place)
{
    int class = class_within(next.usable(place));
    if (class < 0 || (heap.number[class] >= FEWEST && heap.number[class] * size_of(class) >= KEPT)) {
        next.free(place);
        return;
    }
    if (!heap.known && ready) {
        heap.known = 1;
        pthread_setspecific(ending, &heap);
    }
    struct block *block = place;
    block->after = heap.first[class];
    heap.first[class] = block;
    heap.number[class]++;
}

static void give_back(void *mine)
{
    struct heap *of = mine;
    for (int class = 0; class < CLASSES; class++)
        while (of->first[class]) {
            struct block *block = of->first[class];
            of->first[class] = block->after;
            next.free(block);
        }
    memset(of->number, 0, sizeof of->number);
    of->known = 0;
}

__attribute__((constructor)) static void begin(void)
{
    ready = next_resolve() && next.usable && pthread_key_create(&ending, give_back) == 0;
}

KNEE_API void *malloc(size_t size)
{
    if (!next_resolve())
        return early_malloc(size);
    return ready && size <= LARGEST ? take(size) : next.malloc(size);
}

KNEE_API void *calloc(size_t number, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(number, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!next_resolve())
        return early_malloc(total); /* of a zeroed arena */
    if (!ready || total > LARGEST)
        return next.calloc(number, size);
    void *block = take(total);
    return block ? memset(block, 0, total) : NULL;
}

KNEE_API void free(void *block)
{
    if (!block || early_is(block) || !next_resolve())
        return;
    if (ready)
        give(block);
    else
        next.free(block);
}

KNEE_API void *realloc(void *block, size_t size)
{
    if (!block)
        return malloc(size);
    size_t holds;
    if (early_is(block))
        holds = early_size(block);
    else {
        next_resolve();
        if (!ready)
            return next.realloc(block, size);
        holds = next.usable(block);
        if (size && size <= holds && (size >= holds / 2 || holds <= SMALL))
            return block;
        if (size > LARGEST && holds > LARGEST)
            return next.realloc(block, size);
    }
    void *moved = malloc(size);
    if (moved) {
        memcpy(moved, block, holds < size ? holds : size);
        free(block);
    }
    return moved;
}

/* The C library's own would reach its own realloc. */
KNEE_API void *reallocarray(void *block, size_t number, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(number, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, total);
}
