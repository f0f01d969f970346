#include "exempt.h"

#ifdef Py_GIL_DISABLED

/* Py_None's header as this build's Python.h lays it out: a local count of UINT32_MAX and a shared count of 0 mark an
   immortal object in 3.13 and 3.14. */
static int understood;

static int looks_immortal(PyObject *object)
{
    return _Py_atomic_load_uint32_relaxed(&object->ob_ref_local) == UINT32_MAX &&
           _Py_atomic_load_ssize_relaxed(&object->ob_ref_shared) == 0;
}

int exempt_check(void)
{
    PyObject *mortal = PyList_New(0);
    if (mortal == NULL)
        return -1;
    understood = looks_immortal(Py_None) && looks_immortal(Py_True) && !looks_immortal(mortal);
    Py_DECREF(mortal);
    return 0;
}

static int make_immortal(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030F0000
    return PyUnstable_SetImmortal(object);
#else
    if (!understood)
        return 0;
    _Py_atomic_store_ssize_relaxed(&object->ob_ref_shared, 0);
    _Py_atomic_store_uint32_relaxed(&object->ob_ref_local, UINT32_MAX);
    return 1;
#endif
}

int exempt(PyObject *object, int immortal)
{
    if (immortal) {
        if (make_immortal(object))
            return IMMORTAL;
        PyErr_SetString(PyExc_NotImplementedError, "this interpreter offers no way to make an object immortal");
        return -1;
    }
#if PY_VERSION_HEX >= 0x030E0000
    if (PyUnstable_Object_EnableDeferredRefcount(object))
        return DEFERRED;
#endif
    return COUNTED;
}

void exempt_type(PyTypeObject *type)
{
#if PY_VERSION_HEX < 0x030E0000
    make_immortal((PyObject *)type);
#else
    (void)type;
#endif
}

#else

int exempt_check(void) { return 0; }

int exempt(PyObject *object, int immortal)
{
    (void)object;
    (void)immortal;
    return COUNTED;
}

void exempt_type(PyTypeObject *type) { (void)type; }

#endif
