#include "study/statistics.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return !!isnan(x) - !!isnan(y);
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

/* A hash and where it stands. */
struct placed_hash {
    uint64_t hash;
    int64_t place;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed_hash *x = a, *y = b;
    int order = (x->hash > y->hash) - (x->hash < y->hash);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

enum status number_hashes(const uint64_t *hashes, int64_t count, int64_t *numbers,
                          int64_t *distinct, struct error *error)
{
    struct placed_hash *sorted = memory_array(count, sizeof *sorted, "the statistics", error);
    if (!sorted)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < count; k++)
        sorted[k] = (struct placed_hash){hashes[k], k};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_placed);
    for (int64_t k = 0, first = 0; k < count; k++) {
        if (sorted[k].hash != sorted[first].hash)
            first = k;
        numbers[sorted[k].place] = sorted[first].place; /* where its hash stands first */
    }
    *distinct = 0;
    for (int64_t k = 0; k < count; k++)
        numbers[k] = numbers[k] == k ? ++*distinct : numbers[numbers[k]];
    memory_free(sorted);
    return STATUS_OK;
}
