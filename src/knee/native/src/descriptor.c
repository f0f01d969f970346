#include "descriptor.h"

#include <pthread.h>
#include <unistd.h>

#define UNKNOWN (-1000)

struct descriptors {
    int made; /* 0: nothing here yet */
    int forks;
    int fds[DESCRIPTORS];
};

static _Thread_local struct descriptors mine;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int forks; /* changes in a fork's child only, while it has one thread */

static void close_all(void *place)
{
    struct descriptors *ended = place;
    for (int i = 0; i < DESCRIPTORS; i++)
        if (ended->fds[i] >= 0)
            close(ended->fds[i]);
    ended->made = 0;
}

static void count_fork(void)
{
    forks++;
}

static void prepare(void)
{
    pthread_key_create(&at_exit, close_all);
    pthread_atfork(NULL, NULL, count_fork);
}

static struct descriptors *here(void)
{
    if (mine.made && mine.forks == forks)
        return &mine;
    pthread_once(&once, prepare);
    /* What a fork's parent had open counts the parent: close the copies. */
    for (int i = 0; mine.made && i < DESCRIPTORS; i++)
        if (mine.fds[i] >= 0)
            close(mine.fds[i]);
    for (int i = 0; i < DESCRIPTORS; i++)
        mine.fds[i] = UNKNOWN;
    mine.forks = forks;
    mine.made = 1;
    pthread_setspecific(at_exit, &mine);
    return &mine;
}

int descriptor_known(enum descriptor which)
{
    return here()->fds[which] != UNKNOWN;
}

int descriptor_of(enum descriptor which)
{
    int fd = here()->fds[which];
    return fd >= 0 ? fd : -1;
}

void descriptor_keep(enum descriptor which, int fd)
{
    descriptor_drop(which);
    here()->fds[which] = fd < 0 ? -1 : fd;
}

void descriptor_drop(enum descriptor which)
{
    struct descriptors *kept = here();
    if (kept->fds[which] >= 0)
        close(kept->fds[which]);
    kept->fds[which] = UNKNOWN;
}
