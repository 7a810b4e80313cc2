/* Matrices that borrow their arrays: the bits of those that copy them, for every kernel of the CPU;
 * nothing is read behind the arrays, or after an update took others (asan looks); and what cannot
 * be borrowed. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"
#include "matrices.h"
#include "spmv/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of exactly the length that is told, from malloc. */
struct arrays {
    int32_t *offsets, *columns;
    double *values;
    struct cgs_matrix_data data;
};

static void copy_arrays(const struct csr *A, int borrow, struct arrays *made)
{
    made->offsets = malloc((size_t)(A->n + 1) * sizeof *made->offsets);
    made->columns = malloc((size_t)A->nnz * sizeof *made->columns);
    made->values = malloc((size_t)A->nnz * sizeof *made->values);
    for (int64_t i = 0; i <= A->n; i++)
        made->offsets[i] = (int32_t)A->offsets[i];
    memcpy(made->columns, A->columns, (size_t)A->nnz * sizeof *A->columns);
    memcpy(made->values, A->values, (size_t)A->nnz * sizeof *A->values);
    made->data = (struct cgs_matrix_data){.size = sizeof made->data,
                                          .n = A->n,
                                          .offsets = cgs_int32(made->offsets, A->n + 1),
                                          .columns = cgs_int32(made->columns, A->nnz),
                                          .values = cgs_vector(made->values, A->nnz),
                                          .part = CGS_UPPER,
                                          .kind = A->kind == CSR_SKEW ? CGS_SKEW : CGS_SYMMETRIC,
                                          .borrow = borrow};
}

static void free_arrays(struct arrays *arrays)
{
    free(arrays->offsets);
    free(arrays->columns);
    free(arrays->values);
}

static void create(const struct cgs_matrix_data *data, const char *kernel, struct handles *made)
{
    struct cgs_error error;
    struct cgs_context_options options = {.size = sizeof options, .threads = 2};
    *made = (struct handles){NULL};
    expect(cgs_context_create(&options, &made->context, &error), &error);
    expect(cgs_matrix_create(made->context, data, &made->A, &error), &error);
    expect(cgs_operator_create(made->A, LIST("kernel", kernel), &made->kernel, &error), &error);
}

/* The same product by both; b and its solution likewise, where there is a solver. */
static void expect_same(const struct handles *one, const struct handles *other, uint64_t *state)
{
    struct cgs_error error;
    int64_t n = cgs_matrix_rows(one->A);
    size_t bytes = (size_t)n * sizeof(double);
    double *b = malloc(bytes), *x = malloc(bytes), *y = malloc(bytes);
    random_vector(test_random_below(state, 1 << 30), n, b);
    ck_assert(cgs_matrix_hash(one->A) == cgs_matrix_hash(other->A));
    memset(x, 0xff, bytes);
    memset(y, 0xff, bytes);
    expect(cgs_multiply(one->kernel, cgs_vector(b, n), cgs_vector(x, n), &error), &error);
    expect(cgs_multiply(other->kernel, cgs_vector(b, n), cgs_vector(y, n), &error), &error);
    ck_assert(memcmp(x, y, bytes) == 0);
    memset(x, 0xff, bytes);
    memset(y, 0xff, bytes);
    if (one->solver) {
        expect(cgs_solve(one->solver, cgs_vector(b, n), cgs_vector(NULL, n), cgs_vector(x, n), NULL,
                         &error),
               &error);
        expect(cgs_solve(other->solver, cgs_vector(b, n), cgs_vector(NULL, n), cgs_vector(y, n),
                         NULL, &error),
               &error);
        ck_assert(memcmp(x, y, bytes) == 0);
    }
    free(b);
    free(x);
    free(y);
}

/* Before an update and after it, which finds the old offsets, columns and values freed. */
static void try_kernel(const struct csr *A, const char *kernel, bool solves, uint64_t *state)
{
    struct cgs_error error;
    struct handles borrows, copies;
    struct arrays first, second, others;
    copy_arrays(A, 1, &first);
    copy_arrays(A, 0, &others);
    create(&first.data, kernel, &borrows);
    create(&others.data, kernel, &copies);
    if (solves) {
        expect(cgs_solver_create(borrows.kernel, LIST("preconditioner", "jacobi"), &borrows.solver,
                                 &error),
               &error);
        expect(cgs_solver_create(copies.kernel, LIST("preconditioner", "jacobi"), &copies.solver,
                                 &error),
               &error);
    }
    expect_same(&borrows, &copies, state);
    copy_arrays(A, 1, &second);
    for (int64_t k = 0; k < A->nnz; k++)
        second.values[k] = others.values[k] = 2.5 * A->values[k];
    expect(cgs_matrix_update(borrows.A, &second.data, &error), &error);
    free_arrays(&first);
    expect(cgs_matrix_update(copies.A, &others.data, &error), &error);
    expect_same(&borrows, &copies, state);
    handles_destroy(&borrows);
    handles_destroy(&copies);
    free_arrays(&second);
    free_arrays(&others);
}

START_TEST(the_bits_of_a_copy)
{
    uint64_t state = test_seed();
    int count, tried = 0, step = test_is_slow() ? 2 : 1; /* the seed decides which half */
    int first = (int)test_random_below(&state, step);
    const struct component *const *kernels = component_list(COMPONENT_KERNEL, &count);
    for (int k = 0; k < count; k++) {
        const struct kernel *kernel = (const struct kernel *)kernels[k];
        bool equal = kernel->guarantee == GUARANTEE_BITWISE;
        for (int m = first; m < test_matrices_count && equal; m += step) {
            struct csr A;
            if (kernel->space != SPACE_CPU || kernel_unavailable(kernel))
                continue;
            if (kernel->kinds & CSR_SKEW) {
                test_matrix_build(&test_matrices[m], CSR_SKEW, &state, &A);
                try_kernel(&A, kernel->component.name, false, &state);
                csr_free(&A);
            }
            tried++;
            test_matrix_build_positive(&test_matrices[m], &state, &A);
            try_kernel(&A, kernel->component.name, true, &state);
            csr_free(&A);
        }
    }
    ck_assert_int_gt(tried, 0);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- what cannot be --------------------------------------------------------------------------- */

/* Rows 1 to 3: a diagonal, (1, 2) and (1, 3). */
static const int32_t offsets[] = {0, 3, 4, 5}, columns[] = {0, 1, 2, 1, 2},
                     swapped[] = {0, 2, 1, 1, 2}, twice[] = {0, 1, 1, 1, 2},
                     late[] = {1, 0, 2, 1, 2}, none[] = {0, 1, 2, 2, 2}, empty[] = {0, 3, 3, 5},
                     rows[] = {0, 0, 0, 1, 2};
static const double values[] = {4, -1, -1, 4, 4};

static const struct cgs_matrix_data good = {.size = sizeof good,
                                            .n = 3,
                                            .offsets = {(void *)offsets, 4, .type = CGS_INT32},
                                            .columns = {(void *)columns, 5, .type = CGS_INT32},
                                            .values = {(void *)values, 5},
                                            .part = CGS_UPPER,
                                            .borrow = 1};

#define REFUSED(change, wanted, says)                                                              \
    do {                                                                                           \
        struct cgs_matrix_data data = good;                                                        \
        struct cgs_matrix *made;                                                                   \
        change;                                                                                    \
        expect_error((enum status)cgs_matrix_create(context, &data, &made, &error),                \
                     (enum status)(wanted), (struct error *)&error, says, NULL);                   \
        ck_assert_ptr_null(made);                                                                  \
    } while (0)

START_TEST(what_cannot_be_borrowed)
{
    static float singles[] = {4, -1, -1, 4, 4};
    static int64_t wide_columns[] = {0, 1, 2, 1, 2};
    struct cgs_error error;
    struct cgs_context *context;
    expect(cgs_context_create(NULL, &context, &error), &error);
    REFUSED(data.borrow = 2, CGS_BAD_OPTION, "borrow must be 0 or 1");
    REFUSED((data.offsets.data = NULL, data.rows = cgs_int32(rows, 5)), CGS_BAD_OPTION,
            "wants offsets, not rows");
    REFUSED((data.part = CGS_FULL), CGS_BAD_OPTION, "wants CGS_UPPER");
    REFUSED((data.columns.type = CGS_INT64, data.columns.data = wide_columns), CGS_BAD_OPTION,
            "wants columns of CGS_INT32");
    REFUSED((data.values.type = CGS_FLOAT, data.values.data = singles), CGS_BAD_OPTION,
            "wants values of CGS_DOUBLE");
    REFUSED((data.base = 1, data.offsets.data = (int32_t[]){1, 4, 5, 6},
             data.columns.data = (int32_t[]){1, 2, 3, 2, 3}),
            CGS_BAD_OPTION, "wants base 0");
    REFUSED(data.values.place = CGS_CUDA, CGS_BAD_OPTION,
            "arrays in a device's memory cannot be borrowed");
    REFUSED(data.columns = cgs_int32(swapped, 5), CGS_BAD_INPUT, "a(1,2) follows a(1,3)");
    REFUSED(data.columns = cgs_int32(twice, 5), CGS_BAD_INPUT, "a(1,2) follows a(1,2)");
    REFUSED(data.columns = cgs_int32(late, 5), CGS_BAD_INPUT, "row 1 does not begin with a(1,1)");
    REFUSED(data.columns = cgs_int32(none, 5), CGS_BAD_INPUT, "row 2 does not begin with a(2,2)");
    REFUSED((data.offsets = cgs_int32(empty, 4), data.columns = cgs_int32(none, 5)), CGS_BAD_INPUT,
            "row 2 does not begin with a(2,2)");
    cgs_context_destroy(context);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A refused one leaves the matrix as it was. */
START_TEST(an_update_of_another_kind)
{
    static const double vector[] = {1, 2, 3};
    struct handles handles;
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    double before[3], after[3];
    for (int borrow = 0; borrow < 2; borrow++) {
        struct cgs_matrix_data data = good;
        data.borrow = borrow;
        create(&data, "cpu_sym_bitwise", &handles);
        expect(cgs_multiply(handles.kernel, cgs_vector(vector, 3), cgs_vector(before, 3), &error),
               &error);
        data.borrow = !borrow;
        expect_error((enum status)cgs_matrix_update(handles.A, &data, &error), STATUS_CONFIG, said,
                     borrow ? "borrow must be 1 again" : "borrow must be 0 again", NULL);
        data.borrow = borrow;
        data.columns = cgs_int32(swapped, 5);
        if (borrow)
            expect_error((enum status)cgs_matrix_update(handles.A, &data, &error), STATUS_INPUT,
                         said, "a(1,2) follows a(1,3)", NULL);
        memset(after, 0xff, sizeof after);
        expect(cgs_multiply(handles.kernel, cgs_vector(vector, 3), cgs_vector(after, 3), &error),
               &error);
        ck_assert(memcmp(before, after, sizeof before) == 0);
        handles_destroy(&handles);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *said)
{
    struct cgs_matrix *made;
    enum cgs_status status = cgs_matrix_create(context, &good, &made, (struct cgs_error *)said);
    if (!status)
        status = cgs_matrix_update(made, &good, (struct cgs_error *)said);
    cgs_matrix_destroy(made);
    return (enum status)status;
}

START_TEST(without_memory)
{
    struct cgs_error error;
    struct cgs_context *context;
    expect(cgs_context_create(NULL, &context, &error), &error);
    walk_allocation_failures(attempt, context);
    cgs_context_destroy(context);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_bits_of_a_copy, what_cannot_be_borrowed,
                                  an_update_of_another_kind, without_memory, NULL};
    return suite_of("api/borrow", tests);
}
