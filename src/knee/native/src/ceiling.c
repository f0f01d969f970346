/* What the machine's cores give together when nothing is shared: no program can scale better. */
#include "batches.h"
#include "clock.h"
#include "crew.h"
#include "knee.h"

#include <errno.h>

#define CHUNK 5000

struct ceiling {
    int64_t duration_ns;
    double *rates;
};

static int work(int index, void *context)
{
    struct ceiling *ceiling = context;
    int64_t start = clock_now(), now = start, chunks = 0;
    while (now - start < ceiling->duration_ns) {
        knee_control(CHUNK);
        chunks++;
        now = clock_now();
    }
    ceiling->rates[index] = (double)(chunks * CHUNK) / (double)(now - start) * 1e9;
    return 0;
}

int knee_ceiling(int threads, const int *cpus, int64_t duration_ns, double *rates)
{
    struct ceiling ceiling = {duration_ns, rates};
    struct crew crew = {.threads = threads, .cpus = cpus, .work = work, .context = &ceiling};
    return duration_bad(duration_ns) ? -EINVAL : crew_run(&crew);
}
