/* All of core/ under threads that use it at once, for the sanitizers: stress SECONDS. Exits 0, or says what did not hold. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arenas.h"
#include "barrier.h"
#include "event.h"
#include "line.h"
#include "rwlock.h"
#include "shards.h"

#define THREADS 6
#define PARTIES 3

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static int64_t deadline;
static bool over(void) { return park_now() >= deadline; }
static unsigned draw(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

/* Locks: what they guard is not atomic, so a race is one for the sanitizer too. */
static cell *guard;
static int64_t guarded;
static _Atomic int64_t taken;

static void use_lock(unsigned *seed)
{
    uint32_t me = slot_mine();
    int64_t until = draw(seed) % 4 ? NEVER : park_now() + draw(seed) % 100000;
    if (lock_try(&guard->word, me) || lock_acquire(&guard->word, me, draw(seed) % 50, until) == WAIT_DONE) {
        guarded++;
        atomic_fetch_add(&taken, 1);
        CHECK(lock_owner(&guard->word) == me);
        CHECK(lock_release(&guard->word));
    }
}

static rwlock *readers;
static int64_t pair[2];

static void use_rwlock(unsigned *seed)
{
    uint32_t me = slot_mine();
    int64_t until = draw(seed) % 3 ? NEVER : park_now() + draw(seed) % 100000;
    if (draw(seed) % 8 == 0) {
        if (rwlock_write(readers, me, until) != WAIT_DONE)
            return;
        pair[0]++;
        pair[1]++;
        CHECK(!rwlock_read_release(readers, me));
        CHECK(rwlock_write_release(readers, me));
    }
    else if (rwlock_read(readers, me, until) == WAIT_DONE) {
        CHECK(pair[0] == pair[1]);
        CHECK(rwlock_read(readers, me, NEVER) == WAIT_DONE);
        CHECK(rwlock_read_release(readers, me) && rwlock_read_release(readers, me));
    }
}

/* Sharded: each add goes to two fields, and whoever reads sees both or none. */
static shards *sharded;
static _Atomic int64_t added, collected;

static void sum_and_reset(shard *each, void *data)
{
    int64_t *sums = data;
    for (size_t field = 0; field < 2; field++) {
        sums[field] += shard_get(each, field);
        shard_put(each, field, 0);
    }
}

static void use_shards(unsigned *seed)
{
    uint32_t me = slot_mine();
    if (draw(seed) % 64 == 0) {
        int64_t sums[2] = {0, 0};
        shards_each(sharded, me, sum_and_reset, sums);
        CHECK(sums[0] == sums[1]);
        atomic_fetch_add(&collected, sums[0]);
        return;
    }
    shard *mine = shards_mine(sharded, me);
    for (int i = 0; i < 20; i++) {
        shards_enter(sharded, mine);
        shard_put(mine, 0, shard_get(mine, 0) + 1);
        shard_put(mine, 1, shard_get(mine, 1) + 1);
        shards_leave(mine);
    }
    atomic_fetch_add(&added, 20);
}

/* Blocks: taken here, given back by whoever comes by; their bytes tell whether two have one. */
static arenas *memory;
static cell *post;
static arena_block posted[64];
static unsigned count;

static void use_arenas(unsigned *seed)
{
    uint32_t me = slot_mine();
    arena_block block;
    if (draw(seed) % 512 == 0)
        arenas_clear(memory, me);
    if (draw(seed) % 2) {
        arena_result result = arenas_take(memory, me, draw(seed) % 5000, &block);
        CHECK(result == ARENA_DONE || result == ARENA_LIMIT);
        if (result != ARENA_DONE)
            return;
        memset(block.data, (int)(me & 255), block.size);
        lock_enter(&post->word, me);
        bool full = count == 64;
        if (!full)
            posted[count++] = block;
        lock_release(&post->word);
        if (!full)
            return;
    }
    else {
        lock_enter(&post->word, me);
        bool empty = count == 0;
        if (!empty)
            block = posted[--count];
        lock_release(&post->word);
        if (empty)
            return;
    }
    for (size_t i = 1; i < block.size; i++)
        CHECK(((char *)block.data)[i] == ((char *)block.data)[0]);
    arenas_give(&block, me);
}

/* Short-lived objects, made and dropped by all. */
static void use_objects(unsigned *seed)
{
    uint32_t me = slot_mine();
    size_t line = (size_t)16 << draw(seed) % 5;
    cell *one = cell_take(line);
    CHECK(one != NULL && ((uintptr_t)one % line) == 0);
    CHECK(lock_try(&one->word, me) && lock_release(&one->word));
    cell_drop(one, line);
    shards *short_lived = shards_new(3, line);
    CHECK(shards_mine(short_lived, me) != NULL);
    shards_drop(short_lived);
    rwlock *other = rwlock_new(line);
    CHECK(rwlock_read(other, me, NEVER) == WAIT_DONE && rwlock_read_release(other, me));
    rwlock_drop(other);
    arenas *small = arenas_new(2, 1 << 20, 1 << 20, 0, line);
    arena_block block;
    CHECK(arenas_take(small, me, 100, &block) == ARENA_DONE);
    arenas_drop(small);
    arenas_give(&block, me);
}

static void *mix(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;
    void (*const uses[])(unsigned *) = {use_lock, use_rwlock, use_shards, use_arenas, use_objects};
    for (unsigned i = 0; i % 64 || !over(); i++)
        uses[draw(&seed) / 7 % 5](&seed);
    return NULL;
}

/* Barriers and events: threads in step, of which some come late, time out, or break it. */
static barrier *meeting;
static cell *flag;
static int64_t rounds[PARTIES];

static void *step(void *number)
{
    unsigned index = (unsigned)(uintptr_t)number, seed = index + 1;
    while (!over()) {
        uint32_t me = slot_mine(), arrived;
        cell *round;
        rounds[index]++;
        int64_t until = draw(&seed) % 16 ? NEVER : park_now() + draw(&seed) % 50000;
        wait_result result = barrier_arrive(meeting, me, &round, &arrived);
        if (result == WAIT_DONE) {
            if (arrived == PARTIES - 1) {
                for (int i = 1; i < PARTIES; i++) /* all are here: what they wrote can be read */
                    CHECK(rounds[i] > 0);
                barrier_open(round);
            }
            else
                while ((result = barrier_wait(meeting, me, round, until)) == WAIT_SIGNAL)
                    ;
            barrier_leave(meeting, round);
        }
        if (result != WAIT_DONE)
            CHECK(barrier_reset(meeting, me));
        if (index == 0 && draw(&seed) % 4 == 0) {
            event_set(&flag->word);
            event_clear(&flag->word);
        }
        else if (draw(&seed) % 4 == 0)
            event_wait(&flag->word, event_times(&flag->word), park_now() + 20000);
    }
    barrier_abort(meeting, slot_mine(), NULL);
    return NULL;
}

static void *come_and_go(void *unused)
{
    while (!over()) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))slot_mine, NULL) == 0);
        pthread_join(thread, NULL);
    }
    return unused;
}

/* One writes and one reads, as fast as they can: what a missing fence would show in. */
static shards *contested;
static _Atomic bool reading;

static void *duel_write(void *unused)
{
    uint32_t me = slot_mine();
    shard *mine = shards_mine(contested, me);
    int64_t done = 0;
    while (atomic_load_explicit(&reading, memory_order_relaxed)) {
        for (int i = 0; i < 100; i++, done++) {
            shards_enter(contested, mine);
            shard_put(mine, 0, shard_get(mine, 0) + 1);
            shard_put(mine, 1, shard_get(mine, 1) + 1);
            shards_leave(mine);
        }
    }
    atomic_fetch_add(&added, done);
    return unused;
}

static void duel(double seconds)
{
    pthread_t writer;
    int64_t until = park_now() + (int64_t)(seconds * 1e9);
    int64_t before = atomic_load(&added), total = 0;
    contested = shards_new(2, 128);
    atomic_store(&reading, true);
    pthread_create(&writer, NULL, duel_write, NULL);
    while (park_now() < until || total == 0) {
        int64_t sums[2] = {0, 0};
        shards_each(contested, slot_mine(), sum_and_reset, sums);
        CHECK(sums[0] == sums[1]);
        total += sums[0];
    }
    atomic_store(&reading, false);
    pthread_join(writer, NULL);
    int64_t sums[2] = {0, 0};
    shards_each(contested, slot_mine(), sum_and_reset, sums);
    CHECK(total + sums[0] == atomic_load(&added) - before);
    atomic_fetch_add(&collected, total + sums[0]);
    shards_drop(contested);
}

static void run(double seconds)
{
    pthread_t threads[THREADS + PARTIES + 1];
    duel(seconds / 5);
    deadline = park_now() + (int64_t)(seconds * 0.8e9);
    meeting = barrier_new(PARTIES, 128);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, mix, (void *)(i + 1));
    for (uintptr_t i = 0; i < PARTIES; i++)
        pthread_create(&threads[THREADS + i], NULL, step, (void *)i);
    pthread_create(&threads[THREADS + PARTIES], NULL, come_and_go, NULL);
    for (int i = 0; i < THREADS + PARTIES + 1; i++)
        pthread_join(threads[i], NULL);
    barrier_drop(meeting);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    slot_start();
    guard = cell_take(128);
    post = cell_take(128);
    flag = cell_take(128);
    readers = rwlock_new(128);
    sharded = shards_new(2, 128);
    memory = arenas_new(3, 1 << 16, 1 << 12, 1 << 18, 128);
    bool fences = atomic_load(&fence_for_all);
    run(seconds / 2);
    atomic_store(&fence_for_all, false); /* and as where the system has no such fence */
    run(seconds / 2);
    atomic_store(&fence_for_all, fences);

    uint32_t me = slot_mine();
    int64_t sums[2] = {0, 0};
    shards_each(sharded, me, sum_and_reset, sums);
    CHECK(atomic_load(&collected) + sums[0] == atomic_load(&added));
    CHECK(guarded == atomic_load(&taken));
    CHECK(pair[0] == pair[1]);
    while (count > 0)
        arenas_give(&posted[--count], me);
    for (uint32_t i = 0; i < 3; i++) {
        arena_stats stats;
        arenas_stats(memory, me, i, &stats);
        CHECK(stats.taken == stats.given && stats.hits + stats.misses == stats.taken);
    }
    arenas_clear(memory, me);
    CHECK(arenas_system(memory) == 0);
    printf("%lld locked, %lld written, %lld added: all accounted for\n", (long long)guarded, (long long)pair[0],
           (long long)atomic_load(&added));
    arenas_drop(memory);
    shards_drop(sharded);
    rwlock_drop(readers);
    cell_drop(guard, 128);
    cell_drop(post, 128);
    cell_drop(flag, 128);
    return 0;
}
