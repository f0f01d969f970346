/* Counter: a sum to which each thread adds on a line of its own. */
#include "sharded.h"

enum { LOW, HIGH }; /* fields of a shard: a sum of 128 bits, which never overflows */

static int put(shards *of, shard *mine, PyObject *value)
{
    int64_t n = 1;
    if (value != NULL && parse_int64(value, &n) < 0)
        return -1;
    shards_enter(of, mine);
    uint64_t before = (uint64_t)shard_get(mine, LOW);
    uint64_t after = before + (uint64_t)n;
    int64_t carry = (n < 0 ? -1 : 0) + (after < before);
    shard_put(mine, LOW, (int64_t)after);
    if (carry != 0)
        shard_put(mine, HIGH, shard_get(mine, HIGH) + carry);
    shards_leave(mine);
    return 0;
}

static PyObject *counter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"line", "immortal", NULL};
    PyObject *line = NULL;
    int immortal = 0;
    size_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$Op:Counter", names, &line, &immortal) ||
        (size = parse_line(line)) == 0)
        return NULL;
    return sharded_make(type, put, 2, size, immortal);
}

static PyObject *counter_add(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs > 1) {
        PyErr_Format(PyExc_TypeError, "add() takes at most 1 argument (%zd given)", nargs);
        return NULL;
    }
    if (sharded_put((sharded_object *)self, nargs == 0 ? NULL : args[0]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static void sum_shard(shard *each, void *sum)
{
    *(__int128 *)sum += (__int128)((unsigned __int128)shard_get(each, HIGH) << 64) + (uint64_t)shard_get(each, LOW);
}

static void take_shard(shard *each, void *sum)
{
    sum_shard(each, sum);
    shard_put(each, LOW, 0);
    shard_put(each, HIGH, 0);
}

static PyObject *counter_sum(PyObject *object, void (*visit)(shard *, void *))
{
    __int128 sum = 0;
    shards_each(((sharded_object *)object)->shards, slot_mine(), visit, &sum);
    if (sum == (int64_t)sum)
        return PyLong_FromLongLong((int64_t)sum);
    PyObject *high = PyLong_FromLongLong((int64_t)(sum >> 64));
    PyObject *low = PyLong_FromUnsignedLongLong((uint64_t)sum);
    PyObject *bits = PyLong_FromLong(64);
    PyObject *shifted = high && bits ? PyNumber_Lshift(high, bits) : NULL;
    PyObject *result = shifted && low ? PyNumber_Or(shifted, low) : NULL;
    Py_XDECREF(high);
    Py_XDECREF(low);
    Py_XDECREF(bits);
    Py_XDECREF(shifted);
    return result;
}

static PyObject *counter_value(PyObject *self, PyObject *Py_UNUSED(none)) { return counter_sum(self, sum_shard); }
static PyObject *counter_reset(PyObject *self, PyObject *Py_UNUSED(none)) { return counter_sum(self, take_shard); }

static PyMethodDef counter_methods[] = {
    {"add", METHOD(counter_add), METH_FASTCALL,
     "add($self, n=1, /)\n--\n\nAdds n, which must fit into 64 bits (else OverflowError). The sum may be larger."},
    {"value", counter_value, METH_NOARGS,
     "value($self, /)\n--\n\nThe sum at one moment during the call: linearisable, exact, and slow (it visits a line per\n"
     "thread)."},
    {"reset", counter_reset, METH_NOARGS,
     "reset($self, /)\n--\n\nSets it to 0 and returns the sum until then; no add is lost or counted twice."},
    {"local", sharded_local, METH_NOARGS, SHARDED_LOCAL_DOC},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef counter_members[] = {SHARDED_MEMBERS, {NULL, 0, 0, 0, NULL}};
static PyGetSetDef counter_getset[] = {PADDED_COUNTING, {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(counter_doc,
             "Counter(*, line=None, immortal=False)\n--\n\n"
             "A sum that many threads add to and few read: each thread adds on a line of its own.\n\n"
             "Calling it adds as well: hits(1) is hits.add(1) without looking the method up. (So it is with Maximum and\n"
             "Histogram.)\n\n"
             "Args:\n"
             "    line: bytes to own, per thread; None for line_size().\n"
             "    immortal: exempt the object from reference counting; it is then never freed.\n\n"
             ">>> from knee.padded import Counter\n"
             ">>> hits = Counter()\n"
             ">>> hits.add()\n"
             ">>> hits(1)\n"
             ">>> add = hits.local()  # in each thread, for a busy loop\n"
             ">>> add(40)\n"
             ">>> hits.value()\n"
             "42");

static PyType_Slot counter_slots[] = {
    {Py_tp_doc, (void *)counter_doc},
    {Py_tp_new, counter_new},
    {Py_tp_dealloc, sharded_dealloc},
    {Py_tp_traverse, padded_traverse},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_methods, counter_methods},
    {Py_tp_members, counter_members},
    {Py_tp_getset, counter_getset},
    {0, NULL},
};

static PyType_Spec counter_spec = {"knee.padded.Counter", sizeof(sharded_object), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                       Py_TPFLAGS_HAVE_VECTORCALL, counter_slots};

int add_counter(PyObject *module, padded_state *state)
{
    return add_sharded(module, &state->counter, &state->immortal_counter, &counter_spec);
}
