/* The barrier and the bracket, by threads and by processes: nobody passes before all came, and nobody is left. */
#define _GNU_SOURCE
#include "check.h"
#include "knee.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PARTIES_MOST 8
#define ROUNDS 300

static struct {
    _Alignas(128) char barrier[KNEE_BARRIER_BYTES];
    atomic_int came[ROUNDS];
    _Atomic int64_t released[ROUNDS];
    int parties;
    int plain; /* written by one thread a round: the barrier alone must order it */
} *shared;

static void *worker(void *number)
{
    int index = (int)(intptr_t)number;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t released, seen = 0;
        struct knee_stamp start, stop;
        if (round % shared->parties == index)
            shared->plain = round;
        atomic_fetch_add(&shared->came[round], 1);
        if (round % 2)
            CHECK(knee_barrier_wait(shared->barrier, -1, &released) == 0);
        else
            CHECK(knee_begin(shared->barrier, 60000000000, &start, &released) == 0);
        CHECK(atomic_load(&shared->came[round]) == shared->parties);
        CHECK(shared->plain == round);
        if (!atomic_compare_exchange_strong(&shared->released[round], &seen, released))
            CHECK(seen == released); /* the same instant for all */
        if (round % 2 == 0) {
            CHECK(start.clock_ns >= released);
            knee_end(&stop);
            CHECK(stop.clock_ns >= start.clock_ns && stop.cpu_ns >= start.cpu_ns);
        }
        /* Nobody writes the next round's number while others still look at this one's. */
        CHECK(knee_barrier_wait(shared->barrier, -1, NULL) == 0);
    }
    return NULL;
}

static void reset(int parties)
{
    shared->parties = parties;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&shared->came[round], 0);
        atomic_store(&shared->released[round], 0);
    }
    CHECK(knee_barrier_init(shared->barrier, (uint32_t)parties) == 0);
}

static void threads_pass_together(int parties)
{
    pthread_t threads[PARTIES_MOST];
    reset(parties);
    for (int i = 0; i < parties; i++)
        CHECK(pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < parties; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void processes_pass_together(int parties)
{
    reset(parties);
    for (int i = 0; i < parties; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            worker((void *)(intptr_t)i);
            _exit(0);
        }
    }
    for (int i = 0; i < parties; i++) {
        int status;
        CHECK(wait(&status) > 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void *waiter(void *result)
{
    *(int *)result = knee_barrier_wait(shared->barrier, -1, NULL);
    return NULL;
}

static void a_timeout_breaks_it_for_all(void)
{
    pthread_t thread;
    int result = 0;
    reset(3);
    CHECK(pthread_create(&thread, NULL, waiter, &result) == 0);
    CHECK(knee_barrier_wait(shared->barrier, 20000000, NULL) == -ETIMEDOUT);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(result == -ECANCELED);
    CHECK(knee_barrier_wait(shared->barrier, -1, NULL) == -ECANCELED);
    reset(1);
    CHECK(knee_barrier_wait(shared->barrier, -1, NULL) == 0);
}

static void abort_wakes_sleepers_and_spinners(void)
{
    struct timespec naps[] = {{0, 10000}, {0, 20000000}};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        int result = 0;
        reset(2);
        CHECK(pthread_create(&thread, NULL, waiter, &result) == 0);
        nanosleep(&naps[i], NULL);
        knee_barrier_abort(shared->barrier);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(result == -ECANCELED);
    }
}

static void bad_memory_is_refused(void)
{
    CHECK(knee_barrier_init(shared->barrier, 0) == -EINVAL);
    CHECK(knee_barrier_init(shared->barrier + 8, 1) == -EINVAL);
}

int main(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    bad_memory_is_refused();
    /* As many as there are CPUs agree on an instant; with more it is the release. */
    for (int parties = 1; parties <= PARTIES_MOST; parties *= 2)
        threads_pass_together(parties);
    a_timeout_breaks_it_for_all();
    abort_wakes_sleepers_and_spinners();
    processes_pass_together(2);
    processes_pass_together(PARTIES_MOST);
    return 0;
}
