/* Barrier: threading.Barrier with its state on lines of its own. */
#include "module.h"
#include "core/barrier.h"

typedef struct {
    PADDED_HEAD
    barrier *barrier;
    PyObject *action;
    PyObject *timeout;
} barrier_object;

static PyObject *barrier_new_method(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"parties", "action", "timeout", "line", "immortal", NULL};
    PyObject *action = Py_None, *timeout = Py_None, *line = NULL;
    Py_ssize_t parties;
    int immortal = 0;
    size_t size;
    int64_t ignored;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n|OO$Op:Barrier", names, &parties, &action, &timeout, &line,
                                     &immortal) ||
        (size = parse_line(line)) == 0 || parse_timeout(timeout, &ignored) < 0)
        return NULL;
    if (parties < 1 || parties >= SLOT_MOST) {
        PyErr_Format(PyExc_ValueError, "parties must be > 0 (and at most a million), not %zd", parties);
        return NULL;
    }
    barrier *made = barrier_new((uint32_t)parties, size);
    if (made == NULL)
        return PyErr_NoMemory();
    barrier_object *self = padded_new(type, immortal);
    if (self == NULL) {
        barrier_drop(made);
        return NULL;
    }
    self->barrier = made;
    Py_INCREF(action);
    self->action = action;
    Py_INCREF(timeout);
    self->timeout = timeout;
    return (PyObject *)self;
}

static int barrier_traverse(PyObject *object, visitproc visit, void *arg)
{
    barrier_object *self = (barrier_object *)object;
    Py_VISIT(self->action);
    Py_VISIT(self->timeout);
    return padded_traverse(object, visit, arg);
}

static int barrier_clear(PyObject *object)
{
    PyObject *action = ((barrier_object *)object)->action;
    ((barrier_object *)object)->action = Py_NewRef(Py_None); /* it may still be waited at, by a finaliser */
    Py_XDECREF(action);
    return 0;
}

static void barrier_dealloc(PyObject *object)
{
    barrier_object *self = (barrier_object *)object;
    padded_dealloc_begin(object);
    Py_CLEAR(self->action);
    Py_CLEAR(self->timeout);
    if (self->barrier != NULL)
        barrier_drop(self->barrier);
    padded_dealloc_end(object);
}

static PyObject *barrier_local(PyObject *object, PyObject *Py_UNUSED(none))
{
    barrier_object *self = (barrier_object *)object;
    barrier_object *handle = padded_new(Py_TYPE(object), 0);
    if (handle != NULL) {
        barrier_hold(self->barrier);
        handle->barrier = self->barrier;
        handle->action = Py_NewRef(self->action);
        handle->timeout = Py_NewRef(self->timeout);
    }
    return (PyObject *)handle;
}

static PyObject *raise_broken(void)
{
    PyObject *threading = PyImport_ImportModule("threading");
    PyObject *error = threading == NULL ? NULL : PyObject_GetAttrString(threading, "BrokenBarrierError");
    if (error != NULL)
        PyErr_SetNone(error);
    Py_XDECREF(error);
    Py_XDECREF(threading);
    return NULL;
}

/* The last to arrive runs the action, then lets all go; if it fails the barrier is broken. */
static int open_round(barrier_object *self, uint32_t me, cell *round)
{
    if (self->action != Py_None) {
        PyObject *result = PyObject_CallNoArgs(self->action);
        if (result == NULL) {
            barrier_abort(self->barrier, me, round);
            return -1;
        }
        Py_DECREF(result);
    }
    barrier_open(round);
    return 0;
}

static PyObject *barrier_wait_method(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"timeout", NULL};
    barrier_object *self = (barrier_object *)object;
    PyObject *timeout = Py_None;
    int64_t deadline;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:wait", names, &timeout) ||
        parse_timeout(timeout == Py_None ? self->timeout : timeout, &deadline) < 0)
        return NULL;
    uint32_t me = slot_mine(), index;
    cell *round;
    wait_result result = barrier_arrive(self->barrier, me, &round, &index);
    if (result == WAIT_MEMORY)
        return PyErr_NoMemory();
    if (result == WAIT_BROKEN)
        return raise_broken();
    int failed = 0;
    if (index == self->barrier->parties - 1)
        failed = open_round(self, me, round);
    else {
        WAIT_DETACHED(result, barrier_wait(self->barrier, me, round, deadline));
        failed = result != WAIT_DONE;
        if (result == WAIT_BROKEN)
            raise_broken();
        else if (failed) /* an exception from a signal handler: this thread will not come */
            barrier_abort(self->barrier, me, round);
    }
    barrier_leave(self->barrier, round);
    return failed ? NULL : PyLong_FromUnsignedLong(index);
}

static PyObject *barrier_reset_method(PyObject *self, PyObject *Py_UNUSED(none))
{
    if (!barrier_reset(((barrier_object *)self)->barrier, slot_mine()))
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *barrier_abort_method(PyObject *self, PyObject *Py_UNUSED(none))
{
    barrier_abort(((barrier_object *)self)->barrier, slot_mine(), NULL);
    Py_RETURN_NONE;
}

static PyObject *barrier_parties(PyObject *self, void *Py_UNUSED(unused))
{
    return PyLong_FromUnsignedLong(((barrier_object *)self)->barrier->parties);
}

static PyObject *barrier_n_waiting(PyObject *self, void *Py_UNUSED(unused))
{
    return PyLong_FromUnsignedLong(barrier_waiting(((barrier_object *)self)->barrier, slot_mine(), NULL));
}

static PyObject *barrier_broken(PyObject *self, void *Py_UNUSED(unused))
{
    bool broken;
    barrier_waiting(((barrier_object *)self)->barrier, slot_mine(), &broken);
    return PyBool_FromLong(broken);
}

static PyObject *barrier_repr(PyObject *object)
{
    barrier *of = ((barrier_object *)object)->barrier;
    bool broken;
    uint32_t waiting = barrier_waiting(of, slot_mine(), &broken);
    if (broken)
        return PyUnicode_FromFormat("<padded.Barrier at %p: broken>", object);
    return PyUnicode_FromFormat("<padded.Barrier at %p: waiters=%u/%u>", object, waiting, of->parties);
}

static PyMethodDef barrier_methods[] = {
    {"wait", METHOD(barrier_wait_method), METH_VARARGS | METH_KEYWORDS,
     "wait($self, /, timeout=None)\n--\n\nAs threading.Barrier.wait; an interrupt (Ctrl-C) while waiting breaks it."},
    {"reset", barrier_reset_method, METH_NOARGS, "reset($self, /)\n--\n\nAs threading.Barrier.reset."},
    {"abort", barrier_abort_method, METH_NOARGS, "abort($self, /)\n--\n\nAs threading.Barrier.abort."},
    {"local", barrier_local, METH_NOARGS,
     "local($self, /)\n--\n\nThe same barrier as an object of the calling thread's own."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef barrier_members[] = {PADDED_MEMBERS(barrier_object), {NULL, 0, 0, 0, NULL}};

static PyGetSetDef barrier_getset[] = {
    {"parties", barrier_parties, NULL, "The number of threads that it waits for.", NULL},
    {"n_waiting", barrier_n_waiting, NULL, "The number of threads that wait now.", NULL},
    {"broken", barrier_broken, NULL, "Whether it is broken.", NULL},
    PADDED_COUNTING,
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(barrier_doc,
             "Barrier(parties, action=None, timeout=None, *, line=None, immortal=False)\n--\n\n"
             "A threading.Barrier on cache lines of its own.\n\n"
             "In a forked child those who had arrived in the parent are forgotten.\n\n"
             "Args:\n"
             "    parties: the number of threads that meet.\n"
             "    action: called by the last to arrive, before all go on.\n"
             "    timeout: default for wait(), in seconds.\n"
             "    line: bytes to own; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Barrier\n"
             ">>> Barrier(1).wait()\n"
             "0");

static PyType_Slot barrier_slots[] = {
    {Py_tp_doc, (void *)barrier_doc},
    {Py_tp_new, barrier_new_method},
    {Py_tp_dealloc, barrier_dealloc},
    {Py_tp_repr, barrier_repr},
    {Py_tp_traverse, barrier_traverse},
    {Py_tp_clear, barrier_clear},
    {Py_tp_methods, barrier_methods},
    {Py_tp_members, barrier_members},
    {Py_tp_getset, barrier_getset},
    {0, NULL},
};

static PyType_Spec barrier_spec = {"knee.padded.Barrier", sizeof(barrier_object), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, barrier_slots};

int add_barrier(PyObject *module, padded_state *state) { return add_type(module, &state->barrier, &barrier_spec); }
