#include "program/terminal/terminal.h"

#include "base/text.h"
#include "component/plugin.h"
#include "problem/start.h"
#include "program/terminal/layout.h"
#include "study/study.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static void print_reordering(FILE *stream, const struct problem_settings *problem,
                             const struct reordering *reordering)
{
    char parts[32] = "";
    if (problem->parts > 0)
        snprintf(parts, sizeof parts, " by %" PRId64 " part%s", problem->parts,
                 text_plural(problem->parts));
    fprintf(stream,
            "reorder   %s%s in %.3g s, bandwidth from %" PRId64 " to %" PRId64
            ", mean distance to the diagonal from %.6g to %.6g\n",
            reorder_name(problem->reorder), parts, reordering->seconds,
            reordering->before.bandwidth, reordering->after.bandwidth, reordering->before.mean,
            reordering->after.mean);
}

/* Whether each kernel has reductions of its own, which its label tells. */
static bool kernels_have_reductions(const struct study_settings *study)
{
    bool all = study->kernels_count > 0;
    for (int k = 0; k < study->kernels_count; k++)
        all = all && study->kernels[k].has_reductions;
    return all;
}

/* Of a matrix of n rows, which has no more eigenvalues than that. */
static void print_solver(FILE *stream, const struct solver_settings *solver,
                         const struct study_settings *study, const struct options *start, int64_t n)
{
    const struct solver_options *options = &solver->options;
    const struct eigen_options *eigen = &options->eigen;
    int64_t eigenvalues = eigen->count < n ? eigen->count : n;
    fprintf(stream, "solver    %s, ", options->method->component.name);
    if (options->method->traits & METHOD_TAKES_SHIFT)
        fprintf(stream, "shift %g, ", options->shift);
    if (options->method->traits & METHOD_TAKES_RELAXATION)
        fprintf(stream, "relaxation %g, ", options->relaxation);
    if (options->absolute_tolerance > 0)
        fprintf(stream, "||r|| <= max(%g ||b||, %g)", options->tolerance,
                options->absolute_tolerance);
    else if (solver_finds_vector(options))
        fprintf(stream, "||r|| <= %g ||b||", options->tolerance);
    else
        fprintf(stream,
                "%" PRId64 " eigenvalue%s (%s), ||A v - theta v|| <= %g |theta|, %s "
                "reorthogonalization",
                eigenvalues, text_plural(eigenvalues), eigen_which_name(eigen->which),
                eigen->tolerance,
                eigen->reorthogonalization == REORTHOGONALIZATION_NONE
                    ? "no"
                    : reorthogonalization_name(eigen->reorthogonalization));
    fprintf(stream, ", at most %" PRId64 " iteration%s", options->max_iterations,
            text_plural(options->max_iterations));
    if (!kernels_have_reductions(study))
        fprintf(stream, ", %s reductions", reductions_name(solver->reductions));
    if (preconditioner_is_set(&solver->preconditioner))
        fprintf(stream, ", preconditioner %s", solver->preconditioner.component->name);
    if (!start_is_zero(start))
        fprintf(stream, ", from x_0: %s", start->component->name);
    fprintf(stream, "\n");
}

void terminal_print_system(FILE *terminal, const struct problem_settings *problem,
                           const struct solver_settings *solver, const struct study_settings *study,
                           const struct linear_system *system)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    char upper[TEXT_BYTES], diagonal[64] = "",
                            norms[64] = "||b|| = ", made[48] = "generated where it is needed";
    int64_t zeros = csr_nnz_full(&system->A) - system->entries;
    if (zeros > 0)
        snprintf(diagonal, sizeof diagonal, " and %" PRId64 " zero%s on the diagonal", zeros,
                 text_plural(zeros));
    if (system->A.offsets || system->kept.A.n > 0)
        snprintf(made, sizeof made, "%s in %.3g s", system->file.field ? "read" : "generated",
                 system->seconds);
    if (system->columns > 1)
        snprintf(norms, sizeof norms, "%" PRId64 " columns, ||b|| up to ", system->columns);
    fprintf(stream, "problem   ");
    problem_describe(&problem->matrix, &system->file, stream);
    fprintf(stream,
            "\n          n = %" PRId64 ", %" PRId64 " entries, %" PRId64
            " in the upper triangle%s (%s), %s; b: %s, %s%.6g\n",
            system->A.n, system->entries, system->A.nnz - zeros, diagonal,
            text_bytes(upper, (double)csr_bytes(&system->A)), made, problem->rhs.component->name,
            norms, system->rhs_norm);
    if (problem->reorder != REORDER_NONE)
        print_reordering(stream, problem, &system->reordering);
    print_solver(stream, solver, study, &problem->start, system->A.n);
    layout_end(&layout);
}

void terminal_print_machine(FILE *stream, const struct machine *machine)
{
    char memory[TEXT_BYTES], ranks[40] = "";
    if (machine->ranks > 1)
        snprintf(ranks, sizeof ranks, "%d ranks of ", machine->ranks);
    fprintf(stream, "machine   %s, %d core%s, %s%d thread%s, %s\n", machine->cpu, machine->cores,
            text_plural(machine->cores), ranks, machine->threads, text_plural(machine->threads),
            text_bytes(memory, (double)machine->memory));
}

void terminal_print_problem(FILE *terminal, const char *config,
                            const struct problem_settings *problem,
                            const struct solver_settings *solver,
                            const struct study_settings *study, const struct linear_system *system,
                            const struct machine *machine)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    char shown[1024];
    fprintf(stream, "config    %s\n", shown_text(config, shown, sizeof shown));
    terminal_print_system(stream, problem, solver, study, system);
    terminal_print_machine(stream, machine);
    if (settings_use_cuda(study)) {
        fprintf(stream, "device    ");
        for (int k = 0; k < machine->devices_count && machine->devices_count > 1; k++)
            fprintf(stream, "%s%" PRId64, k ? ", " : "", machine->devices[k]);
        fprintf(stream, "%s%s\n", machine->devices_count > 1 ? " together; the first: " : "",
                machine->device);
    }
    fprintf(stream, "\n");
    layout_end(&layout);
}

void terminal_print_promises(FILE *terminal, const struct study_kernel *kernels, int count)
{
    struct layout layout;
    bool colours = layout_has_colours(terminal);
    FILE *stream = layout_begin(&layout, terminal);
    for (int k = 0; k < count; k++) {
        const struct study_kernel *kernel = &kernels[k], *other;
        if (!promise_is_broken(kernels, k, &other))
            continue;
        char column[40] = "";
        if (kernel->column > 0 || (k + 1 < count && kernels[k + 1].column > 0))
            snprintf(column, sizeof column, ", column %" PRId64, kernel->column);
        fprintf(
            stream,
            "%s%s%s: PROMISE BROKEN: a kernel that says %s, with %s reductions, has one history, ",
            colours ? layout_red : "", kernel->label, column,
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
        fprintf(stream, "%s\n", colours ? layout_plain : "");
    }
    layout_end(&layout);
}

void terminal_print_kernels(FILE *terminal)
{
    struct layout layout;
    FILE *stream = layout_begin(&layout, terminal);
    int count, missing = 0;
    const char *why = NULL;
    const struct kernel *const *kernels = kernel_list(&count);
    size_t widest = 0;
    for (int k = 0; k < count; k++)
        if (strlen(kernels[k]->component.name) > widest)
            widest = strlen(kernels[k]->component.name);
    fprintf(stream, "%-*s  %-7s  %-9s  %s\n", (int)widest, "kernel", "storage", "guarantee",
            "what it does");
    for (int k = 0; k < count; k++) {
        const struct kernel *kernel = kernels[k];
        const char *reason = kernel_unavailable(kernel);
        struct kernel_options defaults = kernel_defaults(kernel);
        if (!kernel->setup) {
            missing++;
            why = reason;
            continue;
        }
        fprintf(stream, "%-*s  %-7s  %-9s  %s\n", (int)widest, kernel->component.name,
                kernel_storage_name(kernel->storage), plugin_guarantee_name(kernel, &defaults),
                kernel->component.summary);
        if (plugin_declares(kernel, &defaults))
            fprintf(stream, "%-*s  of %s, which declares: %s\n", (int)widest, "",
                    plugin_of(&kernel->component), kernel_guarantee_name(kernel->guarantee));
        if (reason)
            fprintf(stream, "%-*s  not available here: %s\n", (int)widest, "", reason);
        for (int p = 0; p < kernel_parameter_count(kernel); p++) {
            const struct parameter *parameter = &kernel->component.parameters[p];
            fprintf(stream, "%-*s    %s = %s: %s\n", (int)widest, "", parameter->name,
                    parameter->default_value, parameter->meaning);
        }
    }
    if (missing > 0)
        fprintf(stream, "%d more are not available here: %s\n ", missing, why);
    for (int k = 0; k < count; k++)
        if (!kernels[k]->setup)
            fprintf(stream, " %s", kernels[k]->component.name);
    if (missing > 0)
        fputc('\n', stream);
    layout_end(&layout);
}
