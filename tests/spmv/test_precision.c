/* What the kernels keep of a matrix in single precision, and the bits that they make of it. */
#include "support.h"

#include "cgsolve/kernel.h"
#include "matrices.h"
#include "spmv/cuda_twins.h"
#include "spmv/host_product.h"
#include "spmv/single.h"

#include <float.h>
#include <math.h>

/* cpu_csr and cpu_sym, whose one parameter is the precision, add in one chain a row. */
static void same_chain(const char *name, const struct csr *A, const char *matrix, uint64_t *state)
{
    struct error error;
    struct space *space;
    expect_ok(space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    double *x = host_vector(A->width), *y = host_vector(A->n), *wanted = host_vector(A->n);
    host_randomise(x, A->width, state);
    for (int64_t p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++) {
        struct spmv spmv;
        expect_ok(
            spmv_create(kernel_find(name), A, &(struct kernel_options){{p}}, space, &spmv, &error),
            &error);
        ck_assert_int_eq(spmv.precision, p);
        host_product(&spmv, x, y, NULL);
        twin_csr_scalar(A, spmv.precision, x, wanted);
        expect_same_bits(name, matrix, 1, A->n, wanted, y);
        spmv_destroy(&spmv);
    }
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
    space->operations->destroy(space);
}

START_TEST(rows_are_one_chain_in_every_precision)
{
    uint64_t state = test_seed();
    struct csr A;
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            same_chain("cpu_csr", &A, test_matrices[m].name, &state);
            same_chain("cpu_sym", &A, test_matrices[m].name, &state);
            csr_free(&A);
        }
    }
    for (int m = 0; m < test_rectangles_count; m++) {
        test_rectangle_build(&test_rectangles[m], &state, &A);
        same_chain("cpu_csr", &A, test_rectangles[m].name, &state);
        csr_free(&A);
    }
}
END_TEST

/* Rounded to nearest; what has no place in single precision is refused, what becomes zero is not. */
START_TEST(values_are_rounded_or_refused)
{
    double diagonal[] = {1 + 0x1p-24, 1 + 0x1p-23 + 0x1p-24, 0.1, 1e-300, FLT_MAX};
    int64_t offsets[] = {0, 1, 2, 3, 4, 5};
    int32_t columns[] = {0, 1, 2, 3, 4};
    struct csr A = {CSR_SYMMETRIC, 5, 5, 5, offsets, columns, diagonal};
    struct error error;
    float *singles;
    expect_ok(single_values(&A, &singles, &error), &error);
    ck_assert(singles[0] == 1 && singles[1] == 1 + 0x1p-22f && singles[2] == 0.1f);
    ck_assert(singles[3] == 0 && singles[4] == FLT_MAX);
    memory_free(singles);
    ck_assert_int_eq(csr_bytes(&A) - single_bytes(&A), 5 * 4);

    struct space *space;
    struct spmv spmv;
    diagonal[1] = -1e39;
    expect_ok(space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    int64_t live = memory_live();
    for (int64_t p = PRECISION_FLOAT; p <= PRECISION_FLOAT_DOUBLE; p++)
        expect_error(spmv_create(kernel_find("cpu_sym"), &A, &(struct kernel_options){{p}}, space,
                                 &spmv, &error),
                     STATUS_CONFIG, &error, "precision", "1e+39", NULL);
    ck_assert_int_eq(memory_live(), live);
    expect_ok(spmv_create(kernel_find("cpu_sym"), &A, NULL, space, &spmv, &error), &error);
    spmv_destroy(&spmv);
    space->operations->destroy(space);
}
END_TEST

/* Four bytes a stored entry less, in memory and in what a product moves. */
START_TEST(bytes_follow_the_precision)
{
    uint64_t state = 3;
    struct error error;
    struct space *space;
    struct csr A;
    test_matrix_build(&test_matrices[8], CSR_SYMMETRIC, &state, &A);
    expect_ok(space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    const struct kernel *kernel = kernel_find("cpu_csr");
    struct spmv wide, narrow;
    expect_ok(spmv_create(kernel, &A, NULL, space, &wide, &error), &error);
    for (int64_t p = PRECISION_FLOAT; p <= PRECISION_FLOAT_DOUBLE; p++) {
        expect_ok(spmv_create(kernel, &A, &(struct kernel_options){{p}}, space, &narrow, &error),
                  &error);
        int64_t saved = 4 * csr_nnz_full(&A);
        ck_assert_int_eq(kernel->memory_bytes(wide.state) - kernel->memory_bytes(narrow.state),
                         saved);
        ck_assert_int_eq(
            kernel->bytes_per_apply(wide.state) - kernel->bytes_per_apply(narrow.state), saved);
        spmv_destroy(&narrow);
    }
    spmv_destroy(&wide);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_are_one_chain_in_every_precision, values_are_rounded_or_refused,
                            bytes_follow_the_precision, NULL};
    return suite_of("spmv/precision", tests);
}
