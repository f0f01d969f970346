#include "batches.h"

#include <errno.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

int64_t batches_fastest_tenth(int64_t *spans, int count, int *tenth)
{
    int64_t sum = 0;
    qsort(spans, (size_t)count, sizeof *spans, ascending);
    *tenth = (count + 9) / 10;
    for (int i = 0; i < *tenth; i++)
        sum += spans[i];
    return sum;
}

int batches_cost(int64_t *spans, int count, int steps, struct knee_cost *cost)
{
    if (count == 0)
        return -ETIMEDOUT;
    qsort(spans, (size_t)count, sizeof *spans, ascending);
    cost->least_ns = (double)spans[0] / steps;
    cost->median_ns = (double)spans[count / 2] / steps;
    cost->batches = count;
    return 0;
}
