"""Each worker runs native code on its own stack.

Expected: none.
"""

import ctypes

import compiled

ROUNDS = 3_000_000

NATIVE = compiled.library(r"""
unsigned long mixed(unsigned long seed, long rounds)
{
    for (long round = 0; round < rounds; round++)
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return seed;
}
""")
NATIVE.mixed.restype = ctypes.c_ulong


def operation():
    return NATIVE.mixed(ctypes.c_ulong(1), ctypes.c_long(ROUNDS))
