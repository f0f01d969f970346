#define _GNU_SOURCE
#include "next.h"

#include <dlfcn.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct next_allocator next;

static atomic_int resolved;
static _Thread_local int resolving;

/* The symbol, if it belongs to the allocator that `malloc` belongs to: blocks of another could not be freed. */
static void *of_same_allocator(const char *name)
{
    Dl_info base, found;
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol || !dladdr((void *)next.malloc, &base) || !dladdr(symbol, &found))
        return NULL;
    return base.dli_fbase == found.dli_fbase ? symbol : NULL;
}

int next_resolve(void)
{
    if (atomic_load_explicit(&resolved, memory_order_acquire))
        return 1;
    if (resolving)
        return 0;
    resolving = 1;
    /* Threads that race here store the same values. */
    next.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    next.free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    next.posix_memalign = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
    next.aligned = (void *(*)(size_t, size_t))of_same_allocator("aligned_alloc");
    if (!next.aligned)
        next.aligned = (void *(*)(size_t, size_t))of_same_allocator("memalign");
    next.usable = (size_t(*)(void *))of_same_allocator("malloc_usable_size");
    resolving = 0;
    atomic_store_explicit(&resolved, 1, memory_order_release);
    return 1;
}

static struct {
    alignas(16) char bytes[64 << 10];
    atomic_size_t used;
} early;

int early_is(const void *block)
{
    return (const char *)block >= early.bytes && (const char *)block < early.bytes + sizeof early.bytes;
}

void *early_malloc(size_t size)
{
    size_t taken = (size + 31) & ~(size_t)15; /* 16 bytes before the block hold its size */
    size_t at = size < sizeof early.bytes ? atomic_fetch_add(&early.used, taken) : sizeof early.bytes;
    if (at + taken > sizeof early.bytes)
        abort();
    memcpy(early.bytes + at, &size, sizeof size);
    return early.bytes + at + 16;
}

size_t early_size(const void *block)
{
    size_t size;
    memcpy(&size, (const char *)block - 16, sizeof size);
    return size;
}
