"""Every worker maps, touches and unmaps scratch memory for each piece of work.

Expected: kernel, at the mapping. The process has one address space: mapping locks it, unmapping interrupts
the other cores, and the kernel zeroes each page anew.
Goes away: scratch memory kept by the worker (the twin); processes.
"""

import mmap

PIECES = 40
SIZE = 128 << 10


def touch(memory):
    for start in range(0, SIZE, 4096):
        memory[start] = 1


def operation():
    for _ in range(PIECES):
        with mmap.mmap(-1, SIZE) as memory:  # knee: here
            touch(memory)


class fixed:
    """The same pieces in memory that the worker keeps."""

    @staticmethod
    def setup_worker(index, workers):
        return mmap.mmap(-1, SIZE)

    @staticmethod
    def operation(memory):
        for _ in range(PIECES):
            touch(memory)
