/* Which distance keeps two writers apart: the line as it is, not as the system states it. */
#include "batches.h"
#include "clock.h"
#include "crew.h"
#include "knee.h"

#include <errno.h>
#include <stdlib.h>

#define STEPS 1000 /* bumps between two looks at the clock */
#define BATCHES_MOST 20000
#define DISTANCE_MOST 4096

struct lines {
    int operation;
    int64_t duration_ns;
    char *counters[2];
    int64_t *spans[2];
    int batches[2];
};

static void bump(int operation, void *counter)
{
    volatile uint64_t *plain = counter;
    uint64_t *shared = counter;
    if (operation == KNEE_STORE)
        for (int i = 0; i < STEPS; i++)
            *plain = *plain + 1;
    else
        for (int i = 0; i < STEPS; i++)
            __atomic_fetch_add(shared, 1, __ATOMIC_RELAXED);
}

static int work(int index, void *context)
{
    struct lines *lines = context;
    int64_t then = clock_now(), deadline = then + lines->duration_ns;
    int batches = 0;
    while (then < deadline && batches < BATCHES_MOST) {
        bump(lines->operation, lines->counters[index]);
        int64_t now = clock_now();
        lines->spans[index][batches++] = now - then;
        then = now;
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
            lines.counters[i] = memory + i * distance;
            lines.spans[i] = spans + i * BATCHES_MOST;
            *(uint64_t *)(void *)lines.counters[i] = 0;
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
