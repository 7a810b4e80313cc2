/* The table of the page: the columns of the one on the terminal. */
#include "program/report/page.h"
#include "program/report/text.h"

#include <stdbool.h>

enum { BEFORE_RESIDUALS = 8 };

/* Results first: on a narrow screen they are what is seen beside the kernel. Each with what it
 * means. */
static const char *const columns[][2] = {
    {"iterations median", "the median over the runs"},
    {"min", "the fewest iterations of a run"},
    {"max", "the most iterations of a run"},
    {"runs", "how many runs, and how many of them did not converge"},
    {"distinct histories", "how many different residual histories, compared bit by bit"},
    {"first diff.", "the first iteration at which two residuals have different bits"},
    {"1 % apart", "the first iteration at which two residuals lie 1 % apart"},
    {"solution spread", "the largest distance of two solutions, relative to the largest component"},
    {"ms / iteration", "milliseconds"},
    {"GB/s", "the bytes that an iteration must move, by the kernel's byte model, over its time"},
    {"set-up s", "seconds to build the kernel's own form of the matrix"}};

/* What a residual of the table is relative to. */
static void write_residual_head(FILE *page, const struct recorded *studies, int count)
{
    int eigen = 0;
    for (int s = 0; s < count; s++)
        eigen += summary_has_eigenvalues(&studies[s].summary);
    html_print(
        page,
        "<th scope=\"col\" title=\"the norm of the residual that the method computes, at the "
        "end\">residual%s</th><th scope=\"col\" title=\"of b - A x, computed in twice the "
        "precision\">true</th>",
        eigen == 0       ? " / ‖b‖"
        : eigen == count ? " / |θ|"
                         : ", relative");
}

static void write_head(FILE *page, const struct recorded *studies, int count)
{
    html_print(page, "<thead><tr>");
    if (count > 1)
        html_print(page, "<th scope=\"col\" class=\"text\">directory</th>");
    html_print(page, "<th scope=\"col\" class=\"text kernel\">kernel</th>");
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        if (k == BEFORE_RESIDUALS)
            write_residual_head(page, studies, count);
        html_print(page, "<th scope=\"col\" title=\"%s\">%s</th>", columns[k][1], columns[k][0]);
    }
    html_print(page,
               "<th scope=\"col\" class=\"text\" title=\"the triangle that is read, or both\">"
               "storage</th><th scope=\"col\" class=\"text\" title=\"what the kernel promises of "
               "the bits of a product\">guarantee</th></tr></thead>\n");
}

/* The runs, and in words what is wrong with them. */
static void write_runs(FILE *page, const struct summary_kernel *kernel)
{
    int64_t failures = summary_failures(kernel);
    html_print(page, "<td>%ld", kernel->runs_count / kernel->columns);
    if (kernel->columns > 1)
        html_print(page, " × %ld columns", kernel->columns);
    if (failures > 0)
        html_print(page, " <span class=\"wrong\">%ld failed</span>", failures);
    if (kernel->promise_broken)
        html_print(page, " <span class=\"wrong\">promise broken</span>");
    html_print(page, "</td>");
}

static void write_iteration(FILE *page, int64_t iteration)
{
    if (iteration >= 0)
        html_print(page, "<td>%ld</td>", iteration);
    else
        html_print(page, "<td>%s</td>", iteration == SUMMARY_NOT_TOLD ? "" : "-");
}

static void write_kernel(FILE *page, const char *directory, const struct summary_kernel *kernel)
{
    const struct summary_run *worst = summary_worst(kernel);
    html_print(page, "<tr>");
    if (directory)
        html_print(page, "<td class=\"text\">%s</td>", directory);
    html_print(page,
               "<th scope=\"row\" class=\"text kernel\">%s</th><td>%.10g</td><td>%ld</td>"
               "<td>%ld</td>",
               kernel->label, kernel->iterations_median, kernel->iterations_min,
               kernel->iterations_max);
    write_runs(page, kernel);
    html_print(page, "<td>%ld</td>", kernel->histories);
    write_iteration(page, kernel->first_difference);
    write_iteration(page, kernel->first_apart);
    if (kernel->solution_spread == 0 && kernel->runs_count > 1)
        html_print(page, "<td>equal</td>");
    else
        html_print(page, "<td>%.2e</td>", kernel->solution_spread);
    html_print(page, "<td>%.2e</td><td>%.2e</td><td>%.3e</td>", worst->residual,
               worst->true_residual, 1e3 * kernel->seconds);
    if (kernel->columns > 1)
        html_print(page, "<td>-</td>");
    else
        html_print(page, "<td>%.2e</td>", summary_rate(kernel));
    html_print(page, "<td>%.1e</td><td class=\"text\">%s</td><td class=\"text\">%s%s</td></tr>\n",
               kernel->setup_seconds, kernel->storage, kernel->guarantee,
               kernel->declared ? ", declared" : "");
}

void page_table_begin(FILE *page, const char *caption)
{
    html_print(page,
               "<section class=\"table\">\n<p class=\"caption\" id=\"table-caption\">%s</p>\n"
               "<p class=\"hint\">The table scrolls sideways.</p>\n<div class=\"wide\">\n"
               "<table aria-labelledby=\"table-caption\">\n",
               caption);
}

void page_table_end(FILE *page)
{
    html_print(page, "</tbody>\n</table>\n</div>\n</section>\n");
}

void page_table(FILE *page, const struct recorded *studies, int count)
{
    bool several = false;
    for (int s = 0; s < count; s++)
        several = several || studies[s].summary.columns > 1;
    page_table_begin(page, several ? "Residuals: the worst run and column. Times: medians over the "
                                     "runs, of all columns over the iterations of the longest."
                                   : "Residuals: the worst run. Times: medians over the runs.");
    write_head(page, studies, count);
    html_print(page, "<tbody>\n");
    for (int s = 0; s < count; s++)
        for (int k = 0; k < studies[s].summary.kernels_count; k++)
            write_kernel(page, count > 1 ? studies[s].directory : NULL,
                         &studies[s].summary.kernels[k]);
    page_table_end(page);
}
