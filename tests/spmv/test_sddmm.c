/* SDDMM on the host: the bits of the written order, how far that is from the product, and rows of
 * another layout. */
#include "support.h"

#include "general.h"
#include "matrix/sddmm.h"
#include "spmv/host_product.h"
#include "spmv/reference.h"
#include "spmv/sddmm_trials.h"

#include <float.h>
#include <math.h>

START_TEST(the_bits_are_those_of_the_order)
{
    trial_sddmm(SPACE_CPU);
}
END_TEST

START_TEST(columns_of_zeros_change_nothing)
{
    trial_sddmm_padding(SPACE_CPU);
}
END_TEST

START_TEST(every_failing_allocation_is_survived)
{
    trial_sddmm_failing(SPACE_CPU);
}
END_TEST

/* One rounding more is counted than the header does: that is more than long double loses. */
static void check_bound(void *context, const struct sddmm_trial *trial)
{
    const struct csr *pattern = trial->pattern;
    int64_t columns = trial->columns, *checked = context;
    for (int64_t i = 0; i < pattern->n; i++)
        for (int64_t k = pattern->offsets[i]; k < pattern->offsets[i + 1]; k++) {
            const double *x = trial->x + i * columns, *y = trial->y + pattern->columns[k] * columns;
            long double sum = 0, size = 0;
            for (int64_t c = 0; c < columns; c++) {
                sum += (long double)x[c] * y[c];
                size += fabsl((long double)x[c] * y[c]);
            }
            if (!(size < DBL_MAX / 2))
                continue;
            double bound = reference_gamma((columns + 7) / 8 + 4, DBL_EPSILON / 2) * (double)size +
                           (double)columns * 0x1p-1074;
            ck_assert_msg(fabsl(trial->values[k] - sum) <= bound, "%s, %d columns: %a", trial->name,
                          (int)columns, trial->values[k]);
            ++*checked;
        }
}

START_TEST(the_order_is_near_the_product)
{
    int64_t checked = 0;
    sddmm_each(check_bound, &checked);
    ck_assert_int_gt(checked, 0);
}
END_TEST

/* Rows one behind the other, in one group, and any part of the entries. */
START_TEST(rows_without_padding_and_parts_of_the_entries)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(60, 50, 0.3, &state, &A);
    double *values = host_vector(A.nnz);
    for (int64_t columns = 1; columns <= 70; columns++) {
        struct sddmm_trial trial;
        sddmm_trial_make("a random one", &A, columns, &state, &trial);
        struct sddmm_operands of = {trial.x, trial.y, A.n, A.width, columns, columns, columns};
        for (int64_t k = 0; k < A.nnz; k++)
            values[k] = 0x1p-700;
        int64_t cut = test_random_below(&state, A.nnz + 1);
        sddmm_entries(&A, &of, cut, A.nnz, values);
        for (int64_t k = 0; k < cut; k++)
            ck_assert(values[k] == 0x1p-700);
        sddmm_entries(&A, &of, 0, cut, values);
        expect_same_samples(&trial, "sddmm_entries", values);
        sddmm_trial_free(&trial);
    }
    memory_free(values);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_bits_are_those_of_the_order,
                            columns_of_zeros_change_nothing,
                            every_failing_allocation_is_survived,
                            the_order_is_near_the_product,
                            rows_without_padding_and_parts_of_the_entries,
                            NULL};
    return suite_of("spmv/sddmm", tests);
}
