/* Where a thread spends its CPU time, without a PMU: the cpu-clock software event, and the kernel's ring buffer. */
#define _GNU_SOURCE
#include "knee.h"

#include <errno.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* 4,096 samples of 32 bytes. Rings of all threads count against perf_event_mlock_kb and RLIMIT_MEMLOCK (some 1 MB on
 * 2 CPUs for the unprivileged), so none is larger, and the last ones may have to be smaller. */
#define RING_MOST (128 << 10)
#define RING_LEAST (8 << 10)

struct knee_sampler {
    int fd;
    struct perf_event_mmap_page *page;
    const char *ring;
    size_t size; /* a power of two */
    int64_t lost;
};

/* PERF_SAMPLE_IP | TID | TIME, in the order of perf_event_open(2). */
struct sample_record {
    struct perf_event_header header;
    uint64_t address;
    uint32_t process, thread;
    uint64_t clock;
};

struct lost_record {
    struct perf_event_header header;
    uint64_t id, lost;
};

static int event_open(pid_t thread, int hertz, int kernel)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.freq = 1;
    attr.sample_freq = (uint64_t)hertz;
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    attr.exclude_kernel = !kernel;
    attr.exclude_hv = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC; /* as the stamps */
    long fd = syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int map_ring(struct knee_sampler *sampler)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *place = MAP_FAILED;
    for (size_t size = RING_MOST; size >= RING_LEAST && place == MAP_FAILED; size /= 2) {
        place = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, sampler->fd, 0);
        sampler->size = size;
    }
    if (place == MAP_FAILED)
        return -errno;
    sampler->page = place;
    sampler->ring = (const char *)place + page;
    return 0;
}

int knee_sampler_open(int32_t thread, int hertz, int *kernel, struct knee_sampler **result)
{
    if (hertz < 1)
        return -EINVAL;
    struct knee_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return -ENOMEM;
    sampler->fd = event_open(thread, hertz, *kernel);
    if (*kernel && (sampler->fd == -EACCES || sampler->fd == -EPERM)) {
        *kernel = 0;
        sampler->fd = event_open(thread, hertz, 0);
    }
    int error = sampler->fd < 0 ? sampler->fd : map_ring(sampler);
    if (error) {
        if (sampler->fd >= 0)
            close(sampler->fd);
        free(sampler);
        return error;
    }
    *result = sampler;
    return 0;
}

/* A record may run over the ring's end, so it is put together from two parts. */
static void take(const struct knee_sampler *sampler, uint64_t at, void *record, size_t bytes)
{
    size_t offset = at & (sampler->size - 1), first = sampler->size - offset;
    if (first > bytes)
        first = bytes;
    memcpy(record, sampler->ring + offset, first);
    memcpy((char *)record + first, sampler->ring, bytes - first);
}

int64_t knee_sampler_drain(struct knee_sampler *sampler, struct knee_sample *samples, int64_t room)
{
    uint64_t head = __atomic_load_n(&sampler->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = sampler->page->data_tail;
    int64_t count = 0;

    while (tail < head && count < room) {
        struct perf_event_header header;
        take(sampler, tail, &header, sizeof header);
        if (header.type == PERF_RECORD_SAMPLE && header.size >= sizeof(struct sample_record)) {
            struct sample_record record;
            take(sampler, tail, &record, sizeof record);
            samples[count++] = (struct knee_sample){
                .address = record.address,
                .clock_ns = (int64_t)record.clock,
                .thread = (int32_t)record.thread,
                .kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL,
            };
        } else if (header.type == PERF_RECORD_LOST && header.size >= sizeof(struct lost_record)) {
            struct lost_record record;
            take(sampler, tail, &record, sizeof record);
            sampler->lost += (int64_t)record.lost;
        }
        tail += header.size;
    }
    __atomic_store_n(&sampler->page->data_tail, tail, __ATOMIC_RELEASE);
    return count;
}

int64_t knee_sampler_lost(const struct knee_sampler *sampler)
{
    return sampler->lost;
}

int knee_sampler_pause(struct knee_sampler *sampler, int paused)
{
    unsigned long request = paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;
    return ioctl(sampler->fd, request, 0) ? -errno : 0;
}

void knee_sampler_close(struct knee_sampler *sampler)
{
    munmap(sampler->page, (size_t)sysconf(_SC_PAGESIZE) + sampler->size);
    close(sampler->fd);
    free(sampler);
}

#else

int knee_sampler_open(int32_t thread, int hertz, int *kernel, struct knee_sampler **sampler)
{
    (void)thread, (void)hertz, (void)kernel, (void)sampler;
    return -ENOSYS;
}

int64_t knee_sampler_drain(struct knee_sampler *sampler, struct knee_sample *samples, int64_t room)
{
    (void)sampler, (void)samples, (void)room;
    return -ENOSYS;
}

int64_t knee_sampler_lost(const struct knee_sampler *sampler)
{
    (void)sampler;
    return -ENOSYS;
}

int knee_sampler_pause(struct knee_sampler *sampler, int paused)
{
    (void)sampler, (void)paused;
    return -ENOSYS;
}

void knee_sampler_close(struct knee_sampler *sampler)
{
    (void)sampler;
}

#endif
