#include "program/report/study_files.h"

#include "base/memory.h"
#include "io/csv.h"
#include "io/input_file.h"
#include "io/text_file.h"
#include "program/report/text.h"
#include "program/report/unfinished.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    POINTS = 3000, /* of all histories together: a picture of them is some 100 KB */
    POINTS_LEAST = 60,
    POINTS_MOST = 300, /* of one curve, each up to two of a line 700 wide */
    LABEL = 1024,
};

/* The kernel of the row, whose label stands in that column. summary.json has it as it is shown. */
enum status recorded_find_kernel(const struct recorded *recorded, const struct csv_rows *rows,
                                 int column, int *kernel, struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    char label[LABEL];
    csv_text(field, label, sizeof label);
    *kernel = summary_find(&recorded->summary, label);
    if (*kernel < 0) { /* one that was no UTF-8 */
        text_clean(label, "\n\t");
        *kernel = summary_find(&recorded->summary, label);
    }
    return *kernel >= 0
               ? STATUS_OK
               : csv_rows_fault(rows, error, "summary.json tells of no kernel '%s'", label);
}

/* --- history.csv ------------------------------------------------------------------------------ */

enum history_column { KERNEL, RUN, ITERATION, RESIDUAL, ERROR_NORM, GHOSTS };
static const char *const history_columns[] = {"kernel",      "run",     "iteration", "residual_hex",
                                              "?error_norm", "?ghosts", NULL};

/* The run that the rows are of. */
struct current {
    char label[LABEL];     /* as it stands in the file */
    int64_t run, next;     /* the iteration that is expected */
    struct course *course; /* NULL: it is not drawn */
};

static struct course *find_course(struct recorded *recorded, int kernel, int64_t run)
{
    const struct selection *selection = &recorded->selection;
    for (int64_t k = 0; k < selection->count; k++)
        if (selection->runs[k].kernel == kernel && selection->runs[k].run == run)
            return &recorded->histories[k];
    return NULL;
}

static enum status begin_run(struct recorded *recorded, const struct csv_rows *rows, int64_t run,
                             struct current *current, struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, KERNEL);
    csv_text(field, current->label, sizeof current->label);
    current->run = run;
    current->next = 0;
    int kernel;
    enum status status = recorded_find_kernel(recorded, rows, KERNEL, &kernel, error);
    if (status)
        return status;
    current->course = find_course(recorded, kernel, run);
    if (current->course && current->course->count > 0)
        return csv_rows_fault(rows, error, "the rows of run %" PRId64 " do not stand together",
                              run);
    return STATUS_OK;
}

static bool is_told(const struct csv_rows *rows, int column)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    return field && field->begin != field->end;
}

/* The estimated error, where the row has one. */
static enum status take_error(struct course *course, const struct csv_rows *rows, int64_t iteration,
                              struct error *error)
{
    double norm;
    if (!is_told(rows, ERROR_NORM))
        return STATUS_OK;
    enum status status = csv_rows_number(rows, ERROR_NORM, &norm, error);
    return status ? status : course_take(course, iteration, norm, norm, error);
}

/* How many ghosts there are, where the row tells. */
static enum status take_ghosts(struct recorded_ghosts *ghosts, const struct csv_rows *rows,
                               int64_t iteration, struct error *error)
{
    int64_t count;
    if (!is_told(rows, GHOSTS))
        return STATUS_OK;
    enum status status = csv_rows_whole(rows, GHOSTS, &count, error);
    if (!status && count > 0 && ghosts->first < 0)
        ghosts->first = iteration;
    return status ? status
                  : course_take(&ghosts->counts, iteration, (double)count, (double)count, error);
}

enum status recorded_take_residual(struct recorded *recorded, int64_t curve, int64_t iteration,
                                   double residual, struct error *error)
{
    enum status status = STATUS_OK;
    if (iteration >= recorded->ends.begin && iteration <= recorded->ends.end)
        status = course_take(&recorded->last[curve], iteration, residual, residual, error);
    return status ? status
                  : course_take(&recorded->histories[curve], iteration, residual, residual, error);
}

static enum status take_history_row(struct recorded *recorded, const struct csv_rows *rows,
                                    struct current *current, struct error *error)
{
    int64_t run, iteration;
    double residual;
    enum status status = csv_rows_whole(rows, RUN, &run, error);
    if (!status &&
        (run != current->run || !csv_is_text(csv_rows_field(rows, KERNEL), current->label)))
        status = begin_run(recorded, rows, run, current, error);
    if (status || !current->course)
        return status;
    status = csv_rows_whole(rows, ITERATION, &iteration, error);
    if (!status)
        status = csv_rows_norm(rows, RESIDUAL, &residual, error);
    if (status)
        return status;
    if (iteration != current->next)
        return csv_rows_fault(rows, error,
                              "iteration %" PRId64 " stands where %" PRId64 " is wanted", iteration,
                              current->next);
    current->next++;
    if (current->course == recorded->histories)
        status = take_error(&recorded->error, rows, iteration, error);
    if (!status)
        status = take_ghosts(&recorded->ghosts[current->course - recorded->histories], rows,
                             iteration, error);
    return status ? status
                  : recorded_take_residual(recorded, current->course - recorded->histories,
                                           iteration, residual, error);
}

/* Every selected run was there, as long as the summary says. */
static enum status check_histories(const struct recorded *recorded, const char *path,
                                   struct error *error)
{
    for (int64_t k = 0; k < recorded->selection.count; k++) {
        const struct selected_run *run = &recorded->selection.runs[k];
        const struct summary_kernel *kernel = &recorded->summary.kernels[run->kernel];
        const struct course *course = &recorded->histories[k];
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

static enum status read_rows(struct recorded *recorded, struct csv_rows *rows, struct error *error)
{
    struct current current = {.run = -1};
    enum status status = STATUS_OK;
    for (bool more = true; more && !status;) {
        status = csv_rows_next(rows, &more, error);
        if (!status && more)
            status = take_history_row(recorded, rows, &current, error);
    }
    return status ? status : check_histories(recorded, rows->path, error);
}

int64_t recorded_points(int64_t curves)
{
    int64_t points = POINTS / (curves > 0 ? curves : 1);
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
    if (longest > INT64_MAX / 4) /* no run, but a file may claim it */
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

enum status recorded_begin_histories(struct recorded *recorded, struct error *error)
{
    int64_t count = recorded->selection.count;
    int64_t width = course_width(summary_longest(&recorded->summary), recorded_points(count));
    recorded->histories = memory_zeros(count, sizeof *recorded->histories, "the curves", error);
    recorded->last = memory_zeros(count, sizeof *recorded->last, "the curves", error);
    recorded->ghosts = memory_zeros(count, sizeof *recorded->ghosts, "the curves", error);
    if (!recorded->histories || !recorded->last || !recorded->ghosts)
        return STATUS_MEMORY;
    recorded->ends = find_ends(&recorded->summary);
    for (int64_t k = 0; k < count; k++) {
        recorded->histories[k].width = width;
        recorded->last[k].width =
            course_width(recorded->ends.end - recorded->ends.begin, recorded_points(count));
        recorded->ghosts[k] =
            (struct recorded_ghosts){.counts = {.width = width, .linear = true}, .first = -1};
    }
    recorded->error.width = width;
    return STATUS_OK;
}

static enum status read_history(struct recorded *recorded, const char *path, struct error *error)
{
    struct csv_rows rows = {0};
    enum status status = recorded_begin_histories(recorded, error);
    if (!status)
        status = csv_rows_open(path, history_columns, NULL, NULL, &rows, error);
    if (!status)
        status = read_rows(recorded, &rows, error);
    csv_rows_close(&rows);
    return status;
}

/* --- settings.cfg, and all of it -------------------------------------------------------------- */

static enum status read_settings(struct recorded *recorded, const char *path, struct error *error)
{
    int64_t length;
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        recorded->settings = memory_text("", "the settings", error);
        return recorded->settings ? STATUS_OK : STATUS_MEMORY;
    }
    enum status status = input_text(path, &recorded->settings, &length, error);
    if (!status)
        text_clean(recorded->settings, "\n\t");
    return status;
}

static enum status read_summary(struct recorded *recorded, const char *path, struct error *error)
{
    return summary_read(path, &recorded->summary, error);
}

typedef enum status reader(struct recorded *recorded, const char *path, struct error *error);

static enum status read_file(struct recorded *recorded, const char *directory, const char *name,
                             reader *read, struct error *error)
{
    char *path = path_join(directory, name, error);
    enum status status = path ? read(recorded, path, error) : STATUS_MEMORY;
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
        status = read_file(recorded, directory, "summary.json", read_summary, error);
    if (!status)
        status = selection_make(&recorded->summary, curves, &recorded->selection, error);
    bool several = recorded->summary.columns > 1;
    if (!status && !several)
        status = read_file(recorded, directory, "history.csv", read_history, error);
    if (!status)
        status = read_file(recorded, directory, "envelope.csv",
                           several ? recorded_read_columns : recorded_read_envelope, error);
    if (!status)
        status = read_file(recorded, directory, "settings.cfg", read_settings, error);
    if (status)
        recorded_free(recorded);
    else
        text_clean(recorded->directory, "");
    return status;
}

void recorded_free(struct recorded *recorded)
{
    for (int64_t k = 0; recorded->histories && k < recorded->selection.count; k++)
        course_free(&recorded->histories[k]);
    for (int64_t k = 0; recorded->ghosts && k < recorded->selection.count; k++)
        course_free(&recorded->ghosts[k].counts);
    for (int64_t k = 0; recorded->last && k < recorded->selection.count; k++)
        course_free(&recorded->last[k]);
    course_free(&recorded->error);
    for (int k = 0; recorded->envelope && k < recorded->summary.kernels_count; k++) {
        course_free(&recorded->envelope[k].residuals);
        course_free(&recorded->envelope[k].ulps);
    }
    memory_free(recorded->histories);
    memory_free(recorded->last);
    memory_free(recorded->ghosts);
    memory_free(recorded->envelope);
    selection_free(&recorded->selection);
    summary_free(&recorded->summary);
    memory_free(recorded->settings);
    memory_free(recorded->directory);
    *recorded = (struct recorded){0};
}
