#include "problem/patterns.h"

#include "csr_check.h"
#include "support.h"

#include "base/random.h"

#include <math.h>

/* Check writes a line for each assertion, which is too slow for one an entry: what is wrong is
 * counted. */
static void expect_general_values(const struct csr *A, uint64_t seed)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            wrong += !(A->values[k] == random_uniform(splitmix64(seed, 2 * (uint64_t)i + 1),
                                                      (uint64_t)A->columns[k]));
    ck_assert_int_eq(wrong, 0);
}

/* Sums of multiples of 2^-24 are exact, so the diagonal is known to the bit, and with it that each
 * row is dominated by it: positive definite (Gershgorin). */
static void expect_laplacian(const struct csr *A, const struct pattern_options *options)
{
    struct error error;
    double *sums = memory_zeros(A->n, sizeof *sums, "sums", &error);
    ck_assert(sums);
    int64_t wrong = 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            double a = A->values[k], m = -a * 0x1p24;
            wrong += !(m >= 1 && m <= 0x1p24 && m == floor(m));
            sums[i] -= a;
            sums[A->columns[k]] -= a;
        }
    for (int64_t i = 0; i < A->n; i++) {
        double diagonal = A->values[A->offsets[i]];
        wrong += !(diagonal == options->shift + sums[i] && diagonal > sums[i]);
    }
    ck_assert_int_eq(wrong, 0);
    memory_free(sums);
}

struct csr pattern_make(const struct made_pattern *made)
{
    struct error error;
    struct csr A;
    expect_ok(made->maker(made->settings, &made->options, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    if (made->options.kind == PATTERN_SYMMETRIC) {
        ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
        expect_laplacian(&A, &made->options);
    } else {
        ck_assert_int_eq(A.kind, CSR_GENERAL);
        ck_assert_int_eq(A.width, A.n);
        expect_general_values(&A, (uint64_t)made->options.seed);
    }
    return A;
}

void expect_entries(const struct made_pattern *made,
                    bool (*has)(const struct made_pattern *made, int64_t i, int64_t j))
{
    struct error error;
    struct csr A = pattern_make(made), full;
    expect_ok(csr_expand(&A, &full, &error), &error);
    bool symmetric = made->options.kind == PATTERN_SYMMETRIC;
    for (int64_t i = 0; i < A.n; i++) {
        int64_t k = full.offsets[i];
        for (int64_t j = 0; j < A.n; j++) {
            bool there = k < full.offsets[i + 1] && full.columns[k] == j;
            bool wanted = (symmetric && i == j) || has(made, i, j);
            if (there != wanted)
                ck_abort_msg("(%d, %d) is %sthere", (int)i, (int)j, there ? "" : "not ");
            k += there;
        }
    }
    csr_free(&A);
    csr_free(&full);
}

static enum status attempt(void *context, struct error *error)
{
    const struct made_pattern *made = context;
    struct csr A;
    enum status status = made->maker(made->settings, &made->options, &A, error);
    if (!status)
        csr_free(&A);
    return status;
}

void expect_reproducible(const struct made_pattern *made, uint64_t hash)
{
    static const int threads[] = {1, 2, 3, 7};
    struct made_pattern other = *made;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        test_threads(threads[t]);
        struct csr A = pattern_make(made);
        ck_assert_msg(csr_hash(&A) == hash, "%d threads: %016llx", threads[t],
                      (unsigned long long)csr_hash(&A));
        csr_free(&A);
    }
    other.options.seed++;
    struct csr A = pattern_make(&other);
    ck_assert(csr_hash(&A) != hash);
    csr_free(&A);
    walk_allocation_failures(attempt, &other);
    ck_assert_int_eq(memory_live(), 0);
}

static int64_t *columns_counted(const struct csr *A)
{
    struct error error;
    int64_t *count = memory_zeros(A->n, sizeof *count, "columns", &error);
    ck_assert(count);
    for (int64_t k = 0; k < A->nnz; k++)
        count[A->columns[k]]++;
    return count;
}

void expect_dealt(const struct made_pattern *made)
{
    struct made_pattern other = *made;
    other.options.kind = PATTERN_GENERAL;
    other.options.rows = PATTERN_DRAWN;
    struct csr drawn = pattern_make(&other);
    other.options.rows = PATTERN_EQUAL;
    struct csr equal = pattern_make(&other);
    ck_assert_int_eq(equal.n, drawn.n);
    ck_assert_int_eq(equal.nnz, drawn.nnz);
    int64_t uneven = 0;
    for (int64_t i = 0; i < equal.n; i++) {
        int64_t length = equal.offsets[i + 1] - equal.offsets[i], least = equal.nnz / equal.n;
        uneven += length != least && length != least + 1;
    }
    ck_assert_int_eq(uneven, 0);
    int64_t *before = columns_counted(&drawn), *after = columns_counted(&equal);
    ck_assert_mem_eq(before, after, (size_t)drawn.n * sizeof *before);
    memory_free(before);
    memory_free(after);
    csr_free(&drawn);
    csr_free(&equal);
}

void expect_refused(const struct made_pattern *made, const char *text)
{
    struct error error;
    struct csr A;
    expect_error(made->maker(made->settings, &made->options, &A, &error), STATUS_CONFIG, &error,
                 text, NULL);
}
