/* What the kernels keep of a matrix in single precision, and the bits that they make of it. */
#include "support.h"

#include "matrices.h"
#include "spaces.h"
#include "spmv/cuda_twins.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"
#include "spmv/single.h"
#include "spmv/symmetric/sym_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* cpu_csr and cpu_sym, whose one parameter is the precision, add in one chain a row. */
static void same_chain(const char *name, const struct csr *A, const char *matrix, uint64_t *state)
{
    struct error error;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    double *x = host_vector(A->width), *y = host_vector(A->n), *wanted = host_vector(A->n);
    host_randomise(x, A->width, state);
    for (int64_t p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++) {
        struct linear_operator spmv;
        expect_ok(operator_create(kernel_find(name), A, &(struct kernel_options){{p}}, space, &spmv,
                                  &error),
                  &error);
        host_product(&spmv, x, y, NULL);
        twin_csr_scalar(A, (enum precision)p, x, wanted);
        expect_same_bits(name, matrix, 1, A->n, wanted, y);
        operator_destroy(&spmv);
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

/* cpu_sym_bitwise, with single values or codes of them in any form, has the bits of that chain. */
static void same_bits(const struct csr *A, const struct kernel_options *options,
                      struct space *space, const char *matrix, uint64_t *state)
{
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    struct error error;
    struct linear_operator spmv;
    enum status status = operator_create(kernel, A, options, space, &spmv, &error);
    if (status == STATUS_CONFIG)
        return; /* a form that does not suit it */
    expect_ok(status, &error);
    double *x = host_vector(A->n), *y = host_vector(A->n), *wanted = host_vector(A->n);
    host_randomise(x, A->n, state);
    host_product(&spmv, x, y, NULL);
    twin_csr_scalar(A, kernel_precision(kernel, options), x, wanted);
    expect_same_bits("cpu_sym_bitwise", matrix, (int)options->values[0], A->n, wanted, y);
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
    operator_destroy(&spmv);
}

START_TEST(bitwise_forms_of_singles_are_that_chain)
{
    uint64_t state = test_seed();
    struct space *space;
    struct csr A;
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            for (int64_t few = 0; few < 2; few++) {
                for (int64_t form = SYM_FORM_AUTO; form <= SYM_FORM_GENERAL; form++)
                    for (int64_t compress = 0; compress < 2; compress++)
                        for (int64_t p = PRECISION_FLOAT; p <= PRECISION_FLOAT_DOUBLE; p++)
                            same_bits(&A, &(struct kernel_options){{form, compress, p}}, space,
                                      test_matrices[m].name, &state);
                for (int64_t k = 0; k < A.nnz; k++) /* then few different ones, no singles either */
                    A.values[k] = A.values[k] > 0 ? 0.1 : A.values[k] < 0 ? -0.3 : 0;
            }
            csr_free(&A);
        }
    }
    space->operations->destroy(space);
}
END_TEST

/* Without codes a product moves 4 bytes an entry less, and in every form it says what it keeps. */
START_TEST(bitwise_forms_keep_singles)
{
    uint64_t state = test_seed();
    struct error error;
    struct space *space;
    struct csr A;
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    test_matrix_build(&test_matrices[7], CSR_SYMMETRIC, &state, &A);
    ck_assert_str_eq(test_matrices[7].name, "2-D Laplacian");
    for (int64_t form = SYM_FORM_DIAGONALS; form <= SYM_FORM_GENERAL; form += 2)
        for (int64_t p = PRECISION_FLOAT; p <= PRECISION_FLOAT_DOUBLE; p++) {
            struct linear_operator wide, narrow;
            expect_ok(operator_create(kernel, &A, &(struct kernel_options){{form, 1, 0}}, space,
                                      &wide, &error),
                      &error);
            expect_ok(operator_create(kernel, &A, &(struct kernel_options){{form, 1, p}}, space,
                                      &narrow, &error),
                      &error);
            ck_assert_msg(strstr(narrow.description, "single precision") != NULL, "it keeps: %s",
                          narrow.description);
            ck_assert_int_ge(wide.bytes_per_apply - narrow.bytes_per_apply,
                             4 * A.nnz - 4 * 16 * 3); /* up to 15 of padding a diagonal */
            operator_destroy(&wide);
            operator_destroy(&narrow);
        }
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

/* Rounded to nearest; what has no place in single precision is refused, what becomes zero is
 * not. */
START_TEST(values_are_rounded_or_refused)
{
    double diagonal[] = {1 + 0x1p-24, 1 + 0x1p-23 + 0x1p-24, 0.1, 1e-300, FLT_MAX};
    int64_t offsets[] = {0, 1, 2, 3, 4, 5};
    int32_t columns[] = {0, 1, 2, 3, 4};
    struct csr A = {.kind = CSR_SYMMETRIC,
                    .n = 5,
                    .width = 5,
                    .nnz = 5,
                    .offsets = offsets,
                    .columns = columns,
                    .values = diagonal};
    struct error error;
    float *singles;
    expect_ok(single_values(&A, &singles, &error), &error);
    ck_assert(singles[0] == 1 && singles[1] == 1 + 0x1p-22f && singles[2] == 0.1f);
    ck_assert(singles[3] == 0 && singles[4] == FLT_MAX);
    memory_free(singles);
    ck_assert_int_eq(csr_bytes(&A) - single_bytes(&A), 5 * 4);

    struct space *space;
    struct linear_operator spmv;
    diagonal[1] = -1e39;
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    int64_t live = memory_live();
    int count, refusals = 0;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU)
            continue;
        struct kernel_options options = kernel_defaults(kernels[k]);
        for (int p = PRECISION_FLOAT; p <= PRECISION_FLOAT_DOUBLE; p++) {
            if (!choose_precision(kernels[k], (enum precision)p, &options))
                continue;
            expect_error(operator_create(kernels[k], &A, &options, space, &spmv, &error),
                         STATUS_CONFIG, &error, "precision", "1e+39", NULL);
            refusals++;
        }
        ck_assert_int_eq(memory_live(), live);
        expect_ok(operator_create(kernels[k], &A, NULL, space, &spmv, &error), &error);
        operator_destroy(&spmv);
    }
    ck_assert_int_ge(refusals, 7); /* each of the CPU's kernels offers one of them at least */
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
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    const struct kernel *kernel = kernel_find("cpu_csr");
    struct linear_operator wide, narrow;
    expect_ok(operator_create(kernel, &A, NULL, space, &wide, &error), &error);
    for (int64_t p = PRECISION_FLOAT; p <= PRECISION_FLOAT_DOUBLE; p++) {
        expect_ok(
            operator_create(kernel, &A, &(struct kernel_options){{p}}, space, &narrow, &error),
            &error);
        int64_t saved = 4 * csr_nnz_full(&A);
        ck_assert_int_eq(wide.memory_bytes - narrow.memory_bytes, saved);
        ck_assert_int_eq(wide.bytes_per_apply - narrow.bytes_per_apply, saved);
        operator_destroy(&narrow);
    }
    operator_destroy(&wide);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

/* cpu_sym_exact multiplies by A's own values, or by a copy of 4 bytes each, and reads the mirrored
 * ones twice. */
START_TEST(exact_bytes_follow_the_precision)
{
    uint64_t state = 3;
    struct error error;
    struct space *space;
    struct csr A;
    test_matrix_build(&test_matrices[8], CSR_SYMMETRIC, &state, &A);
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    const struct kernel *kernel = kernel_find("cpu_sym_exact");
    struct linear_operator wide, narrow;
    expect_ok(operator_create(kernel, &A, NULL, space, &wide, &error), &error);
    expect_ok(operator_create(kernel, &A, &(struct kernel_options){{1}}, space, &narrow, &error),
              &error);
    ck_assert_int_eq(narrow.memory_bytes - wide.memory_bytes, 4 * A.nnz);
    ck_assert_int_eq(wide.bytes_per_apply - narrow.bytes_per_apply, 4 * (2 * A.nnz - A.n));
    operator_destroy(&narrow);
    operator_destroy(&wide);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_are_one_chain_in_every_precision,
                            bitwise_forms_of_singles_are_that_chain,
                            bitwise_forms_keep_singles,
                            values_are_rounded_or_refused,
                            bytes_follow_the_precision,
                            exact_bytes_follow_the_precision,
                            NULL};
    return suite_of("spmv/precision", tests);
}
