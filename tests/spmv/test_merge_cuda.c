/* cuda_merge against its twin, bit for bit, with every number of items, searched borders and a
 * table of them, in every precision, also as one of several vectors. Without a device nothing is
 * run, and it says why. */
#include "support.h"

#include "cuda_device.h"
#include "matrices.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/merge_twin.h"
#include "spmv/row_lengths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int place_of(const struct kernel *kernel, const char *parameter)
{
    int count = kernel_parameter_count(kernel);
    for (int k = 0; k < count; k++)
        if (strcmp(kernel->component.parameters[k].name, parameter) == 0)
            return k;
    ck_abort_msg("%s has no parameter %s", kernel->component.name, parameter);
    return -1;
}

/* Again and again: what one product leaves in its slots the next one would find. */
static void check_products(const char *name, const char *matrix, struct linear_operator *spmv,
                           uint64_t *state, const double *x, const double *wanted)
{
    double *y = host_vector(spmv->n);
    for (int repeat = 0; repeat < (test_is_slow() ? 2 : 5); repeat++) {
        host_product(spmv, x, y, NULL);
        expect_same_bits(name, matrix, 1, spmv->n, wanted, y);
    }
    if (spmv->can & OPERATOR_SINGLES) {
        host_product_float(spmv, x, y);
        expect_same_bits(name, matrix, 1, spmv->n, wanted, y);
    }
    expect_column(name, matrix, spmv, state, x, wanted);
    memory_free(y);
}

static void check_options(const struct kernel *kernel, const char *matrix, const struct csr *A,
                          const struct kernel_options *options, struct space *space,
                          uint64_t *state, const double *x)
{
    struct error error;
    char name[128];
    double *wanted = host_vector(A->n);
    int place = place_of(kernel, "items_per_thread");
    const char *items = kernel->component.parameters[place].choices[options->values[place]];
    enum precision precision = kernel_precision(kernel, options);
    merge_twin(A, precision, atoi(items), 1, x, wanted);
    for (int64_t borders = 0; borders <= 1; borders++) {
        for (int64_t wide = 0; wide <= 1; wide++) {
            struct kernel_options chosen = *options;
            chosen.values[place_of(kernel, "borders")] = borders;
            chosen.values[place_of(kernel, "wide_offsets")] = wide;
            snprintf(name, sizeof name, "cuda_merge (%s items, %s, borders %d, wide %d)", items,
                     kernel_precisions[precision], (int)borders, (int)wide);
            struct linear_operator spmv;
            expect_ok(operator_create(kernel, A, &chosen, space, &spmv, &error), &error);
            check_products(name, matrix, &spmv, state, x, wanted);
            operator_destroy(&spmv);
        }
    }
    memory_free(wanted);
}

static void check_matrix(const char *matrix, const struct csr *A, struct space *space,
                         uint64_t *state)
{
    const struct kernel *kernel = kernel_find("cuda_merge");
    int items = place_of(kernel, "items_per_thread"), precision = place_of(kernel, "precision");
    double *x = host_vector(A->width);
    host_randomise(x, A->width, state);
    for (int64_t i = 0; i <= kernel->component.parameters[items].maximum; i++) {
        for (int64_t p = 0; p <= kernel->component.parameters[precision].maximum; p++) {
            struct kernel_options options = kernel_defaults(kernel);
            options.values[items] = i;
            options.values[precision] = p;
            check_options(kernel, matrix, A, &options, space, state, x);
        }
    }
    memory_free(x);
}

START_TEST(kernel_is_its_twin_bit_for_bit)
{
    if (!cuda_device_is_there())
        return;
    uint64_t state = test_seed();
    struct space *space;
    struct csr A;
    space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    for (int m = 0; m < row_lengths_count; m++) {
        row_lengths_build(&row_lengths[m], &state, &A);
        check_matrix(row_lengths[m].name, &A, space, &state);
        csr_free(&A);
    }
    for (int m = 0; m < test_matrices_count; m++) {
        test_matrix_build(&test_matrices[m], m % 2 ? CSR_SKEW : CSR_SYMMETRIC, &state, &A);
        check_matrix(test_matrices[m].name, &A, space, &state);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {kernel_is_its_twin_bit_for_bit, NULL};
    return suite_of("spmv/merge_cuda", tests);
}
