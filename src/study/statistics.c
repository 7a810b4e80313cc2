#include "study/statistics.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int64_t distinct_hashes(uint64_t *hashes, int64_t count)
{
    qsort(hashes, (size_t)count, sizeof *hashes, compare_hashes);
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++)
        found += k == 0 || hashes[k] != hashes[k - 1];
    return found;
}
