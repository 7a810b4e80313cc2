/* Which form the rule of spmv/symmetric/sym_order.h gives a matrix, and what is refused. */
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "spaces.h"
#include "spmv/kernel.h"
#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/sym_order.h"

#include <string.h>

/* The form that a matrix is kept in. */
static enum sym_form form_of(const struct csr *A)
{
    struct error error;
    struct sym_choice choice;
    expect_ok(sym_choose(A, &(struct kernel_options){{0}}, &choice, &error), &error);
    ck_assert_int_eq(choice.k != 0, choice.form == SYM_FORM_BLOCKS);
    ck_assert(choice.compress);
    return choice.form;
}

/* n rows with entries at the distances 0 to count - 1, as far as the matrix goes. */
static struct csr band(int64_t n, int64_t count)
{
    struct error error;
    struct csr A;
    expect_ok(csr_create(&A, CSR_SYMMETRIC, n, count * n - count * (count - 1) / 2, &error),
              &error);
    for (int64_t i = 0, k = 0; i < n; i++) {
        A.offsets[i] = k;
        for (int64_t j = i; j < n && j < i + count; j++, k++) {
            A.columns[k] = (int32_t)j;
            A.values[k] = 1;
        }
    }
    A.offsets[n] = A.nnz;
    return A;
}

START_TEST(the_form_follows_from_the_matrix)
{
    static const struct {
        int64_t n, count;
        enum sym_form form;
    } bands[] = {{1, 1, SYM_FORM_DIAGONALS},
                 {1000, 1, SYM_FORM_DIAGONALS},
                 {1000, SYM_DIAGONALS_MAX, SYM_FORM_DIAGONALS},
                 {1000, SYM_DIAGONALS_MAX + 1, SYM_FORM_BLOCKS}, /* too many */
                 {1009, SYM_DIAGONALS_MAX + 1, SYM_FORM_GENERAL},
                 {5, 3, SYM_FORM_DIAGONALS}, /* 12 of 15 values are there: 4/5 */
                 {12, 6, SYM_FORM_GENERAL}}; /* 57 of 72 */
    for (size_t k = 0; k < sizeof bands / sizeof *bands; k++) {
        struct csr A = band(bands[k].n, bands[k].count);
        ck_assert_int_eq(form_of(&A), bands[k].form);
        csr_free(&A);
    }
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build(&test_matrices[m], CSR_SKEW, &state, &A);
        const char *name = test_matrices[m].name;
        if (strstr(name, "Laplacian") || !strcmp(name, "tridiagonal"))
            ck_assert_msg(form_of(&A) == SYM_FORM_DIAGONALS, "%s", name);
        if (!strcmp(name, "random") || strstr(name, "dense "))
            ck_assert_msg(form_of(&A) != SYM_FORM_DIAGONALS, "%s", name);
        csr_free(&A);
    }
    struct csr A;
    struct error error;
    struct fe_mesh mesh = {{9, 9, 9}, 4, 1e-3, .seed = 1};
    expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
    ck_assert_int_eq(form_of(&A), SYM_FORM_BLOCKS);
    csr_free(&A);
}
END_TEST

/* Asked for by name, with more memory than there is: the first row has every distance. */
START_TEST(too_many_diagonals_are_refused)
{
    enum { N = 4000000 };
    struct error error;
    struct csr A;
    expect_ok(csr_create(&A, CSR_SYMMETRIC, N, 2 * (int64_t)N - 1, &error), &error);
    for (int64_t i = 0; i < N; i++) {
        A.columns[i] = (int32_t)i;
        A.values[i] = 1;
        A.offsets[i + 1] = N + i;
        A.columns[N - 1 + i] = (int32_t)i;
        A.values[N - 1 + i] = 1;
    }
    A.columns[N - 1] = N - 1;
    A.offsets[0] = 0;
    struct space *space;
    struct linear_operator spmv;
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    struct kernel_options options = {{SYM_FORM_DIAGONALS}};
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    expect_error(operator_create(kernel, &A, &options, space, &spmv, &error), STATUS_MEMORY, &error,
                 "the matrix by diagonals", "needs", NULL);
    expect_ok(operator_create(kernel, &A, NULL, space, &spmv, &error), &error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    csr_free(&A);
}
END_TEST

/* A k that the options ask for, and the one that the rule finds. */
START_TEST(blocks_by_name)
{
    struct error error;
    struct sym_choice choice;
    struct kernel_options options = {{[SYM_FORM] = SYM_FORM_BLOCKS, [SYM_COMPRESS] = 1}};
    struct csr A = band(12, 2);
    expect_ok(sym_choose(&A, &options, &choice, &error), &error);
    ck_assert_int_eq(choice.form, SYM_FORM_BLOCKS);
    ck_assert_int_ge(choice.k, SYM_BLOCK_MIN);
    ck_assert(!choice.compress);
    csr_free(&A);
    A = band(77, 2);
    expect_error(sym_check(&A, &options, &error), STATUS_CONFIG, &error, "n = 77", NULL);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_form_follows_from_the_matrix, too_many_diagonals_are_refused,
                            blocks_by_name, NULL};
    return suite_of("spmv/sym_choice", tests);
}
