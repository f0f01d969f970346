/* AtomicFloat64: a double in an atomic 64-bit word. */
#include "py_atomic.h"

static _Atomic int64_t *word_of(PyObject *self) { return &((atomic_object *)self)->cell->value; }

static int64_t bits_of(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double float_of(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int parse_float(PyObject *value, double *out)
{
    *out = PyFloat_AsDouble(value);
    return *out == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static PyObject *float_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "line", "immortal", NULL};
    PyObject *line = NULL;
    double value = 0;
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|d$Op:AtomicFloat64", names, &value, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    return atomic_make(type, bits_of(value), size, immortal);
}

static PyObject *float_load(PyObject *self, PyObject *Py_UNUSED(none))
{
    return PyFloat_FromDouble(float_of(atomic_load(word_of(self))));
}

static PyObject *float_store(PyObject *self, PyObject *value)
{
    double stored;
    if (parse_float(value, &stored) < 0)
        return NULL;
    atomic_store(word_of(self), bits_of(stored));
    Py_RETURN_NONE;
}

static PyObject *float_add(PyObject *self, PyObject *value)
{
    double n;
    if (parse_float(value, &n) < 0)
        return NULL;
    int64_t seen = atomic_load_explicit(word_of(self), memory_order_relaxed);
    while (!atomic_compare_exchange_weak(word_of(self), &seen, bits_of(float_of(seen) + n)))
        ;
    return PyFloat_FromDouble(float_of(seen));
}

static PyObject *float_exchange(PyObject *self, PyObject *value)
{
    double stored;
    if (parse_float(value, &stored) < 0)
        return NULL;
    return PyFloat_FromDouble(float_of(atomic_exchange(word_of(self), bits_of(stored))));
}

/* By value, as == compares: -0.0 is 0.0, NaN is nothing. */
static PyObject *float_compare_exchange(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    double expected, desired;
    if (check_nargs("compare_exchange", nargs, 2) < 0 || parse_float(args[0], &expected) < 0 ||
        parse_float(args[1], &desired) < 0)
        return NULL;
    int64_t seen = atomic_load(word_of(self));
    while (float_of(seen) == expected)
        if (atomic_compare_exchange_weak(word_of(self), &seen, bits_of(desired)))
            Py_RETURN_TRUE;
    Py_RETURN_FALSE;
}

static PyObject *float_repr(PyObject *self)
{
    PyObject *value = float_load(self, NULL);
    PyObject *text = value == NULL ? NULL : PyUnicode_FromFormat("AtomicFloat64(%R)", value);
    Py_XDECREF(value);
    return text;
}

static PyMethodDef float_methods[] = {
    {"load", float_load, METH_NOARGS, "load($self, /)\n--\n\nThe value."},
    {"store", float_store, METH_O, "store($self, value, /)\n--\n\nSets the value."},
    {"add", float_add, METH_O, "add($self, n, /)\n--\n\nAdds n and returns the value before."},
    {"exchange", float_exchange, METH_O, "exchange($self, value, /)\n--\n\nSets the value and returns the one before."},
    {"compare_exchange", METHOD(float_compare_exchange), METH_FASTCALL,
     "compare_exchange($self, expected, desired, /)\n--\n\nSets the value to desired if it == expected; whether it did."},
    ATOMIC_LOCAL,
    {NULL, NULL, 0, NULL},
};

static PyMemberDef float_members[] = {PADDED_MEMBERS(atomic_object), {NULL, 0, 0, 0, NULL}};
static PyGetSetDef float_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(float_doc,
             "AtomicFloat64(value=0.0, *, line=None, immortal=False)\n--\n\n"
             "A float alone on its cache line; every operation is atomic and sequentially consistent.\n\n"
             "Args:\n"
             "    value: the first value.\n"
             "    line: bytes to own; None for line_size(). 16 packs words, for comparison.\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import AtomicFloat64\n"
             ">>> total = AtomicFloat64(1.5)\n"
             ">>> total.add(2.0), total.load()\n"
             "(1.5, 3.5)");

static PyType_Slot float_slots[] = {
    {Py_tp_doc, (void *)float_doc},
    {Py_tp_new, float_new},
    {Py_tp_dealloc, atomic_dealloc},
    {Py_tp_repr, float_repr},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_methods, float_methods},
    {Py_tp_members, float_members},
    {Py_tp_getset, float_getset},
    {0, NULL},
};

static PyType_Spec float_spec = {"knee.padded.AtomicFloat64", sizeof(atomic_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, float_slots};

int add_atomic_float(PyObject *module, padded_state *state)
{
    return add_type(module, &state->atomic_float, &float_spec);
}
