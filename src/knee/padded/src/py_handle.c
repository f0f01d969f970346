/* What the sharded types have in common, and what their local() returns: a callable that knows its thread's shard. */
#include "exempt.h"
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

/* An immortal object's method is best looked up by ourselves where nothing specialises the call (free-threaded 3.13):
   the way through the type costs two fifths of a call there. A bound method, made once, is returned instead. It can be
   shared by all threads for it is as immortal as the object, and what it refers to is not freed either. Objects that are
   counted do not have one: their bound method would be one more thing to count references on. */
#if defined(Py_GIL_DISABLED) && PY_VERSION_HEX < 0x030E0000
#define FINDS_METHOD 1
#else
#define FINDS_METHOD 0
#endif

static PyObject *find(PyObject *object, PyObject *name)
{
    sharded_object *self = (sharded_object *)object;
    /* The names in code are interned: the pointer decides. Any other name goes the usual way. */
    return name == self->name ? Py_NewRef(self->method) : PyObject_GenericGetAttr(object, name);
}

/* Without the check of the recursion's depth: nothing here calls back. */
static PyObject *method_call(PyObject *method, PyObject *const *args, size_t nargsf, PyObject *names)
{
    return sharded_call(PyCFunction_GET_SELF(method), args, nargsf, names);
}

static int find_method(sharded_object *self, PyMethodDef *puts)
{
    PyObject *name = PyUnicode_InternFromString(puts->ml_name);
    PyObject *method = name == NULL ? NULL : PyCFunction_New(puts, (PyObject *)self);
    if (method == NULL || exempt(method, 1) < 0) {
        Py_XDECREF(name);
        Py_XDECREF(method);
        return -1;
    }
    ((PyCFunctionObject *)method)->vectorcall = method_call;
    self->method = method;
    self->name = name;
    return 0;
}

static PyTypeObject *immortal_type(PyTypeObject *type)
{
    padded_state *state = PyType_GetModuleState(type);
    return type == state->counter   ? state->immortal_counter
           : type == state->maximum ? state->immortal_maximum
                                    : state->immortal_histogram;
}

int add_sharded(PyObject *module, PyTypeObject **type, PyTypeObject **immortal, PyType_Spec *spec)
{
    static PyType_Slot slots[] = {{Py_tp_getattro, find}, {0, NULL}};
    PyType_Spec open = *spec;
    open.flags |= FINDS_METHOD ? Py_TPFLAGS_BASETYPE : 0;
    if (add_type(module, type, &open) < 0)
        return -1;
    if (FINDS_METHOD) {
        PyType_Spec sub = {spec->name, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
        *immortal = (PyTypeObject *)PyType_FromModuleAndSpec(module, &sub, (PyObject *)*type);
        (*type)->tp_flags &= ~Py_TPFLAGS_BASETYPE; /* from here on as any other: no one has seen it yet */
        if (*immortal == NULL)
            return -1;
        exempt_type(*immortal);
    }
    return 0;
}

PyObject *sharded_make(PyTypeObject *type, put_function put, size_t count, size_t line, int immortal)
{
    if (type->tp_getattro == find) /* type(counter)() makes what Counter() makes */
        type = type->tp_base;
    shards *made = shards_new(count, line);
    if (made == NULL)
        return PyErr_NoMemory();
    sharded_object *self = padded_new(immortal && FINDS_METHOD ? immortal_type(type) : type, immortal);
    if (self == NULL) {
        shards_drop(made);
        return NULL;
    }
    if (immortal && FINDS_METHOD && find_method(self, type->tp_methods) < 0) {
        shards_drop(made);
        return NULL; /* what is immortal cannot be freed; there is no memory left in any case */
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
