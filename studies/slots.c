/*
 * Threads that count in slots of their own, dealt out in the order in which threads start.
 *
 *     slots --threads N [--pad 32] [--idle none|before|after|between] [--ticks T] [--processes]
 *
 * T ticks are divided among N workers, which all start at once; prints the seconds until the last is done. An idle
 * thread takes a slot, as any thread does, and never writes to it. With --processes the workers are processes,
 * each with slots of its own.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 256 };

static _Alignas(4096) char slots[2 * MOST * 256];
static atomic_long taken;
static size_t pad = 32;
static long ticks = 200000000;
static int workers = 1;
static sem_t ready;

/* Between the processes, too: which workers wait for the start, and when the last one ended. */
struct start {
    atomic_int waiting;
    _Atomic double begun, ended;
};
static struct start *start;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static volatile long *slot(void)
{
    return (volatile long *)(slots + (size_t)atomic_fetch_add(&taken, 1) * pad);
}

static void work(volatile long *mine)
{
    if (atomic_fetch_add(&start->waiting, 1) + 1 == workers)
        start->begun = now();
    while (atomic_load(&start->waiting) < workers)
        ;
    for (long tick = 0; tick < ticks / workers; tick++)
        ++*mine;
    double ended = now(), seen = start->ended;
    while (seen < ended && !atomic_compare_exchange_weak(&start->ended, &seen, ended))
        ;
}

static void *worker(void *unused)
{
    (void)unused;
    volatile long *mine = slot();
    sem_post(&ready);
    work(mine);
    return NULL;
}

static void *idle(void *unused)
{
    (void)unused;
    slot();
    sem_post(&ready);
    pause();
    return NULL;
}

/* Start a thread and wait until it has its slot, so that slots follow the order of starts. */
static pthread_t started(void *(*run)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        exit(1);
    sem_wait(&ready);
    return thread;
}

static void threads(const char *where)
{
    pthread_t all[MOST];
    for (int i = 0; i < workers && strcmp(where, "before") == 0; i++)
        started(idle);
    /* The last worker would open the start while later idle threads are still to come: hold it back. */
    atomic_fetch_sub(&start->waiting, 1);
    for (int i = 0; i < workers; i++) {
        all[i] = started(worker);
        if (strcmp(where, "between") == 0)
            started(idle);
    }
    for (int i = 0; i < workers && strcmp(where, "after") == 0; i++)
        started(idle);
    if (atomic_fetch_add(&start->waiting, 1) + 1 == workers)
        start->begun = now();
    for (int i = 0; i < workers; i++)
        pthread_join(all[i], NULL);
}

static void processes(void)
{
    for (int i = 0; i < workers; i++) {
        if (fork() == 0) {
            work(slot());
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
}

int main(int argc, char **argv)
{
    const char *where = "none";
    int apart = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--processes") == 0) {
            apart = 1;
            continue;
        }
        if (strcmp(argv[i], "--threads") == 0)
            workers = atoi(value);
        else if (strcmp(argv[i], "--pad") == 0)
            pad = (size_t)atol(value);
        else if (strcmp(argv[i], "--ticks") == 0)
            ticks = atol(value);
        else if (strcmp(argv[i], "--idle") == 0)
            where = value;
        else
            return fprintf(stderr, "slots: what is %s?\n", argv[i]), 2;
        i++;
    }
    if (workers < 1 || workers > MOST || pad < 8 || pad > 256 || pad % 8 != 0)
        return fprintf(stderr, "slots: from 1 to %d threads, a pad from 8 to 256 in steps of 8\n", MOST), 2;
    start = mmap(NULL, sizeof(*start), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return 1;
    sem_init(&ready, 0, 0);
    if (apart)
        processes();
    else
        threads(where);
    printf("%.6f\n", start->ended - start->begun);
    return 0;
}
