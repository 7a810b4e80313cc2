/* What the page says in words: what differs from run to run, and how the study was made. */
#include "base/text.h"
#include "program/report/page.h"
#include "program/report/text.h"
#include "solver/solver.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* --- from run to run -------------------------------------------------------------------------- */

static bool same_solutions(const struct summary_kernel *kernel)
{
    for (int64_t r = 1; r < kernel->runs_count; r++)
        if (kernel->runs[r].column == kernel->runs[r - 1].column &&
            strcmp(kernel->runs[r].solution_hash, kernel->runs[r - 1].solution_hash) != 0)
            return false;
    return true;
}

/* Of several columns. */
static void write_columns(FILE *page, const struct summary_kernel *kernel)
{
    int64_t runs = kernel->runs_count / kernel->columns;
    fprintf(page, "%" PRId64 " columns, %" PRId64 " run%s", kernel->columns, runs,
            text_plural(runs));
    if (runs > 1 && kernel->histories == 1)
        fputs(", one history in each column", page);
    else if (runs > 1)
        fprintf(page, ", at most %" PRId64 " different histories in a column", kernel->histories);
}

static void write_histories(FILE *page, const struct summary_kernel *kernel)
{
    if (kernel->columns > 1)
        write_columns(page, kernel);
    else if (kernel->runs_count == 1)
        fputs("one run, with the history <code>", page);
    else if (kernel->histories == 1)
        fprintf(page, "%" PRId64 " runs, one history: <code>", kernel->runs_count);
    else
        fprintf(page, "%" PRId64 " runs, %" PRId64 " different histories", kernel->runs_count,
                kernel->histories);
    if (kernel->columns == 1 && (kernel->histories == 1 || kernel->runs_count == 1)) {
        html_text(page, kernel->runs[0].history_hash);
        fputs("</code>", page);
    }
    if (kernel->first_difference >= 0)
        fprintf(page, ", the first difference at iteration %" PRId64, kernel->first_difference);
    fputs(". ", page);
}

/* How far the runs of one column lie apart, in the column where it is most. */
static void write_spread_in_a_column(FILE *page, const struct summary_kernel *kernel)
{
    int64_t low = 0, high = 0, widest = 0;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        const struct summary_run *run = &kernel->runs[r];
        bool first = r == 0 || run->column != run[-1].column;
        low = first || run->iterations < low ? run->iterations : low;
        high = first || run->iterations > high ? run->iterations : high;
        widest = high - low > widest ? high - low : widest;
    }
    if (kernel->runs_count == kernel->columns)
        return;
    if (widest == 0)
        fputs(", the same in each run of a column", page);
    else
        fprintf(page, ", at most %" PRId64 " apart in a column", widest);
}

static void write_counts(FILE *page, const struct summary *summary,
                         const struct summary_kernel *kernel)
{
    if (kernel->iterations_min == kernel->iterations_max) {
        fprintf(page, "%" PRId64 " iteration%s", kernel->iterations_max,
                text_plural(kernel->iterations_max));
    } else {
        double spread = (double)kernel->iterations_max - (double)kernel->iterations_min;
        fprintf(page, "From %" PRId64 " to %" PRId64 " iterations", kernel->iterations_min,
                kernel->iterations_max);
        if (kernel->columns > 1) {
            write_spread_in_a_column(page, kernel);
        } else {
            fputs(", ", page);
            html_number(page, 100 * spread / kernel->iterations_median, 2);
            fputs(" % of the median apart", page);
        }
    }
    bool eigenvalues = summary_has_eigenvalues(summary);
    const char *solutions = eigenvalues ? "eigenvalues" : "solutions";
    bool several = kernel->runs_count > kernel->columns;
    if (several && same_solutions(kernel))
        fprintf(page, "; the %s are equal in every bit", solutions);
    else if (isfinite(kernel->solution_spread) && several) {
        fprintf(page, "; the %s lie up to ", solutions);
        html_number(page, kernel->solution_spread, 2);
        fprintf(page, " apart, relative to the largest %s", eigenvalues ? "one" : "component");
    }
    fputs(".", page);
}

static void write_failed_columns(FILE *page, const struct summary_kernel *kernel)
{
    int64_t last = -1;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        const struct summary_run *run = &kernel->runs[r];
        if (run->converged || run->column == last)
            continue;
        fprintf(page, "%s %" PRId64, last < 0 ? ", in column" : ",", run->column);
        last = run->column;
    }
}

static void write_failures(FILE *page, const struct summary_kernel *kernel)
{
    struct verdict verdict = {0};
    char reasons[512];
    page_count_failures(kernel, &verdict);
    if (verdict.failed == 0)
        return;
    fprintf(page,
            " <strong class=\"wrong\">%" PRId64 " of %" PRId64 "%s did not converge</strong>: ",
            verdict.failed, kernel->runs_count, kernel->columns > 1 ? " solves" : "");
    html_text(page, verdict_reasons(&verdict, reasons, sizeof reasons));
    if (kernel->columns > 1)
        write_failed_columns(page, kernel);
    fputs(".", page);
}

static void write_interrupted(FILE *page, const struct summary_kernel *kernel)
{
    const struct summary_run *run = kernel->interrupted;
    if (run)
        fprintf(page,
                " Run %" PRId64 " was interrupted at iteration %" PRId64 " and is not counted.",
                run->run, run->iterations);
}

/* What the first run tells of the spectrum. */
static void write_spectrum(FILE *page, const struct summary_kernel *kernel)
{
    const struct summary_run *run = &kernel->runs[0];
    if (!isfinite(run->ritz_low) || !isfinite(run->ritz_high))
        return;
    fputs(" Ritz values from ", page);
    html_number(page, run->ritz_low, 4);
    fputs(" to ", page);
    html_number(page, run->ritz_high, 4);
    if (isfinite(run->condition)) {
        fprintf(page, ": the condition number is %s ",
                run->condition < SOLVER_CONDITION_MOST ? "at least about" : "above");
        html_number(page, run->condition, 3);
    }
    fputs(".", page);
}

void page_words(FILE *page, const struct summary *summary)
{
    fputs("<ul>\n", page);
    for (int k = 0; k < summary->kernels_count; k++) {
        const struct summary_kernel *kernel = &summary->kernels[k];
        fputs("<li><strong>", page);
        html_text(page, kernel->label);
        fputs("</strong>: ", page);
        write_histories(page, kernel);
        write_counts(page, summary, kernel);
        write_failures(page, kernel);
        write_interrupted(page, kernel);
        write_spectrum(page, kernel);
        if (kernel->promise_broken)
            fputs(" <strong class=\"wrong\">It has shown other bits than it promises.</strong>",
                  page);
        fputs("</li>\n", page);
    }
    fputs("</ul>\n", page);
}

/* --- how it was made -------------------------------------------------------------------------- */

void page_problem(FILE *page, const struct summary *summary)
{
    fputs("<p class=\"lead\">", page);
    html_text(page, summary->path ? summary->path : summary->problem);
    fprintf(page, ", n = %" PRId64 ", %" PRId64 " entries. ", summary->n, summary->nnz_full);
    html_text(page, summary->cpu);
    fprintf(page, ", %" PRId64 " thread%s; cgsolve ", summary->threads,
            text_plural(summary->threads));
    html_text(page, summary->version);
    if (*summary->date) {
        fputs("; ", page);
        html_text(page, summary->date);
    }
    fputs(".</p>\n", page);
}

static void write_fact(FILE *page, const char *name, const char *text)
{
    fprintf(page, "<dt>%s</dt><dd>", name);
    html_text(page, text);
    fputs("</dd>\n", page);
}

static void write_system(FILE *page, const struct summary *summary)
{
    fputs("<section>\n<h3>Problem and solver</h3>\n<dl>\n<dt>matrix</dt><dd>", page);
    html_text(page, summary->path ? summary->path : summary->problem);
    fprintf(page,
            ", n = %" PRId64 ", %" PRId64 " entries, %" PRId64
            " stored of the upper triangle, hash <code>",
            summary->n, summary->nnz_full, summary->nnz_upper);
    html_text(page, summary->matrix_hash);
    fputs("</code></dd>\n<dt>b</dt><dd>", page);
    html_text(page, summary->rhs);
    if (summary->columns > 1)
        fprintf(page, ", %" PRId64 " columns, ‖b‖ up to ", summary->columns);
    else
        fputs(", ‖b‖ = ", page);
    html_number(page, summary->rhs_norm, 6);
    fputs(", hash <code>", page);
    html_text(page, summary->rhs_hash);
    fputs("</code></dd>\n", page);
    if (*summary->start_hash) {
        fputs("<dt>x<sub>0</sub></dt><dd>", page);
        html_text(page, summary->start);
        fputs(", hash <code>", page);
        html_text(page, summary->start_hash);
        fputs("</code></dd>\n", page);
    }
    write_fact(page, "numbering", strcmp(summary->reorder, "none") ? summary->reorder : "as given");
    fputs("<dt>solver</dt><dd>", page);
    html_text(page, summary->method);
    bool eigenvalues = summary_has_eigenvalues(summary);
    bool absolute = summary->absolute_tolerance > 0;
    fprintf(page, ", %s ≤ %s", eigenvalues ? "‖A v − θ v‖" : "‖r‖", absolute ? "max(" : "");
    html_number(page, summary->tolerance, 1);
    fputs(eigenvalues ? " |θ|" : " ‖b‖", page);
    if (absolute) {
        fputs(", ", page);
        html_number(page, summary->absolute_tolerance, 1);
        fputs(")", page);
    }
    fprintf(page, ", at most %" PRId64 " iterations, ", summary->max_iterations);
    html_text(page, summary->reductions);
    fputs(" reductions", page);
    if (strcmp(summary->preconditioner, "none") != 0) {
        fputs(", preconditioner ", page);
        html_text(page, summary->preconditioner);
    }
    fputs("</dd>\n</dl>\n</section>\n", page);
}

static void write_machine(FILE *page, const struct summary *summary)
{
    char memory[TEXT_BYTES];
    fputs("<section>\n<h3>Machine</h3>\n<dl>\n<dt>processor</dt><dd>", page);
    html_text(page, summary->cpu);
    fprintf(page, ", %" PRId64 " core%s, %" PRId64 " thread%s, %s</dd>\n", summary->cores,
            text_plural(summary->cores), summary->threads, text_plural(summary->threads),
            text_bytes(memory, summary->memory));
    write_fact(page, "device", summary->device);
    write_fact(page, "system", summary->system);
    write_fact(page, "compiler", summary->compiler);
    write_fact(page, "cgsolve", summary->version);
    if (*summary->commit)
        write_fact(page, "commit", summary->commit);
    if (*summary->host)
        write_fact(page, "host", summary->host);
    if (*summary->command) {
        fputs("<dt>command</dt><dd><code>", page);
        html_text(page, summary->command);
        fputs("</code></dd>\n", page);
    }
    if (*summary->date)
        write_fact(page, "begun", summary->date);
    if (isfinite(summary->load)) {
        fputs("<dt>load</dt><dd>", page);
        html_number(page, summary->load, 3);
        fputs(" on average in the minute before the study began</dd>\n", page);
    }
    if (isfinite(summary->others)) {
        fputs("<dt>other programs</dt><dd>", page);
        html_number(page, 100 * summary->others, 2);
        fputs(" % of the processors' time meanwhile</dd>\n", page);
    }
    fputs("</dl>\n</section>\n", page);
}

/* ", chunk = 16, compensate = all": they may be all in which two kernels differ. */
static void write_parameters(FILE *page, json_t *parameters)
{
    const char *name;
    json_t *value;
    json_object_foreach(parameters, name, value)
    {
        fputs(", ", page);
        html_text(page, name);
        fputs(" = ", page);
        if (json_is_string(value))
            html_text(page, json_string_value(value));
        else
            html_number(page, json_number_value(value), 15);
    }
}

/* What a kernel has of its own: its parameters, how it stores the matrix, its reductions and
 * threads. */
static void write_kernels(FILE *page, const struct summary *summary)
{
    fputs("<section>\n<h3>Kernels</h3>\n<dl>\n", page);
    for (int k = 0; k < summary->kernels_count; k++) {
        const struct summary_kernel *kernel = &summary->kernels[k];
        fputs("<dt>", page);
        html_text(page, kernel->label);
        fputs("</dt><dd><code>", page);
        html_text(page, kernel->kernel);
        fputs("</code>", page);
        write_parameters(page, kernel->parameters);
        if (*kernel->description) {
            fputs(", stores the matrix by ", page);
            html_text(page, kernel->description);
        }
        if (*kernel->preconditioner) {
            fputs("; preconditioner: ", page);
            html_text(page, kernel->preconditioner);
        }
        if (kernel->reductions) {
            fputs("; reductions ", page);
            html_text(page, kernel->reductions);
        }
        if (kernel->threads > 0)
            fprintf(page, "; %" PRId64 " thread%s", kernel->threads, text_plural(kernel->threads));
        fputs("</dd>\n", page);
    }
    fputs("</dl>\n</section>\n", page);
}

void page_facts(FILE *page, const struct summary *summary)
{
    write_kernels(page, summary);
    write_system(page, summary);
    write_machine(page, summary);
}
