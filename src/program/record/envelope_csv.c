#include "program/record/results.h"

#include "base/memory.h"
#include "io/csv.h"
#include "study/comparison.h"
#include "study/statistics.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A piece of so many bytes of residuals is in memory at once; one iteration at the least. */
enum { PIECE = 1 << 20, LINE = 1100 };

/* The rows of one kernel on their way from history.csv. */
struct envelope_pass {
    FILE *stream;
    const char *path;
    const struct study_kernel *kernel;
    bool has_columns; /* several right-hand sides */
    int hex;          /* the place of residual_hex in a line */
    int64_t *next;    /* [runs]: at which byte the next row of each run begins */
    int64_t capacity; /* iterations in a piece */
    double *
        residuals; /* [capacity][runs]: iteration by iteration, those of the runs that came to it */
    int64_t *counts; /* [capacity]: how many did */
};

enum status envelope_csv_begin(const char *directory, int64_t columns, struct text_file *file,
                               struct error *error)
{
    enum status status = text_file_begin(directory, "envelope.csv", file, error);
    if (status)
        return status;
    status = text_file_line(file, error, "kernel,iteration,runs,min,median,max,ulps%s",
                            columns > 1 ? ",column" : "");
    if (status)
        text_file_abandon(file);
    return status;
}

/* The residual in the next row of the stream. */
static enum status read_row(const struct envelope_pass *pass, double *residual, struct error *error)
{
    char line[LINE];
    struct csv_field fields[CSV_FIELDS_MAX];
    if (fgets(line, sizeof line, pass->stream) &&
        csv_split(line, line + strcspn(line, "\n"), fields) > pass->hex &&
        csv_norm(&fields[pass->hex], residual))
        return STATUS_OK;
    return error_set(error, STATUS_OUTPUT, "%s: what was written cannot be read back", pass->path);
}

/* The iterations from `begin` on of one run, as many as a piece holds. */
static enum status read_run(struct envelope_pass *pass, int64_t run, int64_t begin,
                            struct error *error)
{
    int64_t left = pass->kernel->runs[run].result.iterations + 1 - begin;
    int64_t count = left < pass->capacity ? left : pass->capacity;
    if (count <= 0)
        return STATUS_OK;
    if (fseeko(pass->stream, (off_t)pass->next[run], SEEK_SET) != 0)
        return error_set(error, STATUS_OUTPUT, "%s: cannot read: %s", pass->path, strerror(errno));
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < count && !status; k++) {
        double *row = pass->residuals + k * pass->kernel->runs_count;
        status = read_row(pass, &row[pass->counts[k]++], error);
    }
    pass->next[run] = (int64_t)ftello(pass->stream);
    return status;
}

static enum status write_row(struct text_file *file, const struct envelope_pass *pass,
                             int64_t iteration, double middle, struct error *error)
{
    const struct envelope_row *row = &pass->kernel->envelope.rows[iteration];
    char lowest[32], median[32], highest[32], ulps[32] = "", column[32] = "";
    if (!isnan(row->highest))
        snprintf(ulps, sizeof ulps, "%" PRId64, difference_ulps(row->highest, row->lowest));
    if (pass->has_columns)
        snprintf(column, sizeof column, ",%" PRId64, pass->kernel->column);
    return text_file_line(
        file, error, "%s,%" PRId64 ",%" PRId64 ",%s,%s,%s,%s%s", pass->kernel->label, iteration,
        row->runs, csv_number(lowest, "%.17g", row->lowest), csv_number(median, "%.17g", middle),
        csv_number(highest, "%.17g", row->highest), ulps, column);
}

static enum status write_piece(struct text_file *file, struct envelope_pass *pass, int64_t begin,
                               struct error *error)
{
    int64_t runs = pass->kernel->runs_count;
    memset(pass->counts, 0, (size_t)pass->capacity * sizeof *pass->counts);
    enum status status = STATUS_OK;
    for (int64_t r = 0; r < runs && !status; r++)
        status = read_run(pass, r, begin, error);
    for (int64_t k = 0; k < pass->capacity && pass->counts[k] > 0 && !status; k++)
        status = write_row(file, pass, begin + k,
                           median(pass->residuals + k * runs, pass->counts[k]), error);
    return status;
}

static enum status write_pieces(struct text_file *file, struct envelope_pass *pass,
                                const struct history_csv *history, struct error *error)
{
    int64_t runs = pass->kernel->runs_count, iterations = pass->kernel->envelope.count;
    pass->capacity = PIECE / (runs * (int64_t)sizeof(double));
    if (pass->capacity > iterations)
        pass->capacity = iterations;
    if (pass->capacity < 1)
        pass->capacity = 1;
    pass->next = memory_array(runs, sizeof *pass->next, "where the runs begin", error);
    pass->counts = memory_array(pass->capacity, sizeof *pass->counts, "the medians", error);
    pass->residuals = memory_array(pass->capacity, (size_t)runs * sizeof *pass->residuals,
                                   "the residuals of some iterations", error);
    enum status status = STATUS_OK;
    if (!pass->next || !pass->counts || !pass->residuals)
        status = STATUS_MEMORY;
    for (int64_t r = 0; r < runs && !status; r++)
        pass->next[r] = history->runs[r * history->columns + pass->kernel->column];
    for (int64_t k = 0; k < iterations && !status; k += pass->capacity)
        status = write_piece(file, pass, k, error);
    memory_free(pass->next);
    memory_free(pass->counts);
    memory_free(pass->residuals);
    return status;
}

enum status envelope_csv_kernel(struct text_file *file, struct history_csv *history,
                                const struct study_kernel *kernel, struct error *error)
{
    enum status status = history_csv_flush(history, error);
    if (status)
        return status;
    struct envelope_pass pass = {.path = history->file.partial,
                                 .kernel = kernel,
                                 .has_columns = history->columns > 1,
                                 .hex = history->residual_hex};
    pass.stream = fopen(pass.path, "r");
    if (!pass.stream)
        return error_set(error, STATUS_OUTPUT, "%s: cannot read: %s", pass.path, strerror(errno));
    status = write_pieces(file, &pass, history, error);
    fclose(pass.stream);
    return status ? status : text_file_flush(file, error);
}
