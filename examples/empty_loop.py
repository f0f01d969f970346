"""The emptiest loop: no object is shared, so whatever does not scale belongs to the interpreter or the machine.

On a 12-core Apple chip 12 threads of free-threaded CPython fell behind 12 processes here: each pass of a loop writes
to a per-thread slot that is padded to 64 bytes, on lines of 128.

Expected where the line is 64 bytes and all cores are alike: threads keep up with processes. With the GIL: no gain.
"""

from itertools import repeat

ROUNDS = 1_000_000


def operation():
    for _ in repeat(None, ROUNDS):
        pass
