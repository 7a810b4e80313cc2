/* The trial of symmetry: its numbers, what is refused, and that every preconditioner passes. */
#include "precondition/definite.h"

#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "matrices.h"
#include "precondition/preconditioned.h"
#include "ranks.h"
#include "solver/cg/cg.h"
#include "solver/solve.h"
#include "space/trials.h"
#include "spaces.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { N = 60 };

/* y = S x + skew K x with a diagonal S and K = -K', which couples neighbours. */
struct skewed {
    struct space *space;
    double size, skew;
};

static double element(const struct skewed *of, const double *x, int64_t i)
{
    double s = of->size * (1 + (double)(i % 3)) * x[i];
    if (i > 0)
        s -= of->skew * x[i - 1];
    return i + 1 < N ? s + of->skew * x[i + 1] : s;
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct skewed *of = state;
    double *y = operands->y;
    for (int64_t i = 0; i < N; i++)
        y[i] = element(of, operands->x, i);
    return operands->dot ? space_dot(of->space, N, operands->x, y, operands->dot, error)
                         : STATUS_OK;
}

static void destroy(void *state)
{
    (void)state;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static struct linear_operator operator_of(struct skewed *of, struct space *space)
{
    of->space = space;
    return (struct linear_operator){.name = "skewed",
                                    .table = &table,
                                    .state = of,
                                    .can = OPERATOR_DOT,
                                    .space = space,
                                    .n = N,
                                    .width = N,
                                    .bytes_per_apply = 1};
}

/* In higher precision; each dot product is off by less than N units of rounding of its terms. */
START_TEST(the_numbers_are_those_of_the_formula)
{
    static const double skews[] = {0, 0.25, 1e-3, 1e-9};
    for (int k = 0; k < 4; k++) {
        struct error error;
        struct definite found;
        struct skewed of = {.size = 2, .skew = skews[k]};
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1 + k % 3);
        struct linear_operator M = operator_of(&of, space);
        expect_ok(definite_try(&M, NULL, &found, &error), &error);
        double v[2][N];
        long double sums[2][2] = {{0}}, squares[2] = {0}, size = 0;
        for (int j = 0; j < 2; j++)
            for (int64_t i = 0; i < N; i++)
                v[j][i] = random_uniform((uint64_t)j + 1, (uint64_t)i);
        for (int j = 0; j < 2; j++)
            for (int64_t i = 0; i < N; i++) {
                long double z = (long double)element(&of, v[j], i);
                sums[j][0] += (long double)v[j][i] * z;
                sums[j][1] += (long double)v[1 - j][i] * z;
                squares[j] += (long double)v[j][i] * (long double)v[j][i];
                size += fabsl((long double)v[1 - j][i] * z);
            }
        long double norm = sqrtl(sums[0][0] * sums[1][0]);
        long double expected = fabsl(sums[0][1] - sums[1][1]) / norm;
        long double bound = 2 * N * 0x1p-53L * size / norm + 0x1p-48L * expected;
        ck_assert(fabsl((long double)found.asymmetry - expected) <= bound);
        long double least = fminl(sums[0][0] / squares[0], sums[1][0] / squares[1]);
        ck_assert(fabsl((long double)found.least - least) <= 4 * N * 0x1p-53L * least);
        space->operations->destroy(space);
    }
}
END_TEST

START_TEST(what_is_neither_is_refused)
{
    struct error error;
    struct definite found;
    struct skewed good = {.size = 1, .skew = 1e-6}, skew = {.size = 1, .skew = 0.5},
                  negative = {.size = -1}, infinite = {.size = INFINITY};
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    struct linear_operator M = operator_of(&good, space);
    expect_ok(definite_check(&M, NULL, &found, &error), &error);
    ck_assert(found.asymmetry > 0 && found.asymmetry < 1e-6);
    M = operator_of(&skew, space);
    expect_error(definite_check(&M, NULL, &found, &error), STATUS_CONFIG, &error,
                 "preconditioner skewed: M is not symmetric", "apart", NULL);
    M = operator_of(&negative, space);
    M.exponent = 3;
    expect_error(definite_check(&M, NULL, &found, &error), STATUS_CONFIG, &error,
                 "preconditioner skewed: M is not positive definite", "is -1", "x . x", NULL);
    ck_assert(isnan(found.asymmetry));
    M = operator_of(&infinite, space); /* which a solve says by itself */
    expect_ok(definite_check(&M, NULL, &found, &error), &error);
    ck_assert(isnan(found.asymmetry));
    space->operations->destroy(space);
}
END_TEST

/* --- as a component --------------------------------------------------------------------------- */

static struct skewed made_skewed;

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    (void)options, (void)A, (void)number, (void)error;
    made_skewed.space = spmv->space;
    made->table = &table;
    made->state = &made_skewed;
    made->bytes_per_apply = made->memory_bytes = 1;
    return STATUS_OK;
}

static int64_t setup_bytes(const void *options, const struct csr *A)
{
    (void)options, (void)A;
    return 1;
}

static const struct preconditioner skewed = {
    .component = {COMPONENT_PRECONDITIONER, "skewed", "an M that is not symmetric"},
    .setup_bytes = setup_bytes,
    .setup = setup};

static enum status study(double size, double skew, struct study_kernel *found, struct error *error)
{
    double b[N], values[N];
    struct csr A;
    for (int i = 0; i < N; i++)
        b[i] = values[i] = 1 + i;
    diagonal(N, values, &A);
    made_skewed = (struct skewed){.size = size, .skew = skew};
    struct study_system system = {.A = &A, .b = b, .columns = 1};
    struct study_entry entry = {.kernel = kernel_find("cpu_csr"),
                                .options = kernel_defaults(kernel_find("cpu_csr")),
                                .label = "own",
                                .preconditioner = {.component = &skewed.component}};
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    struct solver_options options = {
        .method = &method_cg, .tolerance = 1e-10, .max_iterations = 500};
    enum status status = study_kernel_run(&entry, &system, space, &options, 1, NULL, found, error);
    space->operations->destroy(space);
    csr_free(&A);
    return status;
}

START_TEST(a_study_tries_it)
{
    struct error error;
    struct study_kernel found;
    expect_ok(study(1, 0, &found, &error), &error);
    ck_assert(found.preconditioner_asymmetry >= 0 && found.preconditioner_asymmetry < 1e-14);
    study_kernel_free(&found);
    expect_error(study(1, 0.5, &found, &error), STATUS_CONFIG, &error, "skewed", "is not symmetric",
                 NULL);
    expect_error(study(-1, 0, &found, &error), STATUS_CONFIG, &error, "skewed",
                 "is not positive definite", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- the others ------------------------------------------------------------------------------- */

struct tried {
    struct exchange *exchange; /* first; NULL: alone */
    const struct csr *A;
    int k, threads;
    enum status status;
    struct error error;
    struct definite found;
};

static void *try_one(void *context)
{
    struct tried *tried = context;
    struct options options = preconditioner_tried(tried->k);
    struct space_options how = {
        .threads = tried->threads, .exchange = tried->exchange, .rows = tried->A->n};
    struct space *space = NULL;
    struct linear_operator spmv = {0}, M = {0};
    enum status status = space_create(SPACE_CPU, &how, &space, &tried->error);
    if (!status)
        status =
            operator_create(kernel_find("cpu_csr"), tried->A, NULL, space, &spmv, &tried->error);
    if (!status)
        status = preconditioner_create(&options, tried->A, NULL, &spmv, &M, &tried->error);
    if (!status)
        status = definite_check(&M, NULL, &tried->found, &tried->error);
    if (status && tried->exchange)
        tried->exchange->operations->abandon(tried->exchange, 1, tried->error.text);
    tried->status = status;
    operator_destroy(&M);
    operator_destroy(&spmv);
    if (space)
        space->operations->destroy(space);
    options_free(&options);
    return NULL;
}

/* With the same bits for any number of threads and ranks, but for the trial's own sums. */
START_TEST(every_preconditioner_passes)
{
    enum { RANKS = 3 };
    struct csr A;
    grid(12, 100, &A);
    for (int k = 1; k < PRECONDITIONERS_TRIED; k++) {
        struct tried first = {.A = &A, .k = k, .threads = 1},
                     next = {.A = &A, .k = k, .threads = 3}, ranks[RANKS];
        double most = k < PRECONDITIONERS_IN_DOUBLE && k != 12 ? 0x1p-40 : 0x1p-16;
        try_one(&first);
        try_one(&next);
        for (int r = 0; r < RANKS; r++)
            ranks[r] = (struct tried){.A = &A, .k = k, .threads = 1};
        test_ranks(RANKS, try_one, ranks, sizeof *ranks);
        expect_ok(first.status, &first.error);
        expect_ok(next.status, &next.error);
        ck_assert(first.found.least > 0);
        ck_assert(first.found.asymmetry >= 0 && first.found.asymmetry <= most);
        ck_assert_mem_eq(&first.found, &next.found, sizeof first.found);
        for (int r = 0; r < RANKS; r++) {
            expect_ok(ranks[r].status, &ranks[r].error);
            ck_assert_mem_eq(&first.found, &ranks[r].found, sizeof first.found);
        }
    }
    csr_free(&A);
}
END_TEST

START_TEST(without_memory)
{
    struct skewed of = {.size = 1};
    bool done = false;
    for (int64_t allowed = 0; !done; allowed++) {
        struct error error;
        struct definite found;
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
        struct linear_operator M = operator_of(&of, space);
        memory_fail_after(allowed);
        enum status status = definite_check(&M, NULL, &found, &error);
        memory_fail_after(-1);
        done = !status;
        if (status)
            expect_error(status, STATUS_MEMORY, &error, "out of memory", NULL);
        ck_assert(!done || allowed > 4);
        space->operations->destroy(space);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_numbers_are_those_of_the_formula,
                            what_is_neither_is_refused,
                            a_study_tries_it,
                            every_preconditioner_passes,
                            without_memory,
                            NULL};
    return suite_of("precondition/definite", tests);
}
