/* The page of a bench of many matrices, and the same in words for a terminal. */
#include "base/text.h"
#include "program/report/page.h"
#include "program/report/sweep.h"
#include "program/report/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const struct plot *const plots_of_bench[] = {&sweep_plot_variation, &sweep_plot_profile,
                                             &sweep_plot_roofline, &sweep_plot_rows, NULL};

/* "-" where it cannot be told. */
static const char *number_text(char text[16], const char *format, double value)
{
    snprintf(text, 16, isnan(value) ? "-" : format, value);
    return text;
}

static void write_row(FILE *page, const struct sweep_kernel *kernel)
{
    const struct sweep_correlation *c = &kernel->correlation;
    const double correlations[] = {c->entries, c->mean, c->variation, c->alone};
    char text[16];
    html_print(page, "<tr><th scope=\"row\" class=\"text kernel\">%s</th><td>%ld</td>",
               kernel->name, kernel->count);
    for (size_t k = 0; k < sizeof correlations / sizeof *correlations; k++)
        html_print(page, "<td>%s</td>", number_text(text, "%.2f", correlations[k]));
    html_print(page, "<td>%s</td>", number_text(text, "± %.2f", c->chance));
    html_print(page, "<td>%s</td></tr>\n", number_text(text, "%.2g", c->factor));
}

static void write_table(FILE *page, const struct sweep *sweep)
{
    static const char *const heads[] = {"matrices",
                                        "with the entries",
                                        "with the mean row length",
                                        "with the variation of the row lengths",
                                        "ρ: the same, entries and mean taken out",
                                        "chance",
                                        "times the speed at ten times the variation, likewise"};
    page_table_begin(page, "Rank correlations (Spearman) of the speed in GB/s, over the matrices.");
    html_print(page, "<thead><tr><th scope=\"col\" class=\"text kernel\">kernel</th>");
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        html_print(page, "<th scope=\"col\">%s</th>", heads[k]);
    html_print(page, "</tr></thead>\n<tbody>\n");
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        write_row(page, &sweep->kernels[k]);
    page_table_end(page);
}

static void write_words(FILE *page, const struct sweep *sweep)
{
    html_print(
        page,
        "<article>\n<p>%ld matrices. The speed is the bytes that a product must move, by the "
        "kernel's byte model, over its median time, so that short rows are not slow by their "
        "offsets alone. It depends most on the size, which decides about the caches; and the "
        "variation of the row lengths goes with size and mean length. With these taken out, ρ "
        "says whether the speed goes with the variation, and the last column by how much. Where "
        "the speed does not care, ρ lies within the range of chance, where unrelated quantities "
        "lie in 95 of 100 cases, or the last column is near 1. What else goes with the "
        "variation, such as columns that lie anywhere, so that x is in no cache, is not taken "
        "out. With fewer than %d matrices, or where a quantity is the same for all, there is a "
        "dash.</p>\n",
        sweep->matrices_count, SWEEP_LEAST);
    if (sweep->failed > 0 || sweep->skipped > 0 || sweep->files > 0)
        html_print(page,
                   "<p>Not counted: products that were wrong, %ld; skipped, %ld; files that were "
                   "trivial or in error, %ld.</p>\n",
                   sweep->failed, sweep->skipped, sweep->files);
    if (sweep->others > 0)
        html_print(page,
                   "<p>Left out: rows of other runs, %ld. The run is that of the last row; another "
                   "has another version, machine or settings of the bench.</p>\n",
                   sweep->others);
}

enum status sweep_page(FILE *page, const void *of, struct error *error)
{
    const struct sweep *sweep = of;
    char title[160];
    (void)error;
    snprintf(title, sizeof title,
             "Speed of %" PRId64 " kernel%s on %" PRId64 " matrices, and the lengths of their rows",
             sweep->kernels_count, text_plural(sweep->kernels_count), sweep->matrices_count);
    page_begin(page, title, sweep->path);
    write_table(page, sweep);
    html_print(page, "<div class=\"study\">\n");
    write_words(page, sweep);
    page_figures(page, plots_of_bench, sweep);
    html_print(page, "</article>\n</div>\n");
    page_end(page, "the CSV of cgsolve bench. In cgsolve's repository, docs/bench.md says what the "
                   "columns mean, docs/report.md how to read this page.");
    return STATUS_OK;
}

void sweep_print(FILE *stream, const struct sweep *sweep)
{
    enum { SHOWN = 40 };
    char correlation[16], chance[16], factor[16], shown[SHOWN];
    int width = (int)strlen("kernel");
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        int length = (int)strlen(shown_text(sweep->kernels[k].name, shown, SHOWN));
        width = length > width ? length : width;
    }
    fprintf(stream,
            "GB/s against the variation of the row lengths, entries and mean length taken out:\n"
            "%-*s  %8s  %16s  %9s  %22s\n",
            width, "kernel", "matrices", "rank correlation", "by chance",
            "x at 10 x the variation");
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        const struct sweep_kernel *kernel = &sweep->kernels[k];
        const struct sweep_correlation *c = &kernel->correlation;
        fprintf(stream, "%-*s  %8" PRId64 "  %16s  %9s  %23s\n", width,
                shown_text(kernel->name, shown, SHOWN), kernel->count,
                number_text(correlation, "%.2f", c->alone),
                number_text(chance, "+-%.2f", c->chance), number_text(factor, "%.2g", c->factor));
    }
}
