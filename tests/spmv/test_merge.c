/* The merge path: its search against a plain merge, cpu_merge against the order of additions that
 * it promises, for any number of threads, and the twin of cuda_merge against A x. test_merge_cuda.c
 * holds the kernel to the twin. */
#include "support.h"

#include "matrices.h"
#include "spaces.h"
#include "spmv/baseline/cuda_merge.h"
#include "spmv/baseline/merge_path.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/merge_twin.h"
#include "spmv/rounded.h"
#include "spmv/row_lengths.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Every diagonal, beside a walk along the rows. */
static void check_search(const char *name, const struct csr *A)
{
    int64_t row = 0, entry = 0;
    for (int64_t diagonal = 0; diagonal <= A->n + A->nnz; diagonal++) {
        int64_t two = merge_rows_before(A->offsets, A->n, A->nnz, diagonal);
        ck_assert_msg(two == row, "%s: %d rows before diagonal %d, which has %d", name, (int)two,
                      (int)diagonal, (int)row);
        int64_t items = A->n + A->nnz;
        const int64_t guesses[] = {diagonal * A->n / items, row, 0, A->n, items - diagonal};
        size_t count = test_case_runs(diagonal, 5) ? sizeof guesses / sizeof *guesses : 0;
        for (size_t g = 0; g < count; g++) {
            int64_t many = merge_twin_search(A->offsets, A->n, A->nnz, guesses[g], diagonal);
            ck_assert_msg(many == row, "%s: %d rows before diagonal %d, which has %d; guess %d",
                          name, (int)many, (int)diagonal, (int)row, (int)guesses[g]);
        }
        if (row < A->n && entry == A->offsets[row + 1])
            row++;
        else
            entry++;
    }
}

START_TEST(searches_find_what_a_walk_finds)
{
    uint64_t state = test_seed();
    for (int m = 0; m < row_lengths_count; m++) {
        struct csr A;
        row_lengths_build(&row_lengths[m], &state, &A);
        check_search(row_lengths[m].name, &A);
        csr_free(&A);
    }
}
END_TEST

/* ---- cpu_merge ------------------------------------------------------------------------------- */

enum {
    SHARE = 4096,
    LONG = 16
}; /* a share's items, and a long part's entries, as cpu_merge.c says */

/* Entries from k on of row i that ends at `end` and that lie in one share. */
static int64_t part_of(int64_t i, int64_t k, int64_t end)
{
    int64_t left = SHARE - (k + i) % SHARE;
    return left < end - k ? left : end - k;
}

/* y as the head of cpu_merge.c says. */
static void ordered_product(const struct csr *A, enum precision precision, const double *x,
                            double *y)
{
    bool single = precision == PRECISION_FLOAT;
    for (int64_t i = 0; i < A->n; i++) {
        double total = 0, chains[2] = {0, 0};
        int64_t begin = A->offsets[i], end = A->offsets[i + 1], parts = 0;
        int64_t from = begin; /* where the part begins */
        int64_t count = part_of(i, from, end);
        for (int64_t k = begin; k < end; k++) {
            double a = rounded_value(precision, A->values[k]);
            double xj = rounded_x(precision, x[A->columns[k]]);
            double *chain = &chains[count < LONG ? 0 : (k - from) % 2];
            *chain = single ? fmaf((float)a, (float)xj, (float)*chain) : fma(a, xj, *chain);
            if (k + 1 < end && (k + 1 + i) % SHARE != 0)
                continue;
            /* the part ends with its row or share */
            double part = count < LONG ? chains[0] : chains[0] + chains[1];
            if (single)
                part = (float)part;
            total = parts++ ? total + part : part;
            chains[0] = chains[1] = 0;
            from = k + 1;
            count = part_of(i, from, end);
        }
        y[i] = single ? (float)total : total;
    }
}

static void check_order(const char *name, const struct csr *A, enum precision precision,
                        struct space **space, uint64_t *state)
{
    struct error error;
    double *x = host_vector(A->width), *y = host_vector(A->n), *wanted = host_vector(A->n);
    struct product_reference reference;
    host_randomise(x, A->width, state);
    ordered_product(A, precision, x, wanted);
    host_reference(A, x, precision, SUMS_PLAIN, &reference);
    expect_product(&reference, "the order of cpu_merge", name, wanted);
    product_reference_free(&reference);
    struct kernel_options options = {{precision}};
    static const int threads[] = {1, 2, 3, 7};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        test_space_threads(space, threads[t]);
        struct linear_operator spmv;
        expect_ok(operator_create(kernel_find("cpu_merge"), A, &options, *space, &spmv, &error),
                  &error);
        host_product(&spmv, x, y, NULL);
        expect_same_bits("cpu_merge", name, threads[t], A->n, wanted, y);
        if (precision == PRECISION_FLOAT) {
            host_product_float(&spmv, x, y);
            expect_same_bits("cpu_merge on floats", name, threads[t], A->n, wanted, y);
        }
        operator_destroy(&spmv);
    }
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
}

START_TEST(cpu_merge_keeps_its_order_with_any_number_of_threads)
{
    struct space *space;
    uint64_t state = test_seed();
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    for (int m = 0; m < row_lengths_count; m++) {
        struct csr A;
        row_lengths_build(&row_lengths[m], &state, &A);
        for (int p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++)
            check_order(row_lengths[m].name, &A, (enum precision)p, &space, &state);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

/* ---- the twin of cuda_merge ------------------------------------------------------------------ */

#define NUMBER(items) items,
static const int items_numbers[] = {CUDA_MERGE_ITEMS(NUMBER)};
enum { ITEMS_NUMBERS = sizeof items_numbers / sizeof *items_numbers };

/* Right, and the same whatever arrives first. */
static void check_twin(const char *name, const struct csr *A, uint64_t *state)
{
    double *x = host_vector(A->width), *y = host_vector(A->n), *again = host_vector(A->n);
    host_randomise(x, A->width, state);
    for (int p = PRECISION_DOUBLE; p <= PRECISION_FLOAT_DOUBLE; p++) {
        struct product_reference reference;
        host_reference(A, x, (enum precision)p, SUMS_PLAIN, &reference);
        for (int k = 0; k < ITEMS_NUMBERS; k++) {
            char twin[64];
            snprintf(twin, sizeof twin, "the twin of cuda_merge, %d items (%s)", items_numbers[k],
                     kernel_precisions[p]);
            for (int64_t i = 0; i < A->n; i++)
                y[i] = again[i] = NAN;
            merge_twin(A, (enum precision)p, items_numbers[k], 1, x, y);
            merge_twin(A, (enum precision)p, items_numbers[k], test_random_below(state, 1 << 20), x,
                       again);
            expect_product(&reference, twin, name, y);
            expect_same_bits(twin, name, 1, A->n, y, again);
        }
        product_reference_free(&reference);
    }
    memory_free(x);
    memory_free(y);
    memory_free(again);
}

START_TEST(the_twin_is_within_its_bound_on_every_length_of_row)
{
    uint64_t state = test_seed();
    for (int m = 0; m < row_lengths_count; m++) {
        struct csr A;
        row_lengths_build(&row_lengths[m], &state, &A);
        check_twin(row_lengths[m].name, &A, &state);
        csr_free(&A);
    }
}
END_TEST

START_TEST(the_twin_is_within_its_bound_on_every_test_matrix)
{
    uint64_t state = test_seed();
    struct csr A;
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            check_twin(test_matrices[m].name, &A, &state);
            csr_free(&A);
        }
    }
    for (int m = 0; m < test_rectangles_count; m++) {
        test_rectangle_build(&test_rectangles[m], &state, &A);
        check_twin(test_rectangles[m].name, &A, &state);
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {searches_find_what_a_walk_finds,
                            cpu_merge_keeps_its_order_with_any_number_of_threads,
                            the_twin_is_within_its_bound_on_every_length_of_row,
                            the_twin_is_within_its_bound_on_every_test_matrix, NULL};
    return suite_of("spmv/merge", tests);
}
