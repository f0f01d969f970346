/* Lock and SpinLock: the same word and methods; they differ in how long they spin before they sleep. */
#include "module.h"
#include "core/cell.h"

typedef struct {
    PADDED_HEAD
    unsigned spins;
    size_t line;
    cell *cell;
} lock_object;

static PyObject *lock_make(PyTypeObject *type, unsigned spins, size_t line, int immortal)
{
    lock_object *self = padded_new(type, immortal);
    if (self == NULL)
        return NULL;
    self->spins = spins;
    self->line = line;
    self->cell = cell_take(line);
    if (self->cell == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static PyObject *lock_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"line", "immortal", NULL};
    PyObject *line = NULL;
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$Op:Lock", names, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    return lock_make(type, SPINS, size, immortal);
}

static PyObject *spinlock_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"spins", "line", "immortal", NULL};
    PyObject *line = NULL;
    int immortal = 0, spins = 2000;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|i$Op:SpinLock", names, &spins, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    if (spins < 0) {
        PyErr_SetString(PyExc_ValueError, "spins must not be negative");
        return NULL;
    }
    return lock_make(type, HAS_GIL ? 0 : (unsigned)spins, size, immortal);
}

static void lock_dealloc(PyObject *object)
{
    lock_object *self = (lock_object *)object;
    padded_dealloc_begin(object);
    if (self->cell != NULL)
        cell_drop(self->cell, self->line);
    padded_dealloc_end(object);
}

static PyObject *lock_local(PyObject *object, PyObject *Py_UNUSED(none))
{
    lock_object *self = (lock_object *)object;
    lock_object *handle = padded_new(Py_TYPE(object), 0);
    if (handle != NULL) {
        cell_hold(self->cell);
        handle->cell = self->cell;
        handle->spins = self->spins;
        handle->line = self->line;
    }
    return (PyObject *)handle;
}

/* 1 taken, 0 not, -1 with an exception. */
static int lock_wait(lock_object *self, uint32_t me, int64_t deadline)
{
    wait_result result;
    if (deadline == 0) {
        uint32_t owner = lock_owner(&self->cell->word);
        if (owner == 0 || !slot_lost(owner)) /* else its owner stayed behind at a fork: take it, it will not wait */
            return 0;
        deadline = park_now();
    }
    WAIT_DETACHED(result, lock_acquire(&self->cell->word, me, self->spins, deadline));
    return result == WAIT_DONE ? 1 : result == WAIT_TIMEOUT ? 0 : -1;
}

static PyObject *lock_acquire_method(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    lock_object *self = (lock_object *)object;
    uint32_t me = slot_mine();
    int64_t deadline = NEVER;
    if ((nargs > 0 || names != NULL) && parse_acquire(args, nargs, names, &deadline) < 0)
        return NULL;
    if (lock_try(&self->cell->word, me))
        Py_RETURN_TRUE;
    int taken = lock_wait(self, me, deadline);
    return taken < 0 ? NULL : PyBool_FromLong(taken);
}

static PyObject *lock_enter_method(PyObject *object, PyObject *Py_UNUSED(none))
{
    return lock_acquire_method(object, NULL, 0, NULL);
}

static PyObject *lock_release_method(PyObject *object, PyObject *Py_UNUSED(none))
{
    if (!lock_release(&((lock_object *)object)->cell->word)) {
        PyErr_SetString(PyExc_RuntimeError, "release unlocked lock");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *lock_exit_method(PyObject *object, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs))
{
    return lock_release_method(object, NULL);
}

static PyObject *lock_locked(PyObject *object, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(lock_held(&((lock_object *)object)->cell->word));
}

static PyObject *lock_reinit(PyObject *object, PyObject *Py_UNUSED(none))
{
    atomic_store(&((lock_object *)object)->cell->word, 0);
    Py_RETURN_NONE;
}

static PyObject *lock_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<%s %s object at %p>",
                                lock_held(&((lock_object *)object)->cell->word) ? "locked" : "unlocked",
                                Py_TYPE(object)->tp_name, object);
}

static PyMethodDef lock_methods[] = {
    {"acquire", METHOD(lock_acquire_method), METH_FASTCALL | METH_KEYWORDS,
     "acquire($self, /, blocking=True, timeout=-1)\n--\n\nAs threading.Lock.acquire."},
    {"release", lock_release_method, METH_NOARGS, "release($self, /)\n--\n\nAs threading.Lock.release."},
    {"locked", lock_locked, METH_NOARGS, "locked($self, /)\n--\n\nWhether a thread holds it."},
    {"local", lock_local, METH_NOARGS,
     "local($self, /)\n--\n\nThe same lock as an object of the calling thread's own, so that calls from many threads\n"
     "count no references on a shared object."},
    {"__enter__", lock_enter_method, METH_NOARGS, NULL},
    {"__exit__", METHOD(lock_exit_method), METH_FASTCALL, NULL},
    {"_at_fork_reinit", lock_reinit, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef lock_members[] = {
    PADDED_MEMBERS(lock_object),
    {"line", T_PYSSIZET, offsetof(lock_object, line), READONLY, "Bytes that the lock's word has to itself."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef lock_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

/* For the benchmarks: what the type itself costs, without the interpreter around it. */
static PyObject *hammer(PyObject *module, PyObject *args)
{
    padded_state *state = PyModule_GetState(module);
    PyObject *object;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "On:_hammer", &object, &n))
        return NULL;
    if (Py_TYPE(object) != state->lock && Py_TYPE(object) != state->spinlock) {
        PyErr_SetString(PyExc_TypeError, "_hammer() takes a Lock or a SpinLock");
        return NULL;
    }
    cell *cell = ((lock_object *)object)->cell;
    unsigned spins = ((lock_object *)object)->spins;
    uint32_t me = slot_mine();
    int64_t begin = park_now();
    Py_BEGIN_ALLOW_THREADS;
    for (Py_ssize_t i = 0; i < n; i++) {
        while (!lock_try(&cell->word, me) && lock_acquire(&cell->word, me, spins, NEVER) != WAIT_DONE)
            ;
        int64_t value = atomic_load_explicit(&cell->value, memory_order_relaxed);
        atomic_store_explicit(&cell->value, value + 1, memory_order_relaxed);
        lock_release(&cell->word);
    }
    Py_END_ALLOW_THREADS;
    return PyFloat_FromDouble((double)(park_now() - begin) * 1e-9);
}

static PyMethodDef lock_functions[] = {
    {"_hammer", hammer, METH_VARARGS,
     "_hammer($module, lock, n, /)\n--\n\nLocks, increments and unlocks n times in C; the seconds that took."},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(lock_doc,
             "Lock(*, line=None, immortal=False)\n--\n\n"
             "A threading.Lock whose word is alone on its cache line.\n\n"
             "Locks made one after the other then never slow each other down. Not reentrant, not fair, and any thread\n"
             "may release it, as threading.Lock. In a forked child a lock held by a thread that stayed behind is free.\n\n"
             "Args:\n"
             "    line: bytes to own; None for line_size(). 16 packs locks, for comparison.\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Lock\n"
             ">>> lock = Lock()\n"
             ">>> with lock:\n"
             "...     lock.locked()\n"
             "True");

PyDoc_STRVAR(spinlock_doc,
             "SpinLock(spins=2000, *, line=None, immortal=False)\n--\n\n"
             "A Lock that looks `spins` times before it sleeps: for critical sections of well under a microsecond.\n\n"
             "With the GIL, or on one core, nothing could happen while it spins, and it sleeps at once.\n\n"
             "Args:\n"
             "    spins: looks at the word before sleeping.\n"
             "    line: bytes to own; None for line_size(). 16 packs locks, for comparison.\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import SpinLock\n"
             ">>> lock = SpinLock()\n"
             ">>> lock.acquire(), lock.acquire(blocking=False)\n"
             "(True, False)");

#define LOCK_SLOTS(make, doc)                                                                                        \
    {                                                                                                                \
        {Py_tp_doc, (void *)(doc)}, {Py_tp_new, make}, {Py_tp_dealloc, lock_dealloc}, {Py_tp_repr, lock_repr},       \
            {Py_tp_traverse, padded_traverse}, {Py_tp_methods, lock_methods}, {Py_tp_members, lock_members},         \
            {Py_tp_getset, lock_getset}, {0, NULL},                                                                  \
    }

static PyType_Slot lock_slots[] = LOCK_SLOTS(lock_new, lock_doc);
static PyType_Slot spinlock_slots[] = LOCK_SLOTS(spinlock_new, spinlock_doc);

#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE)

static PyType_Spec lock_spec = {"knee.padded.Lock", sizeof(lock_object), 0, FLAGS, lock_slots};
static PyType_Spec spinlock_spec = {"knee.padded.SpinLock", sizeof(lock_object), 0, FLAGS, spinlock_slots};

int add_lock(PyObject *module, padded_state *state)
{
    if (PyModule_AddFunctions(module, lock_functions) < 0)
        return -1;
    if (add_type(module, &state->lock, &lock_spec) < 0)
        return -1;
    return add_type(module, &state->spinlock, &spinlock_spec);
}
