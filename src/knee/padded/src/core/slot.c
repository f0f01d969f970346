#include "slot.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cell.h"
#include "fence.h"

_Thread_local uint32_t slot_current SLOT_MODEL;
_Atomic uint8_t slot_gone[SLOT_MOST];
_Atomic uint32_t slot_forks;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static uint8_t used[SLOT_MOST];  /* untouched pages of it cost nothing */
static uint32_t lowest = 1;      /* no free number below */
static uint32_t highest;         /* no used number above */

static void ended(void *number)
{
    uint32_t slot = (uint32_t)(uintptr_t)number;
    slot_current = 0;
    pthread_mutex_lock(&mutex);
    used[slot] = 0;
    if (slot < lowest)
        lowest = slot;
    pthread_mutex_unlock(&mutex);
}

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
    cell_before_fork();
}

static void after_fork_in_parent(void)
{
    cell_after_fork();
    pthread_mutex_unlock(&mutex);
}

static void after_fork_in_child(void)
{
    for (uint32_t slot = 1; slot <= highest; slot++)
        if (used[slot] && slot != slot_current)
            atomic_store_explicit(&slot_gone[slot], 1, memory_order_relaxed);
    atomic_fetch_add(&slot_forks, 1);
    fence_start();
    after_fork_in_parent();
}

static void start(void)
{
    if (pthread_key_create(&key, ended) != 0 ||
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) {
        fputs("knee.padded: no thread key or no memory left\n", stderr);
        abort();
    }
    fence_start();
}

void slot_start(void) { pthread_once(&once, start); }

uint32_t slot_take(void)
{
    pthread_mutex_lock(&mutex);
    uint32_t slot = lowest;
    while (slot < SLOT_MOST && used[slot])
        slot++;
    if (slot == SLOT_MOST) {
        fputs("knee.padded: more than a million threads at once\n", stderr);
        abort();
    }
    used[slot] = 1;
    lowest = slot + 1;
    if (slot > highest)
        highest = slot;
    pthread_mutex_unlock(&mutex);
    pthread_setspecific(key, (void *)(uintptr_t)slot);
    slot_current = slot;
    return slot;
}
