#include "program/report/sweep.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/text_source.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 20, FIELD = 8400, COLUMNS_MOST = 256 };

/* The columns that are read. */
enum {
    RUN,
    MATRIX,
    KERNEL,
    PARAMETERS,
    STATUS,
    SPEED,
    ROWS,
    ENTRIES,
    MEAN,
    DEVIATION,
    VARIATION,
    LONGEST,
    WANTED, /* what follows may be missing */
    SHORTEST = WANTED,
    BELOW_32,
    COLUMNS,
};

static const char *const names[COLUMNS] = {
    [RUN] = "run",
    [MATRIX] = "matrix",
    [KERNEL] = "kernel",
    [PARAMETERS] = "parameters",
    [STATUS] = "status",
    [SPEED] = "bytes_per_second",
    [ROWS] = "rows",
    [ENTRIES] = "entries",
    [MEAN] = "row_mean",
    [DEVIATION] = "row_deviation",
    [VARIATION] = "row_variation",
    [LONGEST] = "row_longest",
    [SHORTEST] = "row_shortest",
    [BELOW_32] = "rows_below_32",
};

struct reading {
    struct sweep *sweep;
    const char *path;
    struct text_source *source;
    struct text_reader reader;
    int fields;               /* of the header */
    int column[COLUMNS_MOST]; /* which of the columns field f is, or -1 */
    bool told[COLUMNS];       /* whether the header names it */
    char run[FIELD];          /* of the last row */
    char (*values)[FIELD];    /* [COLUMNS]: of the row read last */
};

static enum status fault(const struct reading *reading, struct error *error, const char *what,
                         const char *which)
{
    return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": %s%s", reading->path,
                     reading->reader.line, what, which);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static enum status read_header(struct reading *reading, struct error *error)
{
    const char *begin, *end;
    reading->reader = text_reader_start(reading->source);
    enum status status = text_reader_next(&reading->reader, &begin, &end, error);
    if (status)
        return status;
    memset(reading->told, 0, sizeof reading->told);
    for (reading->fields = 0; csv_take(&begin, end, reading->values[0], FIELD); reading->fields++) {
        if (reading->fields == COLUMNS_MOST)
            return fault(reading, error, "too many columns", "");
        int column = COLUMNS - 1;
        while (column >= 0 && strcmp(reading->values[0], names[column]) != 0)
            column--;
        if (column >= 0 && reading->told[column])
            return fault(reading, error, "a column stands there twice: ", names[column]);
        reading->column[reading->fields] = column;
        if (column >= 0)
            reading->told[column] = true;
    }
    for (int column = 0; column < WANTED; column++)
        if (!reading->told[column])
            return fault(reading, error, "this is no CSV of cgsolve bench: it has no column ",
                         names[column]);
    return STATUS_OK;
}

/* The next row; *there = false behind the last one. */
static enum status read_row(struct reading *reading, bool *more, struct error *error)
{
    const char *begin, *end;
    char unused[FIELD];
    int count = 0;
    enum status status = text_reader_next(&reading->reader, &begin, &end, error);
    *more = !status && begin;
    if (!*more)
        return status;
    for (; count < reading->fields; count++) {
        int column = reading->column[count];
        if (!csv_take(&begin, end, column < 0 ? unused : reading->values[column], FIELD))
            break;
    }
    return count == reading->fields && begin > end
               ? STATUS_OK
               : fault(reading, error, "not as many fields as the header has", "");
}

/* The number in a column, which is finite and not negative. */
static enum status number(const struct reading *reading, int column, double *value,
                          struct error *error)
{
    const char *text = reading->values[column], *end = text + strlen(text), *behind = NULL;
    *value = NAN;
    if (!reading->told[column] ||
        (number_read(text, end, value, &behind) == NUMBER_OK && behind == end && *value >= 0))
        return STATUS_OK;
    char quoted[TEXT_QUOTED];
    return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": the %s %s is not a number from 0 on",
                     reading->path, reading->reader.line, names[column],
                     text_quote(text, end, quoted));
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The place of the matrix; at its first row it gets one. The rows of a matrix mostly stand
 * together. */
static enum status find_matrix(struct reading *reading, int64_t *place, struct error *error)
{
    struct sweep *sweep = reading->sweep;
    for (*place = sweep->matrices_count - 1; *place >= 0; --*place)
        if (strcmp(sweep->matrices[*place].name, reading->values[MATRIX]) == 0)
            break;
    if (*place < 0) {
        enum status status =
            memory_grow((void **)&sweep->matrices, &sweep->matrices_capacity,
                        sweep->matrices_count + 1, sizeof *sweep->matrices, "the matrices", error);
        if (status)
            return status;
        *place = sweep->matrices_count;
        char *name = memory_text(reading->values[MATRIX], "a matrix's name", error);
        if (!name)
            return STATUS_MEMORY;
        sweep->matrices[sweep->matrices_count++] = (struct sweep_matrix){.name = name};
    }
    struct sweep_matrix *matrix = &sweep->matrices[*place];
    double *const numbers[COLUMNS] = {
        [ROWS] = &matrix->rows,           [ENTRIES] = &matrix->entries,
        [MEAN] = &matrix->mean,           [DEVIATION] = &matrix->deviation,
        [VARIATION] = &matrix->variation, [LONGEST] = &matrix->longest,
        [SHORTEST] = &matrix->shortest,   [BELOW_32] = &matrix->below_32,
    };
    enum status status = STATUS_OK;
    for (int column = ROWS; column < COLUMNS && !status; column++)
        status = number(reading, column, numbers[column], error);
    return status;
}

static enum status find_kernel(struct reading *reading, struct sweep_kernel **kernel,
                               struct error *error)
{
    struct sweep *sweep = reading->sweep;
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        *kernel = &sweep->kernels[k];
        if (strcmp((*kernel)->label, reading->values[KERNEL]) == 0 &&
            strcmp((*kernel)->parameters, reading->values[PARAMETERS]) == 0)
            return STATUS_OK;
    }
    enum status status =
        memory_grow((void **)&sweep->kernels, &sweep->kernels_capacity, sweep->kernels_count + 1,
                    sizeof *sweep->kernels, "the kernels", error);
    if (status)
        return status;
    *kernel = &sweep->kernels[sweep->kernels_count++];
    **kernel = (struct sweep_kernel){
        .label = memory_text(reading->values[KERNEL], "a kernel's label", error),
        .parameters = memory_text(reading->values[PARAMETERS], "a kernel's parameters", error)};
    return (*kernel)->label && (*kernel)->parameters ? STATUS_OK : STATUS_MEMORY;
}

/* What was too short for the clock has no speed. */
static enum status take_pass(struct reading *reading, struct sweep_kernel *kernel, int64_t matrix,
                             struct error *error)
{
    double speed;
    if (strcmp(reading->values[SPEED], "inf") == 0)
        return STATUS_OK;
    enum status status = number(reading, SPEED, &speed, error);
    if (status || speed == 0)
        return status;
    int64_t k = kernel->count - 1;
    while (k >= 0 && kernel->points[k].matrix != matrix)
        k--;
    if (k < 0) {
        k = kernel->count;
        status = memory_grow((void **)&kernel->points, &kernel->capacity, k + 1,
                             sizeof *kernel->points, "the products", error);
        if (status)
            return status;
        kernel->count++;
    }
    kernel->points[k] = (struct sweep_point){matrix, speed};
    return STATUS_OK;
}

static enum status take_row(struct reading *reading, struct error *error)
{
    struct sweep *sweep = reading->sweep;
    const char *what = reading->values[STATUS];
    if (strcmp(reading->values[RUN], reading->run) != 0) {
        sweep->others++;
        return STATUS_OK;
    }
    if (!*reading->values[KERNEL]) {
        sweep->files++;
        return STATUS_OK;
    }
    struct sweep_kernel *kernel;
    int64_t matrix;
    enum status status = find_matrix(reading, &matrix, error);
    if (!status)
        status = find_kernel(reading, &kernel, error);
    if (status)
        return status;
    if (strcmp(what, "pass") == 0)
        return take_pass(reading, kernel, matrix, error);
    if (strcmp(what, "fail") != 0 && strcmp(what, "skipped") != 0)
        return fault(reading, error, "a status that no bench writes: ", what);
    ++*(*what == 'f' ? &sweep->failed : &sweep->skipped);
    return STATUS_OK;
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

/* A first time for the run of the last row, and a second time for the rows. */
static enum status read_rows(struct reading *reading, struct error *error)
{
    enum status status = STATUS_OK;
    for (int pass = 0; pass < 2 && !status; pass++) {
        bool more = true;
        status = read_header(reading, error);
        while (!status && more) {
            status = read_row(reading, &more, error);
            if (status || !more)
                break;
            if (pass == 0)
                memcpy(reading->run, reading->values[RUN], FIELD);
            else
                status = take_row(reading, error);
        }
    }
    return status;
}

enum status sweep_read(const char *path, struct sweep *sweep, struct error *error)
{
    *sweep = (struct sweep){.path = memory_text(path, "a path", error)};
    struct reading reading = {.sweep = sweep, .path = path};
    reading.values = memory_zeros(COLUMNS, FIELD, "a row of the bench", error);
    enum status status = sweep->path && reading.values ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = text_source_open(path, WINDOW, &reading.source, error);
    if (!status) {
        text_clean(sweep->path, "");
        status = read_rows(&reading, error);
    }
    text_source_close(reading.source);
    memory_free(reading.values);
    if (!status)
        status = name_kernels(sweep, error);
    for (int64_t k = 0; k < sweep->kernels_count && !status; k++)
        status = correlate(sweep, &sweep->kernels[k], error);
    if (status)
        sweep_free(sweep);
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
