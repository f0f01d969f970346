/* A start that is common to the nanosecond, not to the scheduler's whim.
 *
 * Waiters spin for a while, then sleep on a futex. The last to arrive lets all go; each then makes sure that it runs,
 * on a CPU of its own; the last to do so sets an instant a little ahead, and all spin on the clock until then. So
 * what differs between the starts is one reading of the clock, not a wake-up or the travel of a cache line. Who
 * cannot run in time (the machine is busy) is not waited for. With more parties than CPUs no instant can suit all,
 * so it is the moment of the release.
 */
#define _GNU_SOURCE
#include "barrier.h"
#include "clock.h"
#include "futex.h"
#include "knee.h"
#include "placement.h"

#include <errno.h>
#include <stdalign.h>

/* Two lines of 64: Intel fetches them in pairs, and Apple's and IBM's are that long. */
#define LINE 128

/* Longer spins would eat the quota of a container, and time of a neighbour on the same core. */
#define SPIN_NS 200000

/* From setting the instant until it comes: for a line to travel, and for the bracket to read the usage. */
#define LEAD_NS 8000

/* How long those who run wait for those who do not. */
#define PATIENCE_NS 2000000

/* Meanwhile they nap, because another may wait for this very CPU. (sched_yield would let everyone else on the machine
 * go first.) A nap lasts for a timer's slack, 50 µs, and a wake-up; the instant is not set within one. */
#define LOOK_NS 30000
#define NAP_NS 1000
#define LEAD_NAPPING_NS 150000

/* The top bit of the generation says that the barrier is broken, so that waiters watch one word only. */
#define BROKEN 0x80000000u

struct barrier {
    alignas(LINE) uint32_t parties;
    uint32_t cpus;
    alignas(LINE) _Atomic uint32_t arrived;
    alignas(LINE) _Atomic uint32_t sleepers;
    alignas(LINE) _Atomic uint32_t generation;
    alignas(LINE) _Atomic int64_t instant_ns; /* 0: not set yet */
    _Atomic uint32_t running;                 /* released and placed */
    _Atomic uint32_t napping;
    alignas(LINE) struct placement placement;
};

_Static_assert(sizeof(struct barrier) <= KNEE_BARRIER_BYTES, "the public size must hold the structure");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "a lock would not be shared");

int knee_barrier_init(void *memory, uint32_t parties)
{
    struct barrier *barrier = memory;
    if (parties == 0 || (uintptr_t)memory % LINE != 0)
        return -EINVAL;
    barrier->parties = parties;
    barrier->cpus = placement_allowed();
    atomic_store(&barrier->arrived, 0);
    atomic_store(&barrier->sleepers, 0);
    atomic_store(&barrier->instant_ns, 0);
    atomic_store(&barrier->generation, 0);
    return 0;
}

static int crowded(const struct barrier *barrier)
{
    return barrier->parties > barrier->cpus;
}

static int release(struct barrier *barrier, uint32_t generation)
{
    /* Nobody looks at these now: all parties are here. */
    placement_clear(&barrier->placement);
    atomic_store(&barrier->running, 0);
    atomic_store(&barrier->napping, 0);
    atomic_store(&barrier->instant_ns, crowded(barrier) ? clock_now() : 0);
    atomic_store(&barrier->arrived, 0);
    /* Fails only when someone broke the barrier meanwhile. */
    if (!atomic_compare_exchange_strong(&barrier->generation, &generation, (generation + 1) & ~BROKEN))
        return -ECANCELED;
    /* After the exchange: who counted itself asleep before is woken, who did after sees the new generation. */
    if (atomic_load(&barrier->sleepers))
        futex_wake_all(&barrier->generation);
    return 0;
}

static void set_instant(struct barrier *barrier)
{
    int64_t unset = 0;
    int64_t lead = atomic_load(&barrier->napping) ? LEAD_NAPPING_NS : LEAD_NS;
    atomic_compare_exchange_strong(&barrier->instant_ns, &unset, clock_now() + lead);
}

static void nap(struct barrier *barrier)
{
    struct timespec span = {0, NAP_NS};
    atomic_fetch_add(&barrier->napping, 1);
    nanosleep(&span, NULL);
    atomic_fetch_sub(&barrier->napping, 1);
}

/* Takes a CPU and returns the common instant, which the last to come here sets, or the first to lose patience. */
static int64_t agree(struct barrier *barrier)
{
    int64_t instant = atomic_load(&barrier->instant_ns);
    if (instant)
        return instant;
    int64_t start = clock_now(), looking = start;
    placement_take(&barrier->placement);
    if (atomic_fetch_add(&barrier->running, 1) + 1 == barrier->parties)
        set_instant(barrier);
    while ((instant = atomic_load_explicit(&barrier->instant_ns, memory_order_acquire)) == 0) {
        int64_t now = clock_now();
        if (now - start > PATIENCE_NS)
            set_instant(barrier);
        else if (now - looking > LOOK_NS) {
            nap(barrier);
            looking = clock_now();
        } else
            cpu_pause();
    }
    return instant;
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
    int64_t spin_ns = crowded(barrier) ? 0 : SPIN_NS;
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
    if (!error)
        *instant_ns = agree(barrier);
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
