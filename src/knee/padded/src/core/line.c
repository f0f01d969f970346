#include "line.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

/* Pairs of 64-byte lines are fetched together on x86-64 since Sandy Bridge; Apple and big.LITTLE arm64 have lines
   of 128; s390x of 256. The same table stands in crossbeam's CachePadded and in folly. */
#if defined(__s390x__)
#define LINE_FLOOR 256
#elif defined(__x86_64__) || defined(__aarch64__) || defined(__powerpc64__)
#define LINE_FLOOR 128
#else
#define LINE_FLOOR 64
#endif

bool line_valid(size_t line) { return line >= LINE_LEAST && line <= LINE_MOST && (line & (line - 1)) == 0; }

static size_t environment(void)
{
    const char *text = getenv("KNEE_LINE");
    if (text == NULL || *text == '\0')
        return 0;
    char *end;
    unsigned long line = strtoul(text, &end, 10);
    return *end == '\0' && line_valid(line) ? line : 0;
}

const char *line_complaint(void)
{
    const char *text = getenv("KNEE_LINE");
    return text != NULL && *text != '\0' && environment() == 0 ? text : NULL;
}

static size_t stated(void)
{
#ifdef __APPLE__
    size_t line = 0, bytes = sizeof line;
    if (sysctlbyname("hw.cachelinesize", &line, &bytes, NULL, 0) == 0)
        return line;
#elif defined(_SC_LEVEL1_DCACHE_LINESIZE)
    long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    if (line > 0)
        return (size_t)line;
#endif
    return 0;
}

size_t line_size(void)
{
    size_t line = environment();
    if (line == 0) {
        line = stated();
        if (!line_valid(line) || line < LINE_FLOOR)
            line = LINE_FLOOR;
    }
    return line;
}

void *line_alloc(size_t bytes, size_t line)
{
    void *memory;
    if (bytes > (size_t)-1 - line)
        return NULL;
    bytes = line_round(bytes ? bytes : 1, line);
    if (posix_memalign(&memory, line, bytes) != 0)
        return NULL;
    return memset(memory, 0, bytes);
}

void line_free(void *memory) { free(memory); }
