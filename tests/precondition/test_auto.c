/* The preconditioner that is chosen: which one, that the choice is the same everywhere, and what it
 * goes by. */
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "precondition/automatic/attempt.h"
#include "precondition/automatic/roughness.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/preconditioned.h"
#include "ranks.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- matrices --------------------------------------------------------------------------------- */

/* A beam: B B of a path's Laplacian B, rows scaled. Entries of both signs cancel in A x. */
static void make_beam(int64_t n, struct csr *A)
{
    static const double entries[] = {6, -4, 1};
    struct error error;
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, 3 * n - 3, &error), &error);
    A->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = A->offsets[i], k = 0;
        for (; k < 3 && i + k < n; k++) {
            A->columns[at + k] = (int32_t)(i + k);
            A->values[at + k] = entries[k] * (1 + (double)(i % 5)) * (1 + (double)((i + k) % 5));
        }
        A->offsets[i + 1] = at + k;
    }
}

static void make_box(int64_t side, double shift, struct csr *A)
{
    struct error error;
    struct poisson3d poisson = {.n = {side, side, side}, .weights = {1, 1, 1}, .jump = 1};
    expect_ok(poisson3d_create(&poisson, A, &error), &error);
    for (int64_t i = 0; i < A->n; i++)
        A->values[A->offsets[i]] += shift;
}

/* Of several unknowns a node. */
static void make_nodes(int64_t side, struct csr *A)
{
    struct csr box;
    make_box(side, 1e-3, &box);
    make_blocks(&box, 3, A);
    csr_free(&box);
}

/* One a_ii in the middle becomes `value`. */
static void make_wrong(double value, struct csr *A)
{
    make_box(12, 0, A);
    A->values[A->offsets[A->n / 2]] = value;
}

static void make_diagonal(struct csr *A)
{
    struct error error;
    enum { N = 700 };
    expect_ok(csr_create(A, CSR_SYMMETRIC, N, N, &error), &error);
    for (int64_t i = 0; i <= N; i++)
        A->offsets[i] = i;
    for (int64_t i = 0; i < N; i++) {
        A->columns[i] = (int32_t)i;
        A->values[i] = exp(20 * random_uniform(1, (uint64_t)i));
    }
}

enum { CASES = 8 };

/* What begins the description. */
static const char *const wanted[CASES] = {
    "jacobi, about",          /* a diagonal matrix */
    "jacobi, about",          /* a box that is too small for multigrid */
    "multigrid, as jacobi",   /* a box */
    "jacobi, about",          /* the same with a diagonal that dominates */
    "multigrid, as jacobi",   /* several unknowns a node */
    "fsai, as jacobi",        /* a beam */
    "jacobi, as A is not",    /* A is indefinite */
    "chebyshev, as A's diag", /* and its diagonal too */
};

static void make_case(int k, struct csr *A)
{
    if (k == 0)
        make_diagonal(A);
    else if (k < 4)
        make_box(k == 1 ? 14 : 34, k == 3 ? 3 : 0, A);
    else if (k == 4)
        make_nodes(22, A);
    else if (k == 5)
        make_beam(900, A);
    else
        make_wrong(k == 6 ? 1e-3 : -1e-3, A);
}

/* --- the choice ------------------------------------------------------------------------------- */

struct chosen {
    struct exchange *exchange; /* first; NULL: alone */
    const struct csr *A;
    const char *kernel;
    int threads;
    enum status status;
    struct error error;
    char description[OPERATOR_DESCRIPTION];
    struct operator_levels levels;
};

static void *choose(void *context)
{
    struct chosen *chosen = context;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "auto", NULL);
    struct space_options how = {
        .threads = chosen->threads, .exchange = chosen->exchange, .rows = chosen->A->n};
    struct space *space = NULL;
    struct linear_operator spmv = {0}, M = {0};
    chosen->status = space_create(SPACE_CPU, &how, &space, &chosen->error);
    if (!chosen->status)
        chosen->status = operator_create(kernel_find(chosen->kernel), chosen->A, NULL, space, &spmv,
                                         &chosen->error);
    if (!chosen->status)
        chosen->status =
            preconditioner_create(&options, chosen->A, NULL, &spmv, &M, &chosen->error);
    if (chosen->status && chosen->exchange)
        chosen->exchange->operations->abandon(chosen->exchange, 1, chosen->error.text);
    snprintf(chosen->description, sizeof chosen->description, "%s", M.description);
    chosen->levels = M.levels;
    ck_assert(chosen->status || strcmp(M.name, "auto") == 0);
    operator_destroy(&M);
    operator_destroy(&spmv);
    if (space)
        space->operations->destroy(space);
    options_free(&options);
    return NULL;
}

static void expect_same(const struct chosen *a, const struct chosen *b)
{
    expect_ok(b->status, &b->error);
    ck_assert_str_eq(a->description, b->description);
    ck_assert_int_eq(a->levels.count, b->levels.count);
    ck_assert_uint_eq(a->levels.hash, b->levels.hash);
}

/* Of every number of threads and ranks, and with every bitwise kernel. */
START_TEST(the_choice_is_the_same_everywhere)
{
    enum { RANKS = 3 };
    for (int k = 0; k < CASES; k++) {
        struct csr A;
        make_case(k, &A);
        struct chosen first = {.A = &A, .kernel = "cpu_csr", .threads = 1}, ranks[RANKS];
        choose(&first);
        expect_ok(first.status, &first.error);
        ck_assert_msg(strncmp(first.description, wanted[k], strlen(wanted[k])) == 0,
                      "case %d: %s, not %s", k, first.description, wanted[k]);
        for (int threads = 2; threads < 5; threads++) {
            struct chosen next = {
                .A = &A, .kernel = threads % 2 ? "cpu_csr" : "cpu_sym_bitwise", .threads = threads};
            choose(&next);
            expect_same(&first, &next);
        }
        for (int r = 0; r < RANKS; r++)
            ranks[r] = (struct chosen){.A = &A, .kernel = "cpu_sym_bitwise", .threads = 1};
        test_ranks(RANKS, choose, ranks, sizeof *ranks);
        for (int r = 0; r < RANKS; r++)
            expect_same(&first, &ranks[r]);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- what is there then ----------------------------------------------------------------------- */

struct made {
    struct space *space;
    struct linear_operator spmv;
};

static void begin(const struct csr *A, struct made *made)
{
    struct error error;
    made->space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    expect_ok(
        operator_create(kernel_find("cpu_sym_bitwise"), A, NULL, made->space, &made->spmv, &error),
        &error);
}

static void end(struct made *made)
{
    operator_destroy(&made->spmv);
    made->space->operations->destroy(made->space);
}

static void create(const char *name, const struct csr *A, struct made *made,
                   struct linear_operator *M)
{
    struct error error;
    struct options options = test_options(COMPONENT_PRECONDITIONER, name, NULL);
    expect_ok(preconditioner_create(&options, A, NULL, &made->spmv, M, &error), &error);
    options_free(&options);
}

START_TEST(it_is_the_one_that_it_names)
{
    static const struct {
        int k;
        const char *name;
    } cases[] = {{1, "jacobi"}, {2, "multigrid"}, {5, "fsai"}, {7, "chebyshev"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct error error;
        struct csr A;
        struct made made;
        struct linear_operator M, named;
        make_case(cases[c].k, &A);
        double *r = randoms(A.n, 5), *z = vector(A.n), *expected = vector(A.n);
        begin(&A, &made);
        create("auto", &A, &made, &M);
        create(cases[c].name, &A, &made, &named);
        expect_ok(operator_apply(&M, r, z, &error), &error);
        expect_ok(operator_apply(&named, r, expected, &error), &error);
        ck_assert_mem_eq(z, expected, (size_t)A.n * sizeof *z);
        ck_assert_int_eq(M.bytes_per_apply, named.bytes_per_apply);
        ck_assert_int_eq(M.memory_bytes, named.memory_bytes);
        ck_assert_int_eq(M.products, named.products);
        ck_assert_uint_eq(M.can, named.can);
        operator_destroy(&M);
        operator_destroy(&named);
        end(&made);
        memory_free(r);
        memory_free(z);
        memory_free(expected);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Other values on the same pattern have their own choice. */
START_TEST(renewal_chooses_again)
{
    struct error error;
    struct csr A;
    struct made made;
    struct linear_operator M;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "auto", NULL);
    make_box(34, 0, &A);
    begin(&A, &made);
    create("auto", &A, &made, &M);
    ck_assert(strncmp(M.description, "multigrid", 9) == 0);
    for (int64_t i = 0; i < A.n; i++)
        A.values[A.offsets[i]] += 3;
    struct linear_operator other;
    expect_ok(operator_create(kernel_find("cpu_sym_bitwise"), &A, NULL, made.space, &other, &error),
              &error);
    expect_ok(preconditioner_renew(&options, &A, NULL, &other, &M, &error), &error);
    ck_assert(strncmp(M.description, "jacobi", 6) == 0);
    operator_destroy(&M);
    operator_destroy(&other);
    end(&made);
    options_free(&options);
    csr_free(&A);
}
END_TEST

/* The options that are a mistake, and those that are handed on. */
START_TEST(options_are_checked)
{
    struct error error;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "auto", NULL);
    expect_error(options_set(&options, "tolerance", "0", &error), STATUS_CONFIG, &error,
                 "a real in (0, 1)", NULL);
    expect_error(options_set(&options, "tolerance", "1", &error), STATUS_CONFIG, &error,
                 "a real in (0, 1)", NULL);
    expect_ok(options_set(&options, "coordinates", "nodes.npy", &error), &error);
    expect_ok(options_check(&options, &error), &error);
    struct near_null_wanted wants = preconditioner_near_null(&options);
    ck_assert_int_eq(wants.choice, NEAR_NULL_AUTO);
    ck_assert_str_eq(wants.coordinates, "nodes.npy");
    expect_ok(options_set(&options, "vectors", "modes.npy", &error), &error);
    expect_error(options_check(&options, &error), STATUS_CONFIG, &error, "coordinates", NULL);
    options_free(&options);
}
END_TEST

/* Fewer digits are sooner there: multigrid's set-up does not pay then. */
START_TEST(the_tolerance_counts)
{
    struct error error;
    struct csr A;
    struct made made;
    struct linear_operator M;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "auto", "tolerance=1e-2", NULL);
    make_box(34, 0, &A);
    begin(&A, &made);
    expect_ok(preconditioner_create(&options, &A, NULL, &made.spmv, &M, &error), &error);
    ck_assert(strncmp(M.description, "jacobi", 6) == 0);
    operator_destroy(&M);
    end(&made);
    options_free(&options);
    csr_free(&A);
}
END_TEST

/* Set-up survives each allocation that fails, where it makes several candidates. */
START_TEST(without_memory)
{
    static const int cases[] = {2, 5, 7};
    for (int c = 0; c < 3; c++) {
        if (!test_case_runs(c, 3))
            continue;
        struct csr A;
        struct made made;
        struct options options = test_options(COMPONENT_PRECONDITIONER, "auto", NULL);
        make_case(cases[c], &A);
        bool done = false;
        for (int64_t allowed = 0; !done; allowed++) {
            struct error error;
            struct linear_operator M;
            int64_t before = memory_live();
            begin(&A, &made);
            memory_fail_after(allowed);
            enum status status = preconditioner_create(&options, &A, NULL, &made.spmv, &M, &error);
            memory_fail_after(-1);
            done = !status;
            ck_assert(status || strncmp(M.description, wanted[cases[c]], 6) == 0);
            if (status) {
                expect_error(status, STATUS_MEMORY, &error, "out of memory", NULL);
                ck_assert_ptr_null(M.table);
            }
            operator_destroy(&M);
            end(&made);
            ck_assert_int_eq(memory_live(), before);
            ck_assert(!done || allowed > 10);
        }
        options_free(&options);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- its parts -------------------------------------------------------------------------------- */

/* mu in higher precision. Each row loses less than a unit of 1 / (1024 n), and a double of its sum
 * is off by less than a few units of rounding a term. */
START_TEST(roughness_is_the_sum)
{
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++)
        for (int64_t block = 1; block < 4; block++) {
            struct error error;
            struct csr A;
            double mu;
            test_matrix_build_positive(&test_matrices[t], &state, &A);
            double *x = randoms(A.n, 1 + t), *y = vector(A.n);
            csr_multiply(&A, x, y);
            long double energy = 0, sum = 0;
            for (int64_t i = 0; i < A.n; i++)
                energy += (long double)x[i] * (long double)y[i];
            for (int64_t i = 0; i < A.n; i++)
                for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++) {
                    long double apart = (long double)x[i] - (long double)x[A.columns[k]];
                    if ((A.columns[k] - i) % block == 0)
                        sum += fabsl((long double)A.values[k]) * apart * apart;
                }
            long double expected = sum / energy;
            struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1 + t % 3);
            expect_ok(roughness_of(&A, block, space, x, (double)energy, &mu, &error), &error);
            double high = (double)expected * (1 + 0x1p-44), low = (double)expected * (1 - 0x1p-44);
            ck_assert_msg(mu <= high && mu >= low - 0x1p-10, "%s: mu is %a, and not %La",
                          test_matrices[t].name, mu, expected);
            space->operations->destroy(space);
            memory_free(x);
            memory_free(y);
            csr_free(&A);
        }
}
END_TEST

/* One row has all of it: the sum of units does not overflow. */
START_TEST(roughness_has_a_limit)
{
    struct error error;
    struct csr A;
    double mu;
    make_box(8, 0, &A);
    double *x = vector(A.n);
    memset(x, 0, (size_t)A.n * sizeof *x);
    x[0] = 1e200;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    expect_ok(roughness_of(&A, 1, space, x, 1e-200, &mu, &error), &error);
    ck_assert(mu > 1e6 && isfinite(mu));
    space->operations->destroy(space);
    memory_free(x);
    csr_free(&A);
}
END_TEST

/* The same iterations as those of the solver, but for rounding. */
START_TEST(an_attempt_is_a_solve)
{
    static struct preconditioned_history history;
    struct error error;
    struct csr A;
    struct made made;
    struct linear_operator M;
    struct attempt attempt;
    make_box(20, 0, &A);
    double *b = vector(A.n), *x = vector(A.n);
    for (int64_t i = 0; i < A.n; i++)
        b[i] = random_uniform(1, (uint64_t)i);
    begin(&A, &made);
    create("jacobi", &A, &made, &M);
    expect_ok(attempt_begin(&made.spmv, &M, NULL, false, &attempt, &error), &error);
    expect_ok(attempt_advance(&attempt, 7, &error), &error);
    expect_ok(attempt_advance(&attempt, 20, &error), &error);
    ck_assert(attempt.steps == 20 && !attempt.ended && !attempt.indefinite && !attempt.infinite);
    expect_ok(solve_with(1e-12, &made.spmv, &M, &A, b, &history, x, &error), &error);
    for (int k = 0; k <= 20; k++) {
        double residual = history.rows[k].residual;
        ck_assert(fabs(sqrt(attempt.squared[k]) - residual) <= 1e-9 * residual);
    }
    double expected = 20 * log(1e-8) / log(history.rows[20].residual / history.rows[0].residual);
    ck_assert(fabs(attempt_steps(&attempt, 20, 1e-8) - expected) <= 1e-6 * expected);
    attempt_end(&attempt);
    operator_destroy(&M);
    end(&made);
    memory_free(b);
    memory_free(x);
    csr_free(&A);
}
END_TEST

static enum status lose(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    memcpy(operands->y, operands->x, *(const size_t *)state * sizeof(double));
    *operands->dot = -1;
    return STATUS_OK;
}

/* An M that is not positive definite is seen. */
START_TEST(a_bad_one_is_seen)
{
    static const struct operator_table table = {.apply = lose};
    struct error error;
    struct csr A;
    struct made made;
    struct linear_operator M;
    struct attempt attempt;
    bool positive;
    make_box(5, 0, &A);
    size_t n = (size_t)A.n;
    begin(&A, &made);
    create("jacobi", &A, &made, &M);
    struct linear_operator bad = {.table = &table,
                                  .state = &n,
                                  .can = OPERATOR_DOT,
                                  .space = made.space,
                                  .n = A.n,
                                  .width = A.n};
    expect_ok(attempt_begin(&made.spmv, &M, NULL, false, &attempt, &error), &error);
    expect_ok(attempt_advance(&attempt, 2, &error), &error);
    expect_ok(attempt_try(&attempt, &bad, &positive, &error), &error);
    ck_assert(!positive);
    expect_ok(attempt_try(&attempt, &M, &positive, &error), &error);
    ck_assert(positive);
    attempt_end(&attempt);
    expect_ok(attempt_begin(&made.spmv, &bad, NULL, false, &attempt, &error), &error);
    expect_ok(attempt_advance(&attempt, 2, &error), &error);
    ck_assert(attempt.indefinite && attempt.steps == 0);
    attempt_end(&attempt);
    operator_destroy(&M);
    end(&made);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_choice_is_the_same_everywhere,
                            it_is_the_one_that_it_names,
                            renewal_chooses_again,
                            options_are_checked,
                            the_tolerance_counts,
                            without_memory,
                            roughness_is_the_sum,
                            roughness_has_a_limit,
                            an_attempt_is_a_solve,
                            a_bad_one_is_seen,
                            NULL};
    return suite_of("precondition/auto", tests);
}
