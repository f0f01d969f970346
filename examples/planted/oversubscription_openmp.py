"""Every worker calls a native function that has a thread pool of its own, as large as the machine.

Expected: oversubscription. One worker fills the machine; two bring twice as many threads as there are
cores, which wait for each other at barriers while those that hold them up have no core.
Goes away: native pools of one thread (``OMP_NUM_THREADS=1``; the twin asks for it itself).
"""

import ctypes

import compiled

ROUNDS = 200

NATIVE = compiled.library(
    r"""
#include <omp.h>

double smooth(int threads, long rounds)
{
    double total = 0;
    if (threads == 0)
        threads = omp_get_max_threads();
    for (long round = 0; round < rounds; round++) {
        #pragma omp parallel for num_threads(threads) reduction(+ : total)
        for (int i = 0; i < 20000; i++)
            total += 1.0 / (1.0 + i * round);
    }
    return total;
}
""",
    "-fopenmp",
)
NATIVE.smooth.restype = ctypes.c_double


def operation():
    NATIVE.smooth(0, ctypes.c_long(ROUNDS))  # knee: here


class fixed:
    """The same function with one thread for each worker."""

    @staticmethod
    def operation():
        NATIVE.smooth(1, ctypes.c_long(ROUNDS))
