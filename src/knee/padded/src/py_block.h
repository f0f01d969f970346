/* A block of memory from an arena, as a Python object. */
#ifndef KNEE_PY_BLOCK_H
#define KNEE_PY_BLOCK_H

#include "module.h"
#include "core/arenas.h"

typedef struct {
    PyObject_HEAD
    Py_ssize_t exports;
    arena_block block; /* its data is NULL once released */
} block_object;

#endif
