/* The limit: lock + increment + unlock in C, on locks that were made one after the other, packed or a line each.
   Arguments: threads, iterations, bytes from one lock to the next (0: as close as the type allows).
   Prints the seconds for pthread mutexes and spinlocks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef union {
    pthread_mutex_t mutex;
    pthread_spinlock_t spin;
} any_lock;

static char *memory;
static size_t stride;
static long iterations;
static int spinning;
static pthread_barrier_t meet;
static cpu_set_t allowed;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pin(long index)
{
    long wanted = index % CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        }
}

static void *work(void *index)
{
    any_lock *lock = (any_lock *)(memory + (long)index * stride);
    volatile long private = 0;
    pin((long)index);
    pthread_barrier_wait(&meet);
    if (spinning)
        for (long i = 0; i < iterations; i++) {
            pthread_spin_lock(&lock->spin);
            private++;
            pthread_spin_unlock(&lock->spin);
        }
    else
        for (long i = 0; i < iterations; i++) {
            pthread_mutex_lock(&lock->mutex);
            private++;
            pthread_mutex_unlock(&lock->mutex);
        }
    return NULL;
}

static double run(long threads)
{
    pthread_t *started = malloc((size_t)threads * sizeof *started);
    pthread_barrier_init(&meet, NULL, (unsigned)threads + 1);
    for (long i = 0; i < threads; i++) {
        any_lock *lock = (any_lock *)(memory + i * stride);
        if (spinning)
            pthread_spin_init(&lock->spin, 0);
        else
            pthread_mutex_init(&lock->mutex, NULL);
    }
    for (long i = 0; i < threads; i++)
        pthread_create(&started[i], NULL, work, (void *)i);
    pthread_barrier_wait(&meet);
    double begin = now();
    for (long i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    double seconds = now() - begin;
    pthread_barrier_destroy(&meet);
    free(started);
    return seconds;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long threads = atol(argv[1]), bytes = atol(argv[3]);
    iterations = atol(argv[2]);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (spinning = 0; spinning < 2; spinning++) {
        stride = bytes ? (size_t)bytes : spinning ? sizeof(pthread_spinlock_t) : sizeof(pthread_mutex_t);
        memory = aligned_alloc(4096, ((size_t)threads * stride + 4095) / 4096 * 4096);
        printf("%s %.9f\n", spinning ? "spin" : "mutex", run(threads));
        free(memory);
    }
    return 0;
}
