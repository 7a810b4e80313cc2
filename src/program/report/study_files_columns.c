/* The residuals of several right-hand sides: of each kernel a band, from the lowest to the highest
 * in any column, and the median of the columns, among those that have come to the iteration. */
#include "program/report/study_files.h"

#include "base/memory.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

enum column { KERNEL, ITERATION, RUNS, LOWEST, MEDIAN, HIGHEST, ULPS, COLUMN };
static const char *const columns[] = {"kernel", "iteration", "runs",   "min", "median",
                                      "max",    "ulps",      "column", NULL};

/* One iteration of a kernel, over the columns. */
struct band_row {
    double lowest, highest;
    double ulps; /* the most; below 0: no column has two runs there */
    bool drawn;  /* none is NaN */
};

/* A kernel, as its columns go by. Medians are kept where a curve has a point. */
struct band {
    int kernel; /* -1: none yet */
    struct band_row *rows;
    int64_t rows_count, rows_capacity;
    int64_t width, points; /* of the curve */
    int64_t columns;
    double *medians; /* [points][columns], of which the first counts[points] are there */
    int64_t *counts;
};

static enum status take_band(struct recorded *recorded, struct band *band, struct error *error)
{
    if (band->kernel < 0)
        return STATUS_OK;
    struct recorded_envelope *envelope = &recorded->envelope[band->kernel];
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < band->rows_count && !status; k++) {
        const struct band_row *row = &band->rows[k];
        status = course_take(&envelope->residuals, k, row->drawn ? row->lowest : NAN,
                             row->drawn ? row->highest : NAN, error);
        if (!status && row->ulps >= 0)
            status = course_take(&envelope->ulps, k, row->ulps, row->ulps, error);
    }
    for (int64_t p = 0; p < band->points && band->counts[p] > 0 && !status; p++) {
        double middle = median(band->medians + p * band->columns, band->counts[p]);
        status =
            course_take(&recorded->histories[band->kernel], p * band->width, middle, middle, error);
        band->counts[p] = 0;
    }
    band->rows_count = 0;
    return status;
}

/* What a row of the file says. */
struct told {
    int64_t iteration, runs, ulps;
    double lowest, middle, highest;
    bool has_ulps;
};

static enum status read_row(const struct csv_rows *rows, struct told *told, struct error *error)
{
    const struct csv_field *ulps = csv_rows_field(rows, ULPS);
    told->ulps = 0;
    told->has_ulps = ulps->begin != ulps->end;
    enum status status = csv_rows_whole(rows, ITERATION, &told->iteration, error);
    if (!status)
        status = csv_rows_whole(rows, RUNS, &told->runs, error);
    if (!status)
        status = csv_rows_number(rows, LOWEST, &told->lowest, error);
    if (!status)
        status = csv_rows_number(rows, MEDIAN, &told->middle, error);
    if (!status)
        status = csv_rows_number(rows, HIGHEST, &told->highest, error);
    if (!status && told->has_ulps)
        status = csv_rows_whole(rows, ULPS, &told->ulps, error);
    return status;
}

/* Of a column that goes on from the iterations before, or begins. */
static enum status take_row(struct band *band, const struct csv_rows *rows, const struct told *told,
                            struct error *error)
{
    int64_t k = told->iteration;
    if (k > band->rows_count)
        return csv_rows_fault(rows, error,
                              "iteration %" PRId64 " stands where %" PRId64 " is wanted", k,
                              band->rows_count);
    if (k == band->rows_count) {
        enum status status = memory_grow((void **)&band->rows, &band->rows_capacity, k + 1,
                                         sizeof *band->rows, "the band of a kernel", error);
        if (status)
            return status;
        band->rows[band->rows_count++] = (struct band_row){INFINITY, 0, -1, true};
    }
    struct band_row *row = &band->rows[k];
    row->drawn = row->drawn && !isnan(told->highest);
    row->lowest = fmin(row->lowest, told->lowest);
    row->highest = fmax(row->highest, told->highest);
    if (told->runs > 1 && told->has_ulps)
        row->ulps = fmax(row->ulps, told->ulps > 0 ? (double)told->ulps : RECORDED_NO_ULPS);
    int64_t p = k / band->width;
    if (k % band->width > 0 || p >= band->points)
        return STATUS_OK;
    if (band->counts[p] == band->columns)
        return csv_rows_fault(rows, error,
                              "the kernel has more columns than summary.json tells of");
    band->medians[p * band->columns + band->counts[p]++] = told->middle;
    return STATUS_OK;
}

static enum status read_rows(struct recorded *recorded, struct csv_rows *rows, struct band *band,
                             struct error *error)
{
    enum status status = STATUS_OK;
    for (bool more = true; more && !status;) {
        struct told told;
        int kernel = band->kernel;
        status = csv_rows_next(rows, &more, error);
        if (!status && more)
            status = recorded_find_kernel(recorded, rows, KERNEL, &kernel, error);
        if (!status && (!more || kernel != band->kernel))
            status = take_band(recorded, band, error);
        band->kernel = kernel;
        if (!status && more)
            status = read_row(rows, &told, error);
        if (!status && more)
            status = take_row(band, rows, &told, error);
    }
    return status;
}

static enum status read_bands(struct recorded *recorded, const char *path, struct band *band,
                              struct error *error)
{
    band->medians = memory_array(band->points, (size_t)band->columns * sizeof *band->medians,
                                 "the medians", error);
    band->counts = memory_zeros(band->points, sizeof *band->counts, "the medians", error);
    enum status status = band->medians && band->counts ? STATUS_OK : STATUS_MEMORY;
    struct csv_rows rows = {0};
    if (!status)
        status = csv_rows_open(path, columns, NULL, NULL, &rows, error);
    if (!status)
        status = read_rows(recorded, &rows, band, error);
    csv_rows_close(&rows);
    memory_free(band->medians);
    memory_free(band->counts);
    memory_free(band->rows);
    return status;
}

enum status recorded_read_columns(struct recorded *recorded, const char *path, struct error *error)
{
    const struct summary *summary = &recorded->summary;
    int64_t count = recorded->selection.count, longest = summary_longest(summary);
    int64_t width = course_width(longest, recorded_points(count));
    recorded->histories = memory_zeros(count, sizeof *recorded->histories, "the curves", error);
    recorded->last = memory_zeros(count, sizeof *recorded->last, "the curves", error);
    recorded->ghosts = memory_zeros(count, sizeof *recorded->ghosts, "the curves", error);
    recorded->envelope = memory_zeros(count, sizeof *recorded->envelope, "the envelopes", error);
    if (!recorded->histories || !recorded->last || !recorded->ghosts || !recorded->envelope)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < count; k++)
        recorded->histories[k].width = recorded->envelope[k].residuals.width = width;
    recorded->ends = (struct recorded_ends){0, -1};
    recorded->has_envelope = access(path, F_OK) == 0;
    if (!recorded->has_envelope)
        return STATUS_OK;
    struct band band = {
        .kernel = -1, .width = width, .points = longest / width + 1, .columns = summary->columns};
    return read_bands(recorded, path, &band, error);
}
