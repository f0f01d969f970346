/* The two ends of a timed part: all that costs is read outside of it. */
#define _GNU_SOURCE
#include "barrier.h"
#include "clock.h"
#include "counters.h"
#include "descriptor.h"
#include "knee.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Before the common instant: enough to read the usage (2 to 4 µs), and last the CPU time (0.5 µs), so
 * that waiting for the instant is hardly counted. */
#define USAGE_LEAD_NS 5000
#define CPU_LEAD_NS 1000

#ifdef __linux__

static void open_schedstat(void)
{
    if (!descriptor_known(DESCRIPTOR_SCHEDSTAT))
        descriptor_keep(DESCRIPTOR_SCHEDSTAT, open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
}

/* "running waiting slices", in nanoseconds (Documentation/scheduler/sched-stats.rst). */
static int64_t run_queue_delay(void)
{
    char text[80], *end;
    int fd = descriptor_of(DESCRIPTOR_SCHEDSTAT);
    if (fd < 0)
        return -1;
    ssize_t length = pread(fd, text, sizeof text - 1, 0);
    if (length <= 0)
        return -1;
    text[length] = 0;
    strtoll(text, &end, 10);
    return *end == ' ' ? strtoll(end, NULL, 10) : -1;
}

static int current_cpu(void)
{
    return sched_getcpu();
}

#define USAGE_OF_CALLER RUSAGE_THREAD
#else

static void open_schedstat(void)
{
}

static int64_t run_queue_delay(void)
{
    return -1;
}

static int current_cpu(void)
{
    return -1;
}

#define USAGE_OF_CALLER RUSAGE_SELF /* nothing closer without Mach calls */
#endif

static int64_t span(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

/* All but cpu_ns, which is to lie as close to the work as it can. */
static void read_usage(struct knee_stamp *stamp)
{
    struct rusage usage;
    getrusage(USAGE_OF_CALLER, &usage);
    stamp->user_ns = span(usage.ru_utime);
    stamp->system_ns = span(usage.ru_stime);
    stamp->voluntary = usage.ru_nvcsw;
    stamp->involuntary = usage.ru_nivcsw;
    stamp->minor_faults = usage.ru_minflt;
    stamp->major_faults = usage.ru_majflt;
    stamp->wait_ns = run_queue_delay();
    stamp->cpu = current_cpu();
    counters_read(stamp);
}

int knee_begin(void *barrier, int64_t timeout_ns, struct knee_stamp *stamp, int64_t *released_ns)
{
    int64_t instant = 0;
    open_schedstat();
    if (barrier) {
        int error = barrier_pass(barrier, timeout_ns, &instant);
        if (error)
            return error;
    }
    spin_until(instant - USAGE_LEAD_NS);
    read_usage(stamp);
    spin_until(instant - CPU_LEAD_NS);
    stamp->cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID);
    spin_until(instant);
    stamp->clock_ns = clock_now();
    if (released_ns)
        *released_ns = barrier ? instant : stamp->clock_ns;
    return 0;
}

void knee_end(struct knee_stamp *stamp)
{
    stamp->clock_ns = clock_now();
    stamp->cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID);
    open_schedstat();
    read_usage(stamp);
}
