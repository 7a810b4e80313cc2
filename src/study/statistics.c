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

/* ---- correlations ---------------------------------------------------------------------------- */

struct placed {
    double value; /* first: for compare_doubles */
    int64_t place;
};

/* ranks[k] = that of values[k], from -(count - 1) / 2 on, so that their mean is 0. */
static void rank(const double *values, int64_t count, struct placed *sorted, double *ranks)
{
    for (int64_t k = 0; k < count; k++)
        sorted[k] = (struct placed){values[k], k};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && sorted[end].value == sorted[begin].value;)
            end++;
        for (int64_t k = begin; k < end; k++)
            ranks[sorted[k].place] = 0.5 * (double)(begin + end - count);
    }
}

static double product(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

enum status rank_correlations(const double *const *values, int quantities, int64_t count, double *r,
                              struct error *error)
{
    struct placed *sorted = memory_array(count, sizeof *sorted, "the ranks", error);
    double *ranks = memory_array(count * quantities, sizeof *ranks, "the ranks", error);
    if (!sorted || !ranks) {
        memory_free(sorted);
        memory_free(ranks);
        return STATUS_MEMORY;
    }
    for (int i = 0; i < quantities; i++)
        rank(values[i], count, sorted, ranks + i * count);
    for (int i = 0; i < quantities; i++)
        for (int j = 0; j < quantities; j++) {
            const double *a = ranks + i * count, *b = ranks + j * count;
            double spread = sqrt(product(a, a, count)) * sqrt(product(b, b, count));
            r[i * quantities + j] = spread > 0 ? product(a, b, count) / spread : NAN;
        }
    memory_free(sorted);
    memory_free(ranks);
    return STATUS_OK;
}

double partial_correlation(const double *r, int quantities, int x, int y, const int *of, int given)
{
    if (given == 0)
        return r[x * quantities + y];
    int z = of[given - 1];
    double xy = partial_correlation(r, quantities, x, y, of, given - 1);
    double xz = partial_correlation(r, quantities, x, z, of, given - 1);
    double yz = partial_correlation(r, quantities, y, z, of, given - 1);
    const double one = 1 - 1e-12; /* 1 up to rounding */
    if (!(fabs(xz) < one) || !(fabs(yz) < one))
        return NAN;
    return (xy - xz * yz) / sqrt((1 - xz * xz) * (1 - yz * yz));
}

static void take_out(const double *z, double *x, int64_t count)
{
    double squares = product(z, z, count), part = product(z, x, count);
    for (int64_t k = 0; k < count && squares > 0; k++)
        x[k] -= part / squares * z[k];
}

static void take_out_mean(double *x, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += x[k];
    for (int64_t k = 0; k < count; k++)
        x[k] -= sum / (double)count;
}

/* Gram-Schmidt: makes the other columns orthogonal to each other, and x to them; then b is y's part
 * along x. */
double partial_slope(double *const *columns, int others, const double *y, int64_t count)
{
    double *x = columns[0], before = 0;
    for (int i = others; i >= 0; i--) {
        take_out_mean(columns[i], count);
        before = product(columns[i], columns[i], count);
        for (int j = others; j > i; j--)
            take_out(columns[j], columns[i], count);
        double left = product(columns[i], columns[i], count);
        for (int64_t k = 0; k < count && !(left > 1e-20 * before); k++)
            columns[i][k] = 0; /* drops mere rounding errors */
    }
    double squares = product(x, x, count);
    return squares > 0 ? product(x, y, count) / squares : NAN;
}
