/* Histogram: counts of values by bin, and their sum. */
#include <math.h>
#include <stdlib.h>

#include "sharded.h"

/* What the shards have in common. Fields of a shard: the sum, then a count for each bin. */
typedef struct {
    size_t count;
    double bounds[]; /* ascending; bin i holds what is <= bounds[i], the last bin the rest */
} bounds;

static size_t bin_of(const bounds *of, double value)
{
    size_t low = 0, high = of->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (value <= of->bounds[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int put(shards *of, shard *mine, PyObject *value)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "observe() needs a value");
        return -1;
    }
    double seen = PyFloat_AsDouble(value);
    if (seen == -1.0 && PyErr_Occurred())
        return -1;
    if (isnan(seen)) {
        PyErr_SetString(PyExc_ValueError, "NaN belongs into no bin");
        return -1;
    }
    size_t field = 1 + bin_of(of->extra, seen);
    shards_enter(of, mine);
    shard_put_float(mine, 0, shard_get_float(mine, 0) + seen);
    shard_put(mine, field, shard_get(mine, field) + 1);
    shards_leave(mine);
    return 0;
}

static bounds *parse_bounds(PyObject *given)
{
    PyObject *items = PySequence_Tuple(given);
    if (items == NULL)
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    bounds *parsed = count < 1 || count > 1 << 20 ? NULL : malloc(sizeof *parsed + (size_t)count * sizeof(double));
    if (parsed == NULL) {
        if (count < 1 || count > 1 << 20)
            PyErr_SetString(PyExc_ValueError, "bounds must hold one number at least, and a million at most");
        else
            PyErr_NoMemory();
        Py_DECREF(items);
        return NULL;
    }
    parsed->count = (size_t)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        double bound = PyFloat_AsDouble(PyTuple_GET_ITEM(items, i));
        parsed->bounds[i] = bound;
        if (!PyErr_Occurred() && (isnan(bound) || (i > 0 && bound <= parsed->bounds[i - 1])))
            PyErr_SetString(PyExc_ValueError, "bounds must ascend");
        if (PyErr_Occurred()) {
            Py_DECREF(items);
            free(parsed);
            return NULL;
        }
    }
    Py_DECREF(items);
    return parsed;
}

static PyObject *histogram_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"bounds", "line", "immortal", NULL};
    PyObject *given, *line = NULL;
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$Op:Histogram", names, &given, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    bounds *parsed = parse_bounds(given);
    if (parsed == NULL)
        return NULL;
    PyObject *self = sharded_make(type, put, parsed->count + 2, size, immortal);
    if (self == NULL)
        free(parsed);
    else
        ((sharded_object *)self)->shards->extra = parsed;
    return self;
}

static PyObject *histogram_observe(PyObject *self, PyObject *value)
{
    if (sharded_put((sharded_object *)self, value) < 0)
        return NULL;
    Py_RETURN_NONE;
}

struct total {
    size_t bins;
    double sum;
    int64_t *counts;
};

static void visit(shard *each, void *data)
{
    struct total *total = data;
    total->sum += shard_get_float(each, 0);
    for (size_t i = 0; i < total->bins; i++)
        total->counts[i] += shard_get(each, 1 + i);
}

static void visit_and_reset(shard *each, void *data)
{
    struct total *total = data;
    visit(each, data);
    for (size_t i = 0; i <= total->bins; i++)
        shard_put(each, i, 0); /* the bits of 0.0 too */
}

static PyObject *histogram_read(PyObject *object, void (*call)(shard *, void *))
{
    sharded_object *self = (sharded_object *)object;
    struct total total = {.bins = ((bounds *)self->shards->extra)->count + 1};
    total.counts = calloc(total.bins, sizeof *total.counts);
    if (total.counts == NULL)
        return PyErr_NoMemory();
    shards_each(self->shards, slot_mine(), call, &total);
    PyObject *counts = PyTuple_New((Py_ssize_t)total.bins);
    for (size_t i = 0; counts != NULL && i < total.bins; i++) {
        PyObject *count = PyLong_FromLongLong(total.counts[i]);
        if (count == NULL)
            Py_CLEAR(counts);
        else
            PyTuple_SET_ITEM(counts, (Py_ssize_t)i, count);
    }
    free(total.counts);
    return counts == NULL ? NULL : Py_BuildValue("Nd", counts, total.sum);
}

static PyObject *histogram_value(PyObject *self, PyObject *Py_UNUSED(none)) { return histogram_read(self, visit); }

static PyObject *histogram_reset(PyObject *self, PyObject *Py_UNUSED(none))
{
    return histogram_read(self, visit_and_reset);
}

static PyObject *histogram_bounds(PyObject *object, void *Py_UNUSED(unused))
{
    bounds *of = ((sharded_object *)object)->shards->extra;
    PyObject *result = PyTuple_New((Py_ssize_t)of->count);
    for (size_t i = 0; result != NULL && i < of->count; i++) {
        PyObject *bound = PyFloat_FromDouble(of->bounds[i]);
        if (bound == NULL)
            Py_CLEAR(result);
        else
            PyTuple_SET_ITEM(result, (Py_ssize_t)i, bound);
    }
    return result;
}

static PyMethodDef histogram_methods[] = {
    {"observe", histogram_observe, METH_O, "observe($self, value, /)\n--\n\nCounts the value. NaN: ValueError."},
    {"value", histogram_value, METH_NOARGS,
     "value($self, /)\n--\n\n(counts, sum) at one moment during the call. counts has one more entry than bounds."},
    {"reset", histogram_reset, METH_NOARGS, "reset($self, /)\n--\n\nSets all to 0; returns (counts, sum) until then."},
    {"local", sharded_local, METH_NOARGS, SHARDED_LOCAL_DOC},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef histogram_members[] = {SHARDED_MEMBERS, {NULL, 0, 0, 0, NULL}};

static PyGetSetDef histogram_getset[] = {
    {"bounds", histogram_bounds, NULL, "The upper bounds of the bins, without the last bin's.", NULL},
    PADDED_COUNTING,
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(histogram_doc,
             "Histogram(bounds, *, line=None, immortal=False)\n--\n\n"
             "Counts of values by bin, and their sum; each thread counts on lines of its own.\n\n"
             "Args:\n"
             "    bounds: ascending numbers; bin i holds what is <= bounds[i] and not in an earlier bin, and one more\n"
             "        bin holds the rest.\n"
             "    line: bytes to own, per thread; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Histogram\n"
             ">>> seconds = Histogram([0.1, 1.0])\n"
             ">>> for value in (0.1, 0.5, 4.0):\n"
             "...     seconds.observe(value)\n"
             ">>> seconds.value()\n"
             "((1, 1, 1), 4.6)");

static PyType_Slot histogram_slots[] = {
    {Py_tp_doc, (void *)histogram_doc},
    {Py_tp_new, histogram_new},
    {Py_tp_dealloc, sharded_dealloc},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_methods, histogram_methods},
    {Py_tp_members, histogram_members},
    {Py_tp_getset, histogram_getset},
    {0, NULL},
};

static PyType_Spec histogram_spec = {"knee.padded.Histogram", sizeof(sharded_object), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                       Py_TPFLAGS_HAVE_VECTORCALL,
                                     histogram_slots};

int add_histogram(PyObject *module, padded_state *state)
{
    return add_sharded(module, &state->histogram, &state->immortal_histogram, &histogram_spec);
}
