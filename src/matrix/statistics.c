#include "matrix/statistics.h"

#include "base/memory.h"
#include "matrix/permute.h"
#include "matrix/rcm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void csr_row_lengths(const struct csr *A, int64_t *lengths)
{
    for (int64_t i = 0; i < A->n; i++)
        lengths[i] = A->offsets[i + 1] - A->offsets[i];
    if (A->kind == CSR_GENERAL)
        return;
    for (int64_t i = 0; i < A->n; i++)
        lengths[i] -= A->values[A->offsets[i]] == 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            lengths[A->columns[k]] += A->columns[k] != i;
}

static int class_of(int64_t length)
{
    int k = 0;
    for (; length > 0 && k + 1 < CSR_LENGTH_CLASSES; length /= 10)
        k++;
    return k;
}

const char *csr_length_class(int k, char text[48])
{
    int64_t first = k > 0;
    for (int power = 1; power < k; power++)
        first *= 10;
    if (k == 0)
        snprintf(text, 48, "0");
    else if (k + 1 == CSR_LENGTH_CLASSES)
        snprintf(text, 48, "%" PRId64 "-", first);
    else
        snprintf(text, 48, "%" PRId64 "-%" PRId64, first, 10 * first - 1);
    return text;
}

static void describe_lengths(const struct csr *A, const int64_t *lengths, struct csr_statistics *s)
{
    double n = (double)A->n, squares = 0, cubes = 0;
    s->mean = (double)s->entries / n;
    s->shortest = lengths[0];
    for (int64_t i = 0; i < A->n; i++) {
        double apart = (double)lengths[i] - s->mean;
        squares += apart * apart;
        cubes += apart * apart * apart;
        s->longest = lengths[i] > s->longest ? lengths[i] : s->longest;
        s->shortest = lengths[i] < s->shortest ? lengths[i] : s->shortest;
        s->empty += lengths[i] == 0;
        s->below_warp += lengths[i] < CSR_WARP_ROW;
        s->lengths[class_of(lengths[i])]++;
    }
    s->deviation = sqrt(squares / n);
    s->variation = s->mean > 0 ? s->deviation / s->mean : 0;
    s->skewness = s->deviation > 0 ? cubes / n / (s->deviation * s->deviation * s->deviation) : 0;
}

static enum status reorder(const struct csr *A, struct csr_statistics *s, struct error *error)
{
    struct csr pattern = {0};
    enum status status = STATUS_OK;
    if (A->kind == CSR_GENERAL)
        status = csr_symmetric_pattern(A, &pattern, error);
    int32_t *number = NULL;
    if (!status) {
        number = memory_array(A->n, sizeof *number, "a numbering", error);
        status = number ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        status = rcm_numbering(A->kind == CSR_GENERAL ? &pattern : A, number, error);
    if (!status)
        s->rcm_bandwidth = csr_distances_as(A, number).bandwidth;
    csr_free(&pattern);
    memory_free(number);
    return status;
}

enum status csr_statistics(const struct csr *A, struct csr_statistics *s, struct error *error)
{
    *s = (struct csr_statistics){
        .n = A->n, .width = A->width, .entries = csr_entries(A), .rcm_bandwidth = -1};
    int64_t *lengths = memory_array(A->n, sizeof *lengths, "the row lengths", error);
    if (!lengths)
        return STATUS_MEMORY;
    csr_row_lengths(A, lengths);
    describe_lengths(A, lengths, s);
    memory_free(lengths);
    s->symmetry = csr_symmetry(A);
    s->bandwidth = csr_distances(A).bandwidth;
    return A->n == A->width ? reorder(A, s, error) : STATUS_OK;
}
