/* SDDMM on the host: the bits of the written order, how far that is from the product, and rows of
 * another layout. */
#include "support.h"

#include "general.h"
#include "matrix/sddmm.h"
#include "spmv/host_product.h"
#include "spmv/sddmm_trials.h"

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

/* One rounding more than the header has. */
static void check_bound(void *context, const struct sddmm_trial *trial)
{
    int64_t *checked = context;
    *checked += expect_near_samples(trial, (trial->columns + 7) / 8 + 4, trial->values);
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
