/* How much memory traffic the machine carries: McCalpin's STREAM triad, each thread in its own memory. */
#define _GNU_SOURCE
#include "batches.h"
#include "clock.h"
#include "crew.h"
#include "knee.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHUNK 4096 /* elements between two looks at the clock */

struct bandwidth {
    int64_t duration_ns;
    size_t elements; /* of one array */
    double **arrays; /* one mapping per thread: a, b, c in turn */
    double *rates;
};

static size_t mapped(const struct bandwidth *stream)
{
    return 3 * stream->elements * sizeof(double);
}

static int prepare(int index, void *context)
{
    struct bandwidth *stream = context;
    double *array = mmap(NULL, mapped(stream), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (array == MAP_FAILED)
        return -errno;
    stream->arrays[index] = array;
    /* Touched by the thread that uses it: on its own node, and not a shared page of zeros. */
    for (size_t i = 0; i < 3 * stream->elements; i++)
        array[i] = (double)(i & 7);
    return 0;
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c)
{
    for (int i = 0; i < CHUNK; i++)
        a[i] = b[i] + 3.0 * c[i];
}

static int work(int index, void *context)
{
    struct bandwidth *stream = context;
    double *a = stream->arrays[index], *b = a + stream->elements, *c = b + stream->elements;
    int64_t start = clock_now(), now = start;
    size_t place = 0, chunks = 0;
    while (now - start < stream->duration_ns) {
        triad(a + place, b + place, c + place);
        place = (place + CHUNK) % stream->elements;
        chunks++;
        now = clock_now();
    }
    stream->rates[index] = (double)(chunks * CHUNK * 3 * sizeof(double)) / (double)(now - start) * 1e9;
    return 0;
}

int knee_bandwidth(int threads, const int *cpus, int64_t bytes, int64_t duration_ns, double *rates)
{
    struct bandwidth stream = {.duration_ns = duration_ns, .rates = rates};
    struct crew crew = {threads, cpus, prepare, work, &stream};

    if (threads < 1 || threads > CREW_MOST || bytes <= 0 || duration_bad(duration_ns))
        return -EINVAL;
    size_t chunks = (size_t)bytes / (3 * CHUNK * sizeof(double));
    stream.elements = (chunks ? chunks : 1) * CHUNK;
    stream.arrays = calloc((size_t)threads, sizeof *stream.arrays);
    if (!stream.arrays)
        return -ENOMEM;
    int error = crew_run(&crew);
    for (int i = 0; i < threads; i++)
        if (stream.arrays[i])
            munmap(stream.arrays[i], mapped(&stream));
    free(stream.arrays);
    return error;
}
