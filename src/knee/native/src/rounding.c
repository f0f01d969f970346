/* CPython's allocators, wrapped so that sizes can be rounded up to the line.
 *
 * Only sizes change. The free-threaded collector finds objects by walking the allocator's blocks, so a block must be
 * handed out where it starts (Python/gc_free_threading.c); and mimalloc hands out a block whose size is a
 * multiple of 64 or 128 at such a multiple. Readers take an allocator's function and its context as two words without
 * a lock while PyMem_SetAllocator writes them; so the functions here ignore the context, the context stays the
 * original's, and a block may be made by one and freed by the other.
 */
#include "ballast.h"
#include "knee.h"
#include "tally.h"

#include <errno.h>
#include <stdatomic.h>

/* PyMemAllocatorDomain and PyMemAllocatorEx (Include/cpython/pymem.h), the same since CPython 3.5. */
enum { DOMAIN_MEM = 1, DOMAIN_OBJECT = 2, DOMAINS };

struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

typedef void (*exchange)(int domain, struct allocator *allocator);

/* Read on every allocation, written by the calls below only. */
static struct {
    alignas(128) struct allocator original[DOMAINS];
    atomic_int mode;
    atomic_int everywhere;
    atomic_size_t line, least, most;
    _Atomic uint64_t seed;
    atomic_uint settings; /* counts knee_round_set: threads draw their numbers afresh */
} policy = {.line = 64, .least = 1, .most = 1024};

static struct tally tally;
enum { SEEN, TREATED, ADDED };

static exchange get_current, set_current;

static _Thread_local int enabled_here;

/* xorshift64* (Vigna 2016, "An experimental exploration of Marsaglia's xorshift generators"). */
static uint64_t draw(void)
{
    static _Thread_local uint64_t state;
    static _Thread_local unsigned settings;
    unsigned now = atomic_load_explicit(&policy.settings, memory_order_relaxed);
    if (settings != now || !state) {
        settings = now;
        state = atomic_load_explicit(&policy.seed, memory_order_relaxed) + 1;
        state = (state ^ ((uint64_t)tally_thread() << 32)) * 0x9E3779B97F4A7C15u | 1;
    }
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545F4914F6CDD1Du) >> 32;
}

/* The size to ask for in place of `size`; never less. */
static size_t treat(size_t size)
{
    if (!enabled_here && !atomic_load_explicit(&policy.everywhere, memory_order_relaxed))
        return size;
    tally_add(&tally, SEEN, 1);
    if (size < atomic_load_explicit(&policy.least, memory_order_relaxed) ||
        size > atomic_load_explicit(&policy.most, memory_order_relaxed))
        return size;

    size_t line = atomic_load_explicit(&policy.line, memory_order_relaxed);
    size_t added = -size & (line - 1), result = size;
    switch (atomic_load_explicit(&policy.mode, memory_order_relaxed)) {
    case KNEE_ROUND_LINE:
        result = size + added;
        break;
    case KNEE_ROUND_BALLAST:
        ballast_write(added);
        break;
    case KNEE_ROUND_SHUFFLE:
        added = draw() % (line / 16) * 16;
        result = size + added;
        break;
    default:
        return size;
    }
    if (added) {
        tally_add(&tally, TREATED, 1);
        tally_add(&tally, ADDED, (int64_t)added);
    }
    return result;
}

static void *domain_malloc(int domain, size_t size)
{
    const struct allocator *original = &policy.original[domain];
    return original->malloc(original->context, treat(size));
}

static void *domain_calloc(int domain, size_t count, size_t size)
{
    const struct allocator *original = &policy.original[domain];
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    size_t treated = treat(total);
    if (treated == total)
        return original->calloc(original->context, count, size);
    return original->calloc(original->context, 1, treated);
}

static void *domain_realloc(int domain, void *block, size_t size)
{
    const struct allocator *original = &policy.original[domain];
    return original->realloc(original->context, block, treat(size));
}

static void domain_free(int domain, void *block)
{
    const struct allocator *original = &policy.original[domain];
    original->free(original->context, block);
}

/* The context is ignored, so each domain has functions of its own. */
#define DOMAIN_FUNCTIONS(name, domain)                                                                               \
    static void *name##_malloc(void *context, size_t size)                                                           \
    {                                                                                                                \
        (void)context;                                                                                               \
        return domain_malloc(domain, size);                                                                          \
    }                                                                                                                \
    static void *name##_calloc(void *context, size_t count, size_t size)                                             \
    {                                                                                                                \
        (void)context;                                                                                               \
        return domain_calloc(domain, count, size);                                                                   \
    }                                                                                                                \
    static void *name##_realloc(void *context, void *block, size_t size)                                             \
    {                                                                                                                \
        (void)context;                                                                                               \
        return domain_realloc(domain, block, size);                                                                  \
    }                                                                                                                \
    static void name##_free(void *context, void *block)                                                              \
    {                                                                                                                \
        (void)context;                                                                                               \
        domain_free(domain, block);                                                                                  \
    }

DOMAIN_FUNCTIONS(mem, DOMAIN_MEM)
DOMAIN_FUNCTIONS(object, DOMAIN_OBJECT)

static const struct allocator wrapper[DOMAINS] = {
    [DOMAIN_MEM] = {NULL, mem_malloc, mem_calloc, mem_realloc, mem_free},
    [DOMAIN_OBJECT] = {NULL, object_malloc, object_calloc, object_realloc, object_free},
};

int knee_round_install(void *get_allocator, void *set_allocator)
{
    if (!get_allocator || !set_allocator)
        return -EINVAL;
    if (set_current)
        return -EALREADY;
    get_current = (exchange)get_allocator;
    set_current = (exchange)set_allocator;
    /* All originals before any wrapper: a thread may allocate in between. */
    for (int domain = DOMAIN_MEM; domain < DOMAINS; domain++)
        get_current(domain, &policy.original[domain]);
    for (int domain = DOMAIN_MEM; domain < DOMAINS; domain++) {
        struct allocator ours = wrapper[domain];
        ours.context = policy.original[domain].context;
        set_current(domain, &ours);
    }
    return 0;
}

int knee_round_installed(void)
{
    return set_current != NULL;
}

int knee_round_remove(void)
{
    struct allocator current;
    if (!set_current)
        return -EINVAL;
    for (int domain = DOMAIN_MEM; domain < DOMAINS; domain++) {
        get_current(domain, &current);
        if (current.malloc != wrapper[domain].malloc)
            return -EBUSY;
    }
    /* The originals stay known: another thread may be inside a wrapper. */
    for (int domain = DOMAIN_MEM; domain < DOMAINS; domain++)
        set_current(domain, &policy.original[domain]);
    set_current = NULL;
    return 0;
}

int knee_round_set(enum knee_round_mode mode, size_t line, size_t min_size, size_t max_size, uint64_t seed)
{
    if (mode < KNEE_ROUND_OFF || mode > KNEE_ROUND_SHUFFLE || line < 16 || line > 4096 || (line & (line - 1)) ||
        min_size > max_size || max_size > PTRDIFF_MAX / 2)
        return -EINVAL;
    atomic_store(&policy.mode, mode);
    atomic_store(&policy.line, line);
    /* Nothing to isolate in a block of no bytes, and malloc(0) has rules of its own. */
    atomic_store(&policy.least, min_size ? min_size : 1);
    atomic_store(&policy.most, max_size);
    atomic_store(&policy.seed, seed);
    atomic_fetch_add(&policy.settings, 1);
    return 0;
}

int knee_round_enable(int on)
{
    int before = enabled_here;
    enabled_here = on != 0;
    return before;
}

int knee_round_enable_all(int on)
{
    return atomic_exchange(&policy.everywhere, on != 0);
}

void knee_round_counts(struct knee_round_counts *counts)
{
    counts->seen = tally_sum(&tally, SEEN);
    counts->treated = tally_sum(&tally, TREATED);
    counts->added = tally_sum(&tally, ADDED);
}
