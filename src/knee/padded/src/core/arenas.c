#include "arenas.h"

#include <stdlib.h>

#include "line.h"
#include "lock.h"

/* A block that is kept holds the address of the next of its class in its first bytes. */
typedef struct kept {
    struct kept *next;
} kept;

struct arena {
    _Atomic uint32_t lock; /* of all the fields below */
    uint32_t index;
    arenas *arenas;
    bool closed; /* nobody can take any more */
    arena_stats stats;
    kept *classes[ARENAS_CLASSES];
};

struct arenas {
    /* read only */
    char *memory; /* the arenas, `stride` bytes apart */
    size_t stride, line, keep, largest, limit;
    uint32_t count;
    cell *owners; /* refs: Python objects; on a line of its own */
    cell *dealt;  /* word: arenas dealt so far; value: bytes from the system */
    cell *left;   /* word: after closing, arenas with blocks still out */
    table table;  /* each thread's arena */
};

static struct arena *arena_at(arenas *of, uint32_t index) { return (struct arena *)(of->memory + index * of->stride); }

static void free_all(arenas *of)
{
    line_free(of->memory);
    table_clear(&of->table);
    cell *cells[] = {of->owners, of->dealt, of->left};
    for (int i = 0; i < 3; i++)
        if (cells[i] != NULL)
            cell_give(cells[i], of->line);
    line_free(of);
}

arenas *arenas_new(uint32_t count, size_t keep, size_t largest, size_t limit, size_t line)
{
    arenas *fresh = line_alloc(sizeof *fresh, line);
    if (fresh == NULL)
        return NULL;
    fresh->count = count;
    fresh->stride = line_round(sizeof(struct arena), line);
    fresh->line = line;
    fresh->keep = keep;
    fresh->largest = largest;
    fresh->limit = limit;
    fresh->memory = line_alloc(count * fresh->stride, line);
    fresh->owners = cell_take(line);
    fresh->dealt = cell_take(line);
    fresh->left = cell_take(line);
    if (fresh->memory == NULL || fresh->owners == NULL || fresh->dealt == NULL || fresh->left == NULL) {
        free_all(fresh);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        arena_at(fresh, i)->index = i;
        arena_at(fresh, i)->arenas = fresh;
    }
    return fresh;
}

void arenas_hold(arenas *held) { cell_hold(held->owners); }

static void enter(struct arena *of, uint32_t me)
{
    if (lock_try(&of->lock, me))
        return;
    lock_enter(&of->lock, me);
    of->stats.contended++;
}

static void leave(struct arena *of) { lock_release(&of->lock); }

/* The smallest class that holds the size, and how many bytes it has; ARENAS_CLASSES if none does. */
static unsigned class_of(size_t size, size_t *capacity)
{
    if (size <= ARENAS_LEAST) {
        *capacity = ARENAS_LEAST;
        return 0;
    }
    unsigned doubling = 63 - (unsigned)__builtin_clzl(size - 1); /* 2**doubling < size <= 2**(doubling + 1) */
    size_t step = (size_t)1 << (doubling - 2);
    size_t steps = (size - 1 - ((size_t)1 << doubling)) / step + 1;
    *capacity = ((size_t)1 << doubling) + steps * step;
    unsigned number = 4 * (doubling - 8) + (unsigned)steps;
    return number < ARENAS_CLASSES ? number : ARENAS_CLASSES;
}

static void give_system(arenas *of, void *data, size_t capacity)
{
    line_free(data);
    atomic_fetch_sub_explicit(&of->dealt->value, (int64_t)capacity, memory_order_relaxed);
}

/* Takes the arena's kept blocks out of it, to be freed without the lock. */
static void take_kept(struct arena *of, kept *out[ARENAS_CLASSES])
{
    for (unsigned i = 0; i < ARENAS_CLASSES; i++) {
        out[i] = of->classes[i];
        of->classes[i] = NULL;
    }
    of->stats.kept = 0;
    of->stats.kept_bytes = 0;
}

static size_t capacity_of(unsigned number)
{
    size_t doubling = (size_t)ARENAS_LEAST << (number / 4);
    return doubling + number % 4 * (doubling / 4);
}

static void free_kept(arenas *of, kept *out[ARENAS_CLASSES])
{
    for (unsigned i = 0; i < ARENAS_CLASSES; i++)
        while (out[i] != NULL) {
            kept *next = out[i]->next;
            give_system(of, out[i], capacity_of(i));
            out[i] = next;
        }
}

void arenas_clear(arenas *of, uint32_t me)
{
    for (uint32_t i = 0; i < of->count; i++) {
        kept *out[ARENAS_CLASSES];
        enter(arena_at(of, i), me);
        take_kept(arena_at(of, i), out);
        leave(arena_at(of, i));
        free_kept(of, out);
    }
}

void arenas_drop(arenas *held)
{
    if (atomic_fetch_sub_explicit(&held->owners->refs, 1, memory_order_acq_rel) != 1)
        return;
    uint32_t me = slot_mine();
    /* One more than there are, so that the last block given back meanwhile does not pull the rug from under this. */
    atomic_store(&held->left->word, held->count + 1);
    for (uint32_t i = 0; i < held->count; i++) {
        struct arena *each = arena_at(held, i);
        kept *out[ARENAS_CLASSES];
        enter(each, me);
        each->closed = true;
        bool empty = each->stats.taken == each->stats.given;
        take_kept(each, out);
        leave(each);
        free_kept(held, out);
        if (empty)
            atomic_fetch_sub(&held->left->word, 1);
    }
    if (atomic_fetch_sub(&held->left->word, 1) == 1)
        free_all(held);
}

static struct arena *deal(arenas *of, uint32_t me)
{
    struct arena *mine = arena_at(of, atomic_fetch_add(&of->dealt->word, 1) % of->count);
    return table_set(&of->table, me, mine) ? mine : NULL;
}

static inline struct arena *arena_mine(arenas *of, uint32_t me)
{
    struct arena *mine = table_get(&of->table, me);
    return mine != NULL ? mine : deal(of, me);
}

static bool reserve(arenas *of, size_t capacity)
{
    int64_t before = atomic_fetch_add(&of->dealt->value, (int64_t)capacity);
    if (of->limit == 0 || (size_t)before + capacity <= of->limit)
        return true;
    atomic_fetch_sub(&of->dealt->value, (int64_t)capacity);
    return false;
}

arena_result arenas_take(arenas *of, uint32_t me, size_t size, arena_block *block)
{
    struct arena *mine = arena_mine(of, me);
    size_t capacity;
    if (mine == NULL || size > PTRDIFF_MAX / 2)
        return ARENA_MEMORY;
    unsigned number = class_of(size, &capacity);
    capacity = number == ARENAS_CLASSES ? line_round(capacity, of->line) : capacity;

    enter(mine, me);
    kept *found = number < ARENAS_CLASSES ? mine->classes[number] : NULL;
    mine->stats.taken++;
    if (found != NULL) {
        mine->classes[number] = found->next;
        mine->stats.hits++;
        mine->stats.kept--;
        mine->stats.kept_bytes -= capacity;
    }
    else
        mine->stats.misses++;
    leave(mine);

    *block = (arena_block){found, size, capacity, mine};
    if (found != NULL)
        return ARENA_DONE;

    /* The system is asked without the lock: that may take long. */
    arena_result result = ARENA_DONE;
    if (!reserve(of, capacity)) {
        arenas_clear(of, me); /* what other arenas keep may be what is missing */
        if (!reserve(of, capacity))
            result = ARENA_LIMIT;
    }
    if (result == ARENA_DONE) {
        void *data = NULL;
        if (posix_memalign(&data, of->line, line_round(capacity, of->line)) != 0) {
            atomic_fetch_sub(&of->dealt->value, (int64_t)capacity);
            result = ARENA_MEMORY;
        }
        block->data = data;
    }
    if (result != ARENA_DONE) {
        enter(mine, me);
        mine->stats.taken--;
        mine->stats.misses--;
        leave(mine);
    }
    return result;
}

void arenas_give(arena_block *block, uint32_t me)
{
    struct arena *home = block->arena;
    arenas *of = home->arenas;
    size_t capacity;
    unsigned number = class_of(block->size, &capacity);
    bool foreign = table_get(&of->table, me) != home;

    enter(home, me);
    home->stats.foreign += foreign;
    if (!home->closed && number < ARENAS_CLASSES && block->capacity <= of->largest &&
        home->stats.kept_bytes + block->capacity <= of->keep) {
        kept *back = block->data;
        back->next = home->classes[number];
        home->classes[number] = back;
        home->stats.kept++;
        home->stats.kept_bytes += block->capacity;
        home->stats.given++;
        leave(home);
    }
    else {
        leave(home);
        give_system(of, block->data, block->capacity);
        enter(home, me); /* counted last: once all blocks of a closed arena are, another thread may free it */
        home->stats.given++;
        bool last = home->closed && home->stats.taken == home->stats.given;
        leave(home);
        if (last && atomic_fetch_sub(&of->left->word, 1) == 1)
            free_all(of);
    }
    block->data = NULL;
}

void arenas_stats(arenas *of, uint32_t me, uint32_t index, arena_stats *stats)
{
    struct arena *each = arena_at(of, index);
    enter(each, me);
    *stats = each->stats;
    leave(each);
}

uint32_t arenas_count(arenas *of) { return of->count; }
uint32_t arena_index(struct arena *of) { return of->index; }
size_t arenas_system(arenas *of) { return (size_t)atomic_load(&of->dealt->value); }

uint32_t arenas_mine(arenas *of, uint32_t me)
{
    struct arena *mine = arena_mine(of, me);
    return mine == NULL ? 0 : mine->index;
}
