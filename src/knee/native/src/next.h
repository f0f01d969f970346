/* The allocator behind libkneemalloc, and what serves until it is found. */
#ifndef KNEE_NEXT_H
#define KNEE_NEXT_H

#include <stddef.h>

struct next_allocator {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t number, size_t size);
    void *(*realloc)(void *block, size_t size);
    void (*free)(void *block);
    int (*posix_memalign)(void **place, size_t alignment, size_t size);
    void *(*aligned)(size_t alignment, size_t size); /* aligned_alloc or memalign; NULL if it has neither */
    size_t (*usable)(void *block);                   /* malloc_usable_size; NULL if it has none */
};

extern struct next_allocator next;

/* Finds it. False while dlsym, which may allocate, looks for the very functions that would serve it. */
int next_resolve(void);

/* Blocks for dlsym meanwhile: zeroed, few, never given back. */
void *early_malloc(size_t size);
int early_is(const void *block);
size_t early_size(const void *block);

#endif
