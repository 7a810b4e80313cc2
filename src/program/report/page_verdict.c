/* The beginning of the page: what was studied, and what came of each kernel. */
#include "base/text.h"
#include "program/report/page.h"
#include "program/report/text.h"
#include "solver/method.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

void page_count_failures(const struct summary_kernel *kernel, struct verdict *verdict)
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
    page_count_failures(kernel, &verdict);
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
