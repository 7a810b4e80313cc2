/* cuda_sym_bitwise in every form and precision, with and without codes: the bits of cpu_csr in the
 * same precision, in every one of several columns too, and of the separate operations where it
 * fuses them. Without a device nothing is run, and it says why. */
#include "made.h"
#include "support.h"

#include "cuda_device.h"
#include "matrices.h"
#include "solver/cg/cg.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/kernel.h"
#include "spmv/precision.h"
#include "spmv/sym_matrices.h"
#include "spmv/symmetric/sym_order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A matrix with what cpu_csr makes of it in one precision. */
struct trial {
    const char *name;
    enum precision precision;
    int repeats; /* of a product; 1: nothing twice, for a large matrix */
    uint64_t state;
    struct csr A;
    struct space *cpu, *cuda;
    double *x, *y, dot;
    int64_t columns; /* of some more vectors, one behind the other; 0: a large matrix has none */
    double *X, *Y;
};

/* Products of several columns: a drawn number of them, and all. */
enum { COLUMNS_DRAWN = 33, COLUMNS = 64 };

static struct linear_operator setup(const char *kernel, const struct kernel_options *options,
                                    const struct csr *A, struct space *space)
{
    struct error error;
    struct linear_operator spmv;
    expect_ok(operator_create(kernel_find(kernel), A, options, space, &spmv, &error), &error);
    return spmv;
}

static struct linear_operator setup_full(const struct trial *trial)
{
    return setup("cpu_csr", &(struct kernel_options){{trial->precision}}, &trial->A, trial->cpu);
}

static struct linear_operator setup_form(const struct trial *trial, enum sym_form form, bool never)
{
    struct kernel_options options = {{[SYM_FORM] = form, [SYM_COMPRESS] = never}};
    const char *kernel = "cuda_sym_bitwise";
    ck_assert(choose_precision(kernel_find(kernel), trial->precision, &options));
    return setup(kernel, &options, &trial->A, trial->cuda);
}

static void check_product(const struct trial *trial, struct linear_operator *spmv, const char *form)
{
    int64_t n = trial->A.n;
    double *y = host_vector(n), dot = NAN;
    for (int repeat = 0; repeat < trial->repeats; repeat++) {
        host_product(spmv, trial->x, y, repeat == 1 ? NULL : &dot);
        expect_same_bits(form, trial->name, repeat, n, trial->y, y);
        ck_assert_msg(dot == trial->dot, "%s, %s: x . y = %a, not %a", form, trial->name, dot,
                      trial->dot);
        if (trial->precision == PRECISION_FLOAT) {
            host_product_float(spmv, trial->x, y);
            expect_same_bits(form, trial->name, repeat, n, trial->y, y);
        }
    }
    memory_free(y);
}

static void check_columns(const struct trial *trial, struct linear_operator *spmv, int64_t columns,
                          const char *form)
{
    int64_t n = trial->A.n;
    double *Y = host_vector(columns * n);
    host_product_columns(spmv, columns, trial->X, Y);
    for (int64_t j = 0; j < columns; j++) {
        char what[128];
        snprintf(what, sizeof what, "%s, column %d of %d", form, (int)j, (int)columns);
        expect_same_bits(what, trial->name, 0, n, trial->Y + j * n, Y + j * n);
    }
    memory_free(Y);
}

static double *up(struct space *space, int64_t n, const double *host)
{
    struct error error;
    double *there;
    expect_ok(space_vector(space, n, "a vector", &there, &error), &error);
    expect_ok(space_upload(space, n, host, there, &error), &error);
    return there;
}

static void expect_vector(const struct trial *trial, const char *what, const double *there,
                          const double *wanted)
{
    struct error error;
    double *found = host_vector(trial->A.n);
    expect_ok(space_download(trial->cuda, trial->A.n, there, found, &error), &error);
    expect_same_bits(what, trial->name, 0, trial->A.n, wanted, found);
    memory_free(found);
}

/* next = r + beta p, x takes its two steps, y = A next and next . y, all at once. */
static void check_direction(const struct trial *trial, struct linear_operator *spmv, bool update)
{
    struct error error;
    int64_t n = trial->A.n;
    uint64_t state = (uint64_t)n;
    double *host[6], *there[6];
    for (int k = 0; k < 6; k++) {
        host[k] = host_vector(n);
        host_randomise(host[k], n, &state);
        there[k] = up(trial->cuda, n, host[k]);
    }
    double *r = host[0], *p = host[1], *next = host[2], *x = host[3], *y = host[4];
    double scalars[] = {0.7, -1.3, 2.1, NAN}, *s = up(trial->cuda, 4, scalars), dot, wanted_dot;
    struct direction direction = {there[0], there[1], there[2], s, update ? there[3] : NULL,
                                  s + 1,    s + 2};
    expect_ok(
        operator_apply_to(
            spmv, &(struct operands){.y = there[4], .dot = s + 3, .direction = &direction}, &error),
        &error);
    for (int64_t i = 0; i < n; i++) {
        if (update)
            x[i] = fma(scalars[2], p[i], fma(scalars[1], next[i], x[i]));
        next[i] = fma(scalars[0], p[i], r[i]);
    }
    struct linear_operator full = setup_full(trial);
    host_product(&full, next, y, &wanted_dot);
    operator_destroy(&full);
    expect_vector(trial, "p", there[2], next);
    expect_vector(trial, "x", there[3], x);
    expect_vector(trial, "q", there[4], y);
    expect_vector(trial, "r", there[0], r);
    expect_ok(space_download(trial->cuda, 1, s + 3, &dot, &error), &error);
    ck_assert_msg(dot == wanted_dot, "%s: p . q = %a, not %a", trial->name, dot, wanted_dot);
    for (int k = 0; k < 6; k++) {
        memory_free(host[k]);
        space_release(trial->cuda, there[k]);
    }
    space_release(trial->cuda, s);
}

static bool any_divides(int64_t n)
{
    return n % 2 == 0 || n % 3 == 0 || n % 5 == 0;
}

/* What is not compressed says that it holds singles where it does; and x, y and the matrix once are
 * all that is moved. */
static void check_bytes(const struct trial *trial, const struct linear_operator *spmv, bool never)
{
    const char *text = spmv->description;
    bool singles = strstr(text, "single precision") != NULL;
    ck_assert_msg(!never || singles == (trial->precision != PRECISION_DOUBLE), "%s: %s",
                  trial->name, text);
    ck_assert_int_eq(spmv->bytes_per_apply, spmv->memory_bytes + 16 * trial->A.n);
}

/* x and the columns, and their products by cpu_csr. */
static void begin_precision(struct trial *trial)
{
    uint64_t *state = &trial->state;
    int64_t n = trial->A.n, most = test_is_slow() ? COLUMNS_DRAWN : COLUMNS;
    trial->columns = trial->repeats > 1 ? 1 + test_random_below(state, COLUMNS_DRAWN) : 0;
    int64_t made = trial->columns ? most : 0;
    trial->x = host_vector(n);
    trial->y = host_vector(n);
    trial->X = host_vector(made * n);
    trial->Y = host_vector(made * n);
    host_randomise(trial->x, n, state);
    host_randomise(trial->X, made * n, state);
    struct linear_operator full = setup_full(trial);
    host_product(&full, trial->x, trial->y, &trial->dot);
    for (int64_t j = 0; j < made; j++)
        host_product(&full, trial->X + j * n, trial->Y + j * n, NULL);
    operator_destroy(&full);
}

static void end_precision(struct trial *trial)
{
    memory_free(trial->x);
    memory_free(trial->y);
    memory_free(trial->X);
    memory_free(trial->Y);
}

static void try_precision(struct trial *trial, enum sym_form first, enum sym_form last)
{
    static const char *const names[] = {"auto", "diagonals", "blocks", "general"};
    int64_t n = trial->A.n;
    begin_precision(trial);
    for (int form = (int)first; form <= (int)last; form++)
        for (int never = 0; never <= 1; never++) {
            if (form == SYM_FORM_BLOCKS && !any_divides(n))
                continue;
            char what[64];
            snprintf(what, sizeof what, "%s, %s%s", names[form],
                     kernel_precisions[trial->precision], never ? ", not compressed" : "");
            struct linear_operator spmv = setup_form(trial, (enum sym_form)form, never);
            check_bytes(trial, &spmv, never);
            check_product(trial, &spmv, what);
            ck_assert_msg(spmv.can & OPERATOR_COLUMNS, "%s: column by column", what);
            if (trial->columns)
                check_columns(trial, &spmv, trial->columns, what);
            if (trial->columns && !test_is_slow())
                check_columns(trial, &spmv, COLUMNS, what);
            if (spmv.can & OPERATOR_DIRECTION) {
                if (trial->repeats > 1)
                    check_direction(trial, &spmv, false);
                check_direction(trial, &spmv, true);
            }
            operator_destroy(&spmv);
        }
    end_precision(trial);
}

/* Takes trial->A and frees it. The forms from the first to the last. */
static void try_forms(struct trial *trial, enum sym_form first, enum sym_form last)
{
    for (int p = 0; p < PRECISIONS; p++) {
        trial->precision = (enum precision)p;
        try_precision(trial, first, last);
    }
    csr_free(&trial->A);
}

static void try_matrix(struct trial *trial)
{
    try_forms(trial, SYM_FORM_AUTO, SYM_FORM_GENERAL);
}

static bool begin(struct trial *trial)
{
    if (!cuda_device_is_there())
        return false;
    trial->repeats = test_is_slow() ? 2 : 3;
    trial->state = test_seed();
    trial->cpu = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    trial->cuda = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    return true;
}

static void end(struct trial *trial)
{
    trial->cpu->operations->destroy(trial->cpu);
    trial->cuda->operations->destroy(trial->cuda);
}

START_TEST(small_matrices)
{
    struct trial trial;
    if (!begin(&trial))
        return;
    uint64_t state = test_seed();
    int step = test_is_slow() ? 15 : 1; /* the seed decides which */
    for (int m = (int)(state % (uint64_t)step); m < test_matrices_count; m += step)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            trial.name = test_matrices[m].name;
            test_matrix_build(&test_matrices[m], kind, &state, &trial.A);
            try_matrix(&trial);
        }
    end(&trial);
}
END_TEST

/* Tiles that have all their neighbours, and others. */
START_TEST(stencils)
{
    static const struct poisson3d grids[] = {
        {{700, 1, 1}, {1, 0, 0}, 1, 0, POISSON3D_DIRICHLET},
        {{61, 53, 1}, {1, 2, 0}, 1, 0, POISSON3D_DIRICHLET},
        {{40, 37, 23}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET},
        {{40, 37, 23}, {1, 2, 3}, 1e3, 0, POISSON3D_DIRICHLET}};
    struct trial trial;
    if (!begin(&trial))
        return;
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        struct error error;
        trial.name = "poisson3d";
        expect_ok(poisson3d_create(&grids[k], &trial.A, &error), &error);
        try_matrix(&trial);
    }
    end(&trial);
}
END_TEST

/* From 8192 tiles on a block of threads takes two of them. */
START_TEST(many_tiles)
{
    struct trial trial;
    if (test_is_slow() || !begin(&trial))
        return;
    struct error error;
    struct poisson3d grid = {{199, 160, 130}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    trial.name = "poisson3d";
    expect_ok(poisson3d_create(&grid, &trial.A, &error), &error);
    trial.repeats = 1;
    try_forms(&trial, SYM_FORM_DIAGONALS, SYM_FORM_DIAGONALS);
    end(&trial);
}
END_TEST

START_TEST(blocks)
{
    struct trial trial;
    if (!begin(&trial))
        return;
    for (int64_t unknowns = 1; unknowns <= 7; unknowns++)
        for (int64_t layers = 0; layers <= 9; layers += 9) {
            struct error error;
            struct fe_mesh mesh = {{13, 11, layers}, unknowns, 1e-3, .seed = unknowns};
            trial.name = layers ? "fe_cube" : "fe_sheet";
            expect_ok(fe_mesh_create(&mesh, &trial.A, &error), &error);
            try_matrix(&trial);
        }
    end(&trial);
}
END_TEST

/* The values as they are: so small a mesh has few of them, and they would become codes. */
static void expect_staged(struct trial *trial, bool yes)
{
    for (int p = 0; p < PRECISIONS; p++) {
        trial->precision = (enum precision)p;
        struct linear_operator spmv = setup_form(trial, SYM_FORM_GENERAL, true);
        ck_assert_msg((strstr(spmv.description, "staged") != NULL) == yes, "%s: %s", trial->name,
                      spmv.description);
        operator_destroy(&spmv);
    }
}

/* Rows of many lengths, whose neighbours lie in several tiles; x ends anywhere in a sector. */
START_TEST(unstructured)
{
    static const int64_t sizes[][3] = {
        {61, 29, 0}, {62, 29, 0}, {63, 29, 0}, {64, 29, 0}, {61, 29, 17}};
    struct trial trial;
    if (!begin(&trial))
        return;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct error error;
            const int64_t *n = sizes[k];
            struct fe_mesh mesh = {{n[0], n[1], n[2]},
                                   1,
                                   1e-3,
                                   .seed = (int64_t)k,
                                   .diagonals = FE_MESH_RANDOM_DIAGONALS};
            trial.name = n[2] ? "fe_cube, random diagonals" : "fe_sheet, random diagonals";
            expect_ok(fe_mesh_create(&mesh, &trial.A, &error), &error);
            trial.A.kind = kind;
            for (int64_t i = 0; kind == CSR_SKEW && i < trial.A.n; i++)
                trial.A.values[trial.A.offsets[i]] = 0;
            expect_staged(&trial, true);
            try_forms(&trial, SYM_FORM_GENERAL, SYM_FORM_GENERAL);
        }
    end(&trial);
}
END_TEST

START_TEST(random_structures_and_values)
{
    struct trial trial;
    if (!begin(&trial))
        return;
    uint64_t state = test_seed();
    for (int k = 0; k < sym_matrices_count(); k += test_is_slow() ? 10 : 1) {
        trial.name = sym_matrix(k, &state, &trial.A);
        try_matrix(&trial);
    }
    end(&trial);
}
END_TEST

/* Rows of an entry or two beside the diagonal, nearly all of them far away: little is gathered
 * twice. */
START_TEST(far_entries)
{
    enum { N = 20011 };
    struct trial trial;
    if (!begin(&trial))
        return;
    uint64_t state = test_seed();
    for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
        struct error error;
        int64_t nnz = 0;
        trial.name = "far entries";
        expect_ok(csr_create(&trial.A, kind, N, 3 * N, &error), &error);
        for (int64_t i = 0; i < N; i++) {
            trial.A.offsets[i] = nnz;
            for (int64_t j = i; j < N && nnz < trial.A.offsets[i] + 3;
                 j += 1 + test_random_below(&state, N)) {
                trial.A.columns[nnz] = (int32_t)j;
                trial.A.values[nnz++] =
                    kind == CSR_SKEW && j == i ? 0 : 2 * test_random(&state) - 1;
            }
        }
        trial.A.offsets[N] = trial.A.nnz = nnz;
        expect_staged(&trial, false);
        try_forms(&trial, SYM_FORM_GENERAL, SYM_FORM_GENERAL);
    }
    end(&trial);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {small_matrices, stencils,     many_tiles,
                            blocks,         unstructured, random_structures_and_values,
                            far_entries,    NULL};
    return suite_of("spmv/bitwise_cuda", tests);
}
