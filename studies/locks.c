/*
 * Locks that are never contended: each is used by one thread, and all were allocated one after the other.
 *
 *     locks --threads N [--kind rwlock|spinlock] [--place packed|aligned] [--calls C]
 *
 * C rounds of lock, increment, unlock are divided among N threads, each of which goes through eight locks of its own; prints
 * the calls per second. "packed" is what malloc does, "aligned" gives each lock cache lines of its own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, EACH = 8, APART = 128 };

struct rwlock {
    pthread_rwlock_t lock;
    volatile long value;
};

struct spinlock {
    pthread_spinlock_t lock;
    volatile long value;
};

static int workers = 1, spin, aligned;
static long calls = 20000000;
static void *locks[MOST * EACH];
static atomic_int waiting;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *made(void)
{
    size_t size = spin ? sizeof(struct spinlock) : sizeof(struct rwlock);
    void *memory = aligned ? aligned_alloc(APART, APART) : malloc(size);
    if (memory == NULL)
        exit(1);
    memset(memory, 0, size);
    if (spin)
        pthread_spin_init(&((struct spinlock *)memory)->lock, PTHREAD_PROCESS_PRIVATE);
    else
        pthread_rwlock_init(&((struct rwlock *)memory)->lock, NULL);
    return memory;
}

static void *worker(void *argument)
{
    void **mine = argument;
    atomic_fetch_add(&waiting, 1);
    while (atomic_load(&waiting) < workers)
        ;
    for (long call = 0; call < calls / workers; call++) {
        int which = (int)(call % EACH) * workers;
        if (spin) {
            struct spinlock *one = mine[which];
            pthread_spin_lock(&one->lock);
            one->value++;
            pthread_spin_unlock(&one->lock);
        } else {
            struct rwlock *one = mine[which];
            pthread_rwlock_wrlock(&one->lock);
            one->value++;
            pthread_rwlock_unlock(&one->lock);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--threads") == 0)
            workers = atoi(value);
        else if (strcmp(argv[i], "--calls") == 0)
            calls = atol(value);
        else if (strcmp(argv[i], "--kind") == 0)
            spin = strcmp(value, "spinlock") == 0;
        else if (strcmp(argv[i], "--place") == 0)
            aligned = strcmp(value, "aligned") == 0;
        else
            return fprintf(stderr, "locks: what is %s?\n", argv[i]), 2;
    }
    if (workers < 1 || workers > MOST)
        return fprintf(stderr, "locks: from 1 to %d threads\n", MOST), 2;
    for (int i = 0; i < workers * EACH; i++)
        locks[i] = made();
    pthread_t all[MOST];
    double begun = now();
    for (int i = 0; i < workers; i++)
        if (pthread_create(&all[i], NULL, worker, &locks[i]) != 0)
            return 1;
    for (int i = 0; i < workers; i++)
        pthread_join(all[i], NULL);
    printf("%.0f\n", (double)(calls / workers * workers) / (now() - begun));
    return 0;
}
