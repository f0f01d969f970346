/* AtomicInt64, and what it shares with AtomicFloat64. */
#include "py_atomic.h"

PyObject *atomic_make(PyTypeObject *type, int64_t value, size_t line, int immortal)
{
    atomic_object *self = padded_new(type, immortal);
    if (self == NULL)
        return NULL;
    self->line = line;
    self->cell = cell_take(line);
    if (self->cell == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    atomic_store(&self->cell->value, value);
    return (PyObject *)self;
}

void atomic_dealloc(PyObject *object)
{
    atomic_object *self = (atomic_object *)object;
    padded_dealloc_begin(object);
    if (self->cell != NULL)
        cell_drop(self->cell, self->line);
    padded_dealloc_end(object);
}

PyObject *atomic_local(PyObject *object, PyObject *Py_UNUSED(none))
{
    atomic_object *self = (atomic_object *)object;
    atomic_object *handle = padded_new(Py_TYPE(object), 0);
    if (handle != NULL) {
        cell_hold(self->cell);
        handle->cell = self->cell;
        handle->line = self->line;
    }
    return (PyObject *)handle;
}

int check_nargs(const char *name, Py_ssize_t nargs, Py_ssize_t wanted)
{
    if (nargs == wanted)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments (%zd given)", name, wanted, nargs);
    return -1;
}

static _Atomic int64_t *word_of(PyObject *self) { return &((atomic_object *)self)->cell->value; }

static PyObject *int_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "line", "immortal", NULL};
    PyObject *line = NULL;
    long long value = 0;
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|L$Op:AtomicInt64", names, &value, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    return atomic_make(type, value, size, immortal);
}

static PyObject *int_load(PyObject *self, PyObject *Py_UNUSED(none))
{
    return PyLong_FromLongLong(atomic_load(word_of(self)));
}

static PyObject *int_store(PyObject *self, PyObject *value)
{
    int64_t stored;
    if (parse_int64(value, &stored) < 0)
        return NULL;
    atomic_store(word_of(self), stored);
    Py_RETURN_NONE;
}

static PyObject *int_add(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t n = 1;
    if (nargs > 0 && (check_nargs("add", nargs, 1) < 0 || parse_int64(args[0], &n) < 0))
        return NULL;
    return PyLong_FromLongLong(atomic_fetch_add(word_of(self), n));
}

static PyObject *int_exchange(PyObject *self, PyObject *value)
{
    int64_t stored;
    if (parse_int64(value, &stored) < 0)
        return NULL;
    return PyLong_FromLongLong(atomic_exchange(word_of(self), stored));
}

static PyObject *int_compare_exchange(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t expected, desired;
    if (check_nargs("compare_exchange", nargs, 2) < 0 || parse_int64(args[0], &expected) < 0 ||
        parse_int64(args[1], &desired) < 0)
        return NULL;
    return PyBool_FromLong(atomic_compare_exchange_strong(word_of(self), &expected, desired));
}

static PyObject *int_repr(PyObject *self)
{
    return PyUnicode_FromFormat("AtomicInt64(%lld)", (long long)atomic_load(word_of(self)));
}

static PyMethodDef int_methods[] = {
    {"load", int_load, METH_NOARGS, "load($self, /)\n--\n\nThe value."},
    {"store", int_store, METH_O, "store($self, value, /)\n--\n\nSets the value."},
    {"add", METHOD(int_add), METH_FASTCALL,
     "add($self, n=1, /)\n--\n\nAdds n and returns the value before. Wraps around at 64 bits."},
    {"exchange", int_exchange, METH_O, "exchange($self, value, /)\n--\n\nSets the value and returns the one before."},
    {"compare_exchange", METHOD(int_compare_exchange), METH_FASTCALL,
     "compare_exchange($self, expected, desired, /)\n--\n\nSets the value to desired if it is expected; whether it did."},
    ATOMIC_LOCAL,
    {NULL, NULL, 0, NULL},
};

static PyMemberDef int_members[] = {PADDED_MEMBERS(atomic_object), {NULL, 0, 0, 0, NULL}};
static PyGetSetDef int_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(int_doc,
             "AtomicInt64(value=0, *, line=None, immortal=False)\n--\n\n"
             "A 64-bit integer alone on its cache line; every operation is atomic and sequentially consistent.\n\n"
             "For a sum that is read rarely a Counter is far faster: here all threads still share the one word.\n\n"
             "Args:\n"
             "    value: the first value.\n"
             "    line: bytes to own; None for line_size(). 16 packs words, for comparison.\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import AtomicInt64\n"
             ">>> ticket = AtomicInt64()\n"
             ">>> ticket.add(), ticket.add(), ticket.load()\n"
             "(0, 1, 2)\n"
             ">>> ticket.compare_exchange(2, 10), ticket.compare_exchange(2, 11)\n"
             "(True, False)");

static PyType_Slot int_slots[] = {
    {Py_tp_doc, (void *)int_doc},
    {Py_tp_new, int_new},
    {Py_tp_dealloc, atomic_dealloc},
    {Py_tp_repr, int_repr},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_methods, int_methods},
    {Py_tp_members, int_members},
    {Py_tp_getset, int_getset},
    {0, NULL},
};

static PyType_Spec int_spec = {"knee.padded.AtomicInt64", sizeof(atomic_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, int_slots};

int add_atomic_int(PyObject *module, padded_state *state) { return add_type(module, &state->atomic_int, &int_spec); }
