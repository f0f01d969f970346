/* libknee: what must not be written in Python if a measurement is to be believed.
 *
 * A plain C11 library without any Python ABI, so that one file serves every interpreter through ctypes.
 * Run on Linux x86-64 (glibc). On other systems it compiles where it can, and says -ENOSYS where it cannot.
 *
 * Every function that can fail returns 0 or a negative errno. Times are nanoseconds of CLOCK_MONOTONIC, the clock
 * of Python's time.perf_counter_ns on Linux. Counts that are unknown are -1. A CPU of -1 means "not pinned".
 */
#ifndef KNEE_H
#define KNEE_H

#include <stddef.h>
#include <stdint.h>

#define KNEE_API __attribute__((visibility("default")))

/* Raised whenever a signature or structure below changes; the binding refuses any other number. */
#define KNEE_ABI 2
KNEE_API int knee_abi(void);

/* ---- barrier.c: a common start, for threads, subinterpreters and processes ---------------------------------- */

/* Bytes a barrier takes; its memory must be aligned to 128 and may be shared between processes. */
#define KNEE_BARRIER_BYTES 1024

/* -EINVAL for no parties or unaligned memory. Call it when nobody waits; it also mends a broken barrier. */
KNEE_API int knee_barrier_init(void *barrier, uint32_t parties);

/* Waits for all parties, then for the instant that the last one set; *released_ns is that instant (may be NULL).
 * A timeout (negative: none) breaks the barrier for everyone: -ETIMEDOUT here, -ECANCELED for the others. */
KNEE_API int knee_barrier_wait(void *barrier, int64_t timeout_ns, int64_t *released_ns);

/* Breaks the barrier: who waits, and who comes later, gets -ECANCELED until the next knee_barrier_init. */
KNEE_API void knee_barrier_abort(void *barrier);

/* ---- bracket.c: the two ends of a timed part ----------------------------------------------------------------- */

struct knee_stamp {
    int64_t clock_ns;
    int64_t user_ns, system_ns;          /* getrusage(RUSAGE_THREAD): split by ticks on most kernels */
    int64_t cpu_ns;                      /* CLOCK_THREAD_CPUTIME_ID: exact */
    int64_t wait_ns;                     /* time spent runnable but not running; -1 unknown */
    int64_t voluntary, involuntary;      /* context switches */
    int64_t minor_faults, major_faults;  /* page faults */
    int64_t cycles, instructions;        /* -1 without hardware counters */
    int64_t migrations;                  /* moves between CPUs; -1 unknown */
    int64_t cpu;                         /* where the thread runs; -1 unknown */
};

/* Waits at the barrier (NULL: does not), reads the calling thread's usage, and returns at the common instant.
 * released_ns (may be NULL) gets that instant, which is the same for all parties. */
KNEE_API int knee_begin(void *barrier, int64_t timeout_ns, struct knee_stamp *stamp, int64_t *released_ns);

/* Reads the clock first, then the usage. */
KNEE_API void knee_end(struct knee_stamp *stamp);

/* ---- counters.c: counts of the calling thread by perf_event_open --------------------------------------------- */

#define KNEE_COUNTS_USER 1       /* cycles and instructions, user mode only */
#define KNEE_COUNTS_ALL 2        /* cycles and instructions, user and kernel mode */
#define KNEE_COUNTS_MIGRATIONS 4

/* Opens what the machine allows, for the calling thread; later stamps carry it. Returns a sum of KNEE_COUNTS_*;
 * *error (may be NULL) says why there are no cycles: -ENOENT no PMU, -EACCES perf_event_paranoid, -ENOSYS, ... */
KNEE_API int knee_counters_open(int *error);
KNEE_API void knee_counters_close(void);

/* ---- spin.c: work that shares nothing ------------------------------------------------------------------------ */

/* A chain of dependent multiply-adds in registers: no memory, no system call, the same time per step for ever. */
KNEE_API uint64_t knee_control(uint64_t iterations);

struct knee_speed {
    double rate;         /* iterations of the control loop per second, over the whole probe */
    double best;         /* the same in the fastest tenth: the core's speed without what interrupted it */
    int64_t duration_ns; /* how long the probe took */
};

/* Speed of the core the caller runs on, from about duration_ns of the control loop (1 ms is enough). */
KNEE_API int knee_speed(int64_t duration_ns, struct knee_speed *speed);

/* ---- probes with their own threads: lines.c, handover.c, bandwidth.c, ceiling.c ------------------------------ */

struct knee_cost {
    double least_ns;  /* fastest batch */
    double median_ns; /* median over batches */
    int64_t batches;
};

#define KNEE_STORE 0  /* each thread writes its own counter with plain stores */
#define KNEE_ATOMIC 1 /* ... with atomic additions */

/* Two threads bump counters `distance` bytes apart (8 to 4096, a multiple of 8) for duration_ns: time per bump
 * while both are at work; -ETIMEDOUT if they never were. */
KNEE_API int knee_lines(int operation, int distance, int cpu_a, int cpu_b, int64_t duration_ns,
                        struct knee_cost *cost);

/* Two threads hand one line back and forth for duration_ns: time per hand-over, one way. */
KNEE_API int knee_handover(int cpu_a, int cpu_b, int64_t duration_ns, struct knee_cost *cost);

/* Threads stream through private memory (triad, a[i] = b[i] + k c[i], its three arrays take `bytes`) for
 * duration_ns; rates[i] is bytes per second of thread i, counted as STREAM does. cpus is NULL or one per thread. */
KNEE_API int knee_bandwidth(int threads, const int *cpus, int64_t bytes, int64_t duration_ns, double *rates);

/* Threads run the control loop for duration_ns; rates[i] is iterations per second of thread i. */
KNEE_API int knee_ceiling(int threads, const int *cpus, int64_t duration_ns, double *rates);

/* ---- rounding.c: CPython's object and mem allocators, wrapped ------------------------------------------------ */

enum knee_round_mode {
    KNEE_ROUND_OFF,     /* wrapped, nothing changed */
    KNEE_ROUND_LINE,    /* sizes rounded up to a multiple of the line */
    KNEE_ROUND_BALLAST, /* sizes as they are; the bytes that rounding would add are written elsewhere */
    KNEE_ROUND_SHUFFLE, /* sizes raised by a pseudo-random number of 16-byte steps, below one line */
};

/* Takes the addresses of PyMem_GetAllocator and PyMem_SetAllocator and wraps the domains "mem" and "object".
 * The caller holds the thread state (ctypes.pythonapi's convention). -EALREADY when it is wrapped. */
KNEE_API int knee_round_install(void *get_allocator, void *set_allocator);

KNEE_API int knee_round_installed(void);

/* Puts the wrapped allocators back, if nobody wrapped them again since (else -EBUSY). */
KNEE_API int knee_round_remove(void);

/* Blocks of min_size to max_size bytes are treated, where rounding is enabled. line: a power of two, 16 to 4096. */
KNEE_API int knee_round_set(enum knee_round_mode mode, size_t line, size_t min_size, size_t max_size, uint64_t seed);

/* Enables or disables it for the calling thread, or for all threads; either suffices. Returns what it was. */
KNEE_API int knee_round_enable(int on);
KNEE_API int knee_round_enable_all(int on);

struct knee_round_counts {
    int64_t seen;    /* blocks asked for while enabled */
    int64_t treated; /* ... of a size that the mode changed (or would have, for ballast) */
    int64_t added;   /* bytes added */
};
KNEE_API void knee_round_counts(struct knee_round_counts *counts);

/* ---- sampler.c: instruction addresses of a thread, by the cpu-clock software event ---------------------------- */

struct knee_sample {
    uint64_t address;
    int64_t clock_ns;
    int32_t thread;
    int32_t kernel; /* 1: the address is the kernel's */
};

struct knee_sampler;

/* Starts sampling one thread of this process (0: the caller) hertz times a second of its CPU time. Works without
 * a PMU, and unprivileged at perf_event_paranoid 2 (then without the kernel's addresses: *kernel becomes 0). */
KNEE_API int knee_sampler_open(int32_t thread, int hertz, int *kernel, struct knee_sampler **sampler);

/* Moves up to `room` samples out of the ring; returns how many. */
KNEE_API int64_t knee_sampler_drain(struct knee_sampler *sampler, struct knee_sample *samples, int64_t room);

/* Samples that were lost so far because the ring was full. */
KNEE_API int64_t knee_sampler_lost(const struct knee_sampler *sampler);

KNEE_API int knee_sampler_pause(struct knee_sampler *sampler, int paused);
KNEE_API void knee_sampler_close(struct knee_sampler *sampler);

#endif
