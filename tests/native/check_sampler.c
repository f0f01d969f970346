/* The sampler finds a thread where it is, and the counters say why they are not there. */
#define _GNU_SOURCE
#include "check.h"
#include "knee.h"

#include <errno.h>
#include <stdint.h>

#define ROOM 100

static void samples_are_of_this_thread_and_in_order(void)
{
    struct knee_sampler *sampler;
    struct knee_sample samples[ROOM];
    struct knee_stamp start, stop;
    int kernel = 1;
    int error = knee_sampler_open(0, 1000, &kernel, &sampler);
    if (error) {
        fprintf(stderr, "no sampler here: %d\n", error);
        CHECK(error == -EACCES || error == -EPERM || error == -ENOSYS || error == -ENOENT);
        return;
    }
    CHECK(knee_begin(NULL, -1, &start, NULL) == 0);
    do {
        knee_control(1000000);
        knee_end(&stop);
    } while (stop.cpu_ns - start.cpu_ns < 300000000);

    int64_t count, all = 0, then = start.clock_ns - 1000000000;
    while ((count = knee_sampler_drain(sampler, samples, ROOM)) > 0)
        for (int64_t i = 0; i < count; i++, all++) {
            CHECK(samples[i].address != 0 && samples[i].thread > 0);
            CHECK(samples[i].clock_ns >= then && samples[i].clock_ns <= stop.clock_ns + 1000000000);
            then = samples[i].clock_ns;
        }
    CHECK(all >= 30); /* 300 expected */
    CHECK(knee_sampler_lost(sampler) == 0);
    CHECK(knee_sampler_pause(sampler, 1) == 0);
    while (knee_sampler_drain(sampler, samples, ROOM) > 0)
        ;
    knee_control(20000000);
    CHECK(knee_sampler_drain(sampler, samples, ROOM) == 0);
    CHECK(knee_sampler_pause(sampler, 0) == 0);
    knee_sampler_close(sampler);
}

/* A ring that nobody drains runs over; what was lost is counted, and the rest stays readable. */
static void a_full_ring_counts_what_it_lost(void)
{
    struct knee_sampler *sampler;
    static struct knee_sample samples[20000];
    struct knee_stamp start, stop;
    int64_t most = 0;
    int kernel = 0;
    if (knee_sampler_open(0, 20000, &kernel, &sampler))
        return;
    for (int pass = 0; pass < 2; pass++) {
        knee_begin(NULL, -1, &start, NULL);
        do {
            knee_control(1000000);
            knee_end(&stop);
        } while (stop.cpu_ns - start.cpu_ns < 700000000);
        int64_t count = knee_sampler_drain(sampler, samples, 20000);
        CHECK(count > 0 && count < 20000);
        for (int64_t i = 0; i < count; i++)
            CHECK(samples[i].address != 0);
        most = count > most ? count : most;
    }
    /* The ring holds 4,096 at most; a slow or busy machine may not have filled it. */
    CHECK((knee_sampler_lost(sampler) > 0) == (most > 4000));
    knee_sampler_close(sampler);
}

static void bad_requests_are_refused(void)
{
    struct knee_sampler *sampler;
    int kernel = 0;
    CHECK(knee_sampler_open(0, 0, &kernel, &sampler) == -EINVAL);
    CHECK(knee_sampler_open(0x7ffffff, 100, &kernel, &sampler) < 0);
}

static void counters_say_why_not(void)
{
    struct knee_stamp start, stop;
    int error = 1;
    int counts = knee_counters_open(&error);
    CHECK(error <= 0);
    CHECK(!!(counts & (KNEE_COUNTS_USER | KNEE_COUNTS_ALL)) == (error == 0));
    CHECK(knee_begin(NULL, -1, &start, NULL) == 0);
    knee_control(100000);
    knee_end(&stop);
    CHECK((start.cycles >= 0) == (error == 0) && (start.migrations >= 0) == !!(counts & KNEE_COUNTS_MIGRATIONS));
    if (error == 0)
        CHECK(stop.instructions - start.instructions >= 100000);
    knee_counters_close();
    knee_end(&stop);
    CHECK(stop.cycles == -1 && stop.instructions == -1 && stop.migrations == -1);
}

int main(void)
{
    CHECK(knee_abi() == KNEE_ABI);
    samples_are_of_this_thread_and_in_order();
    a_full_ring_counts_what_it_lost();
    bad_requests_are_refused();
    counters_say_why_not();
    return 0;
}
