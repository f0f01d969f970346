/* Arenas: where Blocks come from. */
#include "py_block.h"

#include <sched.h>
#include <unistd.h>

typedef struct {
    PADDED_HEAD
    arenas *arenas;
} arenas_object;

static int gil_is_on(void)
{
#ifdef Py_GIL_DISABLED
    PyObject *sys = PyImport_ImportModule("sys");
    PyObject *on = sys == NULL ? NULL : PyObject_CallMethod(sys, "_is_gil_enabled", NULL);
    int result = on == NULL ? -1 : PyObject_IsTrue(on);
    Py_XDECREF(on);
    Py_XDECREF(sys);
    return result;
#else
    return 1;
#endif
}

static long usable_cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

/* 0 with an exception. Eight were enough in the field for sixteen threads; the GIL alone keeps one free of waits. */
static uint32_t parse_count(PyObject *n)
{
    if (n == NULL || (PyUnicode_Check(n) && PyUnicode_CompareWithASCIIString(n, "auto") == 0)) {
        int gil = gil_is_on();
        long cores = usable_cores();
        return gil < 0 ? 0 : gil ? 1 : cores > 8 ? (uint32_t)cores : 8;
    }
    if (!PyIndex_Check(n)) {
        PyErr_Format(PyExc_ValueError, "n must be a number or 'auto', not %R", n);
        return 0;
    }
    Py_ssize_t count = PyNumber_AsSsize_t(n, PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred())
        return 0;
    if (count < 1 || count > 4096) {
        PyErr_Format(PyExc_ValueError, "n must be 1 to 4096, not %zd", count);
        return 0;
    }
    return (uint32_t)count;
}

static PyObject *arenas_new_method(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"n", "keep", "largest", "limit", "line", "immortal", NULL};
    PyObject *n = NULL, *limit = Py_None, *line = NULL;
    Py_ssize_t keep = 64 << 20, largest = 16 << 20, most = 0;
    int immortal = 0;
    size_t size;
    uint32_t count;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$nnOOp:Arenas", names, &n, &keep, &largest, &limit, &line,
                                     &immortal) ||
        (size = parse_line(line)) == 0 || (count = parse_count(n)) == 0)
        return NULL;
    if (limit != Py_None) {
        most = PyNumber_AsSsize_t(limit, PyExc_OverflowError);
        if (most == -1 && PyErr_Occurred())
            return NULL;
    }
    if (keep < 0 || largest < 0 || (limit != Py_None && most < 1)) {
        PyErr_SetString(PyExc_ValueError, "keep and largest must not be negative, and limit must be positive");
        return NULL;
    }
    arenas *made = arenas_new(count, (size_t)keep, (size_t)largest, (size_t)most, size);
    if (made == NULL)
        return PyErr_NoMemory();
    arenas_object *self = padded_new(type, immortal);
    if (self == NULL) {
        arenas_drop(made);
        return NULL;
    }
    self->arenas = made;
    return (PyObject *)self;
}

static void arenas_dealloc(PyObject *object)
{
    padded_dealloc_begin(object);
    if (((arenas_object *)object)->arenas != NULL)
        arenas_drop(((arenas_object *)object)->arenas);
    padded_dealloc_end(object);
}

static PyObject *arenas_local(PyObject *object, PyObject *Py_UNUSED(none))
{
    arenas_object *self = (arenas_object *)object;
    arenas_object *handle = padded_new(Py_TYPE(object), 0);
    if (handle != NULL) {
        arenas_hold(self->arenas);
        handle->arenas = self->arenas;
    }
    return (PyObject *)handle;
}

static PyObject *arenas_allocate(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    arenas_object *self = (arenas_object *)object;
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (nargs < 1 || nargs + named > 2 ||
        (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "zero") != 0)) {
        PyErr_SetString(PyExc_TypeError, "allocate() takes a size, and zero=True or False");
        return NULL;
    }
    Py_ssize_t size = PyNumber_AsSsize_t(args[0], PyExc_OverflowError);
    int zero = nargs + named == 2 ? PyObject_IsTrue(args[1]) : 0;
    if ((size == -1 && PyErr_Occurred()) || zero < 0)
        return NULL;
    if (size < 0) {
        PyErr_Format(PyExc_ValueError, "size must not be negative, but is %zd", size);
        return NULL;
    }
    PyTypeObject *type = state_of(object)->block;
    block_object *block = (block_object *)type->tp_alloc(type, 0);
    if (block == NULL)
        return NULL;
    arena_result result = arenas_take(self->arenas, slot_mine(), (size_t)size, &block->block);
    if (result == ARENA_DONE) {
        if (zero)
            memset(block->block.data, 0, (size_t)size);
        return (PyObject *)block;
    }
    Py_DECREF(block);
    if (result == ARENA_LIMIT)
        PyErr_Format(PyExc_MemoryError, "%zd bytes more would exceed the arenas' limit", size);
    else
        PyErr_NoMemory();
    return NULL;
}

static PyObject *arenas_clear_method(PyObject *self, PyObject *Py_UNUSED(none))
{
    arenas_clear(((arenas_object *)self)->arenas, slot_mine());
    Py_RETURN_NONE;
}

static PyStructSequence_Field stats_fields[] = {
    {"taken", "blocks handed out"},
    {"hits", "of these, blocks that the arena had kept"},
    {"misses", "of these, blocks that came from the system"},
    {"given", "blocks that came back"},
    {"foreign", "of these, from a thread of another arena"},
    {"contended", "how often the arena's lock was not free"},
    {"kept", "blocks at hand"},
    {"kept_bytes", "bytes at hand"},
    {NULL, NULL},
};

static PyStructSequence_Desc stats_description = {
    "knee.padded.ArenaStats", "What has happened in an arena.", stats_fields, 8};

static PyObject *arenas_stats_method(PyObject *object, PyObject *Py_UNUSED(none))
{
    arenas *of = ((arenas_object *)object)->arenas;
    PyObject *all = PyTuple_New((Py_ssize_t)arenas_count(of));
    for (uint32_t i = 0; all != NULL && i < arenas_count(of); i++) {
        arena_stats stats;
        arenas_stats(of, slot_mine(), i, &stats);
        uint64_t values[] = {stats.taken,   stats.hits,      stats.misses, stats.given,
                             stats.foreign, stats.contended, stats.kept,   stats.kept_bytes};
        PyObject *one = PyStructSequence_New(state_of(object)->arena_stats);
        for (int field = 0; one != NULL && field < 8; field++) {
            PyObject *value = PyLong_FromUnsignedLongLong(values[field]);
            if (value == NULL)
                Py_CLEAR(one);
            else
                PyStructSequence_SetItem(one, field, value);
        }
        if (one == NULL)
            Py_CLEAR(all);
        else
            PyTuple_SET_ITEM(all, (Py_ssize_t)i, one);
    }
    return all;
}

static Py_ssize_t arenas_length(PyObject *self) { return (Py_ssize_t)arenas_count(((arenas_object *)self)->arenas); }

static PyObject *arenas_mine_get(PyObject *self, void *Py_UNUSED(unused))
{
    return PyLong_FromUnsignedLong(arenas_mine(((arenas_object *)self)->arenas, slot_mine()));
}

static PyObject *arenas_system_get(PyObject *self, void *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(arenas_system(((arenas_object *)self)->arenas));
}

static PyMethodDef arenas_methods[] = {
    {"allocate", METHOD(arenas_allocate), METH_FASTCALL | METH_KEYWORDS,
     "allocate($self, size, /, zero=False)\n--\n\nA Block of size bytes from this thread's arena. MemoryError at the limit."},
    {"stats", arenas_stats_method, METH_NOARGS, "stats($self, /)\n--\n\nAn ArenaStats for each arena."},
    {"clear", arenas_clear_method, METH_NOARGS,
     "clear($self, /)\n--\n\nGives what the arenas keep back to the system. Blocks in use are not touched."},
    {"local", arenas_local, METH_NOARGS,
     "local($self, /)\n--\n\nThe same arenas as an object of the calling thread's own."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef arenas_members[] = {PADDED_MEMBERS(arenas_object), {NULL, 0, 0, 0, NULL}};

static PyGetSetDef arenas_getset[] = {
    {"mine", arenas_mine_get, NULL, "The index of the calling thread's arena.", NULL},
    {"system_bytes", arenas_system_get, NULL, "Bytes that all arenas have from the system now.", NULL},
    PADDED_COUNTING,
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(arenas_doc,
             "Arenas(n='auto', *, keep=64 MiB, largest=16 MiB, limit=None, line=None, immortal=False)\n\n"
             "A block allocator whose arenas are dealt to threads round robin at their first use.\n\n"
             "A block remembers its arena and goes back there from whichever thread lets go of it. Sizes are rounded up to\n"
             "one of four in each doubling.\n\n"
             "Args:\n"
             "    n: the number of arenas; 'auto' is one where the GIL is on, else eight or the number of cores, if\n"
             "        that is more.\n"
             "    keep: bytes that an arena keeps for reuse.\n"
             "    largest: the largest block, in bytes, that is kept.\n"
             "    limit: bytes that all arenas together may have from the system; MemoryError beyond.\n"
             "    line: alignment of blocks and arenas; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Arenas\n"
             ">>> arenas = Arenas(2)\n"
             ">>> with arenas.allocate(1000, zero=True) as block:\n"
             "...     memoryview(block)[0] = 7\n"
             "...     len(block), block.arena\n"
             "(1000, 0)\n"
             ">>> again = arenas.allocate(1000)\n"
             ">>> arenas.stats()[0].hits\n"
             "1");

static PyType_Slot arenas_slots[] = {
    {Py_tp_doc, (void *)arenas_doc},
    {Py_tp_new, arenas_new_method},
    {Py_tp_dealloc, arenas_dealloc},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_methods, arenas_methods},
    {Py_tp_members, arenas_members},
    {Py_tp_getset, arenas_getset},
    {Py_sq_length, arenas_length},
    {0, NULL},
};

static PyType_Spec arenas_spec = {"knee.padded.Arenas", sizeof(arenas_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, arenas_slots};

int add_arenas(PyObject *module, padded_state *state)
{
    state->arena_stats = PyStructSequence_NewType(&stats_description);
    if (state->arena_stats == NULL || PyModule_AddType(module, state->arena_stats) < 0)
        return -1;
    return add_type(module, &state->arenas, &arenas_spec);
}
