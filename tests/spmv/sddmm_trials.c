#include "spmv/sddmm_trials.h"

#include "support.h"

#include "general.h"
#include "matrices.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/operator.h"
#include "study/product_reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

double sddmm_expected(const double *x, const double *y, int64_t columns)
{
    double s[8] = {0};
    for (int64_t c = 0; c < columns; c++)
        s[c % 8] = fma(x[c], y[c], s[c % 8]);
    for (int h = 4; h >= 1; h /= 2)
        for (int l = 0; l < h; l++)
            s[l] = s[l] + s[l + h];
    return s[0] + 0;
}

enum { ORDINARY, TINY, VANISHING, HUGE_ONES, WHOLE, ZEROS, KINDS };

static double number(int kind, double sign, uint64_t *state)
{
    double v = 2 * test_random(state) - 1;
    switch (kind) {
    case TINY: /* products about the smallest subnormal number */
        return ldexp(v, (int)test_random_below(state, 8) - 540);
    case VANISHING: /* every product rounds to -0 */
        return copysign(ldexp(v, -600), sign);
    case HUGE_ONES:
        return ldexp(v, 505 + (int)test_random_below(state, 9));
    case WHOLE:
        return (double)(test_random_below(state, 17) - 8);
    case ZEROS:
        return copysign(test_random_below(state, 4) == 0, v);
    default:
        return v * (test_random_below(state, 5) == 0 ? 1e6 : 1);
    }
}

void sddmm_trial_make(const char *name, const struct csr *pattern, int64_t columns, uint64_t *state,
                      struct sddmm_trial *trial)
{
    *trial = (struct sddmm_trial){.name = name,
                                  .pattern = pattern,
                                  .columns = columns,
                                  .x = host_vector(pattern->n * columns),
                                  .y = host_vector(pattern->width * columns),
                                  .values = host_vector(pattern->nnz)};
    int kind = (int)test_random_below(state, KINDS);
    for (int64_t k = 0; k < pattern->n * columns; k++)
        trial->x[k] = number(kind, 1, state);
    for (int64_t k = 0; k < pattern->width * columns; k++)
        trial->y[k] = number(kind, -1, state);
    for (int64_t i = 0; i < pattern->n; i++)
        for (int64_t k = pattern->offsets[i]; k < pattern->offsets[i + 1]; k++)
            trial->values[k] = sddmm_expected(trial->x + i * columns,
                                              trial->y + pattern->columns[k] * columns, columns);
}

void sddmm_trial_free(struct sddmm_trial *trial)
{
    memory_free(trial->x);
    memory_free(trial->y);
    memory_free(trial->values);
}

void expect_same_samples(const struct sddmm_trial *trial, const char *by, const double *values)
{
    for (int64_t k = 0; k < trial->pattern->nnz; k++) {
        double wanted = trial->values[k];
        ck_assert_msg(memcmp(&wanted, &values[k], sizeof wanted) == 0 ||
                          (isnan(wanted) && isnan(values[k])),
                      "%s, %s, %d columns: entry %d is %a instead of %a", by, trial->name,
                      (int)trial->columns, (int)k, values[k], wanted);
    }
}

/* The multivector of n rows, in the space, with NaN in the padding; *size elements, also on the
 * host. */
static double *bring(struct space *space, const double *rows, int64_t n, int64_t columns,
                     int64_t *size, double **packed)
{
    struct error error;
    double *there;
    *size = columns_elements(n, columns);
    *packed = host_vector(*size);
    for (int64_t k = 0; k < *size; k++)
        (*packed)[k] = NAN;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < columns; c++) {
            int64_t first = c / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE, left = columns - first;
            int stride = columns_stride(left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE);
            (*packed)[first * n + i * stride + c - first] = rows[i * columns + c];
        }
    expect_ok(space_vector(space, *size, "a multivector", &there, &error), &error);
    expect_ok(space_upload(space, *size, *packed, there, &error), &error);
    return there;
}

static void expect_unchanged(struct space *space, double *there, double *packed, int64_t size)
{
    struct error error;
    double *back = host_vector(size);
    expect_ok(space_download(space, size, there, back, &error), &error);
    ck_assert(memcmp(packed, back, (size_t)size * sizeof *back) == 0);
    memory_free(back);
    memory_free(packed);
    space_release(space, there);
}

/* Long double loses less than one rounding of those that are counted. */
int64_t expect_near_samples(const struct sddmm_trial *trial, int64_t m, const double *values)
{
    const struct csr *pattern = trial->pattern;
    int64_t columns = trial->columns, checked = 0;
    for (int64_t i = 0; i < pattern->n; i++)
        for (int64_t k = pattern->offsets[i]; k < pattern->offsets[i + 1]; k++) {
            const double *x = trial->x + i * columns, *y = trial->y + pattern->columns[k] * columns;
            long double sum = 0, size = 0;
            for (int64_t c = 0; c < columns; c++) {
                sum += (long double)x[c] * y[c];
                size += fabsl((long double)x[c] * y[c]);
            }
            if (!(size < DBL_MAX / 2))
                continue;
            double bound =
                product_gamma(m, DBL_EPSILON / 2) * (double)size + (double)columns * 0x1p-1074;
            ck_assert_msg(fabsl(values[k] - sum) <= bound, "%s, %d columns: %a", trial->name,
                          (int)columns, values[k]);
            checked++;
        }
    return checked;
}

void sddmm_product(const struct sddmm_trial *trial, const struct sddmm *made, double before,
                   double *values)
{
    struct error error;
    struct space *space = made->space;
    int64_t nnz = trial->pattern->nnz, x_size, y_size;
    double *x, *y, *there, *back = host_vector(nnz + 1);
    double *X = bring(space, trial->x, made->n, made->columns, &x_size, &x);
    double *Y =
        trial->y == trial->x ? X : bring(space, trial->y, made->width, made->columns, &y_size, &y);
    expect_ok(space_vector(space, nnz + 1, "samples", &there, &error), &error);
    expect_ok(space_fill(space, nnz + 1, before, there, &error), &error);
    expect_ok(sddmm_apply(made, X, Y, there, &error), &error);
    expect_ok(space_download(space, nnz + 1, there, back, &error), &error);
    ck_assert_msg(memcmp(&back[nnz], &before, sizeof before) == 0, "%s writes behind the values",
                  made->name);
    memcpy(values, back, (size_t)nnz * sizeof *values);
    if (Y != X)
        expect_unchanged(space, Y, y, y_size);
    expect_unchanged(space, X, x, x_size);
    space_release(space, there);
    memory_free(back);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void with_columns(const char *name, const struct csr *pattern, int64_t columns,
                         uint64_t *state,
                         void (*check)(void *context, const struct sddmm_trial *trial),
                         void *context)
{
    struct sddmm_trial trial;
    sddmm_trial_make(name, pattern, columns, state, &trial);
    check(context, &trial);
    sddmm_trial_free(&trial);
}

void sddmm_each(void (*check)(void *context, const struct sddmm_trial *trial), void *context)
{
    static const int64_t more[] = {40, 63, 64, 65, 96, 127, 128, 130};
    uint64_t state = test_seed();
    struct csr A;
    for (int m = 0; m < test_matrices_count + test_rectangles_count; m++) {
        const char *name;
        if (m < test_matrices_count) {
            name = test_matrices[m].name;
            test_matrix_build(&test_matrices[m], CSR_SYMMETRIC, &state, &A);
        } else {
            name = test_rectangles[m - test_matrices_count].name;
            test_rectangle_build(&test_rectangles[m - test_matrices_count], &state, &A);
        }
        int64_t above = INT64_C(1) << test_random_below(&state, 7);
        with_columns(name, &A, above, &state, check, context);
        with_columns(name, &A, above + test_random_below(&state, above), &state, check, context);
        csr_free(&A);
    }
    general_random(150 + test_random_below(&state, 100), 90, 0.2, &state, &A);
    for (int64_t columns = 1; columns <= COLUMNS_AT_ONCE + 1; columns++)
        with_columns("a random one", &A, columns, &state, check, context);
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        with_columns("a random one", &A, more[k], &state, check, context);
    csr_free(&A);
}

/* ---- what is checked ------------------------------------------------------------------------- */

static void check_bits(void *context, const struct sddmm_trial *trial)
{
    struct error error;
    struct sddmm made;
    double *values = host_vector(trial->pattern->nnz);
    expect_ok(sddmm_create(context, trial->pattern, trial->columns, &made, &error), &error);
    for (int repeat = 0; repeat < 2; repeat++) {
        sddmm_product(trial, &made, NAN, values);
        expect_same_samples(trial, made.name, values);
    }
    sddmm_destroy(&made);
    memory_free(values);
}

static void with_threads(enum space_kind kind, int threads,
                         void (*check)(void *context, const struct sddmm_trial *trial))
{
    struct space *space = test_space(kind, REDUCTIONS_REPRODUCIBLE, threads);
    sddmm_each(check, space);
    space->operations->destroy(space);
}

void trial_sddmm(enum space_kind kind)
{
    static const int threads[] = {1, 2, 7};
    for (int t = 0; t < (kind == SPACE_CPU ? 3 : 1); t++)
        with_threads(kind, threads[t], check_bits);
}

/* X beside itself where the pattern is square, with columns of +0 behind the others. */
static void check_padding(void *context, const struct sddmm_trial *trial)
{
    const struct csr *pattern = trial->pattern;
    int64_t n = pattern->n, columns = trial->columns, wider = columns + 1 + columns % 11;
    if (n != pattern->width)
        return;
    struct error error;
    struct sddmm made;
    struct sddmm_trial same = *trial, padded = *trial;
    double *values = host_vector(pattern->nnz);
    same.y = same.x;
    expect_ok(sddmm_create(context, pattern, columns, &made, &error), &error);
    sddmm_product(&same, &made, NAN, values);
    sddmm_destroy(&made);
    padded.columns = wider;
    padded.values = values;
    padded.x = padded.y = host_vector(n * wider);
    memset(padded.x, 0, (size_t)(n * wider) * sizeof *padded.x);
    for (int64_t i = 0; i < n; i++)
        memcpy(padded.x + i * wider, trial->x + i * columns, (size_t)columns * sizeof *padded.x);
    double *others = host_vector(pattern->nnz);
    expect_ok(sddmm_create(context, pattern, wider, &made, &error), &error);
    sddmm_product(&padded, &made, NAN, others);
    expect_same_samples(&padded, "columns of 0", others);
    sddmm_destroy(&made);
    memory_free(padded.x);
    memory_free(values);
    memory_free(others);
}

void trial_sddmm_padding(enum space_kind kind)
{
    with_threads(kind, 2, check_padding);
}

struct attempt {
    struct space *space;
    const struct csr *pattern;
};

static enum status attempt(void *context, struct error *error)
{
    const struct attempt *of = context;
    struct sddmm made;
    enum status status = sddmm_create(of->space, of->pattern, 20, &made, error);
    sddmm_destroy(&made);
    return status;
}

void trial_sddmm_failing(enum space_kind kind)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(40, 300, 0.5, &state, &A);
    struct attempt context = {test_space(kind, REDUCTIONS_REPRODUCIBLE, 2), &A};
    walk_allocation_failures(attempt, &context);
    context.space->operations->destroy(context.space);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
