/* The trials of `cgsolve bench --prove`: every kernel of the CPU holds, and each fault is found. */
#include "support.h"

#include "base/memory.h"
#include "base/threads.h"
#include "study/kernel_trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(our_kernels_hold)
{
    int count;
    struct error error;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        struct kernel_trials found;
        if (kernels[k]->space != SPACE_CPU || (test_is_slow() && k % 3 != 0))
            continue;
        expect_ok(kernel_try(kernels[k], &found, &error), &error);
        ck_assert_msg(!*found.broken, "%s: %s", kernels[k]->component.name, found.broken);
        ck_assert_int_gt(found.matrices, 20);
        ck_assert_int_gt(found.products, 20 * found.matrices);
    }
}
END_TEST

/* --- a kernel with one fault ------------------------------------------------------------------ */

enum fault {
    NO_FAULT,
    WRONG_ROW,
    ROW_LEFT_OUT,
    CHANGES_X,
    WRITES_BEHIND,
    BITS_BY_RUN,
    BITS_BY_THREADS,
    BITS_BY_SETUP,
    OTHER_DOT,
    OTHER_COLUMNS,
    OTHER_PRODUCTS,
    SAYS_SINGLES,
    COLUMNS_TWICE,
    NO_BYTES,
    FAILS,
    TAKES_NONE,
};

static enum fault fault;
static int calls, setups;

struct faulty {
    struct csr full;
    int threads, setup;
};

/* As doubles next to each other are. */
static void disturb(double *v)
{
    if (*v != 0) /* of an empty row 0 alone is right */
        *v = nextafter(*v, INFINITY);
}

static void multiply_column(const struct faulty *faulty, const double *x, double *y, int64_t stride)
{
    const struct csr *full = &faulty->full;
    for (int64_t i = 0; i < full->n; i++) {
        double sum = 0;
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            sum = fma(full->values[k], x[full->columns[k] * stride], sum);
        if (fault != ROW_LEFT_OUT || i != full->n / 2)
            y[i * stride] = sum;
    }
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    struct faulty *faulty = state;
    double *x = (double *)(uintptr_t)operands->x, *y = operands->y;
    int64_t n = faulty->full.n, stride = operands->columns > 1 ? operands->columns : 1;
    (void)error;
    for (int64_t j = 0; j < stride; j++)
        multiply_column(faulty, x + j, y + j, stride);
    calls++;
    if (fault == WRONG_ROW)
        y[0] += 1e-3 * (fabs(y[0]) + 1);
    if (fault == CHANGES_X)
        disturb(&x[0]);
    if (fault == WRITES_BEHIND)
        y[n * stride] = 0;
    if (n > 100 && ((fault == BITS_BY_RUN && calls % 5 == 0) ||
                    (fault == BITS_BY_THREADS && faulty->threads == 3) ||
                    (fault == BITS_BY_SETUP && faulty->setup % 2 == 0) ||
                    (fault == OTHER_COLUMNS && stride > 1)))
        disturb(&y[7 * stride]);
    if (operands->dot)
        *operands->dot = 1;
    return STATUS_OK;
}

static void destroy(void *state)
{
    struct faulty *faulty = state;
    if (faulty)
        csr_free(&faulty->full);
    memory_free(faulty);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    (void)options;
    if (fault == FAILS || fault == TAKES_NONE)
        return error_set(error, fault == FAILS ? STATUS_INPUT : STATUS_CONFIG, "not today");
    struct faulty *faulty = made->state = memory_zeros(1, sizeof *faulty, "a kernel", error);
    if (!faulty)
        return STATUS_MEMORY;
    faulty->threads = threads_count(made->space->threads);
    faulty->setup = setups++;
    made->table = &table;
    made->products = fault == OTHER_PRODUCTS ? 2 : 1;
    made->can = fault == OTHER_DOT       ? OPERATOR_DOT
                : fault == OTHER_COLUMNS ? OPERATOR_COLUMNS
                : fault == SAYS_SINGLES  ? OPERATOR_SINGLES
                : fault == COLUMNS_TWICE ? OPERATOR_COLUMNS | OPERATOR_APART
                                         : 0;
    enum status status = csr_expand(A, &faulty->full, error);
    made->bytes_per_apply =
        fault == NO_BYTES ? 0 : csr_bytes(&faulty->full) + (A->n + A->width) * 8;
    return status;
}

static struct kernel faulty_kernel(enum kernel_guarantee guarantee)
{
    return (struct kernel){.component = KERNEL_COMPONENT("faulty", "one with a fault", NULL),
                           .space = SPACE_CPU,
                           .kinds = CSR_SYMMETRIC | CSR_GENERAL,
                           .guarantee = guarantee,
                           .setup = setup};
}

static struct kernel_trials try_fault(enum fault with, enum kernel_guarantee guarantee)
{
    struct error error;
    struct kernel_trials found;
    struct kernel kernel = faulty_kernel(guarantee);
    int64_t live = memory_live();
    fault = with;
    calls = setups = 0;
    expect_ok(kernel_try(&kernel, &found, &error), &error);
    ck_assert_int_eq(memory_live(), live);
    return found;
}

static void expect_broken(enum fault with, enum kernel_guarantee guarantee, const char *sentence)
{
    struct kernel_trials found = try_fault(with, guarantee);
    ck_assert_msg(strstr(found.broken, sentence), "%d: \"%s\" is missing in \"%s\"", (int)with,
                  sentence, found.broken);
}

START_TEST(faults_are_found)
{
    ck_assert_str_eq(try_fault(NO_FAULT, GUARANTEE_BITWISE).broken, "");
    expect_broken(WRONG_ROW, GUARANTEE_NONE, "row 0 of column 0 of 1 is off by");
    expect_broken(ROW_LEFT_OUT, GUARANTEE_NONE, "is off by inf times");
    expect_broken(CHANGES_X, GUARANTEE_NONE, "one row (symmetric, 1 x 1), 1 thread: it changes x");
    expect_broken(WRITES_BEHIND, GUARANTEE_NONE, "it writes past the end of y");
    expect_broken(OTHER_DOT, GUARANTEE_NONE, "x . y comes with the product as 0x1p+0, and is");
    expect_broken(NO_BYTES, GUARANTEE_NONE, "bytes_per_apply");
    expect_broken(OTHER_PRODUCTS, GUARANTEE_NONE, "width or products");
    expect_broken(SAYS_SINGLES, GUARANTEE_NONE, "OPERATOR_SINGLES is for sums");
    expect_broken(COLUMNS_TWICE, GUARANTEE_NONE, "OPERATOR_COLUMNS and OPERATOR_APART exclude");
    expect_broken(FAILS, GUARANTEE_NONE, "set-up ends with: not today");
    expect_broken(TAKES_NONE, GUARANTEE_NONE, "it takes none of the matrices");
}
END_TEST

/* Bits count where they are promised, and as far as they are. */
START_TEST(broken_promises_are_found)
{
    static const enum fault faults[] = {BITS_BY_RUN, BITS_BY_THREADS, BITS_BY_SETUP, OTHER_COLUMNS};
    for (int k = 0; k < 4; k++) {
        ck_assert_str_eq(try_fault(faults[k], GUARANTEE_NONE).broken, "");
        expect_broken(faults[k], GUARANTEE_BITWISE, "row 7 is ");
    }
    ck_assert_str_eq(try_fault(BITS_BY_THREADS, GUARANTEE_RUN).broken, "");
    expect_broken(BITS_BY_THREADS, GUARANTEE_BITWISE, ", 3 threads: y: row 7 is ");
    expect_broken(BITS_BY_RUN, GUARANTEE_RUN, "1 thread: y: row 7 is ");
    expect_broken(BITS_BY_SETUP, GUARANTEE_RUN, "1 thread: y: row 7 is ");
    expect_broken(OTHER_COLUMNS, GUARANTEE_RUN, "column 0 of 5: row 7 is ");
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct kernel_trials found;
    struct kernel kernel = faulty_kernel(GUARANTEE_BITWISE);
    (void)context;
    fault = WRONG_ROW; /* at the first matrix */
    return kernel_try(&kernel, &found, error);
}

START_TEST(it_survives_every_failed_allocation)
{
    walk_allocation_failures(attempt, NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {our_kernels_hold, faults_are_found, broken_promises_are_found,
                            it_survives_every_failed_allocation, NULL};
    return suite_of("study/kernel_trials", tests);
}
