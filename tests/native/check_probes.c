/* The probes end in time, refuse nonsense, and give numbers that can be. */
#define _GNU_SOURCE
#include "check.h"
#include "knee.h"

#include <errno.h>
#include <math.h>

#define SHORT 5000000 /* 5 ms */

static void speed_agrees_with_the_ceiling(void)
{
    struct knee_speed speed;
    double rate;
    CHECK(knee_speed(SHORT, &speed) == 0);
    CHECK(speed.rate > 0 && speed.best >= speed.rate * 0.999 && speed.duration_ns >= SHORT);
    CHECK(knee_ceiling(1, NULL, SHORT, &rate) == 0);
    CHECK(rate > 0);
    CHECK(knee_speed(0, &speed) == -EINVAL);
}

static void control_is_a_pure_function_of_its_count(void)
{
    /* The seeds 1, 2, 3 and 4 together, then as computed by hand from the definition of the four chains. */
    CHECK(knee_control(0) == 4);
    CHECK(knee_control(1) == 4329079044u);
    CHECK(knee_control(2) == 4611971995335151878u);
    CHECK(knee_control(1000) == knee_control(1000));
    CHECK(knee_control(1000) != knee_control(1001));
}

static void lines_and_handover(void)
{
    struct knee_cost cost;
    for (int operation = KNEE_STORE; operation <= KNEE_ATOMIC; operation++)
        for (int distance = 8; distance <= 4096; distance *= 2) {
            /* On a busy machine the two may never run together. */
            int error = knee_lines(operation, distance, -1, -1, SHORT, &cost);
            CHECK(error == 0 || error == -ETIMEDOUT);
            CHECK(error || (cost.batches > 0 && cost.least_ns > 0 && cost.least_ns <= cost.median_ns));
        }
    /* Two CPUs, or one by way of the scheduler; on a busy machine the two may never run together. */
    for (int other = -1; other <= 0; other++) {
        int error = knee_handover(other, other, 20 * SHORT, &cost);
        CHECK(error == 0 ? cost.batches > 0 && cost.least_ns > 0 : error == -ETIMEDOUT);
    }
    CHECK(knee_lines(KNEE_STORE, 12, -1, -1, SHORT, &cost) == -EINVAL);
    CHECK(knee_lines(KNEE_STORE, 4104, -1, -1, SHORT, &cost) == -EINVAL);
    CHECK(knee_lines(7, 8, -1, -1, SHORT, &cost) == -EINVAL);
    CHECK(knee_lines(KNEE_STORE, 8, -1, -1, -1, &cost) == -EINVAL);
}

static void a_cpu_that_is_not_there_is_an_error(void)
{
    struct knee_cost cost;
    int cpus[3] = {0, 1023, 0};
    double rates[3];
    CHECK(knee_handover(0, 1023, SHORT, &cost) == -EINVAL);
    CHECK(knee_handover(0, 1 << 20, SHORT, &cost) == -EINVAL);
    CHECK(knee_ceiling(3, cpus, SHORT, rates) == -EINVAL);
}

static void many_threads(void)
{
    double rates[32];
    CHECK(knee_ceiling(32, NULL, SHORT, rates) == 0);
    for (int i = 0; i < 32; i++)
        CHECK(isfinite(rates[i]) && rates[i] > 0);
    CHECK(knee_bandwidth(4, NULL, 1 << 20, SHORT, rates) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(isfinite(rates[i]) && rates[i] > 0);
    CHECK(knee_bandwidth(1, NULL, 1, SHORT, rates) == 0); /* rounded up to one chunk */
    CHECK(knee_bandwidth(0, NULL, 1 << 20, SHORT, rates) == -EINVAL);
    CHECK(knee_bandwidth(1, NULL, INT64_MAX / 2, SHORT, rates) == -ENOMEM);
    CHECK(knee_ceiling(0, NULL, SHORT, rates) == -EINVAL);
    CHECK(knee_ceiling(100000, NULL, SHORT, rates) == -EINVAL);
}

int main(void)
{
    control_is_a_pure_function_of_its_count();
    speed_agrees_with_the_ceiling();
    lines_and_handover();
    a_cpu_that_is_not_there_is_an_error();
    many_threads();
    return 0;
}
