/* A block allocator made of arenas, each with its own lock, on lines of its own.

   A thread is dealt an arena at its first use, round robin. A block remembers the arena it came from and goes back
   there, whichever thread gives it back. An arena keeps what comes back, by size class, up to a limit in bytes.
   Knows nothing of Python: an image or array library can take the files in this folder as they are. */
#ifndef KNEE_ARENAS_H
#define KNEE_ARENAS_H

#include <stdbool.h>

#include "cell.h"
#include "table.h"

/* Four sizes a doubling, from 256 bytes to 1 GiB. */
#define ARENAS_LEAST 256
#define ARENAS_CLASSES (4 * 22 + 1)

typedef struct arenas arenas;

typedef struct {
    uint64_t taken;     /* blocks handed out */
    uint64_t hits;      /* of these, from what the arena kept */
    uint64_t misses;    /* of these, from the system */
    uint64_t given;     /* blocks that came back */
    uint64_t foreign;   /* of these, from a thread of another arena */
    uint64_t contended; /* times that the arena's lock was not free */
    uint64_t kept;      /* blocks at hand */
    uint64_t kept_bytes;
} arena_stats;

typedef struct {
    void *data; /* whole lines, not zeroed */
    size_t size;
    size_t capacity;
    struct arena *arena;
} arena_block;

typedef enum { ARENA_DONE, ARENA_MEMORY, ARENA_LIMIT } arena_result;

/* `keep`: bytes an arena keeps; `largest`: the largest block it keeps; `limit`: bytes that all arenas together may
   have from the system (0: no limit). */
arenas *arenas_new(uint32_t count, size_t keep, size_t largest, size_t limit, size_t line);
void arenas_hold(arenas *held);

/* With the last reference goes what is kept; blocks still out stay good, and the rest goes with the last of them. */
void arenas_drop(arenas *held);

arena_result arenas_take(arenas *of, uint32_t me, size_t size, arena_block *block);
void arenas_give(arena_block *block, uint32_t me);

void arenas_clear(arenas *of, uint32_t me); /* back to the system with all that is kept */
void arenas_stats(arenas *of, uint32_t me, uint32_t index, arena_stats *stats);
uint32_t arenas_count(arenas *of);
uint32_t arenas_mine(arenas *of, uint32_t me); /* the index of this thread's arena */
uint32_t arena_index(struct arena *of);
size_t arenas_system(arenas *of); /* bytes that the arenas have from the system now */

#endif
