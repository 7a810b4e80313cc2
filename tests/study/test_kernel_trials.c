/* Each fault of a kernel is found by the trials; tests/spmv/test_kernels.c puts our kernels through
 * them. */
#include "support.h"

#include "base/memory.h"
#include "base/threads.h"
#include "study/kernel_trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct trials_options with_seed = {.seed = 1};

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
    UPPER_TRIANGLE,
    LEAKS,
    OTHER_STATUS,
    SAYS_SINGLES,
    COLUMNS_TWICE,
    NO_BYTES,
    FAILS,
    TAKES_NONE,
};

static enum fault fault;
static int calls, setups;
static void *lost; /* freed after the trials */

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
            if (fault != UPPER_TRIANGLE || full->columns[k] >= i)
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

/* What another set-up takes, which fails. */
static enum status fail_setup(struct error *error)
{
    void *first = memory_array(1, 1, "a part", error);
    void *second = first ? memory_array(1, 1, "another part", error) : NULL;
    enum status status = second                  ? STATUS_OK
                         : fault == OTHER_STATUS ? error_set(error, STATUS_INPUT, "odd")
                                                 : STATUS_MEMORY;
    if (fault == LEAKS && first && !second)
        lost = first;
    else
        memory_free(first);
    memory_free(second);
    return status;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    (void)options;
    if (fault == FAILS || fault == TAKES_NONE)
        return error_set(error, fault == FAILS ? STATUS_INPUT : STATUS_CONFIG, "not today");
    enum status failed = fail_setup(error);
    if (failed)
        return failed;
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

static struct trials_found try_fault(enum fault with, enum kernel_guarantee guarantee)
{
    struct error error;
    struct trials_found found;
    struct kernel kernel = faulty_kernel(guarantee);
    int64_t live = memory_live();
    fault = with;
    calls = setups = 0;
    expect_ok(kernel_try(&kernel, &with_seed, &found, &error), &error);
    ck_assert_int_eq(memory_live(), live + (fault == LEAKS));
    memory_free(lost);
    lost = NULL;
    return found;
}

static void expect_broken(enum fault with, enum kernel_guarantee guarantee, const char *sentence)
{
    struct trials_found found = try_fault(with, guarantee);
    ck_assert_msg(strstr(found.broken, sentence), "%d: \"%s\" is missing in \"%s\"", (int)with,
                  sentence, found.broken);
}

START_TEST(faults_are_found)
{
    ck_assert_str_eq(try_fault(NO_FAULT, GUARANTEE_BITWISE).broken, "");
    expect_broken(WRONG_ROW, GUARANTEE_NONE, "1 thread: y: row 0 is off by");
    expect_broken(ROW_LEFT_OUT, GUARANTEE_NONE, "is off by inf times");
    expect_broken(CHANGES_X, GUARANTEE_NONE, "one row (symmetric, 1 x 1), 1 thread: it changes x");
    expect_broken(WRITES_BEHIND, GUARANTEE_NONE, "it writes past the end of y");
    expect_broken(UPPER_TRIANGLE, GUARANTEE_NONE, "y: row 1 is off by");
    expect_broken(OTHER_STATUS, GUARANTEE_NONE, "ends with \"odd\" where allocation 1 fails");
    expect_broken(OTHER_DOT, GUARANTEE_NONE, "x . y comes with the product as 0x1p+0, and is");
    expect_broken(NO_BYTES, GUARANTEE_NONE, "bytes_per_apply");
    expect_broken(OTHER_PRODUCTS, GUARANTEE_NONE, "width or products");
    expect_broken(SAYS_SINGLES, GUARANTEE_NONE, "OPERATOR_SINGLES is for sums");
    expect_broken(COLUMNS_TWICE, GUARANTEE_NONE, "OPERATOR_COLUMNS and OPERATOR_APART exclude");
    expect_broken(FAILS, GUARANTEE_NONE, "set-up ends with: not today");
    expect_broken(TAKES_NONE, GUARANTEE_NONE, "it takes none of the matrices");
}
END_TEST

START_TEST(a_leak_is_found)
{
    expect_broken(LEAKS, GUARANTEE_NONE, "it leaks where allocation 2 fails");
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
    expect_broken(OTHER_COLUMNS, GUARANTEE_RUN, ": row 7 is ");
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct trials_found found;
    struct kernel kernel = faulty_kernel(GUARANTEE_BITWISE);
    (void)context;
    fault = WRONG_ROW; /* at the first matrix */
    return kernel_try(&kernel, &with_seed, &found, error);
}

START_TEST(it_survives_every_failed_allocation)
{
    walk_allocation_failures(attempt, NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {faults_are_found, a_leak_is_found, broken_promises_are_found,
                            it_survives_every_failed_allocation, NULL};
    return suite_of("study/kernel_trials", tests);
}
