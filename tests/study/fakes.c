#include "study/fakes.h"

#include "support.h"

#include "base/threads.h"
#include "general.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct fakes fakes = {.rule = FAKES_OF_VECTORS};

struct fake {
    const struct kernel *kernel;
    const struct csr *A;
    int64_t products;
    enum precision precision;
    int threads;
};

static void destroy(void *state)
{
    fakes.diary.set_up -= state != NULL;
    memory_free(state);
}

static void note(const struct fake *fake)
{
    ck_assert_int_lt(fakes.diary.count, FAKES_DIARY);
    fakes.diary.names[fakes.diary.count] = fake->kernel->component.name[0];
    fakes.diary.threads[fakes.diary.count++] = fake->threads;
}

static enum status apply_one(struct fake *fake, const struct operands *operands)
{
    const double *x = operands->x;
    double *y = operands->y;
    note(fake);
    for (int64_t i = 0; i < fake->A->n; i++)
        ck_assert(fake->products > 0 || fakes.columns > 0 || isnan(y[i])); /* poisoned */
    csr_multiply(fake->A, x, y);
    fake->products++;
    if (fake->kernel->component.name[0] == 'w') /* wrong, from the twentieth product on */
        y[fake->A->n / 2] += fake->products >= 20 ? 1e-9 : 0;
    if (fake->kernel->component.name[0] == 'c') /* changes a bit that may change */
        y[0] = nextafter(y[0], fake->products / 6 % 2 ? 1e9 : -1e9);
    if (fake->kernel->component.name[0] == 'n') /* leaves one as it was */
        y[fake->A->n - 1] = NAN;
    return STATUS_OK;
}

static enum status apply_float(struct fake *fake, const struct operands *operands)
{
    const float *x = operands->x;
    float *y = operands->y;
    note(fake);
    for (int64_t i = 0; i < fake->A->n; i++) {
        ck_assert(fake->products > 0 || isnan(y[i]));
        float sum = 0;
        for (int64_t k = fake->A->offsets[i]; k < fake->A->offsets[i + 1]; k++)
            sum += (float)fake->A->values[k] * x[fake->A->columns[k]];
        y[i] = sum;
    }
    fake->products++;
    return STATUS_OK;
}

static double noise(const struct fake *fake)
{
    return fake->products % 3 ? (double)fake->products : NAN;
}

/* Column by column, and other numbers behind the last one every time. */
static enum status apply_columns(struct fake *fake, const struct operands *operands,
                                 struct error *error)
{
    int64_t n = fake->A->n, width = fake->A->width, stride = operands->columns;
    const double *X = operands->x;
    double *Y = operands->y, *x = memory_array(width + n, sizeof *x, "two columns", error);
    if (!x)
        return STATUS_MEMORY;
    int64_t groups = (fakes.columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE;
    int64_t first = fake->products++ % groups * COLUMNS_AT_ONCE;
    for (int64_t j = 0; j < stride; j++) {
        bool meant = first + j < fakes.columns;
        for (int64_t i = 0; i < width; i++) {
            x[i] = X[i * stride + j];
            ck_assert(meant || x[i] == 0);
        }
        csr_multiply(fake->A, x, x + width);
        if (fake->kernel->component.name[0] == 'x' && first + j == fakes.wrong)
            x[width + n / 2] += 1e-9;
        for (int64_t i = 0; i < n; i++) {
            ck_assert(fake->products > 1 || isnan(Y[i * stride + j]));
            Y[i * stride + j] = meant ? x[width + i] : noise(fake);
        }
    }
    memory_free(x);
    return STATUS_OK;
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    if (operands->singles)
        return apply_float(state, operands);
    return operands->columns > 1 ? apply_columns(state, operands, error)
                                 : apply_one(state, operands);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static enum status setup(const struct kernel *kernel, const struct csr *A,
                         const struct kernel_options *options, struct linear_operator *made,
                         struct error *error)
{
    if (fakes.diary.set_up == fakes.room)
        return error_set(error, STATUS_MEMORY, "out of memory: 7 bytes wanted, 6 there");
    struct fake *fake = made->state = memory_zeros(1, sizeof *fake, "a fake", error);
    if (!fake)
        return STATUS_MEMORY;
    made->table = &table;
    made->can = OPERATOR_SINGLES;
    if (strchr("mx", kernel->component.name[0]))
        made->can |= OPERATOR_COLUMNS;
    *fake = (struct fake){.kernel = kernel,
                          .A = A,
                          .precision = kernel_precision(kernel, options),
                          .threads = threads_count(made->space->threads)};
    made->bytes_per_apply = made->memory_bytes = 1000 * A->n;
    snprintf(made->description, sizeof made->description, "nothing");
    if (fakes.diary.set_ups++ % 2 == 1)
        usleep(fakes.delay);
    fakes.diary.set_up++;
    fakes.diary.most_set_up =
        fakes.diary.set_up > fakes.diary.most_set_up ? fakes.diary.set_up : fakes.diary.most_set_up;
    return STATUS_OK;
}

static const char *absent(void)
{
    return "it is a fake";
}

static const struct parameter parameters[] = {KERNEL_PRECISION(0), {0}};

#define FAKE(letter, taken, reason)                                                                \
    static enum status setup_##letter(const struct csr *A, const struct kernel_options *options,   \
                                      struct linear_operator *made, struct error *error)           \
    {                                                                                              \
        return setup(&fake_##letter, A, options, made, error);                                     \
    }                                                                                              \
    const struct kernel fake_##letter = {.component = KERNEL_COMPONENT(#letter, "", parameters),   \
                                         .kinds = (taken),                                         \
                                         .unavailable = (reason),                                  \
                                         .setup = setup_##letter};
FAKE(a, CSR_GENERAL, NULL)
FAKE(b, CSR_GENERAL, NULL)
FAKE(c, CSR_GENERAL, NULL)
FAKE(w, CSR_GENERAL, NULL)
FAKE(n, CSR_GENERAL, NULL)
FAKE(m, CSR_GENERAL, NULL)
FAKE(x, CSR_GENERAL, NULL)
FAKE(s, CSR_SYMMETRIC, NULL)
FAKE(u, CSR_GENERAL, absent)

struct product_contestant fakes_of(const struct kernel *kernel)
{
    return (struct product_contestant){kernel->component.name,
                                       kernel,
                                       kernel_defaults(kernel),
                                       0,
                                       fakes.columns ? fakes.columns : 1,
                                       NULL};
}

/* ---- running them ---------------------------------------------------------------------------- */

const struct product_rule fakes_of_columns = {
    .operation = PRODUCT_SPMM, .rounds = 3, .products = 1, .seconds = 1, .buffer_bytes = 1 << 16};

void fakes_back_to_vectors(void)
{
    fakes.rule = (struct product_rule)FAKES_OF_VECTORS;
    fakes.columns = 0;
}

enum status fakes_try(const struct csr *A, const struct product_contestant *contestants, int count,
                      struct product_result *results, struct error *error)
{
    struct product_bench *bench;
    fakes.diary = (struct diary){.count = 0};
    enum status status = product_bench_create(&fakes.rule, fakes.threads, &bench, error);
    if (!status)
        status = product_bench_run(bench, A, contestants, count, results, error);
    product_bench_destroy(bench);
    ck_assert_int_eq(fakes.diary.set_up, 0);
    return status;
}

void fakes_bench(const struct csr *A, const struct product_contestant *contestants, int count,
                 struct product_result *results)
{
    struct error error;
    memset(results, 0xff, (size_t)count * sizeof *results);
    expect_ok(fakes_try(A, contestants, count, results, &error), &error);
}

enum status fakes_attempt(const struct csr *A, const struct product_contestant *contestants,
                          int count, struct error *error)
{
    struct product_result results[2];
    enum status status = fakes_try(A, contestants, count, results, error);
    for (int k = 0; k < count && !status; k++)
        if (results[k].verdict == PRODUCT_SKIPPED)
            status = error_set(error, STATUS_MEMORY, "%s", results[k].reason);
    return status;
}

struct csr fakes_general(uint64_t *state)
{
    struct csr A;
    general_random(70, 90, 0.4, state, &A);
    while (A.offsets[1] == 0 || A.offsets[36] == A.offsets[35]) {
        csr_free(&A);
        general_random(70, 90, 0.4, state, &A);
    }
    return A;
}
