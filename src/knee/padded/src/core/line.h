/* The unit that memory traffic between cores comes in, and memory that starts and ends on it. */
#ifndef KNEE_LINE_H
#define KNEE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_LEAST 16   /* the size of a cell: what "packed" means */
#define LINE_MOST 4096

/* Bytes that two cores cannot write apart without disturbing each other: KNEE_LINE where set, else what the
   machine states, but never less than the architecture's known interference size. */
size_t line_size(void);

/* The value of KNEE_LINE if it is set and useless, else NULL. */
const char *line_complaint(void);

bool line_valid(size_t line);

static inline size_t line_round(size_t bytes, size_t line) { return (bytes + line - 1) / line * line; }

/* Zeroed memory of whole lines, or NULL. */
void *line_alloc(size_t bytes, size_t line);
void line_free(void *memory);

#endif
