/* The parts of rows that a GPU takes in sampled products, and the same products by a host's twin of
 * its threads. */
#include "support.h"

#include "general.h"
#include "spmv/host_product.h"
#include "spmv/operator.h"
#include "spmv/sddmm/sddmm_parts.h"
#include "spmv/sddmm_trials.h"

#include <math.h>
#include <string.h>

static struct sddmm_parts make(const struct csr *pattern)
{
    struct error error;
    struct sddmm_parts parts;
    expect_ok(sddmm_parts_create(pattern, &parts, &error), &error);
    return parts;
}

/* Each entry is in one part, of its own row; their lengths are as the header says. */
static void check_parts(void *context, const struct sddmm_trial *trial)
{
    (void)context;
    const struct csr *pattern = trial->pattern;
    struct sddmm_parts parts = make(pattern);
    struct error error;
    int8_t *seen = memory_zeros(pattern->nnz, 1, "entries", &error);
    ck_assert_ptr_nonnull(seen);
    for (int64_t p = 0; p < parts.count; p++) {
        struct sddmm_part part = parts.parts[p];
        bool regular = part.count % 32 == 0 && part.count <= 512;
        ck_assert(part.count > 0 && (p < parts.regular ? regular : part.count < 32));
        ck_assert(part.first >= pattern->offsets[part.row] &&
                  part.first + part.count <= pattern->offsets[part.row + 1]);
        for (int32_t k = 0; k < part.count; k++)
            ck_assert(!seen[part.first + k]++);
    }
    for (int64_t k = 0; k < pattern->nnz; k++)
        ck_assert(seen[k]);
    memory_free(seen);
    memory_free(parts.parts);
}

START_TEST(parts_have_every_entry_once)
{
    sddmm_each(check_parts, NULL);
}
END_TEST

/* The example of spmv/row_parts.h. */
START_TEST(a_row_is_cut_as_in_the_paper)
{
    static const int32_t counts[] = {512, 512, 96, 7};
    int64_t offsets[] = {0, 1127, 1127};
    struct csr pattern = {.n = 2, .offsets = offsets};
    struct sddmm_parts parts = make(&pattern);
    ck_assert_int_eq(parts.count, 4);
    ck_assert_int_eq(parts.regular, 3);
    for (int p = 0; p < 4; p++)
        ck_assert_int_eq(parts.parts[p].count, counts[p]);
    memory_free(parts.parts);
}
END_TEST

/* ---- the twin -------------------------------------------------------------------------------- */

enum { T_MAX = SDDMM_THREADS_MAX };

/* Lanes [thread][entry][which of a thread's two] of T threads after one exchange. */
static void exchange(int half, int T, double s[T_MAX][T_MAX][2])
{
    double before[T_MAX][T_MAX][2];
    memcpy(before, s, sizeof before);
    for (int t = 0; t < T; t++)
        for (int e = 0; e < half; e++)
            for (int b = 0; b < 2; b++) {
                int keep, give, unused;
                sddmm_exchange(t, half, &keep, &give);
                sddmm_exchange(t ^ half, half, &unused, &give);
                s[t][e][b] = before[t][keep + e][b] + before[t ^ half][give + e][b];
            }
}

/* T threads and their T entries, the first of them entry `first` of the part. */
static void take(const struct sddmm_trial *trial, struct sddmm_part part, int T, int32_t first,
                 double *values)
{
    int64_t K = trial->columns;
    double s[T_MAX][T_MAX][2] = {0};
    for (int t = 0; t < T; t++)
        for (int e = 0; e < T; e++) {
            int32_t entry = first + e < part.count ? first + e : part.count - 1;
            const double *x = trial->x + part.row * K;
            const double *y = trial->y + trial->pattern->columns[part.first + entry] * K;
            for (int m = 0; sddmm_column(m, t) < K; m++)
                for (int b = 0, c = sddmm_column(m, t); b < 2 && c + b < K; b++)
                    s[t][e][b] = fma(x[c + b], y[c + b], s[t][e][b]);
        }
    for (int half = T / 2; half >= 1; half /= 2)
        exchange(half, T, s);
    for (int t = 0; t < T && first + t < part.count; t++)
        values[part.first + first + t] = s[t][0][0] + s[t][0][1] + 0;
}

static void check_twin(void *context, const struct sddmm_trial *trial)
{
    (void)context;
    int64_t nnz = trial->pattern->nnz;
    int32_t columns = trial->columns < COLUMNS_AT_ONCE ? (int32_t)trial->columns : COLUMNS_AT_ONCE;
    int T = SDDMM_THREADS(columns_stride(columns));
    double *values = host_vector(nnz);
    for (int64_t k = 0; k < nnz; k++)
        values[k] = 0x1p-700;
    struct sddmm_parts parts = make(trial->pattern);
    for (int64_t p = 0; p < parts.count; p++)
        for (int32_t first = 0; first < parts.parts[p].count; first += T)
            take(trial, parts.parts[p], T, first, values);
    expect_same_samples(trial, "the twin", values);
    memory_free(parts.parts);
    memory_free(values);
}

START_TEST(a_twin_of_the_device_has_the_bits_of_the_order)
{
    sddmm_each(check_twin, NULL);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct sddmm_parts parts;
    enum status status = sddmm_parts_create(context, &parts, error);
    if (!status)
        memory_free(parts.parts);
    return status;
}

START_TEST(every_failing_allocation_is_survived)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(30, 200, 0.5, &state, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {parts_have_every_entry_once, a_row_is_cut_as_in_the_paper,
                            a_twin_of_the_device_has_the_bits_of_the_order,
                            every_failing_allocation_is_survived, NULL};
    return suite_of("spmv/sddmm_parts", tests);
}
