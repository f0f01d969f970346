/* RWLock: two locks in one, `read` and `write`, each with a Lock's methods. */
#include "module.h"
#include "core/rwlock.h"

typedef struct {
    PADDED_HEAD
    bool writing;
    rwlock *rwlock;
} side_object;

typedef struct {
    PADDED_HEAD
    PyObject *read, *write;
} rwlock_object;

/* Steals a reference to the rwlock. */
static PyObject *side_make(PyTypeObject *type, rwlock *of, bool writing, int immortal)
{
    side_object *self = padded_new(type, immortal);
    if (self == NULL) {
        rwlock_drop(of);
        return NULL;
    }
    self->rwlock = of;
    self->writing = writing;
    return (PyObject *)self;
}

static void side_dealloc(PyObject *object)
{
    padded_dealloc_begin(object);
    if (((side_object *)object)->rwlock != NULL)
        rwlock_drop(((side_object *)object)->rwlock);
    padded_dealloc_end(object);
}

/* What would wait for this thread itself. */
static int refuse_deadlock(side_object *self, uint32_t me)
{
    const char *text = NULL;
    if (lock_owner(self->rwlock->writer) == me)
        text = self->writing ? "this thread holds the lock for writing already"
                             : "this thread holds the lock for writing: release that first";
    else if (self->writing && rwlock_reading(self->rwlock, me))
        text = "this thread holds the lock for reading: release that first";
    if (text != NULL)
        PyErr_SetString(PyExc_RuntimeError, text);
    return text == NULL ? 0 : -1;
}

static PyObject *side_acquire(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    side_object *self = (side_object *)object;
    uint32_t me = slot_mine();
    int64_t deadline = NEVER;
    if ((nargs > 0 || names != NULL) && parse_acquire(args, nargs, names, &deadline) < 0)
        return NULL;
    if (deadline == NEVER && refuse_deadlock(self, me) < 0)
        return NULL;
    wait_result result = self->writing ? rwlock_write(self->rwlock, me, 0) : rwlock_read(self->rwlock, me, 0);
    if (result == WAIT_SIGNAL)
        result = WAIT_TIMEOUT;
    if (result == WAIT_TIMEOUT && deadline != 0) {
        if (self->writing)
            WAIT_DETACHED(result, rwlock_write(self->rwlock, me, deadline));
        else
            WAIT_DETACHED(result, rwlock_read(self->rwlock, me, deadline));
    }
    if (result == WAIT_MEMORY)
        return PyErr_NoMemory();
    return result == WAIT_SIGNAL ? NULL : PyBool_FromLong(result == WAIT_DONE);
}

static PyObject *side_enter(PyObject *object, PyObject *Py_UNUSED(none)) { return side_acquire(object, NULL, 0, NULL); }

static PyObject *side_release(PyObject *object, PyObject *Py_UNUSED(none))
{
    side_object *self = (side_object *)object;
    uint32_t me = slot_mine();
    if (self->writing ? rwlock_write_release(self->rwlock, me) : rwlock_read_release(self->rwlock, me))
        Py_RETURN_NONE;
    PyErr_SetString(PyExc_RuntimeError, self->writing ? "this thread does not hold the lock for writing"
                                                      : "this thread does not hold the lock for reading");
    return NULL;
}

static PyObject *side_exit(PyObject *object, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs))
{
    return side_release(object, NULL);
}

static int side_is_locked(PyObject *object)
{
    side_object *self = (side_object *)object;
    return self->writing ? lock_held(self->rwlock->writer) : rwlock_readers(self->rwlock) > 0;
}

static PyObject *side_locked(PyObject *object, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(side_is_locked(object));
}

static PyObject *side_reinit(PyObject *object, PyObject *Py_UNUSED(none))
{
    rwlock_reset(((side_object *)object)->rwlock, slot_mine());
    Py_RETURN_NONE;
}

static PyObject *side_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<%s padded.RWLock.%s object at %p>", side_is_locked(object) ? "locked" : "unlocked",
                                ((side_object *)object)->writing ? "write" : "read", object);
}

static PyMethodDef side_methods[] = {
    {"acquire", METHOD(side_acquire), METH_FASTCALL | METH_KEYWORDS,
     "acquire($self, /, blocking=True, timeout=-1)\n--\n\nAs threading.Lock.acquire; RuntimeError where this thread would "
     "wait for itself for ever."},
    {"release", side_release, METH_NOARGS,
     "release($self, /)\n--\n\nRuntimeError unless this thread holds this side of the lock."},
    {"locked", side_locked, METH_NOARGS, "locked($self, /)\n--\n\nWhether any thread holds this side of the lock."},
    {"__enter__", side_enter, METH_NOARGS, NULL},
    {"__exit__", METHOD(side_exit), METH_FASTCALL, NULL},
    {"_at_fork_reinit", side_reinit, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef side_members[] = {PADDED_MEMBERS(side_object), {NULL, 0, 0, 0, NULL}};
static PyGetSetDef side_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot side_slots[] = {
    {Py_tp_doc, "One side of an RWLock, with the methods of a Lock."},
    {Py_tp_dealloc, side_dealloc},
    {Py_tp_repr, side_repr},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_methods, side_methods},
    {Py_tp_members, side_members},
    {Py_tp_getset, side_getset},
    {0, NULL},
};

static PyType_Spec side_spec = {"knee.padded.RWLockSide", sizeof(side_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                side_slots};

/* Steals a reference to the rwlock. */
static PyObject *rwlock_make(PyTypeObject *type, rwlock *of, int immortal)
{
    padded_state *state = PyType_GetModuleState(type);
    rwlock_object *self = padded_new(type, immortal);
    if (self == NULL) {
        rwlock_drop(of);
        return NULL;
    }
    rwlock_hold(of);
    self->read = side_make(state->rwside, of, false, immortal);
    self->write = side_make(state->rwside, of, true, immortal);
    if (self->read == NULL || self->write == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static PyObject *rwlock_new_method(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"line", "immortal", NULL};
    PyObject *line = NULL;
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$Op:RWLock", names, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    rwlock *made = rwlock_new(size);
    return made == NULL ? PyErr_NoMemory() : rwlock_make(type, made, immortal);
}

static int rwlock_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(((rwlock_object *)object)->read);
    Py_VISIT(((rwlock_object *)object)->write);
    return padded_traverse(object, visit, arg);
}

static void rwlock_dealloc(PyObject *object)
{
    padded_dealloc_begin(object);
    Py_CLEAR(((rwlock_object *)object)->read);
    Py_CLEAR(((rwlock_object *)object)->write);
    padded_dealloc_end(object);
}

static PyObject *rwlock_local(PyObject *object, PyObject *Py_UNUSED(none))
{
    rwlock *of = ((side_object *)((rwlock_object *)object)->read)->rwlock;
    rwlock_hold(of);
    return rwlock_make(Py_TYPE(object), of, 0);
}

static PyObject *rwlock_repr(PyObject *object)
{
    rwlock *of = ((side_object *)((rwlock_object *)object)->read)->rwlock;
    return PyUnicode_FromFormat("<padded.RWLock at %p: readers=%u, %s>", object, rwlock_readers(of),
                                lock_held(of->writer) ? "writing" : "not writing");
}

static PyMethodDef rwlock_methods[] = {
    {"local", rwlock_local, METH_NOARGS,
     "local($self, /)\n--\n\nThe same lock as an object of the calling thread's own."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef rwlock_members[] = {
    PADDED_MEMBERS(rwlock_object),
    {"read", T_OBJECT_EX, offsetof(rwlock_object, read), READONLY, "The side for readers: many at once, reentrant."},
    {"write", T_OBJECT_EX, offsetof(rwlock_object, write), READONLY, "The side for writers: one, and no reader."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef rwlock_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(rwlock_doc,
             "RWLock(*, line=None, immortal=False)\n--\n\n"
             "Many readers or one writer. Readers count themselves on a line per thread and never meet.\n\n"
             "Writers are preferred: while one waits, threads that do not read yet wait behind it, so readers can starve\n"
             "under writers that never pause. Reading is reentrant; writing is not, and a reader cannot become a writer:\n"
             "where a thread would wait for itself it gets a RuntimeError. Each side is released by the thread that holds\n"
             "it. Writing visits a line per thread: for data that is read far more often than written.\n"
             "In a forked child, threads that stayed behind hold nothing.\n\n"
             "Args:\n"
             "    line: bytes to own, per thread; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import RWLock\n"
             ">>> settings = RWLock()\n"
             ">>> with settings.read:\n"
             "...     settings.write.acquire(blocking=False)\n"
             "False\n"
             ">>> with settings.write:\n"
             "...     settings.read.locked()\n"
             "False");

static PyType_Slot rwlock_slots[] = {
    {Py_tp_doc, (void *)rwlock_doc},
    {Py_tp_new, rwlock_new_method},
    {Py_tp_dealloc, rwlock_dealloc},
    {Py_tp_repr, rwlock_repr},
    {Py_tp_traverse, rwlock_traverse},
    {Py_tp_methods, rwlock_methods},
    {Py_tp_members, rwlock_members},
    {Py_tp_getset, rwlock_getset},
    {0, NULL},
};

static PyType_Spec rwlock_spec = {"knee.padded.RWLock", sizeof(rwlock_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, rwlock_slots};

int add_rwlock(PyObject *module, padded_state *state)
{
    if (add_type(module, &state->rwside, &side_spec) < 0)
        return -1;
    return add_type(module, &state->rwlock, &rwlock_spec);
}
