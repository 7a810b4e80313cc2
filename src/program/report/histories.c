#include "program/report/histories.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/csv.h"
#include "program/report/text.h"
#include "program/terminal/layout.h"
#include "program/terminal/table.h"
#include "study/comparison.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static enum status pass_lead(void *context, const char *begin, const char *end, int64_t line,
                             struct error *error)
{
    (void)context, (void)begin, (void)end, (void)line, (void)error;
    return STATUS_OK;
}

bool histories_is(const char *path)
{
    static const char *const columns[] = {"iteration", NULL};
    struct csv_rows rows = {0};
    struct error ignored;
    bool is = csv_rows_open(path, columns, pass_lead, NULL, &rows, &ignored) == STATUS_OK;
    csv_rows_close(&rows);
    return is;
}

static enum status keep(void *context, int64_t run, int64_t iteration, double residual,
                        struct error *error)
{
    struct history_file *file = context;
    int64_t place = file->runs[run].begin + iteration;
    enum status status = memory_grow((void **)&file->residuals, &file->residuals_capacity,
                                     place + 1, sizeof *file->residuals, "the histories", error);
    if (!status)
        file->residuals[place] = residual;
    return status;
}

/* --- the solvers ------------------------------------------------------------------------------ */

/* The solver of that label, which may be a new one. */
static struct summary_kernel *solver_of(struct summary *summary, const char *label)
{
    int k = summary_find(summary, label);
    if (k < 0) {
        k = summary->kernels_count++;
        summary->kernels[k] = (struct summary_kernel){.columns = 1,
                                                      .label = label,
                                                      .kernel = label,
                                                      .storage = "",
                                                      .guarantee = "",
                                                      .description = "",
                                                      .preconditioner = "",
                                                      .iterations_min = INT64_MAX};
    }
    return &summary->kernels[k];
}

static enum status take_run(struct histories *histories, int64_t r, struct error *error)
{
    const struct recorded_run *its = &histories->file.runs[r];
    struct summary_kernel *solver = solver_of(&histories->study.summary, its->label);
    int64_t iterations = its->count - 1;
    for (int64_t k = 0; k < solver->runs_count; k++)
        if (solver->runs[k].run == its->run)
            return error_set(error, STATUS_INPUT,
                             "%s: the rows of run %" PRId64 " of '%s' do not stand together",
                             histories->file.path, its->run, its->label);
    if (!solver->runs)
        solver->runs =
            memory_zeros(histories->file.runs_count, sizeof *solver->runs, "the runs", error);
    if (!solver->runs)
        return STATUS_MEMORY;
    const double *residuals = histories->file.residuals + its->begin;
    snprintf(histories->hashes[r], sizeof histories->hashes[r], "%016" PRIx64,
             hash_doubles(HASH_START, residuals, its->count));
    solver->runs[solver->runs_count++] =
        (struct summary_run){.run = its->run,
                             .iterations = iterations,
                             .reason = "",
                             .history_hash = histories->hashes[r],
                             .solution_hash = "",
                             .residual = residuals[iterations],
                             .true_residual = residuals[iterations],
                             .converged = true};
    if (iterations < solver->iterations_min)
        solver->iterations_min = iterations;
    if (iterations > solver->iterations_max)
        solver->iterations_max = iterations;
    return STATUS_OK;
}

static enum status count_histories(struct summary_kernel *solver, struct error *error)
{
    int64_t count = solver->runs_count;
    uint64_t *hashes = memory_array(count, sizeof *hashes, "the hashes", error);
    if (!hashes)
        return STATUS_MEMORY;
    for (int64_t r = 0; r < count; r++)
        sscanf(solver->runs[r].history_hash, "%" SCNx64, &hashes[r]);
    solver->histories = distinct_hashes(hashes, count);
    memory_free(hashes);
    enum status status = summary_finish(solver, error);
    if (!status)
        solver->iterations_median = 0.5 * ((double)solver->by_count[(count - 1) / 2].iterations +
                                           (double)solver->by_count[count / 2].iterations);
    return status;
}

static enum status make_summary(struct histories *histories, struct error *error)
{
    struct summary *summary = &histories->study.summary;
    int64_t count = histories->file.runs_count;
    *summary = (struct summary){
        .method = "", .columns = 1, .matrix_hash = "", .rhs_hash = "", .start_hash = ""};
    summary->kernels = memory_zeros(count, sizeof *summary->kernels, "the solvers", error);
    histories->hashes = memory_zeros(count, sizeof *histories->hashes, "the hashes", error);
    enum status status = summary->kernels && histories->hashes ? STATUS_OK : STATUS_MEMORY;
    for (int64_t r = 0; r < count && !status; r++)
        status = take_run(histories, r, error);
    for (int k = 0; k < summary->kernels_count && !status; k++)
        status = count_histories(&summary->kernels[k], error);
    return status;
}

/* --- the curves ------------------------------------------------------------------------------- */

static enum status take_curve(struct histories *histories, int64_t curve, struct error *error)
{
    struct recorded *study = &histories->study;
    const struct selected_run *selected = &study->selection.runs[curve];
    const char *label = study->summary.kernels[selected->kernel].label;
    const struct recorded_run *its = histories->file.runs;
    while (its->run != selected->run || strcmp(its->label, label) != 0)
        its++;
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < its->count && !status; k++)
        status = recorded_take_residual(study, curve, k, histories->file.residuals[its->begin + k],
                                        error);
    return status;
}

/* Of all runs of a solver, in `row` of their envelope. */
static enum status take_row(struct recorded_envelope *envelope, int64_t k,
                            const struct envelope_row *row, struct error *error)
{
    enum status status = course_take(&envelope->residuals, k, row->lowest, row->highest, error);
    if (status || row->runs < 2 || isnan(row->highest))
        return status;
    int64_t ulps = difference_ulps(row->lowest, row->highest);
    double shown = ulps > 0 ? (double)ulps : RECORDED_NO_ULPS;
    return course_take(&envelope->ulps, k, shown, shown, error);
}

static enum status take_envelope(struct histories *histories, int s, struct error *error)
{
    struct summary_kernel *solver = &histories->study.summary.kernels[s];
    struct envelope envelope = {0};
    enum status status = STATUS_OK;
    for (int64_t r = 0; r < histories->file.runs_count; r++) {
        const struct recorded_run *its = &histories->file.runs[r];
        for (int64_t k = 0; !strcmp(its->label, solver->label) && k < its->count && !status; k++)
            status = envelope_take(&envelope, k, histories->file.residuals[its->begin + k], error);
    }
    for (int64_t k = 0; k < envelope.count && !status; k++)
        status = take_row(&histories->study.envelope[s], k, &envelope.rows[k], error);
    solver->first_difference = envelope_first_difference(&envelope, solver->runs_count);
    solver->first_apart = envelope_first_apart(&envelope, 0.01);
    envelope_free(&envelope);
    return status;
}

static enum status make_curves(struct histories *histories, int64_t curves, struct error *error)
{
    struct recorded *study = &histories->study;
    enum status status = recorded_begin_curves(study, curves, error);
    for (int64_t c = 0; c < study->selection.count && !status; c++)
        status = take_curve(histories, c, error);
    for (int s = 0; s < study->summary.kernels_count && !status; s++)
        status = take_envelope(histories, s, error);
    study->has_envelope = true;
    study->axes = &histories->axes;
    return status ? status : plot_axes_make(study, 1, 0, &histories->axes, error);
}

enum status histories_read(const char *path, int64_t curves, struct histories *histories,
                           struct error *error)
{
    *histories = (struct histories){0};
    enum status status = history_file_read(path, keep, &histories->file, &histories->file, error);
    if (!status && histories->file.has_columns)
        status = error_set(error, STATUS_INPUT,
                           "%s: has a column 'column': histories of several right-hand sides are "
                           "reported from their directory",
                           path);
    if (!status)
        status = make_summary(histories, error);
    if (!status)
        status = make_curves(histories, curves, error);
    if (status)
        histories_free(histories);
    return status;
}

void histories_free(struct histories *histories)
{
    plot_axes_free(&histories->axes);
    recorded_free(&histories->study);
    history_file_free(&histories->file);
    memory_free(histories->hashes);
    *histories = (struct histories){0};
}

/* --- a table and a verdict -------------------------------------------------------------------- */

enum { RUNS, ITERATIONS, HISTORIES, DIVERGED, APART, LAST, CELLS };
enum { CELL = TABLE_CELL, VERDICT = 1200 };

static const struct table_column columns[CELLS] = {
    [RUNS] = {{"", "runs"}, {NULL}, 6, 6, 12, false},
    [ITERATIONS] = {{"iterations", "min median max"}, {NULL}, 20, 16, 14, false},
    [HISTORIES] = {{"distinct", "histories"}, {NULL}, 9, 9, 13, false},
    [DIVERGED] = {{"first", "diff."}, {NULL}, 5, 5, 11, false},
    [APART] = {{"1 %", "apart"}, {NULL}, 5, 5, 10, false},
    [LAST] = {{"largest last", "residual"}, {NULL}, 12, 12, 5, false},
};

static void make_cells(const struct summary_kernel *solver, char cells[CELLS][CELL])
{
    snprintf(cells[RUNS], CELL, "%" PRId64, solver->runs_count);
    snprintf(cells[ITERATIONS], CELL, "%" PRId64 " %.10g %" PRId64, solver->iterations_min,
             solver->iterations_median, solver->iterations_max);
    snprintf(cells[HISTORIES], CELL, "%" PRId64, solver->histories);
    table_iteration(cells[DIVERGED], solver->first_difference);
    table_iteration(cells[APART], solver->first_apart);
    snprintf(cells[LAST], CELL, "%.2e", summary_worst(solver)->true_residual);
}

/* After the label: ": 3 different histories in 8 runs, 1562 to 1604 iterations". */
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
    struct table table;
    int label = (int)strlen("solver");
    for (int s = 0; s < summary->kernels_count; s++)
        label = layout_wider(label, summary->kernels[s].label);
    table_begin(&table, stream, columns, CELLS, label, false);
    table_print_head(&table, "solver");
    for (int s = 0; s < summary->kernels_count; s++) {
        make_cells(&summary->kernels[s], cells);
        table_print_row(&table, summary->kernels[s].label, cells, false);
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
