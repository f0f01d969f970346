/* What Counter, Maximum and Histogram are made of: shards, and a way to put a value into one. */
#ifndef KNEE_SHARDED_H
#define KNEE_SHARDED_H

#include "module.h"
#include "core/shards.h"

/* Puts the value (NULL: the default) into this thread's shard, between enter and leave; -1 with an exception. */
typedef int (*put_function)(shards *of, shard *mine, PyObject *value);

typedef struct {
    PADDED_HEAD
    vectorcallfunc call; /* calling it puts a value */
    /* of immortal ones, where the interpreter looks methods up slowly: the bound method that puts a value, and its name */
    PyObject *method, *name;
    put_function put;
    shards *shards;
    /* of handles only: the shard of the thread that made it */
    shard *mine;
    uint32_t slot;
} sharded_object;

/* Adds a type whose methods begin with the one that puts a value, and its subtype for immortal objects. */
int add_sharded(PyObject *module, PyTypeObject **type, PyTypeObject **immortal, PyType_Spec *spec);

/* New, with shards of `count` fields; parses nothing. The type is one that add_sharded() made. */
PyObject *sharded_make(PyTypeObject *type, put_function put, size_t count, size_t line, int immortal);
void sharded_dealloc(PyObject *self);
int sharded_put(sharded_object *self, PyObject *value);
PyObject *sharded_local(PyObject *self, PyObject *none);

#define SHARDED_MEMBERS                                                                                              \
    PADDED_MEMBERS(sharded_object),                                                                                  \
    {                                                                                                                \
        "__vectorcalloffset__", T_PYSSIZET, offsetof(sharded_object, call), READONLY, NULL                           \
    }

#define SHARDED_LOCAL_DOC                                                                                            \
    "local($self, /)\n--\n\nA callable of the calling thread's own that does the same: nothing that it touches is\n"  \
    "touched by another thread. (Called from another thread it is right, only slower.)"

#endif
