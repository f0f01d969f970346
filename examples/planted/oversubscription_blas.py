"""Every worker multiplies matrices with a BLAS that has a thread pool of its own, as large as the machine.

Expected: oversubscription. One worker fills the machine already; two queue up for the pool.
Goes away: BLAS pools of one thread (``OPENBLAS_NUM_THREADS=1`` or threadpoolctl; the twin asks the library
itself).
"""
# knee: with numpy==2.4.6
# knee: apart

import ctypes
import glob
import os

import numpy as np

SIZE = 384


def setup_worker(index, workers):
    return np.ones((SIZE, SIZE)), np.ones((SIZE, SIZE)), np.empty((SIZE, SIZE))


def operation(matrices):
    left, right, out = matrices
    np.matmul(left, right, out=out)  # knee: here


def one_thread():
    folder = os.path.join(os.path.dirname(os.path.dirname(np.__file__)), "numpy.libs")
    (path,) = glob.glob(os.path.join(folder, "libscipy_openblas64_*.so"))
    ctypes.CDLL(path).scipy_openblas_set_num_threads64_(1)


class fixed:
    """The same product, the pool set to one thread."""

    @staticmethod
    def setup_worker(index, workers):
        one_thread()
        return setup_worker(index, workers)

    operation = staticmethod(operation)
