/* Memory that is used up for nothing: the control for rounding, which needs more memory than the program asks for.
 *
 * A control that handed out larger blocks would move the neighbours apart, and so remove the very sharing that it
 * must leave; so the same number of bytes is written in a region of its own, and neighbours stay neighbours.
 */
#ifndef KNEE_BALLAST_H
#define KNEE_BALLAST_H

#include <stddef.h>

/* Writes `bytes` fresh bytes, until BALLAST_MOST are used up in all. */
void ballast_write(size_t bytes);

#define BALLAST_MOST ((size_t)256 << 20)

#endif
