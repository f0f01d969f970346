"""Every worker maps and unmaps scratch memory for each piece of work.

Expected: kernel, at the mapping. The process has one address space: mapping locks it, unmapping interrupts
the other cores, and the kernel zeroes each page anew.
Goes away: scratch memory kept by the worker (the twin); processes.
"""

import mmap

PIECES = 300
PAGES = 4


def setup_worker(index, workers):
    return [mmap.PAGESIZE * page for page in range(PAGES)]


def operation(starts):
    for _ in range(PIECES):
        with mmap.mmap(-1, mmap.PAGESIZE * PAGES) as memory:  # knee: here
            for start in starts:
                memory[start] = 1  # knee: here


class fixed:
    """Many more pieces, in memory that the worker keeps."""

    @staticmethod
    def setup_worker(index, workers):
        return setup_worker(index, workers), mmap.mmap(-1, mmap.PAGESIZE * PAGES)

    @staticmethod
    def operation(mine):
        starts, memory = mine
        for _ in range(10 * PIECES):
            for start in starts:
                memory[start] = 1
