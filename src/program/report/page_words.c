/* What the page says in words: what differs from run to run, and how the study was made. */
#include "program/report/page.h"

#include "base/text.h"
#include "program/report/text.h"
#include "solver/method.h"
#include "solver/solver.h"
#include "study/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- the title, and what came of each kernel -------------------------------------------------- */

/* As a reader calls the method. */
static const char *method_name(const char *method)
{
    const struct method *found = method_find(method);
    return found ? found->title : method;
}

/* The file's name, or the generator's. */
static const char *problem_name(const struct summary *summary)
{
    const char *slash = summary->path ? strrchr(summary->path, '/') : NULL;
    return slash ? slash + 1 : summary->path ? summary->path : summary->problem;
}

static void write_study(FILE *title, const struct summary *summary)
{
    int64_t fewest = INT64_MAX, most = 0;
    for (int k = 0; k < summary->kernels_count; k++) {
        int64_t runs = summary->kernels[k].runs_count / summary->columns;
        fewest = runs < fewest ? runs : fewest;
        most = runs > most ? runs : most;
    }
    fprintf(title, "%s, n = %" PRId64 ": %s with ", problem_name(summary), summary->n,
            method_name(summary->method));
    if (summary->kernels_count == 1)
        fprintf(title, "%s", summary->kernels[0].label);
    else
        fprintf(title, "%d kernels", summary->kernels_count);
    if (summary->columns > 1)
        fprintf(title, ", %" PRId64 " right-hand sides", summary->columns);
    if (fewest == most)
        fprintf(title, ", %" PRId64 " run%s%s", most, text_plural(most),
                summary->kernels_count > 1 ? " each" : "");
    else
        fprintf(title, ", %" PRId64 " to %" PRId64 " runs each", fewest, most);
}

char *page_title(const struct recorded *studies, int count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *title = open_memstream(&text, &length);
    if (!title)
        return NULL;
    if (count > 1)
        fprintf(title, "%d studies side by side: ", count);
    write_study(title, &studies[0].summary);
    for (int s = 1; s < count; s++) {
        const struct summary *one = &studies[0].summary, *other = &studies[s].summary;
        if (strcmp(one->matrix_hash, other->matrix_hash) != 0 ||
            strcmp(one->method, other->method) != 0) {
            fputs("; ", title);
            write_study(title, other);
        }
    }
    if (fclose(title) == 0)
        return text;
    free(text);
    return NULL;
}

/* How many different solutions the runs of the kernel have, in the column with the most. */
static int64_t count_solutions(const struct summary_kernel *kernel)
{
    int64_t solutions = 0, most = 0, begin = 0;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        if (kernel->runs[r].column != kernel->runs[begin].column) {
            begin = r;
            solutions = 0;
        }
        int64_t earlier = begin;
        while (strcmp(kernel->runs[earlier].solution_hash, kernel->runs[r].solution_hash) != 0)
            earlier++;
        solutions += earlier == r;
        most = solutions > most ? solutions : most;
    }
    return most;
}

/* Into the verdict: how many of the kernel's runs did not converge, and why. */
static void count_failures(const struct summary_kernel *kernel, struct verdict *verdict)
{
    for (int64_t r = 0; r < kernel->runs_count; r++)
        if (!kernel->runs[r].converged)
            verdict_fail(verdict, kernel->runs[r].reason);
}

static void write_line(FILE *page, const struct summary_kernel *kernel, const char *color)
{
    char text[1600];
    struct verdict verdict = {.label = kernel->label,
                              .columns = kernel->columns,
                              .runs = kernel->runs_count,
                              .solutions = count_solutions(kernel),
                              .iterations_min = kernel->iterations_min,
                              .iterations_max = kernel->iterations_max};
    count_failures(kernel, &verdict);
    verdict_text(&verdict, text, sizeof text);
    size_t label = strlen(kernel->label);
    char *failure = verdict.failed > 0 ? strstr(text + label, "; ") : NULL;
    if (failure)
        *failure = '\0';
    html_print(page, "<li style=\"--kernel: %s\"><strong>%s</strong>%s", color, kernel->label,
               text + label);
    if (failure)
        html_print(page, "; <span class=\"wrong\">%s</span>", failure + 2);
    if (kernel->promise_broken)
        html_print(page,
                   "; <span class=\"wrong\">promise broken: other bits than it promises</span>");
    html_print(page, "</li>\n");
}

void page_verdict(FILE *page, const struct recorded *study)
{
    const struct summary *summary = &study->summary;
    if (summary->rhs_is_eigenvector)
        html_print(
            page,
            "<p class=\"wrong\">%s is an eigenvector of the matrix within the tolerance: one "
            "iteration solves the system, so counts, histories and times say nothing of the "
            "kernels.</p>\n",
            summary->columns > 1 ? "Each column of b" : "b");
    if (summary->interrupted)
        html_print(page, "<p class=\"wrong\">The study was interrupted: these are the runs that it "
                         "came to.</p>\n");
    html_print(page, "<ul class=\"verdict\">\n");
    for (int k = 0; k < summary->kernels_count; k++)
        write_line(page, &summary->kernels[k], plot_kernel_style(study, k).color);
    html_print(page, "</ul>\n");
}

/* --- from run to run -------------------------------------------------------------------------- */

static bool same_solutions(const struct summary_kernel *kernel)
{
    for (int64_t r = 1; r < kernel->runs_count; r++)
        if (kernel->runs[r].column == kernel->runs[r - 1].column &&
            strcmp(kernel->runs[r].solution_hash, kernel->runs[r - 1].solution_hash) != 0)
            return false;
    return true;
}

static void write_histories(FILE *page, const struct summary_kernel *kernel)
{
    int64_t columns = kernel->columns, runs = kernel->runs_count / columns;
    if (columns > 1)
        html_print(page, "%ld columns, ", columns);
    if (columns == 1 && runs == 1)
        html_print(page, "one run, with the history <code>%s</code>", kernel->runs[0].history_hash);
    else
        html_print(page, "%ld run%s", runs, text_plural(runs));
    if (runs > 1 && kernel->histories > 1)
        html_print(page,
                   columns > 1 ? ", at most %ld different histories in a column"
                               : ", %ld different histories",
                   kernel->histories);
    else if (runs > 1 && columns > 1)
        html_print(page, ", one history in each column");
    else if (runs > 1)
        html_print(page, ", one history: <code>%s</code>", kernel->runs[0].history_hash);
    if (kernel->first_difference >= 0)
        html_print(page, ", the first difference at iteration %ld", kernel->first_difference);
    html_print(page, ". ");
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
    html_print(page,
               widest ? ", at most %ld apart in a column" : ", the same in each run of a column",
               widest);
}

static void write_counts(FILE *page, const struct summary *summary,
                         const struct summary_kernel *kernel)
{
    int64_t low = kernel->iterations_min, high = kernel->iterations_max;
    bool eigenvalues = summary_has_eigenvalues(summary);
    bool several = kernel->runs_count > kernel->columns;
    const char *solutions = eigenvalues ? "eigenvalues" : "solutions";
    if (low == high)
        html_print(page, "%ld iteration%s", high, text_plural(high));
    else
        html_print(page, "From %ld to %ld iterations", low, high);
    if (low < high && kernel->columns > 1)
        write_spread_in_a_column(page, kernel);
    else if (low < high)
        html_print(page, ", %.1e %% of the median apart",
                   100 * ((double)high - (double)low) / kernel->iterations_median);
    if (several && same_solutions(kernel))
        html_print(page, "; the %s are equal in every bit", solutions);
    else if (several && isfinite(kernel->solution_spread))
        html_print(page, "; the %s lie up to %.1e apart, relative to the largest %s", solutions,
                   kernel->solution_spread, eigenvalues ? "one" : "component");
    html_print(page, ".");
}

static void write_failed_columns(FILE *page, const struct summary_kernel *kernel)
{
    int64_t last = -1;
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        const struct summary_run *run = &kernel->runs[r];
        if (run->converged || run->column == last)
            continue;
        html_print(page, "%s %ld", last < 0 ? ", in column" : ",", run->column);
        last = run->column;
    }
}

static void write_failures(FILE *page, const struct summary_kernel *kernel)
{
    struct verdict verdict = {0};
    char reasons[512];
    count_failures(kernel, &verdict);
    if (verdict.failed == 0)
        return;
    html_print(page, " <strong class=\"wrong\">%ld of %ld%s did not converge</strong>: %s",
               verdict.failed, kernel->runs_count, kernel->columns > 1 ? " solves" : "",
               verdict_reasons(&verdict, reasons, sizeof reasons));
    if (kernel->columns > 1)
        write_failed_columns(page, kernel);
    html_print(page, ".");
}

/* What the first run tells of the spectrum. */
static void write_spectrum(FILE *page, const struct summary_kernel *kernel)
{
    const struct summary_run *run = &kernel->runs[0];
    if (!isfinite(run->ritz_low) || !isfinite(run->ritz_high))
        return;
    html_print(page, " Ritz values from %.3e to %.3e", run->ritz_low, run->ritz_high);
    if (isfinite(run->condition))
        html_print(page, ": the condition number is %s %.2e",
                   run->condition < SOLVER_CONDITION_MOST ? "at least about" : "above",
                   run->condition);
    html_print(page, ".");
}

void page_words(FILE *page, const struct summary *summary)
{
    html_print(page, "<ul>\n");
    for (int k = 0; k < summary->kernels_count; k++) {
        const struct summary_kernel *kernel = &summary->kernels[k];
        html_print(page, "<li><strong>%s</strong>: ", kernel->label);
        write_histories(page, kernel);
        write_counts(page, summary, kernel);
        write_failures(page, kernel);
        if (kernel->interrupted)
            html_print(page, " Run %ld was interrupted at iteration %ld and is not counted.",
                       kernel->interrupted->run, kernel->interrupted->iterations);
        write_spectrum(page, kernel);
        if (kernel->promise_broken)
            html_print(
                page,
                " <strong class=\"wrong\">It has shown other bits than it promises.</strong>");
        html_print(page, "</li>\n");
    }
    html_print(page, "</ul>\n");
}

/* --- how it was made -------------------------------------------------------------------------- */

void page_problem(FILE *page, const struct summary *summary)
{
    html_print(
        page, "<p class=\"lead\">%s, n = %ld, %ld entries. %s, %ld thread%s; cgsolve %s%s%s.</p>\n",
        summary->path ? summary->path : summary->problem, summary->n, summary->nnz_full,
        summary->cpu, summary->threads, text_plural(summary->threads), summary->version,
        *summary->date ? "; " : "", summary->date);
}

/* Nothing where it is not known. */
static void write_fact(FILE *page, const char *name, const char *text)
{
    if (*text)
        html_print(page, "<dt>%s</dt><dd>%s</dd>\n", name, text);
}

static void write_system(FILE *page, const struct summary *summary)
{
    html_print(page,
               "<section>\n<h3>Problem and solver</h3>\n<dl>\n<dt>matrix</dt><dd>%s, n = %ld, %ld "
               "entries, %ld stored of the upper triangle, hash <code>%s</code></dd>\n",
               summary->path ? summary->path : summary->problem, summary->n, summary->nnz_full,
               summary->nnz_upper, summary->matrix_hash);
    html_print(page, "<dt>b</dt><dd>%s", summary->rhs);
    if (summary->columns > 1)
        html_print(page, ", %ld columns, ‖b‖ up to ", summary->columns);
    else
        html_print(page, ", ‖b‖ = ");
    html_print(page, "%.5e, hash <code>%s</code></dd>\n", summary->rhs_norm, summary->rhs_hash);
    if (*summary->start_hash)
        html_print(page, "<dt>x<sub>0</sub></dt><dd>%s, hash <code>%s</code></dd>\n",
                   summary->start, summary->start_hash);
    write_fact(page, "numbering", strcmp(summary->reorder, "none") ? summary->reorder : "as given");
    bool eigenvalues = summary_has_eigenvalues(summary);
    bool absolute = summary->absolute_tolerance > 0;
    html_print(page, "<dt>solver</dt><dd>%s, %s ≤ %s%.0e %s", summary->method,
               eigenvalues ? "‖A v − θ v‖" : "‖r‖", absolute ? "max(" : "", summary->tolerance,
               eigenvalues ? "|θ|" : "‖b‖");
    if (absolute)
        html_print(page, ", %.0e)", summary->absolute_tolerance);
    html_print(page, ", at most %ld iterations, %s reductions", summary->max_iterations,
               summary->reductions);
    if (strcmp(summary->preconditioner, "none") != 0)
        html_print(page, ", preconditioner %s", summary->preconditioner);
    html_print(page, "</dd>\n</dl>\n</section>\n");
}

static void write_machine(FILE *page, const struct summary *summary)
{
    char memory[TEXT_BYTES];
    html_print(page,
               "<section>\n<h3>Machine</h3>\n<dl>\n<dt>processor</dt><dd>%s, %ld core%s, %ld "
               "thread%s, %s</dd>\n",
               summary->cpu, summary->cores, text_plural(summary->cores), summary->threads,
               text_plural(summary->threads), text_bytes(memory, summary->memory));
    write_fact(page, "device", summary->device);
    write_fact(page, "system", summary->system);
    write_fact(page, "compiler", summary->compiler);
    write_fact(page, "cgsolve", summary->version);
    write_fact(page, "commit", summary->commit);
    write_fact(page, "host", summary->host);
    if (*summary->command)
        html_print(page, "<dt>command</dt><dd><code>%s</code></dd>\n", summary->command);
    write_fact(page, "begun", summary->date);
    if (isfinite(summary->load))
        html_print(page,
                   "<dt>load</dt><dd>%.2e on average in the minute before the study began</dd>\n",
                   summary->load);
    if (isfinite(summary->others))
        html_print(page,
                   "<dt>other programs</dt><dd>%.1e %% of the processors' time meanwhile</dd>\n",
                   100 * summary->others);
    html_print(page, "</dl>\n</section>\n");
}

/* What a kernel has of its own: its parameters, which may be all in which two kernels differ, how
 * it stores the matrix, its reductions and threads. */
static void write_kernel(FILE *page, const struct summary_kernel *kernel)
{
    const char *name;
    json_t *value;
    html_print(page, "<dt>%s</dt><dd><code>%s</code>", kernel->label, kernel->kernel);
    json_object_foreach(kernel->parameters, name, value)
    {
        if (json_is_string(value))
            html_print(page, ", %s = %s", name, json_string_value(value));
        else
            html_print(page, ", %s = %.14e", name, json_number_value(value));
    }
    if (*kernel->description)
        html_print(page, ", stores the matrix by %s", kernel->description);
    if (*kernel->preconditioner)
        html_print(page, "; preconditioner: %s", kernel->preconditioner);
    if (kernel->reductions)
        html_print(page, "; reductions %s", kernel->reductions);
    if (kernel->threads > 0)
        html_print(page, "; %ld thread%s", kernel->threads, text_plural(kernel->threads));
    html_print(page, "</dd>\n");
}

void page_facts(FILE *page, const struct summary *summary)
{
    html_print(page, "<section>\n<h3>Kernels</h3>\n<dl>\n");
    for (int k = 0; k < summary->kernels_count; k++)
        write_kernel(page, &summary->kernels[k]);
    html_print(page, "</dl>\n</section>\n");
    write_system(page, summary);
    write_machine(page, summary);
}
