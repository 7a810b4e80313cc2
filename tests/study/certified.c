#include "study/certified.h"

#include "support.h"

#include "general.h"
#include "matrices.h"

#include <math.h>

struct certificate certificate_of(const struct csr *A, const double *x, unsigned char *verdicts)
{
    struct certificate made;
    struct error error;
    expect_ok(certificate_make(A, x, verdicts, &made, &error), &error);
    int64_t counts[ROW_VERDICTS] = {0};
    for (int64_t i = 0; i < A->n; i++)
        counts[verdicts[i]]++;
    ck_assert_mem_eq(counts, made.rows, sizeof counts);
    return made;
}

double few_bits(int bits, int range, uint64_t *state)
{
    double whole = (double)(1 + test_random_below(state, INT64_C(1) << bits));
    if (test_random_below(state, 8) == 0)
        return 0;
    return ldexp(test_random(state) < 0.5 ? -whole : whole,
                 (int)test_random_below(state, range + 1) - range / 2);
}

void few_bits_matrix(enum csr_kind kind, int bits, int range, uint64_t *state, struct csr *A)
{
    double dense[CERTIFIED_ROWS * CERTIFIED_ROWS];
    int64_t n = 1 + test_random_below(state, CERTIFIED_ROWS),
            count = kind == CSR_GENERAL ? n * n : n * (n + 1) / 2;
    for (int64_t k = 0; k < count; k++)
        dense[k] = few_bits(bits, range, state);
    if (kind == CSR_GENERAL) {
        general_from_dense(n, n, dense, A);
        return;
    }
    for (int64_t i = 0, k = 0; kind == CSR_SKEW && i < n; k += n - i, i++)
        dense[k] = 0;
    test_matrix_from_dense(n, dense, kind, A);
}
