/* The control kernel and the core-speed probe: the same loop, so that one judges the other. */
#include "batches.h"
#include "clock.h"
#include "knee.h"

#include <errno.h>

uint64_t knee_control(uint64_t iterations)
{
    uint64_t state = 1;
    for (uint64_t i = 0; i < iterations; i++) {
        /* Knuth's MMIX constants (The Art of Computer Programming 2, 3.3.4). */
        state = state * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(state)); /* one step after another, none folded */
    }
    return state;
}

#define CHUNK 5000 /* iterations between two looks at the clock: 4 to 10 µs */
#define CHUNKS_MOST 4096

int knee_speed(int64_t duration_ns, struct knee_speed *speed)
{
    int64_t spans[CHUNKS_MOST];
    int chunks = 0, tenth;

    if (duration_bad(duration_ns))
        return -EINVAL;
    int64_t start = clock_now(), then = start;
    do {
        knee_control(CHUNK);
        int64_t now = clock_now();
        spans[chunks++] = now - then;
        then = now;
    } while (then - start < duration_ns && chunks < CHUNKS_MOST);

    speed->duration_ns = then - start;
    speed->rate = (double)CHUNK * chunks / (double)(then - start) * 1e9;
    int64_t fastest = batches_fastest_tenth(spans, chunks, &tenth);
    speed->best = (double)CHUNK * tenth / (double)fastest * 1e9;
    return 0;
}
