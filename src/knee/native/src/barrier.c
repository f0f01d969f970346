/* A start that is common to the nanosecond, not to the scheduler's whim.
 *
 * Waiters spin for a while, then sleep on a futex. The last to arrive does not simply let go: it sets an instant a
 * little ahead, long enough for the release to reach every waiter, and each spins on the clock until then. So what
 * differs between the starts is one reading of the clock, not the travel of a cache line or a wake-up. With
 * more parties than CPUs no instant can suit all (some cannot run yet), so it is the moment of the release.
 */
#define _GNU_SOURCE
#include "barrier.h"
#include "clock.h"
#include "futex.h"
#include "knee.h"

#include <errno.h>
#include <sched.h>
#include <stdalign.h>
#include <unistd.h>

/* Two lines of 64: Intel fetches them in pairs, and Apple's and IBM's are that long. */
#define LINE 128

/* Longer spins would eat the quota of a container, and time of a neighbour on the same core. */
#define SPIN_NS 200000

/* Ahead of the release: for a line to travel and the bracket to read its usage; for a sleeping CPU to wake. */
#define LEAD_SPINNING_NS 8000
#define LEAD_SLEEPING_NS 150000
#define LEAD_PER_SLEEPER_NS 10000

/* The top bit of the generation says that the barrier is broken, so that waiters watch one word only. */
#define BROKEN 0x80000000u

struct barrier {
    alignas(LINE) uint32_t parties;
    uint32_t cpus;
    alignas(LINE) _Atomic uint32_t arrived;
    alignas(LINE) _Atomic uint32_t sleepers;
    alignas(LINE) _Atomic uint32_t generation;
    _Atomic int64_t instant_ns; /* on the generation's line: both arrive together */
};

_Static_assert(sizeof(struct barrier) <= KNEE_BARRIER_BYTES, "the public size must hold the structure");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "a lock would not be shared");

static uint32_t cpus_allowed(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

int knee_barrier_init(void *memory, uint32_t parties)
{
    struct barrier *barrier = memory;
    if (parties == 0 || (uintptr_t)memory % LINE != 0)
        return -EINVAL;
    barrier->parties = parties;
    barrier->cpus = cpus_allowed();
    atomic_store(&barrier->arrived, 0);
    atomic_store(&barrier->sleepers, 0);
    atomic_store(&barrier->instant_ns, 0);
    atomic_store(&barrier->generation, 0);
    return 0;
}

static int64_t lead_ns(struct barrier *barrier)
{
    uint32_t sleepers = atomic_load(&barrier->sleepers);
    if (barrier->parties > barrier->cpus)
        return 0;
    return sleepers ? LEAD_SLEEPING_NS + (int64_t)sleepers * LEAD_PER_SLEEPER_NS : LEAD_SPINNING_NS;
}

static int release(struct barrier *barrier, uint32_t generation)
{
    atomic_store(&barrier->arrived, 0);
    atomic_store(&barrier->instant_ns, clock_now() + lead_ns(barrier));
    /* Fails only when someone broke the barrier meanwhile. */
    if (!atomic_compare_exchange_strong(&barrier->generation, &generation, (generation + 1) & ~BROKEN))
        return -ECANCELED;
    /* After the store: who counted itself asleep before is woken, who did after sees the new generation. */
    if (atomic_load(&barrier->sleepers))
        futex_wake_all(&barrier->generation);
    return 0;
}

/* The time is up: breaks the barrier, unless it was released at the last moment. */
static int give_up(struct barrier *barrier, uint32_t generation)
{
    uint32_t seen = generation;
    if (atomic_compare_exchange_strong(&barrier->generation, &seen, generation | BROKEN)) {
        futex_wake_all(&barrier->generation);
        return -ETIMEDOUT;
    }
    return seen & BROKEN ? -ECANCELED : 0;
}

static int await_release(struct barrier *barrier, uint32_t generation, int64_t timeout_ns)
{
    int64_t arrival = clock_now();
    int64_t spin_ns = barrier->parties > barrier->cpus ? 0 : SPIN_NS;
    int64_t deadline = timeout_ns < 0 ? INT64_MAX : arrival + timeout_ns;
    uint32_t now;

    while ((now = atomic_load_explicit(&barrier->generation, memory_order_acquire)) == generation) {
        int64_t clock = clock_now();
        if (clock >= deadline)
            return give_up(barrier, generation);
        if (clock - arrival < spin_ns) {
            cpu_pause();
            continue;
        }
        atomic_fetch_add(&barrier->sleepers, 1);
        futex_wait(&barrier->generation, generation, timeout_ns < 0 ? -1 : deadline - clock);
        atomic_fetch_sub(&barrier->sleepers, 1);
    }
    return now & BROKEN ? -ECANCELED : 0;
}

int barrier_pass(void *memory, int64_t timeout_ns, int64_t *instant_ns)
{
    struct barrier *barrier = memory;
    uint32_t generation = atomic_load(&barrier->generation);
    int error;

    if (generation & BROKEN)
        return -ECANCELED;
    if (atomic_fetch_add(&barrier->arrived, 1) + 1 == barrier->parties)
        error = release(barrier, generation);
    else
        error = await_release(barrier, generation, timeout_ns);
    /* Nobody sets the next instant before this thread has arrived again. */
    *instant_ns = atomic_load(&barrier->instant_ns);
    return error;
}

int knee_barrier_wait(void *memory, int64_t timeout_ns, int64_t *released_ns)
{
    int64_t instant;
    int error = barrier_pass(memory, timeout_ns, &instant);
    if (error)
        return error;
    spin_until(instant);
    if (released_ns)
        *released_ns = instant;
    return 0;
}

void knee_barrier_abort(void *memory)
{
    struct barrier *barrier = memory;
    atomic_fetch_or(&barrier->generation, BROKEN);
    futex_wake_all(&barrier->generation);
}
