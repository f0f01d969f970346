/* Native threads for a probe: pinned, started together, joined, and their first error told. */
#ifndef KNEE_CREW_H
#define KNEE_CREW_H

#define CREW_MOST 1024

struct crew {
    int threads;
    const int *cpus;                            /* NULL, or one per thread; -1 leaves a thread free */
    int (*prepare)(int index, void *context);   /* after pinning, before the common start; may be NULL */
    int (*work)(int index, void *context);      /* from the common start */
    void *context;
};

/* Returns 0, or the first negative errno of any step of any thread; all threads have ended either way. */
int crew_run(const struct crew *crew);

#endif
