/* What stands below the table. */
#include "io/terminal.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>

static void print_run(FILE *stream, const struct study_kernel *kernel, const struct study_run *run)
{
    const struct solver_result *result = &run->result;
    fprintf(stream, "%s, run %" PRId64 ": %s at iteration %" PRId64, kernel->label, run->run,
            reason_name(result->reason), result->iterations);
    if (result->reason == REASON_NOT_POSITIVE && cg_may_divide(result->curvature))
        fprintf(stream, " (r.z of the preconditioner is not above 0)");
    else if (result->reason == REASON_NOT_POSITIVE)
        fprintf(stream, " (p.Ap = %.3g): solver.method = \"minres\" takes such a matrix",
                result->curvature);
    else if (result->reason == REASON_RESIDUAL_GAP)
        fprintf(stream, " (recursive %.3g, true %.3g)", result->residual, result->true_residual);
    else if (result->reason == REASON_LEAST_SQUARES)
        fprintf(stream,
                " (||r|| = %.3g): A is singular to working precision, and b is not in its range",
                result->true_residual);
}

/* The first run that ended for each reason but convergence, and how many more did. */
static void print_failures(FILE *stream, const struct study_kernel *kernel)
{
    for (int reason = REASON_CONVERGED + 1; reason <= REASON_LEAST_SQUARES; reason++) {
        const struct study_run *first = NULL;
        int64_t count = 0;
        for (int64_t k = 0; k < kernel->runs_count; k++) {
            if ((int)kernel->runs[k].result.reason != reason)
                continue;
            first = first ? first : &kernel->runs[k];
            count++;
        }
        if (!first)
            continue;
        print_run(stream, kernel, first);
        if (count > 1)
            fprintf(stream, ", and %" PRId64 " more", count - 1);
        fprintf(stream, "\n");
    }
}

enum { GROUPS_SHOWN = 8, RUNS_SHOWN = 12, EIGENVALUES_SHOWN = 20 };

/* "1, 4, 5": the runs that have this history. */
static void print_group(FILE *stream, const struct study_kernel *kernel, int64_t history)
{
    int64_t shown = 0;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        if (kernel->runs[r].history != history)
            continue;
        if (++shown > RUNS_SHOWN) {
            fprintf(stream, ", ...");
            return;
        }
        fprintf(stream, "%s%" PRId64, shown == 1 ? "" : ", ", kernel->runs[r].run);
    }
}

/* How the runs group into different histories: "runs 1, 4 | 2 | 3, 5". */
static void print_groups(FILE *stream, const struct study_kernel *kernel)
{
    if (kernel->distinct_histories == kernel->runs_count) {
        fprintf(stream, "%s: every run has a history of its own\n", kernel->label);
        return;
    }
    fprintf(stream, "%s: runs with equal histories: ", kernel->label);
    for (int64_t h = 1; h <= kernel->distinct_histories && h <= GROUPS_SHOWN; h++) {
        fprintf(stream, "%s", h == 1 ? "" : " | ");
        print_group(stream, kernel, h);
    }
    fprintf(stream, "%s\n", kernel->distinct_histories > GROUPS_SHOWN ? " | ..." : "");
}

/* ", `what` 0.17", in ms; nothing where it was not measured */
static void print_piece(FILE *stream, const char *what, double seconds)
{
    if (seconds > 0)
        fprintf(stream, ", %s %.3g", what, 1e3 * seconds);
}

/* What the time of an iteration goes into. */
static void print_time_split(FILE *stream, const struct study_kernel *kernel)
{
    const struct solver_split *split = &kernel->time_split;
    if (!(split->product > 0))
        return;
    fprintf(stream, "%s: of %.3g ms an iteration the product takes %.3g", kernel->label,
            1e3 * kernel->seconds_per_iteration, 1e3 * split->product);
    print_piece(stream, "sums and updates", split->updates);
    print_piece(stream, "the preconditioner", split->preconditioner);
    print_piece(stream, "the projected matrix", split->projected);
    fprintf(stream, "\n");
}

/* What the table has no place for: how the matrix is kept, where the time goes, and the one history by its hash, or
 * which runs share one. */
static void print_remarks(FILE *stream, const struct study_kernel *kernel)
{
    if (*kernel->description)
        fprintf(stream, "%s keeps the matrix by %s\n", kernel->label, kernel->description);
    if (*kernel->preconditioner_description)
        fprintf(stream, "%s: preconditioner %s: %s\n", kernel->label,
                preconditioner_names[kernel->preconditioner.type],
                kernel->preconditioner_description);
    print_time_split(stream, kernel);
    if (kernel->distinct_histories == 1)
        fprintf(stream, "%s: every history has the hash %016" PRIx64 "\n", kernel->label,
                kernel->runs[0].history_hash);
    else
        print_groups(stream, kernel);
}

/* What the first run tells of the spectrum. */
static void print_spectrum(FILE *stream, const struct study_kernel *kernel)
{
    const struct solver_result *result = &kernel->runs[0].result;
    double condition = solver_result_condition(result);
    if (!isfinite(result->ritz_low) || !isfinite(result->ritz_high))
        return;
    fprintf(stream, "%s: Ritz values from %.6g to %.6g", kernel->label, result->ritz_low,
            result->ritz_high);
    if (isfinite(condition))
        fprintf(stream, ", so the condition number is at least about %.3g", condition);
    fprintf(stream, "\n");
}

/* The eigenvalues of the last run of a kernel. */
static void print_eigenvalues(FILE *stream, const struct study_kernel *kernel)
{
    const struct study_run *run = &kernel->runs[kernel->runs_count - 1];
    const struct solver_result *result = &run->result;
    if (result->eigen_count == 0)
        return;
    fprintf(stream, "\n%s, run %" PRId64 ":\n%6s  %24s  %19s  converged by\n", kernel->label,
            run->run, "", "eigenvalue theta", "||A v - theta v||");
    bool rounding = false;
    for (int64_t k = 0; k < result->eigen_count; k++) {
        rounding = rounding || result->eigen_met[k] == EIGEN_MET_ROUNDING;
        if (k < EIGENVALUES_SHOWN)
            fprintf(stream, "%6" PRId64 "  %24.17g  %19.2e  %s\n", k + 1, result->eigenvalues[k],
                    result->eigen_residuals[k],
                    result->eigen_met[k] == EIGEN_MET_NO ? "-"
                                                         : eigen_met_name(result->eigen_met[k]));
    }
    if (result->eigen_count > EIGENVALUES_SHOWN)
        fprintf(stream, "        ... and %" PRId64 " more in summary.json\n",
                result->eigen_count - EIGENVALUES_SHOWN);
    if (rounding)
        fprintf(stream,
                "        rounding: above the tolerance, but no more than rounding errors may "
                "leave, %.2e\n",
                result->eigen_rounding);
    if (!result->eigen_all)
        fprintf(stream,
                "        there may be others: further copies of an eigenvalue may be missing, "
                "and eigenvectors along which b has no component\n");
    fprintf(stream, "\n");
}

/* Why a study ended with iteration 1. */
static void print_eigenvector(FILE *stream, const struct settings *settings,
                              const struct study_kernel *kernels, int count)
{
    const struct study_kernel *kernel = study_of_eigenvector(&settings->solver, kernels, count);
    const char *matrix = settings->solver.method == SOLVER_SKEW                 ? "(shift I + S)"
                         : settings->preconditioner.type != PRECONDITIONER_NONE ? "A M^-1"
                                                                                : "A";
    if (!kernel)
        return;
    const struct solver_result *result = &kernel->runs[0].result;
    fprintf(
        stream,
        "b is an eigenvector of %s within the tolerance, ||%s b - theta b|| / ||theta b|| = %.2g: "
        "one iteration solves the system, so counts, histories and times say nothing of the "
        "kernels",
        matrix, matrix, result->true_residual / result->rhs_norm);
    if (settings->rhs.type != RHS_RANDOM)
        fprintf(stream, "; try another b, such as rhs = { type = \"random\"; }");
    fprintf(stream, "\n");
}

void terminal_print_end(FILE *stream, const struct settings *settings,
                        const struct study_kernel *kernels, int count)
{
    fprintf(stream, "\n");
    print_eigenvalues(stream, &kernels[0]);
    print_eigenvector(stream, settings, kernels, count);
    for (int k = 0; k < count; k++) {
        print_remarks(stream, &kernels[k]);
        print_spectrum(stream, &kernels[k]);
    }
    for (int k = 0; k < count; k++)
        print_failures(stream, &kernels[k]);
    const char *trace = settings->trace.every == 0             ? ""
                        : settings->trace.keep == TRACE_VALUES ? "trace.csv, trace.npy, "
                                                               : "trace.csv, ";
    char shown[1024];
    fprintf(stream, "written   %s/{settings.cfg, history.csv, envelope.csv, %s%s",
            shown_text(settings->output_directory, shown, sizeof shown), trace,
            settings->eigenvectors == SWITCH_ON ? "eigenvectors-*.npy, " : "");
    if (settings->solution != SOLUTION_NONE)
        fprintf(stream, "solution-*.%s, ", solution_formats[settings->solution]);
    fprintf(stream, "summary.json}\n");
}
