/* Exempting an object from contended reference counting.

   A method called on one object by many threads counts references on that object: one line written by all, however
   well the object's own data is spread. What can be done about it depends on the interpreter. */
#ifndef KNEE_EXEMPT_H
#define KNEE_EXEMPT_H

#include <Python.h>
#include <stdint.h>

enum { COUNTED, DEFERRED, IMMORTAL };

/* Once at import: whether an immortal object looks as this file expects it to. -1 with an exception on bad luck. */
int exempt_check(void);

/* Deferred where the interpreter offers it (3.14 on). Immortal where asked for and possible: the object is then never
   freed. Returns what it is now; asking for immortality where it is impossible is an error (-1). With the GIL nothing is
   contended and everything stays counted. The object is new, of this thread, and tracked. */
int exempt(PyObject *object, int immortal);

/* For types, on which each object made and freed counts a reference: 3.14 counts these per thread, 3.13 does not, and
   there they are made immortal where that is possible. */
void exempt_type(PyTypeObject *type);

#endif
