/* The trials of a method over one matrix: method_trial_list. */
#include "base/memory.h"
#include "solver/residual.h"
#include "spmv/preconditioner.h"
#include "study/method_trials.h"
#include "study/test_matrices.h"
#include "study/trial_products.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 1000, COLUMNS = 5 };
static const double TOLERANCE = 1e-9;

/* The history and the result of a solve. */
struct answer {
    const struct method *method;
    int series; /* of its rows */
    int64_t count;
    bool in_order;
    double rows[ROWS][SERIES_MOST];
    double *x;
    struct solver_result result;
};

struct means {
    struct linear_operator spmv, M;
    struct solver_options options;
};

static const struct method *method_of(const struct trial_case *of)
{
    return (const struct method *)of->component;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct answer *answers = context, *answer = &answers[event->column];
    (void)error;
    if (event->iteration != answer->count || answer->count == ROWS) {
        answer->in_order = false;
        return STATUS_OK;
    }
    for (int s = 0; s < SERIES_MOST; s++)
        answer->rows[answer->count][s] = s < answer->series ? event->values[s] : 0;
    answer->count++;
    return STATUS_OK;
}

/* `count` of them, each with its x, full of NaN. */
static struct answer *answers_make(const struct trial_case *of, int64_t count, struct error *error)
{
    struct answer *answers = memory_zeros(count, sizeof *answers, "a trial's solves", error);
    double *x = answers ? memory_array(count * of->A->n, sizeof *x, "x", error) : NULL;
    if (!x) {
        memory_free(answers);
        return NULL;
    }
    for (int64_t j = 0; j < count; j++)
        answers[j].x = x + j * of->A->n;
    return answers;
}

static void answers_free(struct answer *answers)
{
    if (answers)
        memory_free(answers[0].x);
    memory_free(answers);
}

static void clear(const struct trial_case *of, const struct means *means, struct answer *answer)
{
    answer->method = method_of(of);
    answer->series = method_series_count(answer->method, means->options.preconditioner != NULL);
    answer->count = 0;
    answer->in_order = true;
    for (int64_t i = 0; i < of->A->n; i++)
        answer->x[i] = NAN;
}

/* --- a solve ---------------------------------------------------------------------------------- */

static void means_free(struct means *means)
{
    operator_destroy(&means->M);
    operator_destroy(&means->spmv);
}

static struct solver_options options_of(const struct trial_case *of)
{
    const struct method *method = method_of(of);
    return (struct solver_options){.method = method,
                                   .tolerance = TOLERANCE,
                                   .max_iterations = ROWS - 1,
                                   .shift = method->kind == CSR_SKEW ? 1 : 0,
                                   .relaxation = 1,
                                   .columns = SOLVER_COLUMNS_TOGETHER};
}

static enum status precondition(const struct trial_case *of, struct means *means,
                                struct error *error)
{
    struct options with;
    enum status status =
        options_create(component_find(COMPONENT_PRECONDITIONER, "block_jacobi"), &with, error);
    if (!status)
        status = preconditioner_create(&with, of->A, NULL, &means->spmv, &means->M, error);
    means->options.preconditioner = &means->M;
    options_free(&with);
    return status;
}

/* The operator of A in the current space, and block_jacobi. */
static enum status means_make(const struct trial_case *of, bool with_M, struct means *means,
                              struct error *error)
{
    *means = (struct means){.options = options_of(of)};
    enum status status = operator_create(of->kernel, of->A, &of->options, of->spaces.with[of->team],
                                         &means->spmv, error);
    if (!status && with_M)
        status = precondition(of, means, error);
    return status;
}

static enum status solve(const struct trial_case *of, struct means *means, const double *b,
                         const double *x0, struct answer *answer, struct error *error)
{
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = answer};
    struct solver_result result = {0};
    clear(of, means, answer);
    enum status status = solver_solve(&means->spmv, of->A, b, x0, &means->options, &observer,
                                      answer->x, &result, error);
    answer->result = result;
    solver_result_free(&result); /* of eigenvalues, which are not used */
    of->found->done += !status;
    return status;
}

/* A solve that fails breaks the trial, unless memory or the device failed. */
static enum status reported(struct trial_case *of, enum status status, struct error *error)
{
    if (status && status != STATUS_MEMORY && status != STATUS_DEVICE) {
        trial_broken(of, "a solve ends with: %s", error->text);
        return STATUS_OK;
    }
    return status;
}

/* --- checks of one solve ---------------------------------------------------------------------- */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check_rows(struct trial_case *of, const struct answer *answer)
{
    const struct method *method = answer->method;
    int residual = method_series(method, "residual");
    if (!answer->in_order || answer->count != answer->result.iterations + 1) {
        trial_broken(of, "the history has not one row for each iteration, 0 to %" PRId64,
                     answer->result.iterations);
        return;
    }
    if (!same_bits(answer->rows[answer->count - 1][residual], answer->result.residual))
        trial_broken(of, "the last row has the residual %g, and the result %g",
                     answer->rows[answer->count - 1][residual], answer->result.residual);
    for (int64_t k = 0; k < answer->count; k++)
        for (int s = 0; s < answer->series; s++)
            if (isnan(answer->rows[k][s]) &&
                (method->series[s].rows == SERIES_IN_ALL_ROWS ||
                 (method->series[s].rows == SERIES_FROM_ROW_1 && k > 0)))
                trial_broken(of, "row %" PRId64 " has no %s", k, method->series[s].name);
}

static enum status check_solution(struct trial_case *of, const struct means *means, const double *b,
                                  const struct answer *answer, struct error *error)
{
    double norm = NAN, size = NAN;
    enum status status =
        residual_norm(NULL, of->A, means->options.shift, b, answer->x, &norm, error);
    for (int64_t i = 0; i < of->A->n; i++)
        size = fmax(size, fabs(b[i]));
    if (status)
        return status;
    double asked = TOLERANCE * answer->result.rhs_norm;
    if (answer->result.reason != REASON_CONVERGED)
        trial_broken(of, "a solve ends with \"%s\" after %" PRId64 " iterations",
                     reason_name(answer->result.reason), answer->result.iterations);
    else if (!(answer->result.rhs_norm >= size))
        trial_broken(of, "||b|| is %g, below the size of an element, %g", answer->result.rhs_norm,
                     size);
    else if (!(norm <= 1.1 * asked))
        trial_broken(of, "it has converged with ||b - A x|| = %g, and %g was asked for", norm,
                     asked);
    else if (!same_bits(norm, answer->result.true_residual))
        trial_broken(of, "the true residual is %a, and the result says %a", norm,
                     answer->result.true_residual);
    return STATUS_OK;
}

static void check_same(struct trial_case *of, const char *what, const struct answer *wanted,
                       const struct answer *answer)
{
    int64_t n = of->A->n, i = trial_other_bits(n, wanted->x, answer->x);
    for (int64_t k = 0; k < wanted->count && k < answer->count; k++)
        for (int s = 0; s < answer->series; s++)
            if (!same_bits(wanted->rows[k][s], answer->rows[k][s]))
                trial_broken(of, "%s: row %" PRId64 " has %s = %a, and had %a before", what, k,
                             answer->method->series[s].name, answer->rows[k][s],
                             wanted->rows[k][s]);
    if (wanted->count != answer->count)
        trial_broken(of, "%s: %" PRId64 " rows, and %" PRId64 " before", what, answer->count,
                     wanted->count);
    else if (i < n)
        trial_broken(of, "%s: x[%" PRId64 "] is %a, and was %a before", what, i, answer->x[i],
                     wanted->x[i]);
}

/* --- the trials ------------------------------------------------------------------------------- */

static double *random_vectors(struct trial_case *of, int64_t count, struct error *error)
{
    double *v = memory_array(count * of->A->n, sizeof *v, "right-hand sides", error);
    for (int64_t i = 0; v && i < count * of->A->n; i++)
        v[i] = 2 * test_stream(&of->random) - 1;
    return v;
}

/* Whether the method solves with, or without, an M. */
static bool solves(const struct trial_case *of, bool with_M)
{
    struct error unused;
    struct linear_operator M = {0};
    struct solver_options options = options_of(of);
    options.preconditioner = with_M ? &M : NULL;
    if (with_M && !(method_of(of)->traits & METHOD_TAKES_PRECONDITIONER))
        return false;
    return !solver_takes(&options, of->A, &unused);
}

/* One solve of the method's, judged; *answer is compared with *wanted, unless that is NULL. */
static enum status judged(struct trial_case *of, bool with_M, const double *b, const double *x0,
                          const struct answer *wanted, struct answer *answer, struct error *error)
{
    struct means means;
    enum status status = means_make(of, with_M, &means, error);
    if (!status)
        status = solve(of, &means, b, x0, answer, error);
    if (!status)
        check_rows(of, answer);
    if (!status && trial_holds(of))
        status = check_solution(of, &means, b, answer, error);
    if (!status && trial_holds(of) && wanted)
        check_same(of, "another solve", wanted, answer);
    means_free(&means);
    return reported(of, status, error);
}

/* With each team, and with the first one again. */
static enum status everywhere(struct trial_case *of, bool with_M, const double *b, const double *x0,
                              struct answer *answers, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k <= of->spaces.teams && !status && trial_holds(of); k++) {
        of->team = k % of->spaces.teams;
        status = judged(of, with_M, b, x0, k ? &answers[0] : NULL, &answers[k > 0], error);
    }
    return status;
}

static enum status try_solves(struct trial_case *of, struct error *error)
{
    struct answer *answers = answers_make(of, 2, error);
    double *b = answers ? random_vectors(of, 2, error) : NULL;
    enum status status = b ? STATUS_OK : STATUS_MEMORY;
    for (int k = 0; k < 4 && !status && trial_holds(of); k++)
        if (solves(of, k % 2))
            status = everywhere(of, k % 2, b, k < 2 ? NULL : b + of->A->n, answers, error);
    memory_free(b);
    answers_free(answers);
    return status;
}

/* b = (shift I + A) x_0 */
static void multiply(const struct trial_case *of, double shift, const double *x0, double *b)
{
    csr_multiply(of->A, x0, b);
    for (int64_t i = 0; i < of->A->n; i++)
        b[i] = fma(shift, x0[i], b[i]);
}

static void check_end(struct trial_case *of, const char *what, const double *x0,
                      const struct answer *answer)
{
    if (answer->result.reason != REASON_CONVERGED || answer->result.iterations != 0)
        trial_broken(of, "%s: it ends with \"%s\" after %" PRId64 " iterations", what,
                     reason_name(answer->result.reason), answer->result.iterations);
    for (int64_t i = 0; i < of->A->n; i++)
        if (answer->x[i] != x0[i])
            trial_broken(of, "%s: x[%" PRId64 "] is %a, not %a", what, i, answer->x[i], x0[i]);
}

static enum status solves_without_iterations(struct trial_case *of, struct means *means, double *b,
                                             double *x0, struct answer *answer, struct error *error)
{
    multiply(of, means->options.shift, x0, b);
    enum status status = solve(of, means, b, x0, answer, error);
    if (!status)
        check_end(of, "x_0 is the solution", x0, answer);
    for (int64_t i = 0; i < of->A->n; i++) {
        b[i] = i % 2 ? -0.0 : 0;
        x0[i] = 0;
    }
    if (!status && trial_holds(of))
        status = solve(of, means, b, NULL, answer, error);
    if (!status && trial_holds(of))
        check_end(of, "b = 0", x0, answer);
    return reported(of, status, error);
}

static enum status try_without_iterations(struct trial_case *of, struct error *error)
{
    struct means means = {0};
    struct answer *answer = answers_make(of, 1, error);
    double *b = answer ? random_vectors(of, 2, error) : NULL;
    enum status status = b ? STATUS_OK : STATUS_MEMORY;
    of->team = (int)trial_below(of, of->spaces.teams);
    if (!status)
        status = means_make(of, !solves(of, false), &means, error);
    if (!status)
        status = solves_without_iterations(of, &means, b, b + of->A->n, answer, error);
    means_free(&means);
    memory_free(b);
    answers_free(answer);
    return status;
}

/* answers[COLUMNS + 1]; answers[0].x has room for X[COLUMNS n]. */
static enum status together(struct trial_case *of, struct means *means, const double *B,
                            struct answer *answers, struct error *error)
{
    struct solver_result results[COLUMNS];
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = answers};
    for (int j = 0; j < COLUMNS; j++)
        clear(of, means, &answers[j]);
    enum status status =
        solver_solve_columns(&means->spmv, of->A, COLUMNS, B, NULL, &means->options, &observer,
                             answers[0].x, results, error);
    of->found->done += !status;
    for (int j = 0; j < COLUMNS && !status && trial_holds(of); j++) {
        char what[32];
        snprintf(what, sizeof what, "column %d of %d", j, (int)COLUMNS);
        status = solve(of, means, B + j * of->A->n, NULL, &answers[COLUMNS], error);
        if (!status)
            check_same(of, what, &answers[COLUMNS], &answers[j]);
    }
    return reported(of, status, error);
}

/* One of the right-hand sides is 0. */
static enum status try_columns(struct trial_case *of, struct error *error)
{
    struct means means = {0};
    if (!(method_of(of)->traits & METHOD_TAKES_COLUMNS))
        return STATUS_OK;
    struct answer *answers = answers_make(of, COLUMNS + 1, error);
    double *B = answers ? random_vectors(of, COLUMNS, error) : NULL;
    enum status status = B ? STATUS_OK : STATUS_MEMORY;
    of->team = (int)trial_below(of, of->spaces.teams);
    if (B)
        memset(B + 2 * of->A->n, 0, (size_t)of->A->n * sizeof *B);
    if (!status)
        status = means_make(of, !solves(of, false), &means, error);
    if (!status)
        status = together(of, &means, B, answers, error);
    means_free(&means);
    memory_free(B);
    answers_free(answers);
    return status;
}

static enum status fail_products(struct trial_case *of, struct means *means, const double *b,
                                 struct answer *answer, struct error *error)
{
    struct linear_operator spmv = means->spmv;
    struct trial_fault fault = {.A = &spmv};
    means->spmv = trial_failing(&fault);
    for (int64_t left = 0, end = ROWS; left < end && trial_holds(of); left++) {
        struct error why;
        fault.left = left;
        enum status ends = solve(of, means, b, NULL, answer, &why);
        if (fault.left >= 0 && !ends)
            end = left; /* no product failed */
        else if (ends == STATUS_MEMORY)
            return error_set(error, ends, "%s", why.text);
        else if (ends != STATUS_DEVICE)
            trial_broken(of, "product %" PRId64 " with A fails, and the solve does not", left + 1);
    }
    means->spmv = spmv;
    return STATUS_OK;
}

static enum status try_failed_products(struct trial_case *of, struct error *error)
{
    struct means means = {0};
    if (!trial_is_small(of) || !solves(of, false))
        return STATUS_OK;
    struct answer *answer = answers_make(of, 1, error);
    double *b = answer ? random_vectors(of, 1, error) : NULL;
    enum status status = b ? STATUS_OK : STATUS_MEMORY;
    of->team = 0;
    if (!status)
        status = means_make(of, false, &means, error);
    if (!status)
        status = fail_products(of, &means, b, answer, error);
    means_free(&means);
    memory_free(b);
    answers_free(answer);
    return reported(of, status, error);
}

/* A solve, with M where the method takes one; a few iterations are enough. */
static enum status attempt(struct trial_case *of, struct error *error)
{
    struct means means;
    struct solver_result result = {0};
    double *b = memory_array(2 * of->A->n, sizeof *b, "b and x", error);
    enum status status = b ? STATUS_OK : STATUS_MEMORY;
    if (status)
        return status;
    for (int64_t i = 0; i < of->A->n; i++)
        b[i] = 1 + (double)(i % 7);
    status = means_make(of, solves(of, true), &means, error);
    means.options.max_iterations = 3;
    if (!status)
        status = solver_solve(&means.spmv, of->A, b, NULL, &means.options, NULL, b + of->A->n,
                              &result, error);
    solver_result_free(&result);
    means_free(&means);
    memory_free(b);
    return status;
}

static enum status try_failed_allocations(struct trial_case *of, struct error *error)
{
    return trial_is_small(of) ? trial_allocations(of, attempt, error) : STATUS_OK;
}

const struct trial method_trial_list[] = {
    {"solves", try_solves},
    {"ends", try_without_iterations},
    {"several columns", try_columns},
    {"failed products", try_failed_products},
    {"failed allocations", try_failed_allocations},
    {NULL, NULL},
};
