#include "io/terminal.h"

#include "base/text.h"
#include "study/promise.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *bytes_text(char text[16], int64_t bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    snprintf(text, 16, "%.3g %s", value, units[unit]);
    return text;
}

static void print_reordering(FILE *stream, enum reorder reorder,
                             const struct reordering *reordering)
{
    fprintf(stream,
            "reorder   %s in %.3g s, bandwidth from %" PRId64 " to %" PRId64
            ", mean distance to the diagonal from %.6g to %.6g\n",
            reorder_name(reorder), reordering->seconds, reordering->before.bandwidth,
            reordering->after.bandwidth, reordering->before.mean, reordering->after.mean);
}

static bool uses_device(const struct settings *settings)
{
    for (int k = 0; k < settings->kernels_count; k++)
        if (settings->kernels[k].kernel->space == SPACE_CUDA)
            return true;
    return false;
}

static void print_solver(FILE *stream, const struct settings *settings)
{
    const struct solver_options *options = &settings->solver;
    const struct eigen_options *eigen = &options->eigen;
    fprintf(stream, "solver    %s, ", solver_methods[options->method]);
    if (options->method == SOLVER_SKEW)
        fprintf(stream, "shift %g, ", options->shift);
    if (solver_finds_vector(options))
        fprintf(stream, "||r|| <= %g ||b||", options->tolerance);
    else
        fprintf(stream,
                "%" PRId64 " eigenvalues (%s), ||A v - theta v|| <= %g |theta|, %s "
                "reorthogonalization",
                eigen->count, eigen_which_name(eigen->which), eigen->tolerance,
                reorthogonalization_name(eigen->reorthogonalization));
    fprintf(stream, ", at most %" PRId64 " iterations, %s reductions", options->max_iterations,
            reductions_name(settings->reductions));
    if (settings->preconditioner.type != PRECONDITIONER_NONE)
        fprintf(stream, ", preconditioner %s", preconditioner_names[settings->preconditioner.type]);
    fprintf(stream, "\n");
}

void terminal_print_problem(FILE *stream, const char *config, const struct settings *settings,
                            const struct linear_system *system, const struct machine *machine)
{
    char upper[16], memory[16], shown[1024], diagonal[64] = "";
    int64_t zeros = csr_nnz_full(&system->A) - system->entries;
    if (zeros > 0)
        snprintf(diagonal, sizeof diagonal, " and %" PRId64 " zeros on the diagonal", zeros);
    fprintf(stream, "config    %s\nproblem   ", shown_text(config, shown, sizeof shown));
    terminal_print_source(stream, &settings->problem, &system->file);
    fprintf(stream,
            "\n          n = %" PRId64 ", %" PRId64 " entries, %" PRId64
            " in the upper triangle%s (%s), made in %.3g s; b: %s, ||b|| = %.6g\n",
            system->A.n, system->entries, system->A.nnz - zeros, diagonal,
            bytes_text(upper, csr_bytes(&system->A)), system->seconds,
            rhs_type_name(settings->rhs.type), system->rhs_norm);
    if (settings->problem.reorder != REORDER_NONE)
        print_reordering(stream, settings->problem.reorder, &system->reordering);
    print_solver(stream, settings);
    fprintf(stream, "machine   %s, %d cores, %d threads, %s\n", machine->cpu, machine->cores,
            machine->threads, bytes_text(memory, machine->memory));
    if (uses_device(settings))
        fprintf(stream, "device    %s\n", machine->device);
    fprintf(stream, "\n");
}

static int label_width(const struct settings *settings)
{
    size_t widest = strlen("kernel");
    for (int k = 0; k < settings->kernels_count; k++) {
        size_t length = strlen(settings->kernels[k].label);
        if (length > widest)
            widest = length;
    }
    return (int)widest;
}

void terminal_print_head(FILE *stream, const struct settings *settings)
{
    int width = label_width(settings);
    const char *residual =
        solver_finds_vector(&settings->solver) ? "residual / ||b||" : "residual / |theta|";
    fprintf(stream, "%-*s  %-7s  %-9s  %9s  %20s  %9s  %5s  %5s  %9s  %19s  %9s\n", width, "", "",
            "", "", "iterations", "distinct", "first", "1 %", "solution", residual, "ms an");
    fprintf(stream, "%-*s  %-7s  %-9s  %9s  %20s  %9s  %5s  %5s  %9s  %9s  %8s  %9s  %6s  %8s\n",
            width, "kernel", "storage", "guarantee", "converged", "min median max", "histories",
            "diff.", "apart", "spread", "recursive", "true", "iteration", "GB/s", "set-up s");
}

/* The run that did worst: the first with the highest true residual, a NaN above all. */
static const struct study_run *worst_run(const struct study_kernel *kernel)
{
    const struct study_run *worst = &kernel->runs[0];
    for (int64_t k = 1; k < kernel->runs_count; k++)
        if (!isnan(worst->result.true_residual) &&
            !(kernel->runs[k].result.true_residual <= worst->result.true_residual))
            worst = &kernel->runs[k];
    return worst;
}

/* "-" for none */
static void iteration_text(char text[24], int64_t iteration)
{
    if (iteration < 0)
        snprintf(text, 24, "-");
    else
        snprintf(text, 24, "%" PRId64, iteration);
}

/* A residual over ||b||; where b is 0, so are x and r. */
static double relative(double residual, double norm)
{
    return residual == 0 ? 0 : fabs(residual / norm);
}

void terminal_print_kernel(FILE *stream, const struct settings *settings, double rhs_norm,
                           const struct study_kernel *kernel)
{
    char converged[48], iterations[64], divergence[24], apart[24], rate[16];
    const struct solver_result *worst = &worst_run(kernel)->result;
    double norm = solver_finds_vector(&settings->solver) ? rhs_norm : 1; /* over |theta| already */
    double seconds = kernel->seconds_per_iteration;
    snprintf(converged, sizeof converged, "%" PRId64 "/%" PRId64, study_kernel_converged(kernel),
             kernel->runs_count);
    snprintf(iterations, sizeof iterations, "%" PRId64 " %.10g %" PRId64, kernel->iterations_min,
             kernel->iterations_median, kernel->iterations_max);
    iteration_text(divergence, kernel->first_divergence);
    iteration_text(apart, kernel->first_apart);
    snprintf(rate, sizeof rate, "%.3g",
             seconds > 0 ? 1e-9 * (double)kernel->bytes_per_iteration / seconds : 0);
    fprintf(stream,
            "%-*s  %-7s  %-9s  %9s  %20s  %9" PRId64
            "  %5s  %5s  %9.2e  %9.2e  %8.2e  %9.4g  %6s  %8.2g\n",
            label_width(settings), kernel->label, kernel_storage_name(kernel->kernel->storage),
            kernel_guarantee_name(kernel_guarantee(kernel->kernel, &kernel->options)), converged,
            iterations, kernel->distinct_histories, divergence, apart, kernel->solution_spread,
            relative(worst->residual, norm), relative(worst->true_residual, norm), 1e3 * seconds,
            rate, kernel->setup_seconds);
    fflush(stream);
}

static bool has_colours(FILE *stream)
{
    const char *none = getenv("NO_COLOR"); /* https://no-color.org */
    return isatty(fileno(stream)) && !(none && *none);
}

void terminal_print_promises(FILE *stream, const struct study_kernel *kernels, int count)
{
    bool colours = has_colours(stream);
    for (int k = 0; k < count; k++) {
        const struct study_kernel *kernel = &kernels[k], *other;
        if (!promise_is_broken(kernels, k, &other))
            continue;
        fprintf(
            stream,
            "%s%s: PROMISE BROKEN: a kernel that says %s, with %s reductions, has one history, ",
            colours ? "\033[31m" : "", kernel->label,
            kernel_guarantee_name(kernel_guarantee(kernel->kernel, &kernel->options)),
            reductions_name(kernel->reductions));
        if (other)
            fprintf(stream, "and that of %d threads is not that of %s (%d threads)",
                    kernel->threads, other->label, other->threads);
        else
            fprintf(stream,
                    "and these %" PRId64 " runs have %" PRId64
                    ": their bits differ from iteration %" PRId64 " on",
                    kernel->runs_count, kernel->distinct_histories, kernel->first_divergence);
        fprintf(stream, "%s\n", colours ? "\033[0m" : "");
    }
}

void terminal_print_kernels(FILE *stream)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    size_t widest = 0;
    for (int k = 0; k < count; k++)
        if (strlen(kernels[k]->name) > widest)
            widest = strlen(kernels[k]->name);
    fprintf(stream, "%-*s  %-7s  %-9s  %s\n", (int)widest, "kernel", "storage", "guarantee",
            "what it does");
    for (int k = 0; k < count; k++) {
        const struct kernel *kernel = kernels[k];
        const char *reason = kernel_unavailable(kernel);
        if (!kernel->setup) {
            fprintf(stream, "%-*s  not available here: %s\n", (int)widest, kernel->name, reason);
            continue;
        }
        fprintf(stream, "%-*s  %-7s  %-9s  %s\n", (int)widest, kernel->name,
                kernel_storage_name(kernel->storage), kernel_guarantee_name(kernel->guarantee),
                kernel->summary);
        if (reason)
            fprintf(stream, "%-*s  not available here: %s\n", (int)widest, "", reason);
        for (int p = 0; p < kernel_parameter_count(kernel); p++) {
            const struct kernel_parameter *parameter = &kernel->parameters[p];
            char standard[64];
            fprintf(
                stream, "%-*s    %s = %s: %s\n", (int)widest, "", parameter->name,
                kernel_parameter_text(parameter, parameter->standard, standard, sizeof standard),
                parameter->meaning);
        }
    }
}
