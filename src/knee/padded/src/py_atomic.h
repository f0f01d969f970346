/* What AtomicInt64 and AtomicFloat64 share: one word on its own line. */
#ifndef KNEE_PY_ATOMIC_H
#define KNEE_PY_ATOMIC_H

#include "module.h"
#include "core/cell.h"

typedef struct {
    PADDED_HEAD
    size_t line;
    cell *cell;
} atomic_object;

/* The `line` and `immortal` arguments are parsed; value as the word's bits. */
PyObject *atomic_make(PyTypeObject *type, int64_t value, size_t line, int immortal);
void atomic_dealloc(PyObject *self);
PyObject *atomic_local(PyObject *self, PyObject *none);

#define ATOMIC_LOCAL                                                                                                 \
    {"local", atomic_local, METH_NOARGS,                                                                             \
     "local($self, /)\n--\n\nThe same word as an object of the calling thread's own."}

int check_nargs(const char *name, Py_ssize_t nargs, Py_ssize_t wanted);

#endif
