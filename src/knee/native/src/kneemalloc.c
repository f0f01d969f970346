/* libkneemalloc: a preloaded malloc that rounds, over whatever allocator comes next.
 *
 *     LD_PRELOAD=libkneemalloc.so[:libjemalloc.so.2] KNEE_MALLOC_MODE=round KNEE_MALLOC_LINE=64 program
 *
 *     KNEE_MALLOC_MODE    off (default), round, or extra: the bytes that rounding would add are written elsewhere
 *     KNEE_MALLOC_LINE    a power of two from 16 to 4096, default 64
 *     KNEE_MALLOC_MAX     largest size that is treated, default 1024
 *     KNEE_MALLOC_WHEN    always (default), or called: only blocks of a thread that has called knee_malloc_enable(1)
 *     KNEE_MALLOC_REPORT  a file that gets one line of JSON from each process at its exit
 *
 * Rounding sizes alone isolates blocks of jemalloc, mimalloc and tcmalloc, but not of glibc, whose blocks start 16
 * bytes past a header; so rounded blocks come from the next allocator's aligned allocation, and its free takes them.
 * That path is slower than glibc's malloc (no cache per thread before 2.38): compare scaling, not times.
 */
#define _GNU_SOURCE
#include "ballast.h"
#include "knee.h"
#include "next.h"
#include "tally.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum mode { OFF, ROUND, EXTRA };
enum { SEEN, TREATED, ADDED };

static enum mode mode = OFF; /* set by the constructor, constant afterwards */
static size_t line = 64, most = 1024;
static int when_called;         /* treat only threads that asked for it */
static _Thread_local int called __attribute__((tls_model("initial-exec")));
static const char *trouble = ""; /* why rounding was asked for and is off */
static struct tally tally;

static void *early_realloc(void *block, size_t size)
{
    size_t before = early_size(block);
    void *moved = malloc(size);
    if (moved)
        memcpy(moved, block, before < size ? before : size);
    return moved;
}

static int in_scope(size_t size)
{
    if (mode == OFF || (when_called && !called))
        return 0;
    tally_add(&tally, SEEN, 1);
    return size > 0 && size <= most;
}

static size_t rounded(size_t size)
{
    return (size + line - 1) & ~(line - 1);
}

static void count(size_t size)
{
    tally_add(&tally, TREATED, 1);
    tally_add(&tally, ADDED, (int64_t)(rounded(size) - size));
}

static void *round_malloc(size_t alignment, size_t size)
{
    count(size);
    return next.aligned(alignment > line ? alignment : line, rounded(size));
}

static void extra(size_t size)
{
    count(size);
    ballast_write(rounded(size) - size);
}

KNEE_API void *malloc(size_t size)
{
    if (!next_resolve())
        return early_malloc(size);
    if (!in_scope(size))
        return next.malloc(size);
    if (mode == ROUND)
        return round_malloc(line, size);
    extra(size);
    return next.malloc(size);
}

KNEE_API void *calloc(size_t number, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(number, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!next_resolve())
        return early_malloc(total); /* of a zeroed arena */
    if (!in_scope(total))
        return next.calloc(number, size);
    if (mode == ROUND) {
        void *block = round_malloc(line, total);
        return block ? memset(block, 0, total) : NULL;
    }
    extra(total);
    return next.calloc(number, size);
}

static void *round_realloc(void *block, size_t size)
{
    size_t holds = next.usable(block);
    /* In place if it is isolated already and not wasteful. */
    if ((uintptr_t)block % line == 0 && holds >= rounded(size) && holds <= 2 * rounded(size) + line)
        return block;
    void *moved = round_malloc(line, size);
    if (moved) {
        memcpy(moved, block, holds < size ? holds : size);
        next.free(block);
    }
    return moved;
}

KNEE_API void *realloc(void *block, size_t size)
{
    if (!block)
        return malloc(size);
    if (early_is(block))
        return early_realloc(block, size);
    next_resolve();
    if (!in_scope(size))
        return next.realloc(block, size);
    if (mode == ROUND)
        return round_realloc(block, size);
    extra(size);
    return next.realloc(block, size);
}

/* The C library's own would reach its own realloc. */
KNEE_API void *reallocarray(void *block, size_t number, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(number, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, total);
}

KNEE_API void free(void *block)
{
    if (block && !early_is(block) && next_resolve())
        next.free(block);
}

KNEE_API int posix_memalign(void **place, size_t alignment, size_t size)
{
    if (!next_resolve())
        return ENOMEM;
    if (!in_scope(size))
        return next.posix_memalign(place, alignment, size);
    if (mode == EXTRA)
        extra(size);
    else
        count(size);
    if (mode == ROUND && alignment >= sizeof(void *) && (alignment & (alignment - 1)) == 0)
        return next.posix_memalign(place, alignment > line ? alignment : line, rounded(size));
    return next.posix_memalign(place, alignment, size);
}

static void *aligned(size_t alignment, size_t size)
{
    if (!next_resolve() || !next.aligned) {
        errno = ENOMEM;
        return NULL;
    }
    if (!in_scope(size))
        return next.aligned(alignment, size);
    if (mode == ROUND)
        return round_malloc(alignment, size);
    extra(size);
    return next.aligned(alignment, size);
}

KNEE_API void *aligned_alloc(size_t alignment, size_t size)
{
    return aligned(alignment, size);
}

KNEE_API void *memalign(size_t alignment, size_t size)
{
    return aligned(alignment, size);
}

KNEE_API size_t malloc_usable_size(void *block)
{
    size_t size = 0;
    if (block && early_is(block))
        size = early_size(block);
    else if (block && next_resolve() && next.usable)
        size = next.usable(block);
    return size;
}

/* ---- settings and evidence ---- */

/* The decimal number in the environment, `otherwise` if there is none, 0 if it is no number. */
static size_t number(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return otherwise;
    unsigned long value = strtoul(text, &end, 10);
    return *end ? 0 : value;
}

static enum mode asked(void)
{
    const char *text = getenv("KNEE_MALLOC_MODE");
    if (!text || !*text || strcmp(text, "off") == 0)
        return OFF;
    if (strcmp(text, "round") == 0)
        return ROUND;
    if (strcmp(text, "extra") == 0)
        return EXTRA;
    trouble = "KNEE_MALLOC_MODE is none of off, round, extra";
    return OFF;
}

__attribute__((constructor)) static void begin(void)
{
    enum mode wanted = asked();
    next_resolve();
    line = number("KNEE_MALLOC_LINE", 64);
    most = number("KNEE_MALLOC_MAX", 1024);
    const char *when = getenv("KNEE_MALLOC_WHEN");
    when_called = when && strcmp(when, "called") == 0;
    if (when && *when && !when_called && strcmp(when, "always") != 0)
        trouble = "KNEE_MALLOC_WHEN is none of always, called";
    if (line < 16 || line > 4096 || (line & (line - 1)))
        trouble = "KNEE_MALLOC_LINE is no power of two from 16 to 4096";
    else if (most == 0)
        trouble = "KNEE_MALLOC_MAX is no positive number";
    else if (wanted == ROUND && (!next.aligned || !next.usable))
        trouble = "the next allocator has no aligned allocation of its own";
    if (*trouble)
        wanted = OFF;
    mode = wanted;
}

/* Under KNEE_MALLOC_WHEN=called: whether blocks of the calling thread are treated from now on; returns what it was. */
KNEE_API int knee_malloc_enable(int on)
{
    int before = called;
    called = on;
    return before;
}

/* Counts of this process so far, for a program that can ask (ctypes.CDLL(None) in Python); "" or what is wrong. */
KNEE_API const char *knee_malloc_counts(struct knee_round_counts *counts)
{
    counts->seen = tally_sum(&tally, SEEN);
    counts->treated = tally_sum(&tally, TREATED);
    counts->added = tally_sum(&tally, ADDED);
    return trouble;
}

__attribute__((destructor)) static void end(void)
{
    static const char *const names[] = {"off", "round", "extra"};
    const char *path = getenv("KNEE_MALLOC_REPORT");
    struct knee_round_counts counts;
    char text[320];
    if (!path)
        return;
    knee_malloc_counts(&counts);
    int length = snprintf(text, sizeof text,
                          "{\"pid\": %ld, \"mode\": \"%s\", \"line\": %zu, \"seen\": %lld, \"treated\": %lld, "
                          "\"added\": %lld, \"trouble\": \"%s\"}\n",
                          (long)getpid(), names[mode], line, (long long)counts.seen, (long long)counts.treated,
                          (long long)counts.added, trouble);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    ssize_t written = write(fd, text, (size_t)length);
    (void)written; /* nobody is left to tell */
    close(fd);
}
