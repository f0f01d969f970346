"""An extension that never said it can do without the GIL is imported, and the GIL is on for the whole process.

Expected: gil, at the import. CPython says so once, in a warning that a test runner or a service swallows.
Goes away: the extension declares ``Py_mod_gil`` (the twin imports one that does), or the process runs
with ``PYTHON_GIL=0``.
"""
# knee: apart

import warnings

import compiled

ROUNDS = 40_000

SOURCE = r"""
#include <Python.h>

static PyModuleDef_Slot slots[] = {
#ifdef DECLARED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = NAME, .m_slots = slots};

#define INIT_(name) PyInit_##name
#define INIT(name) INIT_(name)

PyMODINIT_FUNC INIT(MODULE)(void) { return PyModuleDef_Init(&definition); }
"""


def imported(name, *flags):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return compiled.extension(name, SOURCE, f"-DMODULE={name}", f'-DNAME="{name}"', *flags)  # knee: here


def setup(workers):
    imported("undeclared")
    return [None] * workers


def operation(_):
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 255
    return total


class fixed:
    """The same loop beside the same extension with ``Py_mod_gil`` in its slots."""

    @staticmethod
    def setup(workers):
        imported("declared", "-DDECLARED")
        return [None] * workers

    operation = staticmethod(operation)
