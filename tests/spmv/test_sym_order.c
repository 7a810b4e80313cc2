/* The order of additions of spmv/symmetric/sym_order.h, followed here as a gather over full rows,
 * against cpu_sym_bitwise: in every form, in double and in single precision, with and without
 * codes, for any number of threads and parts, whoever walks which part when. (float_double:
 * test_precision.c.) */
#include "made.h"
#include "support.h"

#include "base/threads.h"
#include "matrices.h"
#include "space/sum/sum_order.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"
#include "spmv/schedules.h"
#include "spmv/sym_matrices.h"
#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

/* One step of the chain. */
static double chain(enum precision precision, double a, double x, double s)
{
    return precision == PRECISION_FLOAT ? fmaf((float)a, (float)x, (float)s) : fma(a, x, s);
}

/* y as the order says, from the full matrix. */
static void gather(const struct csr *A, enum precision precision, const double *x, double *y)
{
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    for (int64_t j = 0; j < full.n; j++) {
        double s = 0;
        for (int64_t p = full.offsets[j]; p < full.offsets[j + 1]; p++)
            s = chain(precision, full.values[p], x[full.columns[p]], s);
        y[j] = s;
    }
    csr_free(&full);
}

/* Other sizes, zeros of both signs: whatever another order or another start would change. */
static void fill_x(double *x, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = i % 9 == 4 ? -0.0 : ldexp(2 * test_random(state) - 1, (int)(i % 31) - 15);
}

/* A matrix with x, y and what y has to be. */
struct product {
    const struct csr *A;
    const char *name;
    enum precision precision;
    double *x, *y, *wanted;
    struct space *space;
};

static struct product product_of(const struct csr *A, const char *name, enum precision precision,
                                 uint64_t *state)
{
    struct error error;
    struct product product = {.A = A, .name = name, .precision = precision};
    product.space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    product.x = memory_array(3 * A->n, sizeof *product.x, "x, y and the reference", &error);
    ck_assert_ptr_nonnull(product.x);
    product.y = product.x + A->n;
    product.wanted = product.y + A->n;
    fill_x(product.x, A->n, state);
    gather(A, precision, product.x, product.wanted);
    return product;
}

static void product_free(struct product *product)
{
    memory_free(product->x);
    product->space->operations->destroy(product->space);
}

static enum status set_up(const struct product *product, enum sym_form form, int64_t compress,
                          struct linear_operator *spmv, struct error *error)
{
    struct kernel_options options = {{[SYM_FORM] = form, [SYM_COMPRESS] = compress}};
    ck_assert(choose_precision(kernel_find("cpu_sym_bitwise"), product->precision, &options));
    return operator_create(kernel_find("cpu_sym_bitwise"), product->A, &options, product->space,
                           spmv, error);
}

/* y has the wanted bits, but for the sign of a zero where a form adds zeros of its own. */
static void expect_wanted(const struct product *product, const struct linear_operator *spmv,
                          bool exact)
{
    for (int64_t i = 0; i < product->A->n; i++) {
        const double *y = &product->y[i], *wanted = &product->wanted[i];
        if (exact ? memcmp(y, wanted, sizeof *y) != 0 : *y != *wanted) {
            ck_abort_msg("%s, %s: row %d is %a instead of %a", product->name, spmv->description,
                         (int)i, *y, *wanted);
        }
    }
}

static void poison(const struct product *product)
{
    for (int64_t i = 0; i < product->A->n; i++)
        product->y[i] = NAN;
}

static void copy_rows(const void *work, const double *rows, int64_t begin, int64_t end)
{
    const struct product *product = work;
    memcpy(product->y + begin, rows, (size_t)(end - begin) * sizeof *rows);
}

/* By each of the operator's slots. */
static void multiply(const struct product *product, struct linear_operator *spmv, bool exact)
{
    static const struct pass copy = {.name = "a copy", .make_of = copy_rows};
    struct error error;
    int64_t n = product->A->n;
    double fused, apart;
    poison(product);
    expect_ok(operator_apply_dot(spmv, product->x, product->y, &fused, &error), &error);
    expect_wanted(product, spmv, exact);
    space_dot(product->space, n, product->x, product->y, &apart, &error);
    ck_assert_mem_eq(&fused, &apart, sizeof fused);
    if (operator_fuses_pass(spmv, &copy)) {
        poison(product);
        expect_ok(
            operator_apply_to(
                spmv, &(struct operands){.x = product->x, .pass = &copy, .work = product}, &error),
            &error);
        expect_wanted(product, spmv, exact);
    }
    if (product->precision == PRECISION_FLOAT) {
        poison(product);
        host_product_float(spmv, product->x, product->y);
        expect_wanted(product, spmv, exact);
    }
}

struct loop {
    const struct product *product;
    struct linear_operator *spmv;
    bool exact;
};

static void multiply_once(void *context, int64_t begin, int64_t end)
{
    const struct loop *loop = context;
    for (int64_t i = begin; i < end; i++)
        multiply(loop->product, loop->spmv, loop->exact);
}

/* The team is at work, so one thread has all parts. */
static void multiply_alone(const struct product *product, struct linear_operator *spmv, bool exact)
{
    threads_each(product->space->threads, 1, multiply_once, &(struct loop){product, spmv, exact});
}

/* Which ways to keep the values were met, by form and precision. */
static const char *const ways[] = {"codes of 1 byte", "codes of 2 bytes", "single precision"};
enum { WAYS = sizeof ways / sizeof *ways };
static bool met[SYM_FORM_GENERAL + 1][PRECISIONS][WAYS];

static void note(enum sym_form form, enum precision precision, const char *description)
{
    for (int w = 0; w < WAYS; w++)
        met[form][precision][w] |= strstr(description, ways[w]) != NULL;
}

/* So many threads are so many parts, walked by all of them, and by one. */
static void with_threads(struct product *product, enum sym_form form, int64_t compress)
{
    struct error error;
    for (int t = 0; t < THREAD_COUNTS; t++) {
        struct linear_operator spmv;
        test_space_threads(&product->space, thread_counts[t]);
        expect_ok(set_up(product, form, compress, &spmv, &error), &error);
        note(form, product->precision, spmv.description);
        multiply(product, &spmv, form == SYM_FORM_GENERAL);
        multiply_alone(product, &spmv, form == SYM_FORM_GENERAL);
        operator_destroy(&spmv);
    }
}

static void in_precision(const struct csr *A, const char *name, enum precision precision,
                         uint64_t *state)
{
    struct error error;
    int64_t bytes;
    struct product product = product_of(A, name, precision, state);
    for (int64_t compress = 0; compress <= 1; compress++) {
        with_threads(&product, SYM_FORM_GENERAL, compress);
        if (A->n <= 1000) /* as many diagonals, of that length */
            with_threads(&product, SYM_FORM_DIAGONALS, compress);
        struct linear_operator spmv;
        if (sym_blocks_best(A, &bytes))
            with_threads(&product, SYM_FORM_BLOCKS, compress);
        else
            expect_error(set_up(&product, SYM_FORM_BLOCKS, compress, &spmv, &error), STATUS_CONFIG,
                         &error, "form = \"blocks\"", "n = ", "a multiple of none of 2 to 6", NULL);
    }
    product_free(&product);
}

static void with_forms(const struct csr *A, const char *name, uint64_t *state)
{
    in_precision(A, name, PRECISION_DOUBLE, state);
    in_precision(A, name, PRECISION_FLOAT, state);
}

START_TEST(every_form_follows_the_order)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            with_forms(&A, test_matrices[m].name, &state);
            csr_free(&A);
        }
}
END_TEST

/* n rows with about `density` entries right of the diagonal; every row divisible by `dense` (0:
 * none) has all. `values` different numbers, or any. */
static struct csr random_matrix(enum csr_kind kind, int64_t n, double density, int64_t dense,
                                int64_t values, uint64_t *state)
{
    struct error error;
    struct csr A;
    int64_t room = n;
    for (int64_t i = 0; i < n; i++)
        room += dense && i % dense == 0 ? n - 1 - i : (int64_t)(2 * density) + 1;
    expect_ok(csr_create(&A, kind, n, room, &error), &error);
    int64_t nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        bool all = dense && i % dense == 0;
        int64_t first = A.offsets[i] = nnz;
        A.columns[nnz++] = (int32_t)i;
        double step = (double)(n - i) / density;
        for (int64_t j = i + 1; j < n && (all || nnz - first <= (int64_t)(2 * density));
             j += all ? 1 : 1 + test_random_below(state, (int64_t)step + 1))
            A.columns[nnz++] = (int32_t)j;
    }
    A.offsets[n] = A.nnz = nnz;
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = A.offsets[i]; p < A.offsets[i + 1]; p++) {
            A.values[p] =
                values ? sin((double)test_random_below(state, values)) : 2 * test_random(state) - 1;
            if (kind == CSR_SKEW && A.columns[p] == i)
                A.values[p] = 0;
        }
    return A;
}

/* Many tiles, so that parts are many and entries cross them; 16 and 32 bits for an index; no, few
 * and many different values. */
START_TEST(entries_cross_the_parts)
{
    static const struct {
        const char *name;
        int64_t n, dense, values;
        double density;
    } tries[] = {{"sparse", 7 * SUM_TILE + 11, 0, 0, 5},
                 {"few values", 12 * SUM_TILE, 0, 200, 9},
                 {"many values", 12 * SUM_TILE - 6, 0, 700, 9},
                 {"dense rows", 9 * SUM_TILE + 1, 1000, 0, 3},
                 {"dense rows, two values", 9 * SUM_TILE + 2, 1000, 2, 3},
                 {"wide", 100000, 50000, 0, 2},
                 {"wide, few values", 100000, 0, 100, 2},
                 {"wide, many values", 100000, 0, 1000, 2},
                 {"no entry", 3 * SUM_TILE, 0, 0, 1e-9}};
    uint64_t state = test_seed();
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A = random_matrix(kind, tries[k].n, tries[k].density, tries[k].dense,
                                         tries[k].values, &state);
            with_forms(&A, tries[k].name, &state);
            csr_free(&A);
        }
}
END_TEST

START_TEST(random_structures_and_values)
{
    uint64_t state = test_seed();
    for (int k = 0; k < sym_matrices_count(); k += test_is_slow() ? 5 : 1) {
        struct csr A;
        const char *name = sym_matrix(k, &state, &A);
        with_forms(&A, name, &state);
        csr_free(&A);
    }
    for (int form = SYM_FORM_DIAGONALS; form <= SYM_FORM_GENERAL && !test_is_slow(); form++)
        for (int p = PRECISION_DOUBLE; p <= PRECISION_FLOAT; p++)
            for (int w = 0; w < WAYS; w++)
                ck_assert_msg(met[form][p][w] == (w < 2 || p == PRECISION_FLOAT),
                              "form %d in %s: values as %s", form, kernel_precisions[p], ways[w]);
}
END_TEST

START_TEST(one_row)
{
    int64_t offsets[] = {0, 1};
    int32_t columns[] = {0};
    double values[] = {-3};
    uint64_t state = 1;
    struct csr A = {.kind = CSR_SYMMETRIC,
                    .n = 1,
                    .width = 1,
                    .nnz = 1,
                    .offsets = offsets,
                    .columns = columns,
                    .values = values};
    with_forms(&A, "one row", &state);
}
END_TEST

static void fe_mesh(const struct fe_mesh *mesh, struct csr *A)
{
    struct error error;
    expect_ok(fe_mesh_create(mesh, A, &error), &error);
}

/* Each k has a function of its own. The values of a mesh are all different; in the second round
 * they are not. */
START_TEST(meshes_of_every_block_size)
{
    uint64_t state = test_seed();
    for (int k = 1; k <= SYM_BLOCK_MAX; k++)
        for (int round = 0; round < 3; round++) {
            struct csr A;
            fe_mesh(&(struct fe_mesh){{7, 8, 9}, k, 1e-3, .seed = k}, &A);
            for (int64_t p = 0; round > 0 && p < A.nnz; p++)
                A.values[p] = sin((double)(p % (round == 1 ? 99 : 999)));
            with_forms(&A, "mesh", &state);
            csr_free(&A);
        }
}
END_TEST

START_TEST(a_grid)
{
    struct error error;
    uint64_t state = test_seed();
    struct poisson3d poisson = {{31, 30, 29}, {1, 0.3, 3}, 10, 0, POISSON3D_DIRICHLET};
    struct csr A;
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    with_forms(&A, "the grid", &state);
    csr_free(&A);
}
END_TEST

/* No part depends on what another one has done. */
START_TEST(parts_are_walked_in_any_order)
{
    enum { PARTS = 13 };
    struct error error;
    uint64_t state = test_seed();
    for (int round = 0; round < 2; round++) {
        struct csr A;
        if (round)
            fe_mesh(&(struct fe_mesh){{12, 13, 14}, 4, 1e-3, .seed = 1}, &A);
        else
            A = random_matrix(CSR_SYMMETRIC, 15 * SUM_TILE + 6, 6, 900, 0, &state);
        struct product product =
            product_of(&A, "in any order", round ? PRECISION_FLOAT : PRECISION_DOUBLE, &state);
        for (enum sym_form form = SYM_FORM_BLOCKS; form <= SYM_FORM_GENERAL; form++) {
            struct linear_operator spmv;
            test_space_threads(&product.space, PARTS);
            expect_ok(set_up(&product, form, 1, &spmv, &error), &error);
            for (int repeat = 0; repeat < 30; repeat++) {
                schedule_shuffle(&state);
                (repeat % 4 ? multiply : multiply_alone)(&product, &spmv, form == SYM_FORM_GENERAL);
            }
            schedule_end();
            operator_destroy(&spmv);
        }
        product_free(&product);
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_form_follows_the_order,  entries_cross_the_parts,
                            random_structures_and_values,  one_row,
                            meshes_of_every_block_size,    a_grid,
                            parts_are_walked_in_any_order, NULL};
    return suite_of("spmv/sym_order", tests);
}
