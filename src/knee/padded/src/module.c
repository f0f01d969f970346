#include "module.h"

#include <math.h>

#include "exempt.h"

void *padded_new(PyTypeObject *type, int immortal)
{
    padded_object *self = (padded_object *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    int counting = exempt((PyObject *)self, immortal);
    if (counting < 0) {
        Py_DECREF(self);
        return NULL;
    }
    self->counting = (uint8_t)counting;
    return self;
}

int padded_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

void padded_dealloc_begin(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    if (((padded_object *)self)->weakrefs != NULL)
        PyObject_ClearWeakRefs(self);
}

void padded_dealloc_end(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject *padded_counting(PyObject *self, void *Py_UNUSED(unused))
{
    static const char *const names[] = {[COUNTED] = "counted", [DEFERRED] = "deferred", [IMMORTAL] = "immortal"};
    return PyUnicode_FromString(names[((padded_object *)self)->counting]);
}

size_t parse_line(PyObject *line)
{
    if (line == NULL || line == Py_None)
        return line_size();
    Py_ssize_t size = PyNumber_AsSsize_t(line, PyExc_OverflowError);
    if (size == -1 && PyErr_Occurred())
        return 0;
    if (size < 0 || !line_valid((size_t)size)) {
        PyErr_Format(PyExc_ValueError, "line must be a power of two from %d to %d, not %zd", LINE_LEAST, LINE_MOST,
                     size);
        return 0;
    }
    return (size_t)size;
}

/* PY_TIMEOUT_MAX, which threading.TIMEOUT_MAX is made of, is not in every version's headers. */
#define SECONDS_MOST 9223372036.0

int parse_timeout(PyObject *timeout, int64_t *deadline)
{
    if (timeout == NULL || timeout == Py_None) {
        *deadline = NEVER;
        return 0;
    }
    double seconds = PyFloat_AsDouble(timeout);
    if (seconds == -1.0 && PyErr_Occurred())
        return -1;
    if (isnan(seconds)) {
        PyErr_SetString(PyExc_ValueError, "timeout must not be NaN");
        return -1;
    }
    if (seconds > SECONDS_MOST) {
        PyErr_SetString(PyExc_OverflowError, "timeout value is too large");
        return -1;
    }
    int64_t now = park_now();
    int64_t length = seconds <= 0 ? 0 : (int64_t)(seconds * 1e9);
    *deadline = length > NEVER - 1 - now ? NEVER - 1 : now + length;
    return 0;
}

int parse_acquire(PyObject *const *args, Py_ssize_t nargs, PyObject *names, int64_t *deadline)
{
    PyObject *given[2] = {NULL, NULL};
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (nargs + named > 2) {
        PyErr_Format(PyExc_TypeError, "acquire() takes at most 2 arguments (%zd given)", nargs + named);
        return -1;
    }
    for (Py_ssize_t i = 0; i < nargs; i++)
        given[i] = args[i];
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        int which = PyUnicode_CompareWithASCIIString(name, "blocking") == 0  ? 0
                    : PyUnicode_CompareWithASCIIString(name, "timeout") == 0 ? 1
                                                                             : -1;
        if (which < 0 || given[which] != NULL) {
            PyErr_Format(PyExc_TypeError, "acquire() got an unexpected or repeated argument '%U'", name);
            return -1;
        }
        given[which] = args[nargs + i];
    }
    int blocking = given[0] == NULL ? 1 : PyObject_IsTrue(given[0]);
    if (blocking < 0)
        return -1;
    *deadline = blocking ? NEVER : 0;
    if (given[1] == NULL)
        return 0;
    double seconds = PyFloat_AsDouble(given[1]);
    if (seconds == -1.0) /* no limit, as in threading */
        return PyErr_Occurred() ? -1 : 0;
    if (!blocking) {
        PyErr_SetString(PyExc_ValueError, "can't specify a timeout for a non-blocking call");
        return -1;
    }
    if (seconds < 0) {
        PyErr_SetString(PyExc_ValueError, "timeout value must be a non-negative number");
        return -1;
    }
    return parse_timeout(given[1], deadline);
}

int parse_int64(PyObject *value, int64_t *out)
{
#if PY_VERSION_HEX >= 0x030C0000
    if (PyLong_CheckExact(value) && PyUnstable_Long_IsCompact((PyLongObject *)value)) {
        *out = PyUnstable_Long_CompactValue((PyLongObject *)value);
        return 0;
    }
#endif
    long long parsed = PyLong_AsLongLong(value);
    if (parsed == -1 && PyErr_Occurred())
        return -1;
    *out = parsed;
    return 0;
}

int add_type(PyObject *module, PyTypeObject **type, PyType_Spec *spec)
{
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    if (*type == NULL)
        return -1;
    exempt_type(*type);
    return PyModule_AddType(module, *type);
}

PyDoc_STRVAR(line_size_doc, "line_size($module, /)\n--\n\n"
                            "Bytes that two cores cannot write apart without disturbing each other, on this machine.\n\n"
                            "KNEE_LINE where it is set; else what the machine states, but at least the architecture's\n"
                            "known interference size (128 on x86-64 and arm64, 256 on s390x).");

static PyObject *py_line_size(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return PyLong_FromSize_t(line_size());
}

static PyMethodDef methods[] = {
    {"line_size", py_line_size, METH_NOARGS, line_size_doc},
    {NULL, NULL, 0, NULL},
};

static int module_exec(PyObject *module)
{
    padded_state *state = PyModule_GetState(module);
    const char *complaint = line_complaint();
    slot_start();
    if (complaint != NULL) {
        PyErr_Format(PyExc_ImportError, "KNEE_LINE must be a power of two from %d to %d, not '%s'", LINE_LEAST,
                     LINE_MOST, complaint);
        return -1;
    }
    if (exempt_check() < 0 || PyModule_AddFunctions(module, rounding_methods) < 0)
        return -1;
    int (*const add[])(PyObject *, padded_state *) = {
        add_lock,    add_rwlock, add_event,      add_barrier,      add_handle, add_counter, add_maximum,
        add_histogram, add_atomic_int, add_atomic_float, add_slots, add_block,   add_arenas,
    };
    for (size_t i = 0; i < sizeof add / sizeof *add; i++)
        if (add[i](module, state) < 0)
            return -1;
    return 0;
}

#define TYPES (sizeof(padded_state) / sizeof(PyTypeObject *))

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    PyTypeObject **types = PyModule_GetState(module);
    for (size_t i = 0; i < TYPES; i++)
        Py_VISIT(types[i]);
    return 0;
}

static int module_clear(PyObject *module)
{
    PyTypeObject **types = PyModule_GetState(module);
    for (size_t i = 0; i < TYPES; i++)
        Py_CLEAR(types[i]);
    return 0;
}

static void module_free(void *module) { module_clear(module); }

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

struct PyModuleDef padded_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "knee.padded._core",
    .m_doc = "Primitives that own their cache lines; use them from knee.padded.",
    .m_size = sizeof(padded_state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&padded_module); }
