/* The table of the page: the columns of the one on the terminal. */
#include "report/page.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>

static void write_head(FILE *page, bool several)
{
    fputs("<thead><tr>", page);
    if (several)
        fputs("<th scope=\"col\" class=\"text\">directory</th>", page);
    fputs(
        "<th scope=\"col\" class=\"text\">kernel</th><th scope=\"col\" class=\"text\">storage</th>"
        "<th scope=\"col\" class=\"text\">guarantee</th><th scope=\"col\">runs</th>"
        "<th scope=\"col\">iterations min</th><th scope=\"col\">median</th><th "
        "scope=\"col\">max</th>"
        "<th scope=\"col\">distinct histories</th><th scope=\"col\">first diff.</th>"
        "<th scope=\"col\">1 % apart</th><th scope=\"col\">solution spread</th><th "
        "scope=\"col\">residual</th>"
        "<th scope=\"col\">true residual</th><th scope=\"col\">ms an iteration</th>"
        "<th scope=\"col\">GB/s</th><th scope=\"col\">set-up s</th></tr></thead>\n",
        page);
}

static void write_text(FILE *page, const char *tag, const char *text)
{
    fprintf(page, "<%s class=\"text\">", tag);
    html_text(page, text);
    fprintf(page, "</%.2s>", tag);
}

static void write_number(FILE *page, const char *format, double value)
{
    fputs("<td>", page);
    if (isnan(value))
        fputs("nan", page);
    else
        fprintf(page, format, value);
    fputs("</td>", page);
}

static void write_iteration(FILE *page, int64_t iteration)
{
    if (iteration == SUMMARY_NOT_TOLD)
        fputs("<td></td>", page);
    else if (iteration < 0)
        fputs("<td>-</td>", page);
    else
        fprintf(page, "<td>%" PRId64 "</td>", iteration);
}

static void write_kernel(FILE *page, const char *directory, const struct summary_kernel *kernel)
{
    const struct summary_run *worst = summary_worst(kernel);
    fputs("<tr>", page);
    if (directory)
        write_text(page, "td", directory);
    write_text(page, "th scope=\"row\"", kernel->label);
    write_text(page, "td", kernel->storage);
    write_text(page, "td", kernel->guarantee);
    fprintf(page, "<td>%" PRId64 "</td><td>%" PRId64 "</td><td>%.10g</td><td>%" PRId64 "</td>",
            kernel->runs_count, kernel->iterations_min, kernel->iterations_median,
            kernel->iterations_max);
    fprintf(page, "<td>%" PRId64 "</td>", kernel->histories);
    write_iteration(page, kernel->first_difference);
    write_iteration(page, kernel->first_apart);
    write_number(page, "%.2e", kernel->solution_spread);
    write_number(page, "%.2e", worst->residual);
    write_number(page, "%.2e", worst->true_residual);
    write_number(page, "%.4g", 1e3 * kernel->seconds);
    write_number(page, "%.3g", summary_rate(kernel));
    write_number(page, "%.2g", kernel->setup_seconds);
    fputs("</tr>\n", page);
}

void page_table(FILE *page, const struct recorded *studies, int count)
{
    fputs("<div class=\"wide\">\n<table>\n<caption>Residuals are those of the run that did worst, "
          "times "
          "are medians over the runs.</caption>\n",
          page);
    write_head(page, count > 1);
    fputs("<tbody>\n", page);
    for (int s = 0; s < count; s++)
        for (int k = 0; k < studies[s].summary.kernels_count; k++)
            write_kernel(page, count > 1 ? studies[s].directory : NULL,
                         &studies[s].summary.kernels[k]);
    fputs("</tbody>\n</table>\n</div>\n", page);
}
