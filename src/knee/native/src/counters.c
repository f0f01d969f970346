/* Cycles, instructions and migrations of one thread, read by two system calls at most. */
#define _GNU_SOURCE
#include "counters.h"

#include <errno.h>

#ifdef __linux__
#include "descriptor.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int event_open(uint32_t type, uint64_t config, int group, int user_only)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = type;
    attr.config = config;
    attr.read_format = PERF_FORMAT_GROUP;
    attr.exclude_kernel = (uint64_t)user_only;
    attr.exclude_hv = (uint64_t)user_only;
    /* Always on the PMU or in error (then read gives nothing), never shared out and scaled up. */
    attr.pinned = group < 0 && type == PERF_TYPE_HARDWARE;
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int cycles_open(int user_only)
{
    int cycles = event_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, user_only);
    if (cycles < 0)
        return cycles;
    int instructions = event_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, cycles, user_only);
    if (instructions < 0) {
        close(cycles);
        return instructions;
    }
    descriptor_keep(DESCRIPTOR_CYCLES, cycles);
    descriptor_keep(DESCRIPTOR_INSTRUCTIONS, instructions);
    return 0;
}

int knee_counters_open(int *error)
{
    int counts = 0, user_only = 0;
    knee_counters_close();
    int code = cycles_open(0);
    if (code == -EACCES || code == -EPERM) {
        user_only = 1;
        code = cycles_open(1);
    }
    if (code == 0)
        counts |= user_only ? KNEE_COUNTS_USER : KNEE_COUNTS_ALL;
    /* Counted in kernel mode, so refused at perf_event_paranoid 2. */
    int migrations = event_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, -1, 0);
    if (migrations >= 0) {
        descriptor_keep(DESCRIPTOR_MIGRATIONS, migrations);
        counts |= KNEE_COUNTS_MIGRATIONS;
    }
    if (error)
        *error = code;
    return counts;
}

void knee_counters_close(void)
{
    descriptor_drop(DESCRIPTOR_INSTRUCTIONS);
    descriptor_drop(DESCRIPTOR_CYCLES);
    descriptor_drop(DESCRIPTOR_MIGRATIONS);
}

void counters_read(struct knee_stamp *stamp)
{
    struct {
        uint64_t number, values[2];
    } group;
    int fd;

    stamp->cycles = stamp->instructions = stamp->migrations = -1;
    if ((fd = descriptor_of(DESCRIPTOR_CYCLES)) >= 0 && read(fd, &group, sizeof group) == sizeof group) {
        stamp->cycles = (int64_t)group.values[0];
        stamp->instructions = (int64_t)group.values[1];
    }
    if ((fd = descriptor_of(DESCRIPTOR_MIGRATIONS)) >= 0 && read(fd, &group, sizeof group) > 0)
        stamp->migrations = (int64_t)group.values[0];
}

#else

int knee_counters_open(int *error)
{
    if (error)
        *error = -ENOSYS;
    return 0;
}

void knee_counters_close(void)
{
}

void counters_read(struct knee_stamp *stamp)
{
    stamp->cycles = stamp->instructions = stamp->migrations = -1;
}

#endif
