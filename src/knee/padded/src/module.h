/* What the types of knee.padded have in common. */
#ifndef KNEE_MODULE_H
#define KNEE_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

#include "core/line.h"
#include "core/lock.h"
#include "core/slot.h"

#ifdef Py_GIL_DISABLED
#define HAS_GIL 0
#define SPINS 40 /* as CPython's own PyMutex */
#else
#define HAS_GIL 1
#define SPINS 0 /* the thread that holds the lock cannot run before this one sleeps */
#endif

#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

/* The first fields of every object. */
#define PADDED_HEAD                                                                                                  \
    PyObject_HEAD PyObject *weakrefs;                                                                                \
    uint8_t counting; /* how references to it are counted: see exempt.h */

typedef struct {
    PADDED_HEAD
} padded_object;

#define PADDED_MEMBERS(type) {"__weaklistoffset__", T_PYSSIZET, offsetof(type, weakrefs), READONLY, NULL}

typedef struct {
    PyTypeObject *lock, *spinlock, *rwlock, *rwside, *event, *barrier;
    PyTypeObject *counter, *maximum, *histogram, *handle;
    PyTypeObject *immortal_counter, *immortal_maximum, *immortal_histogram;
    PyTypeObject *atomic_int, *atomic_float, *slots, *slot, *arenas, *block, *arena_stats;
} padded_state;

extern struct PyModuleDef padded_module;

/* The types cannot be derived from, so the type of any object here knows its module. */
static inline padded_state *state_of(PyObject *object) { return PyType_GetModuleState(Py_TYPE(object)); }

/* A zeroed object, its references exempted as far as can be (exempt.h); NULL with an exception. */
void *padded_new(PyTypeObject *type, int immortal);
int padded_traverse(PyObject *self, visitproc visit, void *arg);

/* For tp_dealloc: begin, then drop what the object has, then end. */
void padded_dealloc_begin(PyObject *self);
void padded_dealloc_end(PyObject *self);

/* "counted", "deferred" or "immortal"; a getset entry. */
PyObject *padded_counting(PyObject *self, void *unused);
#define PADDED_COUNTING                                                                                              \
    {"counting", padded_counting, NULL,                                                                              \
     "How references to this object are counted: 'counted', 'deferred' or 'immortal'.", NULL}

/* The value of a `line` argument: 0 with an exception if it is not a line. NULL and None: line_size(). */
size_t parse_line(PyObject *line);

/* Seconds as a deadline, None as NEVER. Returns -1 with an exception. */
int parse_timeout(PyObject *seconds, int64_t *deadline);

/* (blocking=True, timeout=-1), with threading.Lock.acquire's errors. A deadline of 0: do not block. */
int parse_acquire(PyObject *const *args, Py_ssize_t nargs, PyObject *names, int64_t *deadline);

/* An int64 from a Python int; -1 with OverflowError or TypeError. */
int parse_int64(PyObject *value, int64_t *out);

/* Waiting lets other threads run; WAIT_SIGNAL runs signal handlers and goes on, or ends with an exception.
   Evaluates to -1 (exception), 0 (timeout) or 1; other results end up in `result`. */
#define WAIT_DETACHED(result, call)                                                                                  \
    do {                                                                                                             \
        Py_BEGIN_ALLOW_THREADS result = (call);                                                                      \
        Py_END_ALLOW_THREADS                                                                                         \
    } while (result == WAIT_SIGNAL && PyErr_CheckSignals() == 0)

/* One of the types, by its specification, stored in the state. */
int add_type(PyObject *module, PyTypeObject **type, PyType_Spec *spec);

int add_lock(PyObject *module, padded_state *state);
int add_rwlock(PyObject *module, padded_state *state);
int add_event(PyObject *module, padded_state *state);
int add_barrier(PyObject *module, padded_state *state);
int add_counter(PyObject *module, padded_state *state);
int add_maximum(PyObject *module, padded_state *state);
int add_histogram(PyObject *module, padded_state *state);
int add_handle(PyObject *module, padded_state *state);
int add_atomic_int(PyObject *module, padded_state *state);
int add_atomic_float(PyObject *module, padded_state *state);
int add_slots(PyObject *module, padded_state *state);
int add_arenas(PyObject *module, padded_state *state);
int add_block(PyObject *module, padded_state *state);
extern PyMethodDef rounding_methods[];

#endif
