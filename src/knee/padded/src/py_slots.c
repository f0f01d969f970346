/* Slots: an array with one element a line, and Slot: one of its elements, as a handle. */
#include "module.h"

typedef union {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
} element;

typedef struct {
    const char *name;
    char code[2]; /* as in struct */
    uint8_t size;
    char kind; /* signed, unsigned, float, bool: 'i', 'u', 'f', '?' */
} element_type;

static const element_type types[] = {
    {"bool", "?", 1, '?'},   {"int8", "b", 1, 'i'},    {"uint8", "B", 1, 'u'},   {"int16", "h", 2, 'i'},
    {"uint16", "H", 2, 'u'}, {"int32", "i", 4, 'i'},   {"uint32", "I", 4, 'u'},  {"int64", "q", 8, 'i'},
    {"uint64", "Q", 8, 'u'}, {"float32", "f", 4, 'f'}, {"float64", "d", 8, 'f'}, {"int", "q", 8, 'i'},
    {"float", "d", 8, 'f'},
};

typedef struct {
    PADDED_HEAD
    const element_type *type;
    char *memory;
    Py_ssize_t shape[1], strides[1];
} slots_object;

typedef struct {
    PADDED_HEAD
    const element_type *type;
    void *cell;
    PyObject *owner;
} slot_object;

/* A string, a Python type, or anything whose str() is a NumPy type's name. */
static const element_type *parse_dtype(PyObject *dtype)
{
    PyObject *name = PyType_Check(dtype) ? PyObject_GetAttrString(dtype, "__name__") : PyObject_Str(dtype);
    if (name == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (PyUnicode_CompareWithASCIIString(name, types[i].name) == 0 ||
            PyUnicode_CompareWithASCIIString(name, types[i].code) == 0) {
            Py_DECREF(name);
            return &types[i];
        }
    PyErr_Format(PyExc_ValueError, "dtype must be bool, an int of 8 to 64 bits, float32 or float64, not %R", dtype);
    Py_DECREF(name);
    return NULL;
}

/* One element has one writer, but others may look at any time. */
static element element_load(const element_type *type, void *cell)
{
    element e = {.u64 = 0};
    switch (type->size) {
    case 1: e.u8 = __atomic_load_n((uint8_t *)cell, __ATOMIC_RELAXED); break;
    case 2: e.u16 = __atomic_load_n((uint16_t *)cell, __ATOMIC_RELAXED); break;
    case 4: e.u32 = __atomic_load_n((uint32_t *)cell, __ATOMIC_RELAXED); break;
    default: e.u64 = __atomic_load_n((uint64_t *)cell, __ATOMIC_RELAXED);
    }
    return e;
}

static void element_store(const element_type *type, void *cell, element e)
{
    switch (type->size) {
    case 1: __atomic_store_n((uint8_t *)cell, e.u8, __ATOMIC_RELAXED); break;
    case 2: __atomic_store_n((uint16_t *)cell, e.u16, __ATOMIC_RELAXED); break;
    case 4: __atomic_store_n((uint32_t *)cell, e.u32, __ATOMIC_RELAXED); break;
    default: __atomic_store_n((uint64_t *)cell, e.u64, __ATOMIC_RELAXED);
    }
}

static PyObject *element_get(const element_type *type, void *cell)
{
    element e = element_load(type, cell);
    switch (type->kind) {
    case '?': return PyBool_FromLong(e.u8 != 0);
    case 'f': return PyFloat_FromDouble(type->size == 4 ? e.f32 : e.f64);
    case 'u':
        return PyLong_FromUnsignedLongLong(type->size == 1 ? e.u8 : type->size == 2 ? e.u16
                                                                : type->size == 4 ? e.u32
                                                                                  : e.u64);
    default:
        return PyLong_FromLongLong(type->size == 1 ? e.i8 : type->size == 2 ? e.i16 : type->size == 4 ? e.i32 : e.i64);
    }
}

static int element_set(const element_type *type, void *cell, PyObject *value)
{
    element e = {.u64 = 0};
    unsigned bits = 8u * type->size;
    int fits = 1;
    if (type->kind == '?') {
        int truth = PyObject_IsTrue(value);
        if (truth < 0)
            return -1;
        e.u8 = (uint8_t)truth;
    }
    else if (type->kind == 'f') {
        double real = PyFloat_AsDouble(value);
        if (real == -1.0 && PyErr_Occurred())
            return -1;
        if (type->size == 4)
            e.f32 = (float)real;
        else
            e.f64 = real;
    }
    else if (type->kind == 'u') {
        PyObject *integer = PyNumber_Index(value);
        if (integer == NULL)
            return -1;
        e.u64 = PyLong_AsUnsignedLongLong(integer);
        Py_DECREF(integer);
        if (e.u64 == (uint64_t)-1 && PyErr_Occurred())
            return -1;
        fits = bits == 64 || e.u64 >> bits == 0;
    }
    else {
        if (parse_int64(value, &e.i64) < 0)
            return -1;
        fits = bits == 64 || (e.i64 >= -((int64_t)1 << (bits - 1)) && e.i64 < (int64_t)1 << (bits - 1));
    }
    if (!fits) {
        PyErr_Format(PyExc_OverflowError, "%R does not fit into %s", value, type->name);
        return -1;
    }
#if PY_BIG_ENDIAN
    if (type->kind == 'u' || type->kind == 'i')
        e.u64 <<= 64 - bits; /* the narrow members are the first bytes */
#endif
    element_store(type, cell, e);
    return 0;
}

static PyObject *slots_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"n", "dtype", "line", "immortal", NULL};
    PyObject *line = NULL, *dtype = (PyObject *)&PyLong_Type;
    Py_ssize_t n;
    int immortal = 0;
    size_t size;
    const element_type *parsed;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n|O$Op:Slots", names, &n, &dtype, &line, &immortal) ||
        (size = parse_line(line)) == 0 || (parsed = parse_dtype(dtype)) == NULL)
        return NULL;
    if (n < 1) {
        PyErr_Format(PyExc_ValueError, "n must be 1 at least, not %zd", n);
        return NULL;
    }
    slots_object *self = padded_new(type, immortal);
    if (self == NULL)
        return NULL;
    self->type = parsed;
    self->shape[0] = n;
    self->strides[0] = (Py_ssize_t)size;
    self->memory = n > PY_SSIZE_T_MAX / (Py_ssize_t)size ? NULL : line_alloc((size_t)n * size, size);
    if (self->memory == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void slots_dealloc(PyObject *self)
{
    padded_dealloc_begin(self);
    line_free(((slots_object *)self)->memory);
    padded_dealloc_end(self);
}

static void *cell_at(slots_object *self, Py_ssize_t index)
{
    if (index < 0 || index >= self->shape[0]) {
        PyErr_Format(PyExc_IndexError, "slot %zd of %zd", index, self->shape[0]);
        return NULL;
    }
    return self->memory + index * self->strides[0];
}

static Py_ssize_t slots_length(PyObject *self) { return ((slots_object *)self)->shape[0]; }

static PyObject *slots_item(PyObject *object, Py_ssize_t index)
{
    slots_object *self = (slots_object *)object;
    void *cell = cell_at(self, index);
    return cell == NULL ? NULL : element_get(self->type, cell);
}

static int slots_assign(PyObject *object, Py_ssize_t index, PyObject *value)
{
    slots_object *self = (slots_object *)object;
    void *cell = cell_at(self, index);
    if (cell == NULL)
        return -1;
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "slots cannot be deleted");
        return -1;
    }
    return element_set(self->type, cell, value);
}

static int slots_getbuffer(PyObject *object, Py_buffer *view, int flags)
{
    slots_object *self = (slots_object *)object;
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        view->obj = NULL;
        PyErr_SetString(PyExc_BufferError, "slots lie a line apart: ask for strides");
        return -1;
    }
    *view = (Py_buffer){
        .buf = self->memory,
        .obj = Py_NewRef(object),
        .len = self->shape[0] * self->type->size,
        .itemsize = self->type->size,
        .format = flags & PyBUF_FORMAT ? (char *)self->type->code : NULL,
        .ndim = 1,
        .shape = self->shape,
        .strides = self->strides,
    };
    return 0;
}

static PyObject *slots_numpy(PyObject *self, PyObject *Py_UNUSED(none))
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *array = numpy == NULL ? NULL : PyObject_CallMethod(numpy, "asarray", "O", self);
    Py_XDECREF(numpy);
    return array;
}

static PyObject *slots_local(PyObject *object, PyObject *index)
{
    slots_object *self = (slots_object *)object;
    Py_ssize_t which = PyNumber_AsSsize_t(index, PyExc_IndexError);
    if (which == -1 && PyErr_Occurred())
        return NULL;
    void *cell = cell_at(self, which < 0 ? which + self->shape[0] : which);
    slot_object *handle = cell == NULL ? NULL : padded_new(state_of(object)->slot, 0);
    if (handle != NULL) {
        handle->type = self->type;
        handle->cell = cell;
        handle->owner = Py_NewRef(object);
    }
    return (PyObject *)handle;
}

static PyObject *slots_repr(PyObject *object)
{
    slots_object *self = (slots_object *)object;
    return PyUnicode_FromFormat("<padded.Slots at %p: %zd of %s, %zd bytes apart>", object, self->shape[0],
                                self->type->name, self->strides[0]);
}

static PyMethodDef slots_methods[] = {
    {"local", slots_local, METH_O,
     "local($self, index, /)\n--\n\nOne element as an object of the calling thread's own, with get, set and add."},
    {"numpy", slots_numpy, METH_NOARGS,
     "numpy($self, /)\n--\n\nA NumPy array of the same memory (n elements, a line apart). Imports numpy."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef slots_members[] = {
    PADDED_MEMBERS(slots_object),
    {"line", T_PYSSIZET, offsetof(slots_object, strides), READONLY, "Bytes from one element to the next."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef slots_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(slots_doc,
             "Slots(n, dtype=int, *, line=None, immortal=False)\n--\n\n"
             "n numbers, each on a cache line of its own: one for each worker to write, for all to read.\n\n"
             "Elements start at 0. Reading and writing an element is atomic, `slots[i] += 1` is not: one writer each.\n"
             "Supports the buffer protocol (with strides), so memoryview(slots) and slots.numpy() copy nothing.\n\n"
             "Args:\n"
             "    n: the number of elements.\n"
             "    dtype: int, float, bool, or a NumPy or struct name ('int32', 'd') of at most 64 bits.\n"
             "    line: bytes from one element to the next; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Slots\n"
             ">>> done = Slots(4)\n"
             ">>> done[2] += 5\n"
             ">>> mine = done.local(3)  # in worker 3, for a busy loop\n"
             ">>> mine.add(2)\n"
             ">>> list(done), sum(done)\n"
             "([0, 0, 5, 2], 7)");

static PyType_Slot slots_slots[] = {
    {Py_tp_doc, (void *)slots_doc},
    {Py_tp_new, slots_new},
    {Py_tp_dealloc, slots_dealloc},
    {Py_tp_repr, slots_repr},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_methods, slots_methods},
    {Py_tp_members, slots_members},
    {Py_tp_getset, slots_getset},
    {Py_tp_iter, PySeqIter_New},
    {Py_sq_length, slots_length},
    {Py_sq_item, slots_item},
    {Py_sq_ass_item, slots_assign},
    {Py_bf_getbuffer, slots_getbuffer},
    {0, NULL},
};

static PyType_Spec slots_spec = {"knee.padded.Slots", sizeof(slots_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                     Py_TPFLAGS_SEQUENCE,
                                 slots_slots};

static int slot_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((slot_object *)self)->owner);
    return padded_traverse(self, visit, arg);
}

static void slot_dealloc(PyObject *self)
{
    padded_dealloc_begin(self);
    Py_CLEAR(((slot_object *)self)->owner);
    padded_dealloc_end(self);
}

static PyObject *slot_get(PyObject *object, PyObject *Py_UNUSED(none))
{
    slot_object *self = (slot_object *)object;
    return element_get(self->type, self->cell);
}

static PyObject *slot_set(PyObject *object, PyObject *value)
{
    slot_object *self = (slot_object *)object;
    if (element_set(self->type, self->cell, value) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *slot_add(PyObject *object, PyObject *n)
{
    slot_object *self = (slot_object *)object;
    PyObject *before = element_get(self->type, self->cell);
    PyObject *sum = before == NULL ? NULL : PyNumber_Add(before, n);
    int failed = sum == NULL || element_set(self->type, self->cell, sum) < 0;
    Py_XDECREF(before);
    Py_XDECREF(sum);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef slot_methods[] = {
    {"get", slot_get, METH_NOARGS, "get($self, /)\n--\n\nThe element."},
    {"set", slot_set, METH_O, "set($self, value, /)\n--\n\nSets the element."},
    {"add", slot_add, METH_O, "add($self, n, /)\n--\n\nAdds to the element; not atomic: one writer."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef slot_members[] = {PADDED_MEMBERS(slot_object), {NULL, 0, 0, 0, NULL}};

static PyType_Slot slot_slots[] = {
    {Py_tp_doc, "One element of Slots, as an object of one thread."},
    {Py_tp_dealloc, slot_dealloc},
    {Py_tp_traverse, slot_traverse},
    {Py_tp_methods, slot_methods},
    {Py_tp_members, slot_members},
    {0, NULL},
};

static PyType_Spec slot_spec = {"knee.padded.Slot", sizeof(slot_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                slot_slots};

int add_slots(PyObject *module, padded_state *state)
{
    if (add_type(module, &state->slot, &slot_spec) < 0)
        return -1;
    return add_type(module, &state->slots, &slots_spec);
}
