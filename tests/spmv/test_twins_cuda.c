/* The CUDA kernels against their twins: the one whose bits are promised bit for bit, the others
 * within the bounds that test_twins.c holds their twins to. Without a device nothing is run, and it
 * says why. */
#include "support.h"

#include "cuda_device.h"
#include "matrices.h"
#include "spaces.h"
#include "spmv/cuda_twins.h"
#include "spmv/host_product.h"
#include "spmv/precision.h"
#include "spmv/symmetric/scatter/compensate.h"

#include <stdio.h>
#include <string.h>

enum { CHOICES_MAX = 8 };

static int repeats(void)
{
    return test_is_slow() ? 1 : 3;
}

/* Bands whose mean full rows make cuda_csr_subwarp choose 2, 4, 8, 16 and 32 threads. */
enum { BAND_ROWS = 300 };

static int band(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)state;
    return j - i <= n - BAND_ROWS;
}

static const struct test_matrix bands[] = {
    {"a band of 2 * 4 + 1", BAND_ROWS + 4, band},   {"a band of 2 * 8 + 1", BAND_ROWS + 8, band},
    {"a band of 2 * 17 + 1", BAND_ROWS + 17, band}, {"a band of 2 * 35 + 1", BAND_ROWS + 35, band},
    {"a band of 2 * 80 + 1", BAND_ROWS + 80, band},
};
enum { BANDS = sizeof bands / sizeof *bands };

/* The bits that a kernel promises; `choice` is what it takes of its first parameter. */
typedef void exact_twin(const struct csr *A, enum precision precision, int choice, const double *x,
                        double *y);

static void scalar(const struct csr *A, enum precision precision, int choice, const double *x,
                   double *y)
{
    (void)choice;
    twin_csr_scalar(A, precision, x, y);
}

/* A kernel over one matrix and one x. */
struct trial {
    const struct kernel *kernel;
    exact_twin *twin;
    enum product_sums sums;
    struct space *space;
    const char *matrix;
    struct csr A;
    double *x, *y;
};

/* trial->A, whose name this is, freed afterwards. */
static void over_matrix(struct trial *trial, const char *name, uint64_t *state,
                        void (*check)(const struct trial *))
{
    trial->matrix = name;
    trial->x = host_vector(trial->A.width);
    trial->y = host_vector(trial->A.n);
    host_randomise(trial->x, trial->A.width, state);
    check(trial);
    memory_free(trial->x);
    memory_free(trial->y);
    csr_free(&trial->A);
}

/* Every test matrix and band, in each kind that the kernel takes, and rectangular ones. */
static void over_matrices(struct trial *trial, void (*check)(const struct trial *))
{
    uint64_t state = test_seed();
    int step = test_is_slow() ? 5 : 1; /* the seed decides which fifth */
    for (int m = (int)(state % (uint64_t)step); m < test_matrices_count + BANDS; m += step) {
        const struct test_matrix *matrix = m < BANDS ? &bands[m] : &test_matrices[m - BANDS];
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
            if (!(trial->kernel->kinds & kind))
                continue;
            test_matrix_build(matrix, kind, &state, &trial->A);
            over_matrix(trial, matrix->name, &state, check);
        }
    }
    for (int m = 0; (trial->kernel->kinds & CSR_GENERAL) && m < test_rectangles_count; m++) {
        test_rectangle_build(&test_rectangles[m], &state, &trial->A);
        over_matrix(trial, test_rectangles[m].name, &state, check);
    }
}

static void with_kernel(const char *name, exact_twin *twin, enum product_sums sums,
                        void (*check)(const struct trial *))
{
    struct trial trial = {.kernel = kernel_find(name), .twin = twin, .sums = sums};
    ck_assert_msg(trial.kernel != NULL, "there is no kernel %s", name);
    trial.space = test_space(SPACE_CUDA, REDUCTIONS_REPRODUCIBLE, 0);
    over_matrices(&trial, check);
    trial.space->operations->destroy(trial.space);
}

/* Where its parameter of that name is, or -1. */
static int place_of(const struct kernel *kernel, const char *parameter)
{
    for (int k = 0; k < kernel_parameter_count(kernel); k++)
        if (strcmp(kernel->component.parameters[k].name, parameter) == 0)
            return k;
    return -1;
}

/* The defaults, and then 1, 2, 4, ... (32, 64, ...) for the parameter that decides the order of
 * additions, or that must not. */
static int choices(const struct kernel *kernel, struct kernel_options *options)
{
    int place = place_of(kernel, "threads_per_row");
    if (place < 0)
        place = place_of(kernel, "algorithm");
    if (place < 0)
        place = place_of(kernel, "block_size");
    int count = 0;
    options[count++] = kernel_defaults(kernel);
    int64_t value = place >= 0 && kernel->component.parameters[place].least > 1
                        ? kernel->component.parameters[place].least
                        : 1;
    for (; place >= 0 && value <= kernel->component.parameters[place].most; value *= 2) {
        ck_assert_int_lt(count, CHOICES_MAX);
        options[count] = kernel_defaults(kernel);
        options[count++].values[place] = value;
    }
    return count;
}

static void multiply(const struct trial *trial, const struct kernel_options *options)
{
    struct error error;
    struct linear_operator spmv;
    expect_ok(operator_create(trial->kernel, &trial->A, options, trial->space, &spmv, &error),
              &error);
    host_product(&spmv, trial->x, trial->y, NULL);
    operator_destroy(&spmv);
}

/* Once for every precision that the kernel offers, written into the options. */
static void over_precisions(const struct trial *trial, struct kernel_options *options, int count,
                            void (*check)(const struct trial *, const struct kernel_options *,
                                          int count, enum precision))
{
    for (int p = 0; p < PRECISIONS; p++) {
        bool offered = true;
        for (int k = 0; k < count; k++)
            offered &= choose_precision(trial->kernel, (enum precision)p, &options[k]);
        if (offered)
            check(trial, options, count, (enum precision)p);
    }
}

static void same_bits(const struct trial *trial, const struct kernel_options *options, int count,
                      enum precision precision)
{
    int wide = place_of(trial->kernel, "wide_offsets"), loop = place_of(trial->kernel, "loop");
    double *wanted = host_vector(trial->A.n);
    for (int k = 0; k < 4 * count; k++) {
        struct kernel_options chosen = options[k / 4];
        if (loop < 0 && k % 4 >= 2)
            continue;
        if (wide >= 0)
            chosen.values[wide] = k % 2;
        if (loop >= 0)
            chosen.values[loop] = k / 2 % 2;
        multiply(trial, &chosen);
        int choice = (int)chosen.values[0];
        trial->twin(&trial->A, precision, choice, trial->x, wanted);
        expect_same_bits(trial->kernel->component.name, trial->matrix, choice, trial->A.n, wanted,
                         trial->y);
    }
    memory_free(wanted);
}

static void same_as_twin(const struct trial *trial)
{
    struct kernel_options options[CHOICES_MAX];
    int count = choices(trial->kernel, options);
    over_precisions(trial, options, count, same_bits);
}

START_TEST(bits_are_those_of_the_twins)
{
    if (!cuda_device_is_there())
        return;
    with_kernel("cuda_csr_scalar", scalar, SUMS_PLAIN, same_as_twin);
    with_kernel("cuda_csr_vector", twin_csr_vector, SUMS_PLAIN, same_as_twin);
    with_kernel("cuda_csr_subwarp", twin_csr_subwarp, SUMS_PLAIN, same_as_twin);
}
END_TEST

static void near(const struct trial *trial, const struct kernel_options *options, int count,
                 enum precision precision)
{
    const char *name = trial->kernel->component.name;
    struct product_reference reference;
    host_reference(&trial->A, trial->x, precision, trial->sums, &reference);
    for (int k = 0; k < count * repeats(); k++) {
        multiply(trial, &options[k / repeats()]);
        expect_product(&reference, name, trial->matrix, trial->y);
        if (trial->sums == SUMS_COMPENSATED)
            expect_rounded(&reference, name, trial->matrix, trial->y);
    }
    product_reference_free(&reference);
}

static void within_bound(const struct trial *trial)
{
    struct kernel_options options[CHOICES_MAX];
    int count = choices(trial->kernel, options);
    over_precisions(trial, options, count, near);
}

static void all_compensated(const struct trial *trial)
{
    struct kernel_options options[CHOICES_MAX];
    int count = choices(trial->kernel, options);
    for (int k = 0; k < count; k++)
        options[k].values[place_of(trial->kernel, "compensate")] = COMPENSATE_ALL;
    over_precisions(trial, options, count, near);
}

/* y is the sum of what the atomics add, rounded once, where the bound leaves no second double. */
static void rounded_once(const struct trial *trial, const struct kernel_options *options, int count,
                         enum precision precision)
{
    double *ones = host_vector(trial->A.n);
    for (int64_t i = 0; i < trial->A.n; i++)
        ones[i] = 1;
    for (int k = 0; k < count; k++) {
        struct csr terms;
        struct product_reference reference;
        twin_sym_terms(&trial->A, precision, (int)options[k].values[0], trial->x, &terms);
        host_reference(&terms, ones, PRECISION_DOUBLE, SUMS_COMPENSATED, &reference);
        for (int repeat = 0; repeat < repeats(); repeat++) {
            multiply(trial, &options[k]);
            expect_rounded(&reference, trial->kernel->component.name, trial->matrix, trial->y);
        }
        product_reference_free(&reference);
        csr_free(&terms);
    }
    memory_free(ones);
}

static void atomics_compensated(const struct trial *trial)
{
    struct kernel_options options[CHOICES_MAX];
    int count = choices(trial->kernel, options);
    over_precisions(trial, options, count, rounded_once);
}

START_TEST(kernels_are_within_their_bounds)
{
    if (!cuda_device_is_there())
        return;
    with_kernel("cuda_csr_subwarp", NULL, SUMS_PLAIN, within_bound);
    with_kernel("cuda_sym_atomic", NULL, SUMS_PLAIN, within_bound);
    with_kernel("cuda_sym_compensated", NULL, SUMS_PLAIN, within_bound);
    with_kernel("cuda_sym_compensated", NULL, SUMS_COMPENSATED, all_compensated);
    with_kernel("cusparse_full", NULL, SUMS_PLAIN, within_bound);
    with_kernel("cusparse_half", NULL, SUMS_PLAIN, within_bound);
}
END_TEST

START_TEST(compensated_atomics_have_no_order)
{
    if (cuda_device_is_there())
        with_kernel("cuda_sym_compensated", NULL, SUMS_COMPENSATED, atomics_compensated);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {bits_are_those_of_the_twins, kernels_are_within_their_bounds,
                            compensated_atomics_have_no_order, NULL};
    return suite_of("spmv/twins_cuda", tests);
}
