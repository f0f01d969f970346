/* Which distance keeps two writers apart: the line as it is, not as the system states it. */
#include "batches.h"
#include "clock.h"
#include "crew.h"
#include "knee.h"

#include <errno.h>
#include <stdlib.h>

#define STEPS 8000 /* bumps between two looks at the clock, and at the other's counter: 2 to 100 µs */
#define BATCHES_MOST 20000
#define DISTANCE_MOST 4096

struct lines {
    int operation;
    int64_t duration_ns;
    uint64_t *counters[2];
    int64_t *spans[2];
    int batches[2];
};

static void bump(int operation, uint64_t *counter)
{
    if (operation == KNEE_STORE)
        for (int i = 0; i < STEPS; i++) {
            __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
            __asm__ volatile("" ::: "memory"); /* each step reaches the cache */
        }
    else
        for (int i = 0; i < STEPS; i++)
            __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Only batches count in which the other was seen at work: alone on the machine's CPUs nobody is disturbed. */
static int work(int index, void *context)
{
    struct lines *lines = context;
    int64_t then = clock_now(), deadline = then + lines->duration_ns;
    uint64_t *other = lines->counters[!index], before = 0;
    int batches = 0;
    while (then < deadline && batches < BATCHES_MOST) {
        bump(lines->operation, lines->counters[index]);
        int64_t now = clock_now();
        uint64_t after = __atomic_load_n(other, __ATOMIC_RELAXED);
        if (after - before >= STEPS / 16)
            lines->spans[index][batches++] = now - then;
        then = now;
        before = after;
    }
    lines->batches[index] = batches;
    return 0;
}

int knee_lines(int operation, int distance, int cpu_a, int cpu_b, int64_t duration_ns, struct knee_cost *cost)
{
    int cpus[2] = {cpu_a, cpu_b};
    struct lines lines = {.operation = operation, .duration_ns = duration_ns};
    struct crew crew = {.threads = 2, .cpus = cpus, .work = work, .context = &lines};

    if ((operation != KNEE_STORE && operation != KNEE_ATOMIC) || distance < 8 || distance > DISTANCE_MOST ||
        distance % 8 || duration_bad(duration_ns))
        return -EINVAL;
    char *memory = aligned_alloc(DISTANCE_MOST, (size_t)2 * DISTANCE_MOST);
    int64_t *spans = malloc(2 * BATCHES_MOST * sizeof *spans);
    int error = memory && spans ? 0 : -ENOMEM;
    if (!error) {
        for (int i = 0; i < 2; i++) {
            lines.counters[i] = (uint64_t *)(void *)(memory + i * distance);
            lines.spans[i] = spans + i * BATCHES_MOST;
            *lines.counters[i] = 0;
        }
        error = crew_run(&crew);
    }
    if (!error) {
        /* One row, so that one sort takes both threads' batches. */
        for (int i = 0; i < lines.batches[1]; i++)
            spans[lines.batches[0] + i] = lines.spans[1][i];
        error = batches_cost(spans, lines.batches[0] + lines.batches[1], STEPS, cost);
    }
    free(spans);
    free(memory);
    return error;
}
