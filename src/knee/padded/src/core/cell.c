#include "cell.h"

#include <pthread.h>
#include <string.h>

#include "line.h"

#define CHUNK 4096
#define POOLS 13 /* strides of 2**4 to 2**12 bytes, by their logarithm */

/* Chunks are kept for good: a cell that comes back is used again. */
struct pool {
    void *free; /* each free cell begins with the address of the next */
    char *next, *end;
};

static struct pool pools[POOLS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct pool *pool_of(size_t stride) { return &pools[__builtin_ctzl(stride)]; }

cell *cell_take(size_t stride)
{
    struct pool *pool = pool_of(stride);
    void *taken = NULL;
    pthread_mutex_lock(&mutex);
    if (pool->free != NULL) {
        taken = pool->free;
        memcpy(&pool->free, taken, sizeof pool->free);
    }
    else {
        if (pool->next == pool->end) {
            pool->next = line_alloc(CHUNK, CHUNK);
            pool->end = pool->next == NULL ? NULL : pool->next + CHUNK;
        }
        if (pool->next != NULL) {
            taken = pool->next;
            pool->next += stride;
        }
    }
    pthread_mutex_unlock(&mutex);
    if (taken == NULL)
        return NULL;
    cell *fresh = memset(taken, 0, sizeof(cell));
    atomic_init(&fresh->refs, 1);
    return fresh;
}

void cell_give(cell *given, size_t stride)
{
    struct pool *pool = pool_of(stride);
    pthread_mutex_lock(&mutex);
    memcpy(given, &pool->free, sizeof pool->free);
    pool->free = given;
    pthread_mutex_unlock(&mutex);
}

void cell_before_fork(void) { pthread_mutex_lock(&mutex); }
void cell_after_fork(void) { pthread_mutex_unlock(&mutex); }
