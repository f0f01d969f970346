/* The control kernel and the core-speed probe: the same loop, so that one judges the other. */
#include "batches.h"
#include "clock.h"
#include "knee.h"

#include <errno.h>

/* Four independent xorshift chains (Marsaglia, Xorshift RNGs, Journal of Statistical Software 8, 2003): about as many
 * instructions per cycle as an interpreter retires. One chain alone would wait for itself most of the time and not notice
 * a neighbour on the other hardware thread of its core, a tenant of another virtual machine among them; interpreters do. */
uint64_t knee_control(uint64_t iterations)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;
    for (uint64_t i = 0; i < iterations; i++) {
        a ^= a << 13, b ^= b << 13, c ^= c << 13, d ^= d << 13;
        a ^= a >> 7, b ^= b >> 7, c ^= c >> 7, d ^= d >> 7;
        a ^= a << 17, b ^= b << 17, c ^= c << 17, d ^= d << 17;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); /* none folded, none vectorised */
    }
    return a ^ b ^ c ^ d;
}

#define CHUNK 2500 /* iterations between two looks at the clock: 5 to 10 µs */
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
