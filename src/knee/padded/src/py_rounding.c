/* Rounding what Python allocates up to whole lines, while a thread asks for it.

   The allocators of the "object" and "mem" domains are wrapped once for the process; wrapping is what the C API allows
   after initialisation. Only sizes change: the free-threaded collector finds objects at the start of blocks, so a block
   must not be shifted. Where the allocator aligns blocks of whole lines to lines (mimalloc of the free-threaded builds
   does) that puts each block on lines of its own. Others (pymalloc) do not; a guard of one more line keeps a block's
   bytes off the lines of the blocks that are rounded after it. Each block made is noted, so that Python can check. */
#include <pthread.h>
#include <stdlib.h>

#include "module.h"

typedef struct {
    uintptr_t address;
    size_t size; /* as asked for */
} note;

static _Thread_local struct {
    size_t line; /* 0: do not round */
    size_t guard;
    size_t count, capacity;
    note *notes;
    bool lost; /* no memory for a note */
} rounding;

static PyMemAllocatorEx object_allocator, mem_allocator;

static size_t rounded(size_t size)
{
    if (rounding.line == 0 || size > PY_SSIZE_T_MAX - 2 * LINE_MOST)
        return size;
    return line_round(size ? size : 1, rounding.line) + rounding.guard;
}

static void forget(void *block)
{
    if (rounding.line == 0 || block == NULL)
        return;
    for (size_t i = rounding.count; i-- > 0;)
        if (rounding.notes[i].address == (uintptr_t)block) {
            rounding.notes[i] = rounding.notes[--rounding.count];
            return;
        }
}

static void *noted(void *block, size_t size)
{
    if (rounding.line == 0 || block == NULL)
        return block;
    if (rounding.count == rounding.capacity) {
        size_t capacity = rounding.capacity ? 2 * rounding.capacity : 64;
        note *notes = realloc(rounding.notes, capacity * sizeof *notes);
        if (notes == NULL) {
            rounding.lost = true;
            return block;
        }
        rounding.notes = notes;
        rounding.capacity = capacity;
    }
    rounding.notes[rounding.count++] = (note){(uintptr_t)block, size};
    return block;
}

/* The context is not used: a thread may read the old function with the new context while this is installed. */
#define WRAP(domain)                                                                                                 \
    static void *domain##_malloc(void *Py_UNUSED(context), size_t size)                                              \
    {                                                                                                                \
        return noted(domain##_allocator.malloc(domain##_allocator.ctx, rounded(size)), size);                        \
    }                                                                                                                \
    static void *domain##_calloc(void *Py_UNUSED(context), size_t count, size_t each)                                \
    {                                                                                                                \
        if (rounding.line == 0 || (each != 0 && count > (size_t)PY_SSIZE_T_MAX / each))                              \
            return domain##_allocator.calloc(domain##_allocator.ctx, count, each);                                   \
        return noted(domain##_allocator.calloc(domain##_allocator.ctx, 1, rounded(count * each)), count * each);     \
    }                                                                                                                \
    static void *domain##_realloc(void *Py_UNUSED(context), void *block, size_t size)                                \
    {                                                                                                                \
        void *moved = domain##_allocator.realloc(domain##_allocator.ctx, block, rounded(size));                      \
        if (moved != NULL)                                                                                           \
            forget(block);                                                                                           \
        return noted(moved, size);                                                                                   \
    }                                                                                                                \
    static void domain##_free(void *Py_UNUSED(context), void *block)                                                 \
    {                                                                                                                \
        forget(block);                                                                                               \
        domain##_allocator.free(domain##_allocator.ctx, block);                                                      \
    }

WRAP(object)
WRAP(mem)

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void install(void)
{
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &object_allocator);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &mem_allocator);
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &(PyMemAllocatorEx){NULL, object_malloc, object_calloc, object_realloc,
                                                             object_free});
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &(PyMemAllocatorEx){NULL, mem_malloc, mem_calloc, mem_realloc, mem_free});
}

static PyObject *rounding_begin(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *line;
    int guard;
    size_t size;
    if (!PyArg_ParseTuple(args, "Op", &line, &guard) || (size = parse_line(line)) == 0)
        return NULL;
    if (rounding.line != 0) {
        PyErr_SetString(PyExc_RuntimeError, "this thread rounds already: LinePadded factories do not nest");
        return NULL;
    }
    pthread_once(&once, install);
    rounding.count = 0;
    rounding.lost = false;
    rounding.guard = guard ? size : 0;
    rounding.line = size;
    Py_RETURN_NONE;
}

static PyObject *rounding_end(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    rounding.line = 0;
    if (rounding.lost)
        return PyErr_NoMemory();
    PyObject *notes = PyList_New((Py_ssize_t)rounding.count);
    for (size_t i = 0; notes != NULL && i < rounding.count; i++) {
        PyObject *pair = Py_BuildValue("KK", (unsigned long long)rounding.notes[i].address,
                                       (unsigned long long)rounding.notes[i].size);
        if (pair == NULL)
            Py_CLEAR(notes);
        else
            PyList_SET_ITEM(notes, (Py_ssize_t)i, pair);
    }
    free(rounding.notes);
    rounding.notes = NULL;
    rounding.count = rounding.capacity = 0;
    return notes;
}

PyMethodDef rounding_methods[] = {
    {"_rounding_begin", rounding_begin, METH_VARARGS,
     "_rounding_begin($module, line, guard, /)\n--\n\nUntil _rounding_end, rounds what this thread allocates up to lines."},
    {"_rounding_end", rounding_end, METH_NOARGS,
     "_rounding_end($module, /)\n--\n\nEnds it; (address, size) of the blocks made meanwhile that are still there."},
    {NULL, NULL, 0, NULL},
};
