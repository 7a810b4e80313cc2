#include "bench/support/contest.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "bench/support/bench.h"
#include "matrix/implicit_rows.h"
#include "problem/problem.h"
#include "problem/rhs.h"
#include "solver/solver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double BATCH_SECONDS = 0.05;
static const double PRODUCT_ERROR = 1e-13; /* relative, in the maximum norm: some roundings a row */
static const double SOLVE_ERROR = 1e-8;    /* rounding moves an unfinished iterate by far less */

/* Our own solve, for the iterate that everybody has to arrive at. */
static enum status solve(struct contest *contest, struct error *error)
{
    const struct linear_system *system = &contest->system;
    struct space_options options = {.reductions = REDUCTIONS_REPRODUCIBLE,
                                    .threads = contest->threads};
    struct space *space;
    struct linear_operator spmv = {0};
    struct solver_result result;
    enum status status = space_cpu_create(&options, &space, error);
    if (status)
        return status;
    status = operator_create(kernel_find("cpu_csr"), &system->A, NULL, space, &spmv, error);
    if (!status)
        status = solver_solve(&spmv, &system->A, system->b, NULL, &contest->settings.solver.options,
                              NULL, contest->expected, &result, error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return status;
}

static enum status make_vectors(struct contest *contest, struct error *error)
{
    int64_t n = contest->n;
    contest->x = memory_array(n, sizeof(double), "the vector x", error);
    contest->expected = memory_array(n, sizeof(double), "the expected result", error);
    contest->result = memory_zeros(n, sizeof(double), "the result", error);
    if (!contest->x || !contest->expected || !contest->result)
        return STATUS_MEMORY;
    random_vector(1, n, contest->x);
    if (contest->cg)
        return solve(contest, error);
    csr_multiply(&contest->system.A, contest->x, contest->expected);
    return STATUS_OK;
}

enum { OVERRIDES_MAX = 16 };

/* A as its maker has it, not stored, and b. */
static enum status load_made(const struct settings *settings, struct linear_system *system,
                             struct error *error)
{
    enum status status = csr_check_rows(system->A.n, error);
    if (status)
        return status;
    system->columns = 1;
    system->b = memory_array(system->A.n, sizeof *system->b, "the right-hand side", error);
    if (!system->b)
        return STATUS_MEMORY;
    return rhs_fill(&settings->problem.rhs, &system->A, settings->solver.options.shift, 1,
                    system->b, error);
}

static enum status load(int argc, char *argv[], bool large, struct contest *contest,
                        struct error *error)
{
    *contest = (struct contest){0};
    struct settings_override overrides[OVERRIDES_MAX];
    int count = argc - 4;
    contest->threads = argc > 2 ? atoi(argv[2]) : 0;
    contest->cg = argc > 1 && strcmp(argv[1], large ? "solve" : "cg") == 0;
    if (count < 0 || count > OVERRIDES_MAX || contest->threads < 1 ||
        (!contest->cg && strcmp(argv[1], "product") != 0))
        return error_set(error, STATUS_CONFIG,
                         "usage: %s product|cg THREADS [KEY=VALUE]... CONFIG (up to %d of them)",
                         argv[0], OVERRIDES_MAX);
    for (int k = 0; k < count; k++)
        overrides[k] = (struct settings_override){.text = argv[3 + k]};
    enum status status = settings_read(argv[argc - 1], overrides, count, &contest->settings, error);
    if (!status)
        status = threads_begin(contest->threads, &contest->before, error);
    if (!status && large)
        status = problem_shape(&contest->settings.problem.matrix, &contest->system.A, error);
    if (!status && contest->system.A.maker && contest->settings.problem.reorder == REORDER_NONE)
        status = load_made(&contest->settings, &contest->system, error);
    else if (!status)
        status = system_load(&contest->settings.problem, &contest->settings.solver,
                             &contest->settings.study, &contest->system, error);
    if (!status) {
        const struct csr *A = &contest->system.A;
        contest->n = A->n;
        snprintf(contest->size, sizeof contest->size,
                 "n = %" PRId64 ", %" PRId64 " entries, %" PRId64 " in the upper triangle", A->n,
                 csr_nnz_full(A), A->nnz);
        contest->problem = bench_problem_text(&contest->settings, &contest->system, error);
        status = contest->problem ? STATUS_OK : STATUS_MEMORY;
    }
    return status;
}

enum status contest_open(int argc, char *argv[], struct contest *contest, struct error *error)
{
    enum status status = load(argc, argv, false, contest, error);
    if (!status)
        status = csr_store(&contest->system.A, error);
    return status ? status : make_vectors(contest, error);
}

enum status contest_open_large(int argc, char *argv[], struct contest *contest, struct error *error)
{
    return load(argc, argv, true, contest, error);
}

void contest_drop_matrix(struct contest *contest)
{
    system_free(&contest->system);
}

void contest_close(struct contest *contest)
{
    memory_free(contest->problem);
    memory_free(contest->x);
    memory_free(contest->expected);
    memory_free(contest->result);
    system_free(&contest->system);
    settings_free(&contest->settings);
    threads_end(contest->before);
    *contest = (struct contest){0};
}

/* The largest difference over the largest value; not a number where the result has one. */
static double error_of(const struct contest *contest)
{
    double largest = 0, difference = 0;
    for (int64_t i = 0; i < contest->n; i++) {
        double d = fabs(contest->result[i] - contest->expected[i]);
        largest = fmax(largest, fabs(contest->expected[i]));
        difference = d <= difference ? difference : d;
        if (isnan(d))
            return NAN;
    }
    return difference / largest;
}

static enum status check(struct contest *contest, struct error *error)
{
    double allowed = contest->cg ? SOLVE_ERROR : PRODUCT_ERROR;
    double found = contest->expected ? error_of(contest) : isnan(contest->residual) ? NAN : 0;
    if (found <= allowed)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "the result is wrong: relative error %.3g, allowed %.0e",
                     found, allowed);
}

enum status contest_compete(struct contest *contest, const char *library, double bytes,
                            contest_batch *batch, void *context, struct error *error)
{
    for (int64_t i = 0; contest->expected && i < contest->n; i++)
        contest->result[i] = NAN;
    contest->residual = NAN;
    double seconds = batch(context, 1);
    enum status status = check(contest, error);
    if (status)
        return status;
    int64_t times = seconds < BATCH_SECONDS ? (int64_t)ceil(BATCH_SECONDS / seconds) : 1;
    printf("contest problem %s\ncontest size %s\n", contest->problem, contest->size);
    printf("contest ready %.0f %s\n", bytes, library);
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        printf("contest seconds %.9g\n", batch(context, contest->cg ? 1 : times));
        if (!contest->expected)
            printf("contest residual %.9g %" PRId64 "\n", contest->residual, contest->iterations);
        fflush(stdout);
    }
    return check(contest, error);
}

int contest_end(enum status status, const struct error *error)
{
    if (!status)
        return EXIT_SUCCESS;
    printf("contest failed %s\n", error->text);
    fflush(stdout);
    return EXIT_FAILURE;
}
