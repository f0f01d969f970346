/* Maximum: the largest value that any thread has seen. */
#include <math.h>

#include "sharded.h"

enum { VALUE, SEEN }; /* fields of a shard */

static int put_int(shards *of, shard *mine, PyObject *value)
{
    int64_t seen;
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "update() needs a value");
        return -1;
    }
    if (parse_int64(value, &seen) < 0)
        return -1;
    shards_enter(of, mine);
    if (!shard_get(mine, SEEN) || seen > shard_get(mine, VALUE)) {
        shard_put(mine, VALUE, seen);
        shard_put(mine, SEEN, 1);
    }
    shards_leave(mine);
    return 0;
}

static int put_float(shards *of, shard *mine, PyObject *value)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "update() needs a value");
        return -1;
    }
    double seen = PyFloat_AsDouble(value);
    if (seen == -1.0 && PyErr_Occurred())
        return -1;
    if (isnan(seen)) {
        PyErr_SetString(PyExc_ValueError, "NaN has no place in an order");
        return -1;
    }
    shards_enter(of, mine);
    if (!shard_get(mine, SEEN) || seen > shard_get_float(mine, VALUE)) {
        shard_put_float(mine, VALUE, seen);
        shard_put(mine, SEEN, 1);
    }
    shards_leave(mine);
    return 0;
}

static PyObject *maximum_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"typecode", "line", "immortal", NULL};
    PyObject *line = NULL;
    const char *typecode = "d";
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|s$Op:Maximum", names, &typecode, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    if (strcmp(typecode, "d") != 0 && strcmp(typecode, "q") != 0) {
        PyErr_Format(PyExc_ValueError, "typecode must be 'd' (float) or 'q' (64-bit int), not '%s'", typecode);
        return NULL;
    }
    return sharded_make(type, *typecode == 'd' ? put_float : put_int, 2, size, immortal);
}

static PyObject *maximum_update(PyObject *self, PyObject *value)
{
    if (sharded_put((sharded_object *)self, value) < 0)
        return NULL;
    Py_RETURN_NONE;
}

struct largest {
    int seen;
    union {
        int64_t integer;
        double real;
    } value;
};

static void visit_int(shard *each, void *data)
{
    struct largest *so_far = data;
    if (shard_get(each, SEEN) && (!so_far->seen || shard_get(each, VALUE) > so_far->value.integer)) {
        so_far->value.integer = shard_get(each, VALUE);
        so_far->seen = 1;
    }
}

static void visit_float(shard *each, void *data)
{
    struct largest *so_far = data;
    if (shard_get(each, SEEN) && (!so_far->seen || shard_get_float(each, VALUE) > so_far->value.real)) {
        so_far->value.real = shard_get_float(each, VALUE);
        so_far->seen = 1;
    }
}

static void reset_int(shard *each, void *data)
{
    visit_int(each, data);
    shard_put(each, SEEN, 0);
}

static void reset_float(shard *each, void *data)
{
    visit_float(each, data);
    shard_put(each, SEEN, 0);
}

static PyObject *maximum_read(PyObject *object, int reset)
{
    sharded_object *self = (sharded_object *)object;
    struct largest largest = {0};
    int real = self->put == put_float;
    shards_each(self->shards, slot_mine(),
                real ? (reset ? reset_float : visit_float) : (reset ? reset_int : visit_int), &largest);
    if (!largest.seen)
        Py_RETURN_NONE;
    return real ? PyFloat_FromDouble(largest.value.real) : PyLong_FromLongLong(largest.value.integer);
}

static PyObject *maximum_value(PyObject *self, PyObject *Py_UNUSED(none)) { return maximum_read(self, 0); }
static PyObject *maximum_reset(PyObject *self, PyObject *Py_UNUSED(none)) { return maximum_read(self, 1); }

static PyMethodDef maximum_methods[] = {
    {"update", maximum_update, METH_O, "update($self, value, /)\n--\n\nTakes the value into account. NaN: ValueError."},
    {"value", maximum_value, METH_NOARGS,
     "value($self, /)\n--\n\nThe largest value at one moment during the call; None before the first."},
    {"reset", maximum_reset, METH_NOARGS, "reset($self, /)\n--\n\nForgets all values; returns the largest until then."},
    {"local", sharded_local, METH_NOARGS, SHARDED_LOCAL_DOC},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef maximum_members[] = {SHARDED_MEMBERS, {NULL, 0, 0, 0, NULL}};
static PyGetSetDef maximum_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(maximum_doc,
             "Maximum(typecode='d', *, line=None, immortal=False)\n--\n\n"
             "The largest value that any thread has seen; each thread notes its own on its own line.\n\n"
             "Args:\n"
             "    typecode: 'd' for floats, 'q' for ints of 64 bits (as in struct).\n"
             "    line: bytes to own, per thread; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Maximum\n"
             ">>> slowest = Maximum()\n"
             ">>> for seconds in (0.25, 2.5, 1.0):\n"
             "...     slowest.update(seconds)\n"
             ">>> slowest.value()\n"
             "2.5");

static PyType_Slot maximum_slots[] = {
    {Py_tp_doc, (void *)maximum_doc},
    {Py_tp_new, maximum_new},
    {Py_tp_dealloc, sharded_dealloc},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_methods, maximum_methods},
    {Py_tp_members, maximum_members},
    {Py_tp_getset, maximum_getset},
    {0, NULL},
};

static PyType_Spec maximum_spec = {"knee.padded.Maximum", sizeof(sharded_object), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                       Py_TPFLAGS_HAVE_VECTORCALL, maximum_slots};

int add_maximum(PyObject *module, padded_state *state)
{
    return add_sharded(module, &state->maximum, &state->immortal_maximum, &maximum_spec);
}
