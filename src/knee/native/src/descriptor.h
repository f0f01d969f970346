/* File descriptors that belong to a thread: kept open between stamps, closed when the thread ends. */
#ifndef KNEE_DESCRIPTOR_H
#define KNEE_DESCRIPTOR_H

enum descriptor {
    DESCRIPTOR_SCHEDSTAT,
    DESCRIPTOR_CYCLES,
    DESCRIPTOR_INSTRUCTIONS,
    DESCRIPTOR_MIGRATIONS,
    DESCRIPTORS,
};

/* The calling thread's descriptor, or -1. Never one that was inherited through a fork. */
int descriptor_of(enum descriptor which);

/* Hands over `fd` (or a negative number that says it cannot be had); drops what was kept before. */
void descriptor_keep(enum descriptor which, int fd);

void descriptor_drop(enum descriptor which);

/* False until the first descriptor_keep for it, in this thread and process. */
int descriptor_known(enum descriptor which);

#endif
