/* Block: goes back to the arena it came from, from whichever thread lets go of it last. */
#include "py_block.h"

#if PY_VERSION_HEX < 0x030D0000
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

static void block_dealloc(PyObject *object)
{
    block_object *self = (block_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->block.data != NULL)
        arenas_give(&self->block, slot_mine());
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *block_release(PyObject *object, PyObject *Py_UNUSED(none))
{
    block_object *self = (block_object *)object;
    arena_block released = {0};
    int exported = 0;
    Py_BEGIN_CRITICAL_SECTION(object);
    exported = self->exports > 0;
    if (!exported) {
        released = self->block;
        self->block.data = NULL;
    }
    Py_END_CRITICAL_SECTION();
    if (exported) {
        PyErr_SetString(PyExc_BufferError, "a view of the block is in use");
        return NULL;
    }
    if (released.data != NULL)
        arenas_give(&released, slot_mine());
    Py_RETURN_NONE;
}

static PyObject *block_exit(PyObject *object, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs))
{
    return block_release(object, NULL);
}

static PyObject *block_enter(PyObject *self, PyObject *Py_UNUSED(none)) { return Py_NewRef(self); }

static int block_getbuffer(PyObject *object, Py_buffer *view, int flags)
{
    block_object *self = (block_object *)object;
    int result = -1;
    view->obj = NULL;
    Py_BEGIN_CRITICAL_SECTION(object);
    if (self->block.data == NULL)
        PyErr_SetString(PyExc_BufferError, "the block has been released");
    else {
        result = PyBuffer_FillInfo(view, object, self->block.data, (Py_ssize_t)self->block.size, 0, flags);
        self->exports += result == 0;
    }
    Py_END_CRITICAL_SECTION();
    return result;
}

static void block_releasebuffer(PyObject *object, Py_buffer *Py_UNUSED(view))
{
    Py_BEGIN_CRITICAL_SECTION(object);
    ((block_object *)object)->exports--;
    Py_END_CRITICAL_SECTION();
}

static Py_ssize_t block_length(PyObject *self) { return (Py_ssize_t)((block_object *)self)->block.size; }

static PyObject *block_arena(PyObject *object, void *Py_UNUSED(unused))
{
    arena_block block;
    Py_BEGIN_CRITICAL_SECTION(object);
    block = ((block_object *)object)->block;
    Py_END_CRITICAL_SECTION();
    if (block.data == NULL)
        Py_RETURN_NONE;
    return PyLong_FromUnsignedLong(arena_index(block.arena));
}

static PyMethodDef block_methods[] = {
    {"release", block_release, METH_NOARGS,
     "release($self, /)\n--\n\nGives the memory back now; BufferError while a view of it is in use. Twice is once."},
    {"__enter__", block_enter, METH_NOARGS, NULL},
    {"__exit__", METHOD(block_exit), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef block_getset[] = {
    {"arena", block_arena, NULL, "The index of the arena it came from; None once released.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot block_slots[] = {
    {Py_tp_doc, "Memory from an arena: a writable buffer of bytes, not zeroed unless asked for, on whole lines."},
    {Py_tp_dealloc, block_dealloc},
    {Py_tp_methods, block_methods},
    {Py_tp_getset, block_getset},
    {Py_sq_length, block_length},
    {Py_bf_getbuffer, block_getbuffer},
    {Py_bf_releasebuffer, block_releasebuffer},
    {0, NULL},
};

static PyType_Spec block_spec = {"knee.padded.Block", sizeof(block_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 block_slots};

int add_block(PyObject *module, padded_state *state) { return add_type(module, &state->block, &block_spec); }
