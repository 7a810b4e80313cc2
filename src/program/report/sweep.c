#include "program/report/sweep.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/csv.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = 8400 };

enum {
    RUN,
    MATRIX,
    KERNEL,
    PARAMETERS,
    STATUS,
    SPEED,
    SECONDS,
    ROWS,
    ENTRIES,
    MEAN,
    DEVIATION,
    VARIATION,
    LONGEST,
    SHORTEST,
    BELOW_32,
    GFLOPS,
    OF_COPY,
};
static const char *const columns[] = {"run",
                                      "matrix",
                                      "kernel",
                                      "parameters",
                                      "status",
                                      "bytes_per_second",
                                      "?median_seconds",
                                      "rows",
                                      "entries",
                                      "row_mean",
                                      "row_deviation",
                                      "row_variation",
                                      "row_longest",
                                      "?row_shortest", /* an older version does not tell */
                                      "?rows_below_32",
                                      "?gflops",
                                      "?of_copy",
                                      NULL};

/* What stands in the column, in text[FIELD]. */
static const char *take_text(struct csv_rows *rows, int column, char *text)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    const char *at = field->begin;
    if (!csv_take(&at, field->end, text, FIELD))
        csv_rows_fault(rows, "a field in quotes does not end");
    return text;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The place of the matrix; at its first row it gets one. The rows of a matrix mostly stand
 * together. -1 after a fault. */
static int64_t find_matrix(struct sweep *sweep, struct csv_rows *rows)
{
    char name[FIELD];
    int64_t place = sweep->matrices_count - 1;
    for (take_text(rows, MATRIX, name); place >= 0; place--)
        if (strcmp(sweep->matrices[place].name, name) == 0)
            break;
    if (place < 0 && !rows->status) {
        rows->status = memory_grow((void **)&sweep->matrices, &sweep->matrices_capacity,
                                   sweep->matrices_count + 1, sizeof *sweep->matrices,
                                   "the matrices", rows->error);
        char *copy = rows->status ? NULL : memory_text(name, "a matrix's name", rows->error);
        rows->status = copy ? STATUS_OK : STATUS_MEMORY;
        if (copy) {
            place = sweep->matrices_count++;
            sweep->matrices[place] = (struct sweep_matrix){.name = copy, .best = INFINITY};
        }
    }
    if (rows->status)
        return -1;
    struct sweep_matrix *matrix = &sweep->matrices[place];
    double *const numbers[] = {&matrix->rows,      &matrix->entries,   &matrix->mean,
                               &matrix->deviation, &matrix->variation, &matrix->longest,
                               &matrix->shortest,  &matrix->below_32};
    for (int column = ROWS; column <= BELOW_32; column++)
        *numbers[column - ROWS] =
            csv_rows_field(rows, column) ? csv_rows_finite(rows, column) : NAN;
    return place;
}

/* NULL after a fault. */
static struct sweep_kernel *find_kernel(struct sweep *sweep, struct csv_rows *rows)
{
    char label[FIELD], parameters[FIELD];
    take_text(rows, KERNEL, label);
    take_text(rows, PARAMETERS, parameters);
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        if (strcmp(sweep->kernels[k].label, label) == 0 &&
            strcmp(sweep->kernels[k].parameters, parameters) == 0)
            return &sweep->kernels[k];
    if (!rows->status)
        rows->status = memory_grow((void **)&sweep->kernels, &sweep->kernels_capacity,
                                   sweep->kernels_count + 1, sizeof *sweep->kernels, "the kernels",
                                   rows->error);
    if (rows->status)
        return NULL;
    struct sweep_kernel *kernel = &sweep->kernels[sweep->kernels_count++];
    *kernel = (struct sweep_kernel){
        .label = memory_text(label, "a kernel's label", rows->error),
        .parameters = memory_text(parameters, "a kernel's parameters", rows->error)};
    if (!kernel->label || !kernel->parameters)
        rows->status = STATUS_MEMORY;
    return kernel;
}

/* The number in the column; 0 where the file does not tell. */
static double take_told(struct csv_rows *rows, int column)
{
    bool told = csv_rows_tells(rows, column) && !csv_is_text(csv_rows_field(rows, column), "inf");
    return told ? csv_rows_finite(rows, column) : 0;
}

/* What was too short for the clock has no speed. */
static void take_pass(struct sweep_kernel *kernel, int64_t matrix, struct csv_rows *rows)
{
    bool timed = !csv_is_text(csv_rows_field(rows, SPEED), "inf");
    double speed = timed ? csv_rows_finite(rows, SPEED) : 0, seconds = take_told(rows, SECONDS);
    double of_copy = take_told(rows, OF_COPY), gflops = take_told(rows, GFLOPS);
    int64_t k = kernel->count - 1;
    if (rows->status || speed == 0)
        return;
    while (k >= 0 && kernel->points[k].matrix != matrix)
        k--;
    if (k < 0) {
        k = kernel->count;
        rows->status = memory_grow((void **)&kernel->points, &kernel->capacity, k + 1,
                                   sizeof *kernel->points, "the products", rows->error);
        if (rows->status)
            return;
        kernel->count++;
    }
    kernel->points[k] = (struct sweep_point){.matrix = matrix,
                                             .speed = speed,
                                             .seconds = seconds > 0 ? seconds : INFINITY,
                                             .operations = 1e9 * gflops,
                                             .copy = of_copy > 0 ? speed / of_copy : 0};
}

static void find_best(struct sweep *sweep)
{
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        for (int64_t p = 0; p < sweep->kernels[k].count; p++) {
            const struct sweep_point *point = &sweep->kernels[k].points[p];
            struct sweep_matrix *matrix = &sweep->matrices[point->matrix];
            matrix->best = fmin(matrix->best, point->seconds);
        }
}

static void take_row(struct sweep *sweep, struct csv_rows *rows)
{
    const struct csv_field *status = csv_rows_field(rows, STATUS);
    if (!csv_rows_tells(rows, KERNEL)) {
        sweep->files++;
        return;
    }
    int64_t matrix = find_matrix(sweep, rows);
    struct sweep_kernel *kernel = find_kernel(sweep, rows);
    if (rows->status)
        return;
    if (csv_is_text(status, "pass"))
        take_pass(kernel, matrix, rows);
    else if (csv_is_text(status, "fail"))
        sweep->failed++;
    else if (csv_is_text(status, "skipped"))
        sweep->skipped++;
    else
        csv_rows_fault(rows, "a status that no bench writes: %.*s",
                       (int)(status->end - status->begin), status->begin);
}

/* ---- what is said of it ---------------------------------------------------------------------- */

static enum status name_kernels(struct sweep *sweep, struct error *error)
{
    sweep->axes.labels =
        memory_array(sweep->kernels_count, sizeof *sweep->axes.labels, "the labels", error);
    if (!sweep->axes.labels)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        struct sweep_kernel *kernel = &sweep->kernels[k];
        kernel->name = kernel->label;
        for (int64_t j = 0; j < sweep->kernels_count; j++)
            if (j != k && strcmp(sweep->kernels[j].label, kernel->label) == 0)
                kernel->name = kernel->parameters;
        /* the parameters begin with the kernel's own name */
        kernel->kernel = memory_text(kernel->parameters, "a kernel's name", error);
        if (!kernel->kernel)
            return STATUS_MEMORY;
        kernel->kernel[strcspn(kernel->kernel, " ")] = '\0';
        plot_take_label(&sweep->axes, kernel->name, kernel->kernel);
    }
    return STATUS_OK;
}

enum { SPEEDS, VARIATIONS, ENTRY_COUNTS, MEANS, QUANTITIES };

/* values[q] = quantity q of each of the kernel's matrices. */
static void gather(const struct sweep *sweep, const struct sweep_kernel *kernel,
                   double *const *values)
{
    for (int64_t k = 0; k < kernel->count; k++) {
        const struct sweep_matrix *matrix = &sweep->matrices[kernel->points[k].matrix];
        values[SPEEDS][k] = kernel->points[k].speed;
        values[VARIATIONS][k] = matrix->variation;
        values[ENTRY_COUNTS][k] = matrix->entries;
        values[MEANS][k] = matrix->mean;
    }
}

/* A matrix may have no entry. */
static void take_logarithms(double *const *values, int64_t count)
{
    static const double least[QUANTITIES] = {0, SWEEP_VARIATION_LEAST, 1, 1e-12};
    for (int q = 0; q < QUANTITIES; q++)
        for (int64_t k = 0; k < count; k++)
            values[q][k] = log10(fmax(values[q][k], least[q]));
}

static enum status correlate(const struct sweep *sweep, struct sweep_kernel *kernel,
                             struct error *error)
{
    static const int of[] = {ENTRY_COUNTS, MEANS};
    double r[QUANTITIES * QUANTITIES], *values[QUANTITIES];
    int64_t count = kernel->count;
    struct sweep_correlation *c = &kernel->correlation;
    *c = (struct sweep_correlation){NAN, NAN, NAN, NAN, NAN, NAN};
    if (count < SWEEP_LEAST)
        return STATUS_OK;
    double *room = memory_array(QUANTITIES * count, sizeof *room, "the correlations", error);
    if (!room)
        return STATUS_MEMORY;
    for (int q = 0; q < QUANTITIES; q++)
        values[q] = room + q * count;
    gather(sweep, kernel, values);
    enum status status =
        rank_correlations((const double *const *)values, QUANTITIES, count, r, error);
    if (!status) {
        c->entries = r[ENTRY_COUNTS];
        c->mean = r[MEANS];
        c->variation = r[VARIATIONS];
        c->alone = partial_correlation(r, QUANTITIES, SPEEDS, VARIATIONS, of, 2);
        c->chance = fmin(1, 1.96 / sqrt((double)(count - 3)));
        take_logarithms(values, count);
        c->factor =
            pow(10, partial_slope(values + VARIATIONS, MEANS - VARIATIONS, values[SPEEDS], count));
    }
    memory_free(room);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The rows of that run; or NULL, and `last` becomes that of the last row. */
static enum status read_rows(struct sweep *sweep, const char *path, const char *run,
                             char last[FIELD], struct error *error)
{
    struct csv_rows rows = {0};
    struct error why;
    enum status status = csv_rows_open(path, columns, NULL, NULL, &rows, &why);
    if (status)
        error_set(error, status, "%s%s", why.text,
                  rows.reader.line == 1 ? "; report takes the CSV of cgsolve bench, or residual "
                                          "histories with the columns run, iteration and residual"
                                        : "");
    rows.error = error;
    while (!status && csv_rows_next(&rows)) {
        const char *of = take_text(&rows, RUN, last);
        if (run && strcmp(of, run) == 0)
            take_row(sweep, &rows);
        else
            sweep->others += run != NULL;
    }
    status = status ? status : rows.status;
    csv_rows_close(&rows);
    return status;
}

enum status sweep_read(const char *path, struct sweep *sweep, struct error *error)
{
    char run[FIELD] = "", last[FIELD];
    *sweep = (struct sweep){.path = memory_text(path, "a path", error)};
    enum status status = sweep->path ? read_rows(sweep, path, NULL, run, error) : STATUS_MEMORY;
    if (!status)
        status = read_rows(sweep, path, run, last, error);
    if (!status)
        status = name_kernels(sweep, error);
    find_best(sweep);
    for (int64_t k = 0; k < sweep->kernels_count && !status; k++)
        status = correlate(sweep, &sweep->kernels[k], error);
    if (status)
        sweep_free(sweep);
    else
        text_clean(sweep->path, "");
    return status;
}

void sweep_free(struct sweep *sweep)
{
    for (int64_t k = 0; k < sweep->matrices_count; k++)
        memory_free(sweep->matrices[k].name);
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        memory_free(sweep->kernels[k].label);
        memory_free(sweep->kernels[k].kernel);
        memory_free(sweep->kernels[k].parameters);
        memory_free(sweep->kernels[k].points);
    }
    memory_free(sweep->matrices);
    memory_free(sweep->kernels);
    memory_free(sweep->path);
    plot_axes_free(&sweep->axes);
    *sweep = (struct sweep){0};
}
