/* Histories as a table and a verdict, on the terminal and on a page with pictures. */
#include "program/report/histories.h"

#include "base/text.h"
#include "program/report/text.h"
#include "program/terminal/layout.h"
#include "program/terminal/table.h"

#include <inttypes.h>
#include <string.h>

enum { RUNS, ITERATIONS, HISTORIES, DIVERGED, APART, LAST, CELLS };
enum { CELL = 64, VERDICT = 1200 };

static const struct table_column columns[CELLS] = {
    [RUNS] = {{"", "runs"}, {NULL}, 6, 6, 12, false},
    [ITERATIONS] = {{"iterations", "min median max"}, {NULL}, 20, 16, 14, false},
    [HISTORIES] = {{"distinct", "histories"}, {NULL}, 9, 9, 13, false},
    [DIVERGED] = {{"first", "diff."}, {NULL}, 5, 5, 11, false},
    [APART] = {{"1 %", "apart"}, {NULL}, 5, 5, 10, false},
    [LAST] = {{"largest last", "residual"}, {NULL}, 12, 12, 5, false},
};

static void print_iteration(char cell[CELL], int64_t iteration)
{
    snprintf(cell, CELL, iteration < 0 ? "-" : "%" PRId64, iteration);
}

static void make_cells(const struct summary_kernel *solver, char cells[CELLS][CELL])
{
    snprintf(cells[RUNS], CELL, "%" PRId64, solver->runs_count);
    snprintf(cells[ITERATIONS], CELL, "%" PRId64 " %.10g %" PRId64, solver->iterations_min,
             solver->iterations_median, solver->iterations_max);
    snprintf(cells[HISTORIES], CELL, "%" PRId64, solver->histories);
    print_iteration(cells[DIVERGED], solver->first_difference);
    print_iteration(cells[APART], solver->first_apart);
    snprintf(cells[LAST], CELL, "%.2e", summary_worst(solver)->true_residual);
}

/* Behind the label: ": 3 different histories in 8 runs, 1562 to 1604 iterations". */
static const char *verdict_of(const struct summary_kernel *solver, char text[VERDICT])
{
    char range[64];
    if (solver->iterations_min == solver->iterations_max)
        snprintf(range, sizeof range, "%" PRId64 " iteration%s", solver->iterations_max,
                 text_plural(solver->iterations_max));
    else
        snprintf(range, sizeof range, "%" PRId64 " to %" PRId64 " iterations",
                 solver->iterations_min, solver->iterations_max);
    snprintf(text, VERDICT, ": %" PRId64 " %s in %" PRId64 " run%s, %s", solver->histories,
             solver->histories == 1 ? "history" : "different histories", solver->runs_count,
             text_plural(solver->runs_count), range);
    return text;
}

static const char differ[] =
    "Runs of one solver on one system differ where the order of its additions does, or its input: "
    "docs/questions.md tells what changes the order.";

static bool any_differ(const struct summary *summary)
{
    bool any = false;
    for (int s = 0; s < summary->kernels_count; s++)
        any = any || summary->kernels[s].histories > 1;
    return any;
}

void histories_print(FILE *stream, const struct histories *histories)
{
    const struct summary *summary = &histories->study.summary;
    char cells[CELLS][CELL], text[VERDICT];
    const char *shown[CELLS];
    struct table table;
    int label = (int)strlen("solver");
    for (int s = 0; s < summary->kernels_count; s++)
        label = layout_wider(label, summary->kernels[s].label);
    for (int c = 0; c < CELLS; c++)
        shown[c] = cells[c];
    table_begin(&table, stream, columns, CELLS, label, false);
    table_print_head(&table, "solver");
    for (int s = 0; s < summary->kernels_count; s++) {
        make_cells(&summary->kernels[s], cells);
        table_print_row(&table, summary->kernels[s].label, shown, false);
    }
    fputc('\n', stream);
    for (int s = 0; s < summary->kernels_count; s++)
        layout_print(stream, "%s%s\n", summary->kernels[s].label,
                     verdict_of(&summary->kernels[s], text));
    if (any_differ(summary))
        layout_print(stream, "%s\n", differ);
}

/* --- the page --------------------------------------------------------------------------------- */

static void write_verdicts(FILE *page, const struct histories *histories)
{
    const struct summary *summary = &histories->study.summary;
    char text[VERDICT];
    html_print(page, "<ul class=\"verdict\">\n");
    for (int s = 0; s < summary->kernels_count; s++)
        html_print(page, "<li style=\"--kernel: %s\"><strong>%s</strong>%s</li>\n",
                   plot_kernel_style(&histories->study, s).color, summary->kernels[s].label,
                   verdict_of(&summary->kernels[s], text));
    html_print(page, "</ul>\n");
    if (any_differ(summary))
        html_print(page, "<p>%s</p>\n", differ);
}

static void write_table(FILE *page, const struct summary *summary)
{
    char cells[CELLS][CELL];
    page_table_begin(page, "The largest last residual is that of the run that did worst, as the "
                           "file has it.");
    html_print(page, "<thead><tr><th scope=\"col\" class=\"text kernel\">solver</th>");
    for (int c = 0; c < CELLS; c++)
        html_print(page, "<th scope=\"col\">%s %s</th>", columns[c].head[0], columns[c].head[1]);
    html_print(page, "</tr></thead>\n<tbody>\n");
    for (int s = 0; s < summary->kernels_count; s++) {
        make_cells(&summary->kernels[s], cells);
        html_print(page, "<tr><th scope=\"row\" class=\"text kernel\">%s</th>",
                   summary->kernels[s].label);
        for (int c = 0; c < CELLS; c++)
            html_print(page, "<td>%s</td>", cells[c]);
        html_print(page, "</tr>\n");
    }
    page_table_end(page);
}

enum status histories_page(FILE *page, const void *of, struct error *error)
{
    static const struct plot *const drawn[] = {&plot_last, &plot_histories, &plot_counts,
                                               &plot_ulps, NULL};
    const struct histories *histories = of;
    (void)error;
    page_begin(page, "Residual histories", histories->file.path);
    html_print(page, "<div class=\"study\">\n<article>\n");
    write_verdicts(page, histories);
    page_figures(page, drawn, &histories->study);
    html_print(page, "</article>\n</div>\n");
    write_table(page, &histories->study.summary);
    page_end(page, "the CSV of a solver. In cgsolve's repository, docs/report.md says how to read "
                   "this page.");
    return STATUS_OK;
}
