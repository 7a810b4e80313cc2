/* Rows that repeat (struct repeated_rows), as cuda_sym_bitwise lends them: each is the row of A.
 * And the form in single precision that is made of them. */
#include "support.h"

#include "cuda_device.h"
#include "spaces.h"

#include "matrix/implicit_rows.h"
#include "problem/generators.h"
#include "spmv/device_csr.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *down(struct space *space, int64_t bytes, const void *device)
{
    struct error error;
    void *host = malloc((size_t)bytes);
    expect_ok(space->operations->download(space, bytes, device, host, &error), &error);
    return host;
}

/* A on a device, and its form in doubles. */
struct pair {
    struct space *space;
    struct csr A, there;
    struct linear_operator spmv;
};

static void pair_create(const struct csr *A, struct pair *made)
{
    struct error error;
    *made = (struct pair){.space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0), .A = *A};
    expect_ok(device_csr_bring(made->space, A, &made->there, &error), &error);
    expect_ok(operator_create(kernel_find("cuda_sym_bitwise"), &made->there, NULL, made->space,
                              &made->spmv, &error),
              &error);
}

static void pair_free(struct pair *pair)
{
    operator_destroy(&pair->spmv);
    device_csr_free(&pair->there);
    pair->space->operations->destroy(pair->space);
    csr_free(&pair->A);
}

static void expect_rows(const struct pair *pair)
{
    const struct repeated_rows *lent = &pair->spmv.repeated;
    struct space *space = pair->space;
    const struct csr *A = &pair->A;
    ck_assert_ptr_nonnull(lent->codes);
    uint8_t *codes = down(space, A->n, lent->codes);
    int32_t *offsets = down(space, (lent->count + 1) * (int64_t)sizeof *offsets, lent->offsets);
    int32_t *ahead = down(space, offsets[lent->count] * (int64_t)sizeof *ahead, lent->ahead);
    double *values = down(space, offsets[lent->count] * (int64_t)sizeof *values, lent->values);
    struct csr repeated = {.n = A->n, .repeated = {codes, offsets, ahead, values}};
    for (int64_t i = 0; i < A->n; i++) {
        struct csr_row wanted = csr_row_at(A, i), found = csr_row_at(&repeated, i);
        ck_assert_int_eq(found.count, wanted.count);
        for (int64_t k = 0; k < wanted.count; k++)
            ck_assert_int_eq(found.from + found.columns[k], wanted.from + wanted.columns[k]);
        ck_assert_mem_eq(found.values, wanted.values, (size_t)wanted.count * sizeof(double));
    }
    free(codes);
    free(offsets);
    free(ahead);
    free(values);
}

/* The product in single precision, of the rows that repeat and of all rows. */
static void expect_floats(struct pair *pair, uint64_t *seed)
{
    const struct kernel *kernel = kernel_find("cuda_sym_bitwise");
    struct kernel_options options = kernel_defaults(kernel);
    struct error error;
    int64_t n = pair->A.n;
    double *x = malloc((size_t)n * sizeof *x), *y[2];
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(test_random(seed) - 0.5);
    ck_assert(choose_precision(kernel, PRECISION_FLOAT, &options));
    for (int way = 0; way < 2; way++) {
        struct linear_operator floats;
        struct csr from = pair->there;
        from.repeated = way == 0 ? pair->spmv.repeated : (struct repeated_rows){0};
        expect_ok(operator_create(kernel, &from, &options, pair->space, &floats, &error), &error);
        ck_assert_ptr_null(floats.repeated.codes);
        y[way] = malloc((size_t)n * sizeof **y);
        for (int64_t i = 0; i < n; i++)
            y[way][i] = NAN;
        host_product(&floats, x, y[way], NULL);
        operator_destroy(&floats);
    }
    ck_assert_mem_eq(y[0], y[1], (size_t)n * sizeof **y);
    free(x);
    free(y[0]);
    free(y[1]);
}

/* The form of a matrix whose rows are not made is the form of its rows, bit for bit, and so are the
 * rows that it lends. */
static void expect_form_of_kinds(const struct pair *pair)
{
    const struct repeated_rows *wanted = &pair->spmv.repeated, *found;
    struct csr made = csr_made(pair->A.kind, pair->A.n, pair->A.maker, pair->A.maker_options);
    struct linear_operator spmv;
    struct error error;
    expect_ok(
        operator_create(kernel_find("cuda_sym_bitwise"), &made, NULL, pair->space, &spmv, &error),
        &error);
    ck_assert_str_eq(spmv.description, pair->spmv.description);
    ck_assert_int_eq(spmv.bytes_per_apply, pair->spmv.bytes_per_apply);
    found = &spmv.repeated;
    ck_assert_int_eq(found->count, wanted->count);
    ck_assert_int_eq(found->diagonals, wanted->diagonals);
    const struct {
        const void *found, *wanted;
        int64_t bytes;
    } all[] = {{found->codes, wanted->codes, made.n},
               {found->offsets, wanted->offsets, (wanted->count + 1) * (int64_t)sizeof(int32_t)},
               {found->distances, wanted->distances, wanted->diagonals * (int64_t)sizeof(int32_t)},
               {found->full, wanted->full,
                wanted->count * (2 * wanted->diagonals - 1) * (int64_t)sizeof(double)}};
    for (size_t k = 0; k < sizeof all / sizeof *all && wanted->codes; k++) {
        void *own = down(pair->space, all[k].bytes, all[k].found);
        void *other = down(pair->space, all[k].bytes, all[k].wanted);
        ck_assert_mem_eq(own, other, (size_t)all[k].bytes);
        free(own);
        free(other);
    }
    operator_destroy(&spmv);
}

/* A borrows *poisson. */
static void make_box(uint64_t *seed, struct poisson3d *poisson, struct csr *A)
{
    struct error error;
    *poisson = (struct poisson3d){.weights = {1, 1.0 / 3, 0.1},
                                  .jump = test_random_below(seed, 2) ? 1e3 / 7 : 1,
                                  .shift = test_random_below(seed, 2) ? 1e-3 : 0,
                                  .boundary = test_random_below(seed, 2) ? POISSON3D_NEUMANN
                                                                         : POISSON3D_DIRICHLET};
    for (int axis = 0; axis < 3; axis++)
        poisson->n[axis] = 6 + test_random_below(seed, axis == 0 ? 60 : 30);
    const struct options options = {&problem_poisson3d.component, poisson};
    expect_ok(problem_shape(&options, A, &error), &error);
    expect_ok(csr_store(A, &error), &error);
}

START_TEST(rows_and_forms)
{
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    for (int trial = 0; trial < 12; trial++) {
        struct pair pair;
        struct csr A;
        struct poisson3d poisson;
        make_box(&seed, &poisson, &A);
        pair_create(&A, &pair);
        expect_rows(&pair);
        expect_form_of_kinds(&pair);
        expect_floats(&pair, &seed);
        pair_free(&pair);
    }
}
END_TEST

/* An entry that is 0 is an entry: the rows by what is not 0 would lack it. */
START_TEST(stored_zeros)
{
    uint64_t seed = test_seed();
    if (!cuda_device_is_there())
        return;
    for (int trial = 0; trial < 4; trial++) {
        struct pair pair;
        struct csr A;
        struct poisson3d poisson;
        make_box(&seed, &poisson, &A);
        A.maker = NULL;
        A.values[test_random_below(&seed, A.nnz)] = trial % 2 ? 0.0 : -0.0;
        pair_create(&A, &pair);
        ck_assert_ptr_null(pair.spmv.repeated.codes);
        pair_free(&pair);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("spmv/repeated_rows_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_test(tests, rows_and_forms);
    tcase_add_test(tests, stored_zeros);
    suite_add_tcase(made, tests);
    return made;
}
