/* What local() of a sharded type returns: a callable that knows its thread's shard. */
#include "sharded.h"

int sharded_put(sharded_object *self, PyObject *value)
{
    uint32_t me = slot_mine();
    shard *mine = self->slot == me ? self->mine : shards_mine(self->shards, me);
    if (mine == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return self->put(self->shards, mine, value);
}

static PyObject *sharded_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *names)
{
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (nargs > 1 || names != NULL) {
        PyErr_SetString(PyExc_TypeError, "takes one positional argument at most");
        return NULL;
    }
    if (sharded_put((sharded_object *)object, nargs == 0 ? NULL : args[0]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *sharded_make(PyTypeObject *type, put_function put, size_t count, size_t line, int immortal)
{
    shards *made = shards_new(count, line);
    if (made == NULL)
        return PyErr_NoMemory();
    sharded_object *self = padded_new(type, immortal);
    if (self == NULL) {
        shards_drop(made);
        return NULL;
    }
    self->put = put;
    self->shards = made;
    self->call = sharded_call;
    return (PyObject *)self;
}

void sharded_dealloc(PyObject *object)
{
    sharded_object *self = (sharded_object *)object;
    padded_dealloc_begin(object);
    if (self->shards != NULL)
        shards_drop(self->shards);
    padded_dealloc_end(object);
}

PyObject *sharded_local(PyObject *object, PyObject *Py_UNUSED(none))
{
    sharded_object *self = (sharded_object *)object;
    uint32_t me = slot_mine();
    shard *mine = shards_mine(self->shards, me);
    if (mine == NULL)
        return PyErr_NoMemory();
    sharded_object *handle = padded_new(state_of(object)->handle, 0);
    if (handle != NULL) {
        shards_hold(self->shards);
        handle->shards = self->shards;
        handle->put = self->put;
        handle->mine = mine;
        handle->slot = me;
        handle->call = sharded_call;
    }
    return (PyObject *)handle;
}

static PyMemberDef handle_members[] = {
    SHARDED_MEMBERS,
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot handle_slots[] = {
    {Py_tp_doc, "What local() returns: call it with the value, in the thread that made it."},
    {Py_tp_dealloc, sharded_dealloc},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, handle_members},
    {0, NULL},
};

static PyType_Spec handle_spec = {
    "knee.padded.Handle", sizeof(sharded_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    handle_slots};

int add_handle(PyObject *module, padded_state *state) { return add_type(module, &state->handle, &handle_spec); }
