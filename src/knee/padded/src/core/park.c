#define _GNU_SOURCE
#include "park.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

int64_t park_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void park_backoff(unsigned *rounds)
{
    unsigned done = (*rounds)++;
    if (done < 64)
        park_relax();
    else if (done < 256)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, 50000}, NULL); /* under real-time scheduling, yielding is not enough */
}

#if defined(__linux__) && !defined(KNEE_PARK_CONDVAR)

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static long futex(_Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *when)
{
    return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, when, NULL, FUTEX_BITSET_MATCH_ANY);
}

wait_result park_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline)
{
    struct timespec when = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
    if (futex(word, FUTEX_WAIT_BITSET, expected, deadline == NEVER ? NULL : &when) == 0)
        return WAIT_DONE;
    return errno == ETIMEDOUT ? WAIT_TIMEOUT : errno == EINTR ? WAIT_SIGNAL : WAIT_DONE;
}

void park_wake_one(_Atomic uint32_t *word) { futex(word, FUTEX_WAKE, 1, NULL); }
void park_wake_all(_Atomic uint32_t *word) { futex(word, FUTEX_WAKE, INT_MAX, NULL); }

#else

#include <pthread.h>

/* A signal does not end a wait on a condition variable, so the wait is cut into slices. */
#define SLICE 50000000
#define BUCKETS 64

static struct bucket {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    char apart[256 - (sizeof(pthread_mutex_t) + sizeof(pthread_cond_t)) % 256];
} buckets[BUCKETS];

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_buckets(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_init(&buckets[i].mutex, NULL);
        pthread_cond_init(&buckets[i].changed, NULL);
    }
}

static void start(void)
{
    make_buckets();
    pthread_atfork(NULL, NULL, make_buckets);
}

static struct bucket *bucket_of(_Atomic uint32_t *word)
{
    pthread_once(&once, start);
    return &buckets[((uintptr_t)word >> 4) * 0x9E3779B97F4A7C15u >> 58];
}

wait_result park_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline)
{
    struct bucket *bucket = bucket_of(word);
    int64_t left = deadline == NEVER ? SLICE : deadline - park_now();
    if (left <= 0)
        return WAIT_TIMEOUT;
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_nsec += left < SLICE ? left : SLICE;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    int error = 0;
    pthread_mutex_lock(&bucket->mutex);
    if (atomic_load(word) == expected)
        error = pthread_cond_timedwait(&bucket->changed, &bucket->mutex, &when);
    pthread_mutex_unlock(&bucket->mutex);
    if (error == 0)
        return WAIT_DONE;
    return left < SLICE ? WAIT_TIMEOUT : WAIT_SIGNAL;
}

void park_wake_all(_Atomic uint32_t *word)
{
    struct bucket *bucket = bucket_of(word);
    pthread_mutex_lock(&bucket->mutex);
    pthread_cond_broadcast(&bucket->changed);
    pthread_mutex_unlock(&bucket->mutex);
}

/* Words share buckets: waking one sleeper could wake the wrong one. */
void park_wake_one(_Atomic uint32_t *word) { park_wake_all(word); }

#endif
