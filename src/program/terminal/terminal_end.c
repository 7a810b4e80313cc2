/* What stands below the table. */
#include "program/terminal/terminal.h"

#include "base/processors.h"
#include "base/text.h"
#include "program/terminal/layout.h"
#include "solver/method.h"
#include "study/study.h"
#include "study/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_verdict(FILE *stream, const struct study_kernel *kernel, bool colours)
{
    char text[1024];
    struct verdict verdict = {.label = kernel->label,
                              .columns = study_joined_columns(kernel),
                              .runs = kernel->runs_count,
                              .solutions = kernel->distinct_solutions,
                              .iterations_min = kernel->iterations_min,
                              .iterations_max = kernel->iterations_max};
    for (int64_t r = 0; r < kernel->runs_count; r++)
        if (kernel->runs[r].result.reason != REASON_CONVERGED)
            verdict_fail(&verdict, reason_name(kernel->runs[r].result.reason));
    bool red = verdict.failed > 0 && colours;
    fprintf(stream, "%s%s%s\n", red ? layout_red : "", verdict_text(&verdict, text, sizeof text),
            red ? layout_plain : "");
}

bool terminal_print_advice(FILE *stream, const struct solver_result *result, bool by_option)
{
    switch (result->reason) {
    case REASON_NOT_POSITIVE:
        if (!(result->curvature <= 0)) /* NaN of a method that takes any A */
            fprintf(stream, " (r.z of the preconditioner is not above 0)");
        else
            fprintf(stream,
                    by_option ? " (p.Ap = %.3g): --method %s takes such a matrix"
                              : " (p.Ap = %.3g): solver.method = \"%s\" takes such a matrix",
                    result->curvature, method_for(CSR_SYMMETRIC));
        return true;
    case REASON_RESIDUAL_GAP:
        fprintf(stream, " (recursive %.3g, true %.3g)", result->residual, result->true_residual);
        return true;
    case REASON_SINGULAR:
        fprintf(stream,
                ": A is singular to working precision, and x has grown along its null space");
        return true;
    case REASON_LEAST_SQUARES:
        fprintf(stream,
                " (||r|| = %.3g): A is singular to working precision, and b is not in its range",
                result->true_residual);
        return true;
    default:
        return false;
    }
}

/* --- a singular matrix ------------------------------------------------------------------------ */

void terminal_print_singular(FILE *stream, const struct solver_result *result)
{
    fprintf(stream,
            "A is singular, with %" PRId64 " null vector%s: x is the %ssolution of least norm",
            result->null_vectors, text_plural(result->null_vectors),
            result->projected && result->outside <= 0x1p-40 ? "" : "least squares ");
    if (result->outside > 0x1p-40)
        fprintf(stream, ", as b has a part of %.3g ||b|| outside of A's range%s", result->outside,
                result->projected ? ", which is left out" : "");
}

/* Of the column that is farthest out of the range. */
static void print_singular(FILE *stream, const struct study_kernel *kernel)
{
    const struct solver_result *farthest = NULL;
    for (int64_t k = 0; k < kernel->runs_count; k++) {
        const struct solver_result *result = &kernel->runs[k].result;
        if (result->null_vectors > 0 && (!farthest || result->outside > farthest->outside))
            farthest = result;
    }
    if (!farthest)
        return;
    fprintf(stream, "%s: ", kernel->label);
    terminal_print_singular(stream, farthest);
    fprintf(stream, "\n");
}

/* "column 3", "columns 3, 5": those with a run that ended for that reason. */
static void print_columns(FILE *stream, const struct study_kernel *kernel, enum reason reason)
{
    int64_t last = -1, count = 0;
    for (int64_t k = 0; k < kernel->runs_count; k++)
        if (kernel->runs[k].result.reason == reason && kernel->runs[k].column != last) {
            last = kernel->runs[k].column;
            count++;
        }
    fprintf(stream, "column%s ", text_plural(count));
    last = -1;
    for (int64_t k = 0; k < kernel->runs_count; k++)
        if (kernel->runs[k].result.reason == reason && kernel->runs[k].column != last) {
            fprintf(stream, "%s%" PRId64, last < 0 ? "" : ", ", kernel->runs[k].column);
            last = kernel->runs[k].column;
        }
}

/* The first run that ended for each reason but convergence, and how many more did; of the only
 * reason, which the verdict says, only where there is more to say: of several columns, which. */
static void print_failures(FILE *stream, const struct study_kernel *kernel)
{
    int64_t failed = kernel->runs_count - study_kernel_converged(kernel);
    bool several = study_joined_columns(kernel) > 1;
    for (int reason = REASON_CONVERGED + 1; reason <= REASON_LEAST_SQUARES; reason++) {
        const struct study_run *first = NULL;
        int64_t count = 0;
        for (int64_t k = 0; k < kernel->runs_count; k++) {
            if ((int)kernel->runs[k].result.reason != reason)
                continue;
            first = first ? first : &kernel->runs[k];
            count++;
        }
        char advice[256] = "";
        FILE *text = first ? fmemopen(advice, sizeof advice - 1, "w") : NULL;
        bool advised = text && terminal_print_advice(text, &first->result, false);
        if (text)
            fclose(text);
        if (!first || (!advised && count == failed && !several))
            continue;
        fprintf(stream, "%s, ", kernel->label);
        if (several) {
            print_columns(stream, kernel, first->result.reason);
            fprintf(stream, ", first in ");
        }
        fprintf(stream, "run %" PRId64 ": %s at iteration %" PRId64 "%s", first->run,
                reason_name(first->result.reason), first->result.iterations, advice);
        if (count > 1 && count < failed)
            fprintf(stream, ", and %" PRId64 " more", count - 1);
        fprintf(stream, "\n");
    }
}

/* Atomics of one thread come in one order, so equal histories say nothing about more threads. */
static bool has_one_order(const struct study_kernel *kernel)
{
    return kernel->threads == 1 && kernel->runs_count > 1 && kernel->kernel->space == SPACE_CPU &&
           kernel_guarantee(kernel->kernel, &kernel->options) == GUARANTEE_NONE;
}

static void print_one_order(FILE *stream, const struct study_kernel *kernels, int count)
{
    int found = 0;
    for (int k = 0; k < count; k++)
        if (has_one_order(&kernels[k]))
            fprintf(stream, "%s%s", found++ ? ", " : "", kernels[k].label);
    if (found)
        fprintf(stream, ": on one thread all additions have one order; --threads 2 may show "
                        "others\n");
}

/* --- eigenvalues ------------------------------------------------------------------------------ */

void terminal_print_eigenvalues(FILE *stream, const struct eigen_options *options,
                                const struct solver_result *result, int64_t most)
{
    fprintf(stream, "%6s  %24s  %19s  converged by\n", "", "eigenvalue theta", "||A v - theta v||");
    bool rounding = false;
    for (int64_t k = 0; k < result->eigen_count; k++) {
        rounding = rounding || result->eigen_met[k] == EIGEN_MET_ROUNDING;
        if (k < most)
            fprintf(stream, "%6" PRId64 "  %24.17g  %19.2e  %s\n", k + 1, result->eigenvalues[k],
                    result->eigen_residuals[k],
                    result->eigen_met[k] == EIGEN_MET_NO ? "-"
                                                         : eigen_met_name(result->eigen_met[k]));
    }
    if (result->eigen_count > most)
        fprintf(stream, "        ... and %" PRId64 " more in summary.json\n",
                result->eigen_count - most);
    if (rounding)
        fprintf(stream,
                "        rounding: above the tolerance, but no more than rounding errors may "
                "leave, %.2e\n",
                result->eigen_rounding);
    static const char *const lists[] = {
        [EIGEN_LIST_OPEN] = "others may be missing: the search ended before it could exclude that",
        [EIGEN_LIST_SEARCHED] = "complete: round %" PRId64 ", from a random vector orthogonal to "
                                "these eigenvectors, brought no other",
        [EIGEN_LIST_ALL] = "complete: the basis spans the whole space"};
    fprintf(stream, "        ");
    fprintf(stream,
            options->reorthogonalization == REORTHOGONALIZATION_NONE
                ? "equal eigenvalues may be ghosts, copies that rounding makes, and others may be "
                  "missing: eigen.reorthogonalization is \"none\""
                : lists[result->eigen_list],
            result->eigen_rounds);
    fputc('\n', stream);
}

enum { EIGENVALUES_SHOWN = 20 };

static void print_eigenvalues(FILE *stream, const struct eigen_options *options,
                              const struct study_kernel *kernel)
{
    const struct study_run *run = &kernel->runs[kernel->runs_count - 1];
    if (run->result.eigen_count == 0)
        return;
    fprintf(stream, "%s, run %" PRId64 ":\n", kernel->label, run->run);
    terminal_print_eigenvalues(stream, options, &run->result, EIGENVALUES_SHOWN);
    fprintf(stream, "\n");
}

/* Why a study ended with iteration 1. */
static void print_eigenvector(FILE *stream, const struct options *rhs,
                              const struct solver_settings *solver,
                              const struct study_kernel *kernels, int count)
{
    const struct study_kernel *kernel = study_of_eigenvector(&solver->options, kernels, count);
    const char *matrix =
        preconditioner_is_set(&solver->preconditioner) ? "A M^-1" : solver->options.method->matrix;
    if (!kernel)
        return;
    const struct solver_result *result = &kernel->runs[0].result;
    fprintf(
        stream,
        "%s is an eigenvector of %s within the tolerance, ||%s b - theta b|| / ||theta b|| = "
        "%.2g: one iteration solves the system, so counts, histories and times say nothing of the "
        "kernels",
        study_joined_columns(kernel) > 1 ? "each column of b" : "b", matrix, matrix,
        result->true_residual / result->rhs_norm);
    if (strcmp(rhs->component->name, "random") != 0)
        fprintf(stream, "; try another b, such as rhs = { type = \"random\"; }");
    fprintf(stream, "\n");
}

void terminal_print_files(FILE *terminal, const char *directory,
                          const struct output_settings *output, const struct trace_settings *trace)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    const char *traced = trace->every == 0             ? ""
                         : trace->keep == TRACE_VALUES ? "trace.csv, trace.npy, "
                                                       : "trace.csv, ";
    char shown[1024];
    fprintf(stream, "written   %s/{settings.cfg, history.csv, envelope.csv, %s%s",
            shown_text(directory, shown, sizeof shown), traced,
            output->eigenvectors == SWITCH_ON ? "eigenvectors-*.npy, " : "");
    if (output->solution != SOLUTION_NONE)
        fprintf(stream, "solution-*.%s, ", solution_formats[output->solution]);
    fprintf(stream, "summary.json}\n");
    layout_end(&layout);
}

void terminal_print_written(const char *path)
{
    char shown[1024];
    printf("written   %s\n", shown_text(path, shown, sizeof shown));
}

/* What a time is of where a run has several columns. */
static void print_times(FILE *stream, const struct study_kernel *kernels)
{
    int64_t columns = study_joined_columns(kernels);
    if (columns > 1)
        fprintf(stream,
                "The times are those of all %" PRId64
                " columns: of a run over the iterations of its longest column.\n",
                columns);
}

/* What "converged" says, where the table has a residual above the tolerance beside it. */
static void print_converged(FILE *stream, const struct solver_options *options,
                            const struct study_kernel *kernels, int count)
{
    const double tolerance = options->tolerance, absolute = options->absolute_tolerance;
    int64_t above = 0;
    for (int k = 0; k < count && solver_finds_vector(options); k++)
        for (int64_t r = 0; r < kernels[k].runs_count; r++) {
            const struct solver_result *result = &kernels[k].runs[r].result;
            above += result->reason == REASON_CONVERGED &&
                     result->true_residual > fmax(tolerance * result->rhs_norm, absolute);
        }
    if (above > 0 && absolute > 0)
        fprintf(stream,
                "converged: recursive ||r|| <= max(%g ||b||, %g), and ||b-Ax|| at most 1.1 times "
                "that\n",
                tolerance, absolute);
    else if (above > 0)
        fprintf(stream, "converged: recursive ||r|| <= %g ||b||, and ||b-Ax|| <= %g ||b||\n",
                tolerance, 1.1 * tolerance);
}

void terminal_print_end(const struct table *table, const struct options *rhs,
                        const struct solver_settings *solver, const struct study_kernel *kernels,
                        int count, double others)
{
    struct layout layout;
    char busy[96];
    bool colours = layout_has_colours(table->stream);
    table_print_left_out(table);
    FILE *stream = layout_begin(&layout, table->stream);
    print_converged(stream, &solver->options, kernels, count);
    if (*processors_shared_text(others, busy))
        fprintf(stream, "%s\n", busy);
    print_times(stream, kernels);
    fprintf(stream, "\n");
    for (int k = 0; k < count; k++)
        print_verdict(stream, &kernels[k], colours);
    fprintf(stream, "\n");
    print_eigenvalues(stream, &solver->options.eigen, &kernels[0]);
    print_eigenvector(stream, rhs, solver, kernels, count);
    print_one_order(stream, kernels, count);
    for (int k = 0; k < count; k++)
        print_singular(stream, &kernels[k]);
    for (int k = 0; k < count; k++)
        print_failures(stream, &kernels[k]);
    layout_end(&layout);
}
