/* Every CPU kernel of the registry, and the registry itself. */
#include "support.h"

#include "matrices.h"
#include "spaces.h"
#include "spmv/every_kernel.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"

START_TEST(every_kernel_holds)
{
    try_every_kernel(SPACE_CPU);
}
END_TEST

static bool offers(const struct kernel *kernel, enum precision precision)
{
    struct kernel_options options;
    return choose_precision(kernel, precision, &options);
}

START_TEST(contract_is_complete)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    ck_assert_int_ge(count, 5);
    for (int k = 0; k < count; k++) {
        const struct kernel *kernel = kernels[k];
        ck_assert_ptr_eq(kernel_find(kernel->component.name), kernel);
        if (!kernel->setup)
            continue; /* this build lacks it */
        struct kernel_options defaults = kernel_defaults(kernel);
        ck_assert_int_eq(kernel_guarantee(kernel, &defaults), kernel->guarantee);
        ck_assert(kernel->component.summary[0] && kernel->kinds);
        ck_assert_int_le(kernel_parameter_count(kernel), KERNEL_PARAMETERS_MAX);
        ck_assert_int_eq(kernel_precision(kernel, &defaults), PRECISION_DOUBLE);
    }
    ck_assert_ptr_null(kernel_find("cpu_nothing"));
}
END_TEST

/* What an operator cannot, whichever it is. */
START_TEST(operands_that_it_cannot_take_are_refused)
{
    struct error error;
    struct linear_operator spmv;
    struct csr A;
    double dot;
    uint64_t state = 1;
    struct operands columns = {.columns = 2}, singles = {.singles = true};
    struct operands direction = {.direction = &(struct direction){.r = NULL}};
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    test_matrix_build(&test_matrices[2], CSR_SYMMETRIC, &state, &A);
    expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
    spmv.can = 0;
    expect_error(operator_apply_to(&spmv, &columns, &error), STATUS_CONFIG, &error, "cpu_csr",
                 "one vector at a time", NULL);
    expect_error(operator_apply_to(&spmv, &singles, &error), STATUS_CONFIG, &error, "cpu_csr",
                 "vectors of doubles", NULL);
    expect_error(operator_apply_to(&spmv, &direction, &error), STATUS_CONFIG, &error, "cpu_csr",
                 "no directions", NULL);
    spmv.can = OPERATOR_COLUMNS | OPERATOR_SINGLES;
    columns.dot = singles.dot = &dot;
    expect_error(operator_apply_to(&spmv, &columns, &error), STATUS_CONFIG, &error, "cpu_csr",
                 "one vector of doubles", NULL);
    expect_error(operator_apply_to(&spmv, &singles, &error), STATUS_CONFIG, &error, "cpu_csr",
                 "one vector of doubles", NULL);
    operator_destroy(&spmv);
    csr_free(&A);
    space->operations->destroy(space);
}
END_TEST

/* The byte model of several columns: padding is moved, and a sweep takes 32. */
START_TEST(columns_move_their_bytes)
{
    int64_t vectors = 8 * (7 + 9), one = vectors + 100, column = vectors + 3;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    struct linear_operator spmv = {
        .space = space, .n = 7, .width = 9, .bytes_per_apply = one, .bytes_per_column = 3};
    ck_assert_int_eq(operator_columns_bytes(&spmv, 1), one);
    ck_assert_int_eq(operator_columns_bytes(&spmv, 3), 3 * (one + 2 * vectors));
    spmv.can = OPERATOR_COLUMNS;
    ck_assert_int_eq(operator_columns_bytes(&spmv, 1), one);
    ck_assert_int_eq(operator_columns_bytes(&spmv, 3), one + 3 * column);
    ck_assert_int_eq(operator_columns_bytes(&spmv, 4), one + 3 * column);
    ck_assert_int_eq(operator_columns_bytes(&spmv, 33), 2 * one + 31 * column);
    space->operations->destroy(space);
}
END_TEST

static int64_t one_byte(const struct csr *A, const struct kernel_options *options)
{
    (void)A;
    (void)options;
    return 1;
}

START_TEST(misuse_is_refused)
{
    struct error error;
    struct linear_operator spmv;
    struct space *space;
    struct csr general, A;
    uint64_t state = 1;
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    test_matrix_build(&test_matrices[2], CSR_SYMMETRIC, &state, &A);
    expect_ok(csr_expand(&A, &general, &error), &error);
    expect_error(operator_create(kernel_find("cpu_sym"), &general, NULL, space, &spmv, &error),
                 STATUS_CONFIG, &error, "cpu_sym", "general", NULL);
    struct kernel_options options = {{0}};
    expect_error(operator_create(kernel_find("cpu_sym_atomic"), &A, &options, space, &spmv, &error),
                 STATUS_CONFIG, &error, "cpu_sym_atomic", "chunk wants", "not 0", NULL);
    options.values[0] = 7; /* behind the last choice; asked before what set-up takes is counted */
    expect_error(kernel_fits(kernel_find("cpu_csr"), &A, &options, space, 0, &error), STATUS_CONFIG,
                 &error, "cpu_csr", "precision wants", "not 7", NULL);
    expect_error(kernel_fits(kernel_find("cpu_sym"), &A, NULL, space, INT64_MAX, &error),
                 STATUS_MEMORY, &error, "cpu_sym", "needs", "has", NULL);
    expect_ok(kernel_fits(kernel_find("cpu_sym"), &A, NULL, space, 1, &error), &error);
    struct kernel large = *kernel_find("cpu_sym"); /* one more than can be added */
    large.setup_bytes = one_byte;
    expect_error(kernel_fits(&large, &A, NULL, space, INT64_MAX, &error), STATUS_MEMORY, &error,
                 "needs", NULL);
    csr_free(&A);
    csr_free(&general);
    space->operations->destroy(space);
}
END_TEST

/* setup_bytes takes no more of A than its shape, and foresees no more than set-up leaves; of a
 * device, see test_kernels_cuda.c. */
START_TEST(memory_is_told_beforehand)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    struct space *space;
    struct error error;
    uint64_t state = test_seed();
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build(&test_matrices[m], CSR_SYMMETRIC, &state, &A);
        const struct csr shape = {.kind = A.kind, .n = A.n, .width = A.width, .nnz = A.nnz};
        const struct csr diagonal = {.kind = A.kind, .n = A.n, .width = A.width, .nnz = A.n};
        for (int k = 0; k < count; k++) {
            const struct kernel *kernel = kernels[k];
            struct kernel_options options = kernel_defaults(kernel);
            if (kernel->space != SPACE_CPU || !kernel->setup_bytes)
                continue;
            struct linear_operator spmv;
            expect_ok(operator_create(kernel, &A, &options, space, &spmv, &error), &error);
            int64_t foreseen = kernel->setup_bytes(&shape, &options);
            ck_assert_int_le(foreseen, spmv.memory_bytes);
            ck_assert_int_le(kernel->setup_bytes(&diagonal, &options), foreseen);
            ck_assert_int_gt(kernel->setup_bytes(&diagonal, &options), 0);
            operator_destroy(&spmv);
        }
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

/* A kernel may offer some of the precisions alone: the texts decide, not their places. */
START_TEST(precisions_go_by_their_names)
{
    const struct parameter parameters[] = {
        KERNEL_INTEGER(0, "chunk", "", "2", 1, 9),
        KERNEL_PRECISION_OF_VALUES(1),
        {0},
    };
    const struct kernel kernel = {.component = KERNEL_COMPONENT("one", "", parameters)};
    ck_assert_int_eq(kernel_precision(&kernel, &(struct kernel_options){{2, 0}}), PRECISION_DOUBLE);
    ck_assert_int_eq(kernel_precision(&kernel, &(struct kernel_options){{2, 1}}),
                     PRECISION_FLOAT_DOUBLE);
    ck_assert(offers(&kernel, PRECISION_FLOAT_DOUBLE) && !offers(&kernel, PRECISION_FLOAT));
    ck_assert_int_eq(kernel_precision(kernel_find("cpu_sym_exact"), &(struct kernel_options){{0}}),
                     PRECISION_DOUBLE);
}
END_TEST

/* Where a parameter makes the guarantee; no device is needed to ask. */
START_TEST(guarantees_follow_the_parameters)
{
    const struct kernel *kernel = kernel_find("cusparse_full");
    if (!kernel->setup)
        return;
    ck_assert_str_eq(kernel->component.parameters[0].name, "algorithm");
    ck_assert_int_eq(kernel_guarantee(kernel, &(struct kernel_options){{1}}), GUARANTEE_NONE);
    ck_assert_int_eq(kernel_guarantee(kernel, &(struct kernel_options){{2}}), GUARANTEE_RUN);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_kernel_holds,
                            contract_is_complete,
                            operands_that_it_cannot_take_are_refused,
                            columns_move_their_bytes,
                            precisions_go_by_their_names,
                            guarantees_follow_the_parameters,
                            misuse_is_refused,
                            memory_is_told_beforehand,
                            NULL};
    return suite_of("spmv/kernels", tests);
}
