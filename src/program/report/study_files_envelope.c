/* What lies between the runs of a kernel, from envelope.csv. Of several right-hand sides it is the
 * band from the lowest to the highest residual in any column; and the curve of a kernel is then the
 * median of the columns, among those that have come to the iteration. */
#include "program/report/study_files.h"

#include "base/memory.h"
#include "study/statistics.h"

#include <inttypes.h>
#include <math.h>

enum { KERNEL, ITERATION, RUNS, LOWEST, HIGHEST, ULPS, MEDIAN };
static const char *const of_one[] = {"kernel", "iteration", "runs", "min", "max", "ulps", NULL};
static const char *const of_several[] = {"kernel", "iteration", "runs",   "min", "max",
                                         "ulps",   "median",    "column", NULL};

/* One iteration of a kernel, over the columns. */
struct band_row {
    double lowest, highest, ulps;
    bool drawn;   /* no residual is NaN */
    bool several; /* two runs of one column have come here */
};

/* A kernel, as its columns go by. Of several ones medians are kept where a curve has a point. */
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
        status = course_take(&envelope->residuals, k, row->drawn ? row->lowest : NAN, row->highest,
                             error);
        if (!status && row->several)
            status = course_take(&envelope->ulps, k, row->ulps, row->ulps, error);
    }
    band->rows_count = 0;
    if (band->columns == 1)
        return status;
    for (int64_t p = 0; p < band->points && band->counts[p] > 0 && !status; p++) {
        double middle = median(band->medians + p * band->columns, band->counts[p]);
        status = course_take(&recorded->curves[band->kernel].history, p * band->width, middle,
                             middle, error);
        band->counts[p] = 0;
    }
    return status;
}

/* The row of the iteration, of which the column is the first, or another one. */
static struct band_row *find_row(struct band *band, struct csv_rows *rows, int64_t k)
{
    if (k > band->rows_count)
        csv_rows_fault(rows, "iteration %" PRId64 " stands where %" PRId64 " is wanted", k,
                       band->rows_count);
    else if (k == band->rows_count) {
        rows->status = memory_grow((void **)&band->rows, &band->rows_capacity, k + 1,
                                   sizeof *band->rows, "the band of a kernel", rows->error);
        if (!rows->status)
            band->rows[band->rows_count++] = (struct band_row){INFINITY, 0, NAN, true, false};
    }
    return rows->status ? NULL : &band->rows[k];
}

static void take_median(struct band *band, struct csv_rows *rows, int64_t k)
{
    int64_t p = k / band->width;
    if (k % band->width > 0 || p >= band->points)
        return;
    if (band->counts[p] == band->columns)
        csv_rows_fault(rows, "the kernel has more columns than summary.json tells of");
    else
        band->medians[p * band->columns + band->counts[p]++] = csv_rows_number(rows, MEDIAN);
}

static void take_row(struct band *band, struct csv_rows *rows)
{
    int64_t k = csv_rows_whole(rows, ITERATION), runs = csv_rows_whole(rows, RUNS);
    double lowest = csv_rows_number(rows, LOWEST), highest = csv_rows_number(rows, HIGHEST);
    double ulps = NAN; /* where a residual is NaN */
    if (csv_rows_tells(rows, ULPS))
        ulps = fmax((double)csv_rows_whole(rows, ULPS), RECORDED_NO_ULPS);
    struct band_row *row = rows->status ? NULL : find_row(band, rows, k);
    if (!row)
        return;
    row->drawn = row->drawn && !isnan(highest);
    row->lowest = fmin(row->lowest, lowest);
    row->highest = fmax(row->highest, highest);
    row->several = row->several || runs > 1;
    if (runs > 1)
        row->ulps = fmax(row->ulps, ulps);
    if (band->columns > 1)
        take_median(band, rows, k);
}

static enum status read_rows(struct recorded *recorded, struct csv_rows *rows, struct band *band)
{
    while (csv_rows_next(rows)) {
        int kernel = recorded_find_kernel(recorded, rows, KERNEL);
        if (!rows->status && kernel != band->kernel)
            rows->status = take_band(recorded, band, rows->error);
        band->kernel = kernel;
        if (!rows->status)
            take_row(band, rows);
    }
    return rows->status ? rows->status : take_band(recorded, band, rows->error);
}

enum status recorded_read_envelope(struct recorded *recorded, const char *path, struct error *error)
{
    int64_t longest = summary_longest(&recorded->summary), columns = recorded->summary.columns;
    int64_t width = recorded->curves[0].history.width;
    struct csv_rows rows = {0};
    enum status status = STATUS_OK;
    struct band band = {
        .kernel = -1, .width = width, .points = longest / width + 1, .columns = columns};
    recorded->has_envelope = true;
    if (columns > 1) {
        band.medians =
            memory_array(band.points, (size_t)columns * sizeof *band.medians, "the medians", error);
        band.counts = memory_zeros(band.points, sizeof *band.counts, "the medians", error);
        if (!band.medians || !band.counts)
            status = STATUS_MEMORY;
    }
    if (!status)
        status = csv_rows_open(path, columns > 1 ? of_several : of_one, NULL, NULL, &rows, error);
    if (!status)
        status = read_rows(recorded, &rows, &band);
    csv_rows_close(&rows);
    memory_free(band.medians);
    memory_free(band.counts);
    memory_free(band.rows);
    return status;
}
