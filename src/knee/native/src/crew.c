#define _GNU_SOURCE
#include "crew.h"
#include "knee.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#define START_TIMEOUT_NS 30000000000 /* a thread that has not begun by then never will */
#define STACK_BYTES (256 << 10)

struct member {
    const struct crew *crew;
    void *barrier;
    pthread_t thread;
    int index;
    int error;
};

static int pin(int cpu)
{
    if (cpu < 0)
        return 0;
#ifdef __linux__
    cpu_set_t set;
    if (cpu >= CPU_SETSIZE)
        return -EINVAL;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) ? -errno : 0;
#else
    return -ENOSYS;
#endif
}

static void *run(void *place)
{
    struct member *me = place;
    const struct crew *crew = me->crew;
    int error = pin(crew->cpus ? crew->cpus[me->index] : -1);
    if (!error && crew->prepare)
        error = crew->prepare(me->index, crew->context);
    if (error)
        knee_barrier_abort(me->barrier);
    else
        error = knee_barrier_wait(me->barrier, START_TIMEOUT_NS, NULL);
    if (!error)
        error = crew->work(me->index, crew->context);
    me->error = error;
    return NULL;
}

static int start(struct member *member)
{
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    /* Signals belong to the interpreter's threads; the new one inherits the mask. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&member->thread, &attr, run, member);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return -error;
}

static int start_all(const struct crew *crew, struct member *members, void *barrier)
{
    int started = 0, error = 0;
    for (; started < crew->threads && !error; started++) {
        members[started] = (struct member){.crew = crew, .barrier = barrier, .index = started};
        error = start(&members[started]);
    }
    if (error) {
        started--; /* the last one never was */
        knee_barrier_abort(barrier);
    }
    for (int i = 0; i < started; i++) {
        pthread_join(members[i].thread, NULL);
        /* Who was only told to stop does not hide who failed. */
        if (members[i].error && (!error || error == -ECANCELED))
            error = members[i].error;
    }
    return error;
}

int crew_run(const struct crew *crew)
{
    if (crew->threads < 1 || crew->threads > CREW_MOST)
        return -EINVAL;
    struct member *members = calloc((size_t)crew->threads, sizeof *members);
    void *barrier = aligned_alloc(128, KNEE_BARRIER_BYTES);
    int error = members && barrier ? knee_barrier_init(barrier, (uint32_t)crew->threads) : -ENOMEM;
    if (!error)
        error = start_all(crew, members, barrier);
    free(barrier);
    free(members);
    return error;
}
