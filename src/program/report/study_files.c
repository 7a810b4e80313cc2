#include "program/report/study_files.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/input_file.h"
#include "io/text_file.h"
#include "program/record/results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum {
    POINTS = 3000, /* of all histories together: a picture of them is some 100 KB */
    POINTS_LEAST = 60,
    POINTS_MOST = 300, /* of one curve, each up to two of a line 700 wide */
    LABEL = 1024,
};

/* --- what a run that did not end has left ----------------------------------------------------- */

/* Whether DIRECTORY/NAME is there, or may be. */
static bool has(const char *directory, const char *name, enum status *status, struct error *error)
{
    char *path = *status ? NULL : path_join(directory, name, error);
    bool exists = path && (access(path, F_OK) == 0 || errno != ENOENT);
    if (!path)
        *status = STATUS_MEMORY;
    memory_free(path);
    return exists;
}

enum status unfinished_check(const char *directory, struct error *error)
{
    enum status status = STATUS_OK;
    bool complete = has(directory, "summary.json", &status, error);
    bool moving = has(directory, RESULTS_UNFINISHED "/moving", &status, error);
    bool cut = has(directory, "history.csv.partial", &status, error);
    bool beside = has(directory, RESULTS_UNFINISHED, &status, error);
    bool kept = has(directory, RESULTS_UNFINISHED "/summary.json", &status, error);
    if (status || complete)
        return status;
    if (moving)
        return error_set(error, STATUS_INPUT,
                         "%s: the program was killed while the results of a complete study came "
                         "here: move the rest of them up from %s/" RESULTS_UNFINISHED,
                         directory, directory);
    if (kept)
        return error_set(
            error, STATUS_INPUT,
            "%s: holds no complete study; what one has left that was interrupted is in "
            "%s/" RESULTS_UNFINISHED,
            directory, directory);
    if (beside)
        return error_set(error, STATUS_INPUT,
                         "%s: holds no complete study, and the one in %s/" RESULTS_UNFINISHED
                         " goes on or was killed: it has no summary.json",
                         directory, directory);
    if (cut)
        return error_set(error, STATUS_INPUT,
                         "%s: summary.json is missing: the study goes on or was killed; "
                         "history.csv.partial has the rows that it made",
                         directory);
    return STATUS_OK;
}

/* --- history.csv ------------------------------------------------------------------------------ */

/* summary.json has the label as it is shown. */
int recorded_find_kernel(const struct recorded *recorded, struct csv_rows *rows, int column)
{
    char label[LABEL];
    csv_text(csv_rows_field(rows, column), label, sizeof label);
    int kernel = summary_find(&recorded->summary, label);
    if (kernel < 0) { /* one that was no UTF-8 */
        text_clean(label, "\n\t");
        kernel = summary_find(&recorded->summary, label);
    }
    if (kernel < 0)
        csv_rows_fault(rows, "summary.json tells of no kernel '%s'", label);
    return kernel;
}

enum history_column {
    KERNEL,
    RUN,
    ITERATION,
    RESIDUAL,
    ERROR_NORM,
    GHOSTS,
    ALPHA,
    BETA,
    RITZ_LOW,
    RITZ_HIGH
};
static const char *const history_columns[] = {
    "kernel", "run",   "iteration", "residual_hex", "?error_norm", "?ghosts",
    "?alpha", "?beta", "?ritz_low", "?ritz_high",   NULL};

/* The run that the rows are of. */
struct current {
    char label[LABEL]; /* as it stands in the file */
    int64_t run, next; /* the iteration that is expected */
    int64_t curve;     /* its place in the selection; -1: it is not drawn */
};

static int64_t find_curve(const struct selection *selection, int kernel, int64_t run)
{
    for (int64_t k = 0; k < selection->count; k++)
        if (selection->runs[k].kernel == kernel && selection->runs[k].run == run)
            return k;
    return -1;
}

static void begin_run(const struct recorded *recorded, struct csv_rows *rows, int64_t run,
                      struct current *current)
{
    csv_text(csv_rows_field(rows, KERNEL), current->label, sizeof current->label);
    current->run = run;
    current->next = 0;
    current->curve =
        find_curve(&recorded->selection, recorded_find_kernel(recorded, rows, KERNEL), run);
    if (current->curve >= 0 && recorded->curves[current->curve].history.count > 0)
        csv_rows_fault(rows, "the rows of run %" PRId64 " do not stand together", run);
}

enum status recorded_take_residual(struct recorded *recorded, int64_t curve, int64_t iteration,
                                   double residual, struct error *error)
{
    enum status status = STATUS_OK;
    if (iteration >= recorded->ends.begin && iteration <= recorded->ends.end)
        status = course_take(&recorded->curves[curve].last, iteration, residual, residual, error);
    return status ? status
                  : course_take(&recorded->curves[curve].history, iteration, residual, residual,
                                error);
}

static void take_ritz_values(struct recorded *recorded, struct csv_rows *rows, int64_t iteration)
{
    double alpha = csv_rows_finite(rows, ALPHA), beta = csv_rows_finite(rows, BETA);
    double low = csv_rows_finite(rows, RITZ_LOW), high = csv_rows_finite(rows, RITZ_HIGH);
    if (!rows->status)
        rows->status =
            ritz_values_take(&recorded->ritz, iteration, alpha, beta, low, high, rows->error);
}

static void take_row(struct recorded *recorded, struct csv_rows *rows, struct current *current)
{
    int64_t run = csv_rows_whole(rows, RUN);
    if (!rows->status &&
        (run != current->run || !csv_is_text(csv_rows_field(rows, KERNEL), current->label)))
        begin_run(recorded, rows, run, current);
    int64_t curve = current->curve;
    if (rows->status || curve < 0)
        return;
    int64_t iteration = csv_rows_whole(rows, ITERATION);
    double residual = csv_rows_norm(rows, RESIDUAL), norm = 0;
    bool has_error = curve == 0 && csv_rows_tells(rows, ERROR_NORM);
    bool has_ghosts = csv_rows_tells(rows, GHOSTS);
    int64_t ghosts = has_ghosts ? csv_rows_whole(rows, GHOSTS) : 0;
    if (has_error)
        norm = csv_rows_number(rows, ERROR_NORM);
    if (!rows->status && iteration != current->next++)
        csv_rows_fault(rows, "iteration %" PRId64 " stands where %" PRId64 " is wanted", iteration,
                       current->next - 1);
    if (!rows->status && has_error)
        rows->status = course_take(&recorded->error, iteration, norm, norm, rows->error);
    if (ghosts > 0 && recorded->curves[curve].first_ghost < 0)
        recorded->curves[curve].first_ghost = iteration;
    if (!rows->status && has_ghosts)
        rows->status = course_take(&recorded->curves[curve].ghosts, iteration, (double)ghosts,
                                   (double)ghosts, rows->error);
    if (!rows->status && curve == 0 && !recorded->ritz.ended && csv_rows_tells(rows, RITZ_LOW))
        take_ritz_values(recorded, rows, iteration);
    if (!rows->status)
        rows->status = recorded_take_residual(recorded, curve, iteration, residual, rows->error);
}

/* Every selected run was there, as long as the summary says. */
static enum status check_histories(const struct recorded *recorded, const char *path,
                                   struct error *error)
{
    for (int64_t k = 0; k < recorded->selection.count; k++) {
        const struct selected_run *run = &recorded->selection.runs[k];
        const struct summary_kernel *kernel = &recorded->summary.kernels[run->kernel];
        const struct course *course = &recorded->curves[k].history;
        int64_t last = course->count > 0 ? course->points[course->count - 1].end : -1;
        int64_t wanted = -1;
        for (int64_t r = 0; r < kernel->runs_count; r++)
            if (kernel->runs[r].run == run->run)
                wanted = kernel->runs[r].iterations;
        if (last != wanted)
            return error_set(error, STATUS_INPUT,
                             "%s: run %" PRId64 " of '%s' ends at iteration %" PRId64
                             ", and in summary.json at %" PRId64,
                             path, run->run, kernel->label, last, wanted);
    }
    return STATUS_OK;
}

static int64_t points_each(int64_t curves)
{
    int64_t points = POINTS / curves;
    return points < POINTS_LEAST ? POINTS_LEAST : points > POINTS_MOST ? POINTS_MOST : points;
}

/* Wider by those that end near. */
static void take_neighbours(const struct summary *summary, struct recorded_ends *ends)
{
    int64_t suggestion = ends->end - ends->begin;
    for (int k = 0; k < summary->kernels_count; k++) {
        const struct summary_kernel *kernel = &summary->kernels[k];
        int64_t most = kernel->by_count[kernel->runs_count - 1].iterations;
        int64_t fewest = kernel->by_count[0].iterations;
        if (most < ends->begin - suggestion || fewest > ends->end + suggestion ||
            most - fewest > suggestion)
            continue;
        ends->begin = fewest - suggestion / 4 < ends->begin ? fewest - suggestion / 4 : ends->begin;
        ends->end = most + suggestion / 20 > ends->end ? most + suggestion / 20 : ends->end;
    }
}

static struct recorded_ends find_ends(const struct summary *summary)
{
    enum { FEWEST = 20 };
    int64_t longest = summary_longest(summary), widest = -1;
    struct recorded_ends ends = {0};
    if (summary->columns > 1 || longest > INT64_MAX / 4) /* no run, but a file may claim it */
        return (struct recorded_ends){0, -1};
    for (int k = 0; k < summary->kernels_count; k++) {
        const struct summary_kernel *kernel = &summary->kernels[k];
        int64_t fewest = kernel->by_count[0].iterations;
        int64_t most = kernel->by_count[kernel->runs_count - 1].iterations, spread = most - fewest;
        int64_t before = spread > FEWEST ? spread : FEWEST;
        if (spread < widest || (spread == widest && most < ends.end))
            continue;
        widest = spread;
        ends = (struct recorded_ends){fewest - before, most + before / 8};
    }
    take_neighbours(summary, &ends);
    return ends.begin >= longest / 2 ? ends : (struct recorded_ends){0, -1};
}

enum status recorded_begin_curves(struct recorded *recorded, int64_t most, struct error *error)
{
    const struct summary *summary = &recorded->summary;
    int kernels = summary->kernels_count;
    enum status status = selection_make(summary, most, &recorded->selection, error);
    if (status)
        return status;
    int64_t count = recorded->selection.count, longest = summary_longest(summary);
    int64_t points = points_each(count), width = course_width(longest, points);
    recorded->curves = memory_zeros(count, sizeof *recorded->curves, "the curves", error);
    recorded->envelope = memory_zeros(kernels, sizeof *recorded->envelope, "the envelopes", error);
    if (!recorded->curves || !recorded->envelope)
        return STATUS_MEMORY;
    recorded->ends = find_ends(summary);
    status = ritz_values_begin(summary, longest, &recorded->ritz, error);
    if (status)
        return status;
    recorded->error.width = width;
    for (int64_t k = 0; k < count; k++)
        recorded->curves[k] = (struct recorded_curve){
            .history = {.width = width},
            .last = {.width = course_width(recorded->ends.end - recorded->ends.begin, points)},
            .ghosts = {.width = width, .linear = true},
            .first_ghost = -1};
    for (int k = 0; k < kernels; k++)
        recorded->envelope[k].residuals.width = course_width(longest, points_each(kernels));
    return STATUS_OK;
}

static enum status read_history(struct recorded *recorded, const char *path, struct error *error)
{
    struct csv_rows rows = {0};
    struct current current = {.run = -1, .curve = -1};
    enum status status = csv_rows_open(path, history_columns, NULL, NULL, &rows, error);
    while (!status && csv_rows_next(&rows))
        take_row(recorded, &rows, &current);
    if (!status)
        status = rows.status ? rows.status : check_histories(recorded, path, error);
    csv_rows_close(&rows);
    return status;
}

/* --- settings.cfg, and all of it -------------------------------------------------------------- */

static enum status read_settings(struct recorded *recorded, const char *path, struct error *error)
{
    int64_t length;
    enum status status = input_text(path, &recorded->settings, &length, error);
    if (!status)
        text_clean(recorded->settings, "\n\t");
    return status;
}

static enum status read_summary(struct recorded *recorded, const char *path, struct error *error)
{
    return summary_read(path, &recorded->summary, error);
}

/* DIRECTORY/NAME, if it is there or `needed`. */
static enum status read_file(struct recorded *recorded, const char *name, bool needed,
                             enum status (*read)(struct recorded *, const char *, struct error *),
                             struct error *error)
{
    char *path = path_join(recorded->directory, name, error);
    bool exists = path && (access(path, F_OK) == 0 || errno != ENOENT);
    enum status status = path ? STATUS_OK : STATUS_MEMORY;
    if (!status && (needed || exists))
        status = read(recorded, path, error);
    memory_free(path);
    return status;
}

enum status recorded_read(const char *directory, int64_t curves, struct recorded *recorded,
                          struct error *error)
{
    *recorded = (struct recorded){.directory = memory_text(directory, "a path", error)};
    enum status status = recorded->directory ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = unfinished_check(directory, error);
    if (!status)
        status = read_file(recorded, "summary.json", true, read_summary, error);
    if (!status)
        status = recorded_begin_curves(recorded, curves, error);
    if (!status && recorded->summary.columns == 1)
        status = read_file(recorded, "history.csv", true, read_history, error);
    if (!status)
        status = read_file(recorded, "envelope.csv", false, recorded_read_envelope, error);
    if (!status)
        status = read_file(recorded, "settings.cfg", false, read_settings, error);
    if (status)
        recorded_free(recorded);
    else
        text_clean(recorded->directory, "");
    return status;
}

void recorded_free(struct recorded *recorded)
{
    for (int64_t k = 0; recorded->curves && k < recorded->selection.count; k++) {
        course_free(&recorded->curves[k].history);
        course_free(&recorded->curves[k].last);
        course_free(&recorded->curves[k].ghosts);
    }
    course_free(&recorded->error);
    ritz_values_free(&recorded->ritz);
    for (int k = 0; recorded->envelope && k < recorded->summary.kernels_count; k++) {
        course_free(&recorded->envelope[k].residuals);
        course_free(&recorded->envelope[k].ulps);
    }
    memory_free(recorded->curves);
    memory_free(recorded->envelope);
    selection_free(&recorded->selection);
    summary_free(&recorded->summary);
    memory_free(recorded->settings);
    memory_free(recorded->directory);
    *recorded = (struct recorded){0};
}
