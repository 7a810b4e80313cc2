/* Each fault of a preconditioner is found by the trials; tests/precondition/test_preconditioner.c
 * puts ours through them. */
#include "support.h"

#include "base/memory.h"
#include "base/threads.h"
#include "study/preconditioner_trials.h"

#include <math.h>
#include <string.h>

enum fault {
    NO_FAULT,
    ROW_LEFT_OUT,
    CHANGES_R,
    NOT_SYMMETRIC,
    NOT_POSITIVE,
    NOT_LINEAR,
    BITS_BY_THREADS,
    BITS_BY_CALL,
    OTHER_DOT,
    NO_BYTES,
    FAILS,
    TAKES_NONE,
    HIDES_PRODUCT,
    HIDES_SETUP_PRODUCT,
    LEAKS,
};

static enum fault fault;
static int calls;
static double *lost; /* freed after the trials */

/* z = (2 / omega) r - A r / omega^2, as docs/example/richardson.c makes it, with omega a bound of
 * the spectrum; and then what is wrong with it. */
struct faulty {
    struct linear_operator *spmv;
    double omega, *y;
};

static void disturb(struct faulty *faulty, const double *r, double *z, int64_t n)
{
    int threads = threads_count(faulty->spmv->space->threads);
    bool bits =
        (fault == BITS_BY_THREADS && threads == 3) || (fault == BITS_BY_CALL && ++calls % 5 == 0);
    if (fault == ROW_LEFT_OUT)
        z[n / 2] = NAN;
    if (fault == NOT_SYMMETRIC && n > 1)
        z[0] += 1e-9 * r[1];
    if (fault == NOT_POSITIVE)
        for (int64_t i = 0; i < n; i++)
            z[i] = -z[i];
    if (fault == NOT_LINEAR)
        z[0] += 1e-9 * fabs(r[0]);
    if (bits && n > 100)
        z[7] = nextafter(z[7], INFINITY);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    struct faulty *faulty = state;
    const double *r = operands->x;
    double *z = operands->y, omega = faulty->omega;
    int64_t n = faulty->spmv->n;
    enum status status = operator_apply(faulty->spmv, r, faulty->y, error);
    if (status && fault != HIDES_PRODUCT)
        return status;
    status = STATUS_OK;
    for (int64_t i = 0; i < n; i++)
        z[i] = 2 / omega * r[i] - faulty->y[i] / (omega * omega);
    disturb(faulty, r, z, n);
    if (fault == CHANGES_R)
        ((double *)(uintptr_t)r)[0] += 1;
    if (operands->dot)
        status = space_dot(faulty->spmv->space, n, r, z, operands->dot, error);
    if (operands->dot && fault == OTHER_DOT)
        *operands->dot += 1;
    return status;
}

static void destroy(void *state)
{
    struct faulty *faulty = state;
    if (faulty)
        space_release(faulty->spmv->space, faulty->y);
    memory_free(faulty);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* A product whose failure may be hidden, and memory that may be lost. */
static enum status begin(struct faulty *faulty, const struct csr *A, struct error *error)
{
    struct linear_operator *spmv = faulty->spmv;
    enum status status = space_vector(spmv->space, A->n, "a product", &faulty->y, error);
    double *x = NULL;
    if (!status)
        status = space_vector(spmv->space, A->n, "a vector", &x, error);
    if (status && fault == LEAKS && faulty->y) {
        lost = faulty->y;
        faulty->y = NULL;
    }
    if (!status)
        status = space_fill(spmv->space, A->n, 1, x, error);
    if (!status) {
        status = operator_apply(spmv, x, faulty->y, error);
        if (fault == HIDES_SETUP_PRODUCT)
            status = STATUS_OK;
    }
    space_release(spmv->space, x);
    for (int64_t i = 0; i < A->n; i++)
        faulty->omega = fmax(faulty->omega, 2 * A->values[A->offsets[i]]);
    return status;
}

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    (void)options, (void)number;
    if (fault == FAILS || fault == TAKES_NONE)
        return error_set(error, fault == FAILS ? STATUS_INPUT : STATUS_CONFIG, "not today");
    struct faulty *faulty = made->state = memory_zeros(1, sizeof *faulty, "M", error);
    if (!faulty)
        return STATUS_MEMORY;
    made->table = &table;
    made->products = 1;
    made->bytes_per_apply = fault == NO_BYTES ? 0 : spmv->bytes_per_apply + A->n * 24;
    faulty->spmv = spmv;
    return begin(faulty, A, error);
}

static int64_t setup_bytes(const void *options, const struct csr *A)
{
    (void)options;
    return A->n * (int64_t)sizeof(double);
}

static const struct preconditioner faulty_preconditioner = {
    .component = {COMPONENT_PRECONDITIONER, "faulty", "one with a fault", NULL, 0, NULL},
    .setup_bytes = setup_bytes,
    .setup = setup};

static struct trials_found try_fault(enum fault with)
{
    static const struct trials_options seeded = {.seed = 1};
    struct error error;
    struct trials_found found;
    int64_t live = memory_live();
    fault = with;
    calls = 0;
    expect_ok(preconditioner_try(&faulty_preconditioner.component, NULL, kernel_find("cpu_csr"),
                                 &seeded, &found, &error),
              &error);
    ck_assert_int_eq(memory_live(), live + (fault == LEAKS));
    memory_free(lost); /* as a space of the CPU releases it */
    lost = NULL;
    return found;
}

static void expect_broken(enum fault with, const char *sentence)
{
    struct trials_found found = try_fault(with);
    ck_assert_msg(strstr(found.broken, sentence), "%d: \"%s\" is missing in \"%s\"", (int)with,
                  sentence, found.broken);
}

START_TEST(faults_are_found)
{
    ck_assert_str_eq(try_fault(NO_FAULT).broken, "");
    expect_broken(ROW_LEFT_OUT, "z has nan in row 0");
    expect_broken(CHANGES_R, "it changes x");
    expect_broken(NOT_SYMMETRIC, "M^-1 is not symmetric");
    expect_broken(NOT_POSITIVE, "M^-1 is not positive definite");
    expect_broken(NOT_LINEAR, "M^-1 is not symmetric");
    expect_broken(BITS_BY_THREADS, "3 threads: z: row 7 is ");
    expect_broken(BITS_BY_CALL, ": row 7 is ");
    expect_broken(OTHER_DOT, "r . z comes with z as ");
    expect_broken(NO_BYTES, "bytes_per_apply");
    expect_broken(FAILS, "set-up ends with: not today");
    expect_broken(TAKES_NONE, "takes none of the positive definite matrices");
    expect_broken(HIDES_PRODUCT, "product 2 with A fails, and that is not reported");
    expect_broken(HIDES_SETUP_PRODUCT, "product 1 with A fails, and that is not reported");
}
END_TEST

START_TEST(a_leak_is_found)
{
    expect_broken(LEAKS, "it leaks where allocation ");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {faults_are_found, a_leak_is_found, NULL};
    return suite_of("study/preconditioner_trials", tests);
}
