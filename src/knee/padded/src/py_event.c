/* Event: threading.Event in one word on its own line. */
#include "module.h"
#include "core/cell.h"
#include "core/event.h"

typedef struct {
    PADDED_HEAD
    size_t line;
    cell *cell;
} event_object;

static PyObject *event_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"line", "immortal", NULL};
    PyObject *line = NULL;
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$Op:Event", names, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    event_object *self = padded_new(type, immortal);
    if (self == NULL)
        return NULL;
    self->line = size;
    self->cell = cell_take(size);
    if (self->cell == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void event_dealloc(PyObject *object)
{
    event_object *self = (event_object *)object;
    padded_dealloc_begin(object);
    if (self->cell != NULL)
        cell_drop(self->cell, self->line);
    padded_dealloc_end(object);
}

static PyObject *event_local(PyObject *object, PyObject *Py_UNUSED(none))
{
    event_object *self = (event_object *)object;
    event_object *handle = padded_new(Py_TYPE(object), 0);
    if (handle != NULL) {
        cell_hold(self->cell);
        handle->cell = self->cell;
        handle->line = self->line;
    }
    return (PyObject *)handle;
}

static PyObject *event_is_set_method(PyObject *self, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(event_is_set(&((event_object *)self)->cell->word));
}

static PyObject *event_set_method(PyObject *self, PyObject *Py_UNUSED(none))
{
    event_set(&((event_object *)self)->cell->word);
    Py_RETURN_NONE;
}

static PyObject *event_clear_method(PyObject *self, PyObject *Py_UNUSED(none))
{
    event_clear(&((event_object *)self)->cell->word);
    Py_RETURN_NONE;
}

static PyObject *event_wait_method(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"timeout", NULL};
    _Atomic uint32_t *word = &((event_object *)object)->cell->word;
    PyObject *timeout = NULL;
    int64_t deadline;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:wait", names, &timeout) ||
        parse_timeout(timeout, &deadline) < 0)
        return NULL;
    if (event_is_set(word))
        Py_RETURN_TRUE;
    uint32_t times = event_times(word);
    wait_result result;
    WAIT_DETACHED(result, event_wait(word, times, deadline));
    return result == WAIT_SIGNAL ? NULL : PyBool_FromLong(result == WAIT_DONE);
}

static PyObject *event_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<padded.Event at %p: %s>", self,
                                event_is_set(&((event_object *)self)->cell->word) ? "set" : "unset");
}

static PyMethodDef event_methods[] = {
    {"is_set", event_is_set_method, METH_NOARGS, "is_set($self, /)\n--\n\nAs threading.Event.is_set."},
    {"set", event_set_method, METH_NOARGS, "set($self, /)\n--\n\nAs threading.Event.set."},
    {"clear", event_clear_method, METH_NOARGS, "clear($self, /)\n--\n\nAs threading.Event.clear."},
    {"wait", METHOD(event_wait_method), METH_VARARGS | METH_KEYWORDS,
     "wait($self, /, timeout=None)\n--\n\nAs threading.Event.wait: False only after a timeout (seconds)."},
    {"local", event_local, METH_NOARGS,
     "local($self, /)\n--\n\nThe same event as an object of the calling thread's own."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef event_members[] = {PADDED_MEMBERS(event_object), {NULL, 0, 0, 0, NULL}};
static PyGetSetDef event_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(event_doc,
             "Event(*, line=None, immortal=False)\n--\n\n"
             "A threading.Event in one word alone on its cache line: asking whether it is set reads that word only.\n\n"
             "Args:\n"
             "    line: bytes to own; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Event\n"
             ">>> stop = Event()\n"
             ">>> stop.wait(0.01)\n"
             "False\n"
             ">>> stop.set()\n"
             ">>> stop.wait()\n"
             "True");

static PyType_Slot event_slots[] = {
    {Py_tp_doc, (void *)event_doc},
    {Py_tp_new, event_new},
    {Py_tp_dealloc, event_dealloc},
    {Py_tp_repr, event_repr},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_methods, event_methods},
    {Py_tp_members, event_members},
    {Py_tp_getset, event_getset},
    {0, NULL},
};

static PyType_Spec event_spec = {"knee.padded.Event", sizeof(event_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, event_slots};

int add_event(PyObject *module, padded_state *state) { return add_type(module, &state->event, &event_spec); }
