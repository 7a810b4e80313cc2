/* What lies between the runs of a kernel, from envelope.csv. */
#include "program/report/study_files.h"

#include "base/memory.h"

#include <math.h>
#include <unistd.h>

enum envelope_column { E_KERNEL, E_ITERATION, E_RUNS, E_LOWEST, E_HIGHEST, E_ULPS };
static const char *const envelope_columns[] = {"kernel", "iteration", "runs", "min",
                                               "max",    "ulps",      NULL};

/* No ulps are told where one of the residuals is NaN. */
static enum status read_ulps(const struct csv_rows *rows, double *ulps, struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, E_ULPS);
    int64_t whole = 0;
    *ulps = NAN;
    if (field->begin == field->end)
        return STATUS_OK;
    enum status status = csv_rows_whole(rows, E_ULPS, &whole, error);
    *ulps = whole > 0 ? (double)whole : RECORDED_NO_ULPS;
    return status;
}

static enum status take_envelope_row(struct recorded *recorded, const struct csv_rows *rows,
                                     struct error *error)
{
    int kernel;
    int64_t iteration, runs;
    double lowest, highest, ulps;
    enum status status = recorded_find_kernel(recorded, rows, E_KERNEL, &kernel, error);
    if (!status)
        status = csv_rows_whole(rows, E_ITERATION, &iteration, error);
    if (!status)
        status = csv_rows_whole(rows, E_RUNS, &runs, error);
    if (!status)
        status = csv_rows_number(rows, E_LOWEST, &lowest, error);
    if (!status)
        status = csv_rows_number(rows, E_HIGHEST, &highest, error);
    if (!status)
        status = read_ulps(rows, &ulps, error);
    if (!status)
        status =
            course_take(&recorded->envelope[kernel].residuals, iteration, lowest, highest, error);
    if (status || runs < 2)
        return status;
    return course_take(&recorded->envelope[kernel].ulps, iteration, ulps, ulps, error);
}

enum status recorded_begin_envelope(struct recorded *recorded, struct error *error)
{
    int kernels = recorded->summary.kernels_count;
    recorded->envelope = memory_zeros(kernels, sizeof *recorded->envelope, "the envelopes", error);
    if (!recorded->envelope)
        return STATUS_MEMORY;
    int64_t width = course_width(summary_longest(&recorded->summary), recorded_points(kernels));
    for (int k = 0; k < kernels; k++)
        recorded->envelope[k].residuals.width = width;
    return STATUS_OK;
}

enum status recorded_read_envelope(struct recorded *recorded, const char *path, struct error *error)
{
    struct csv_rows rows = {0};
    enum status status = recorded_begin_envelope(recorded, error);
    recorded->has_envelope = !status && access(path, F_OK) == 0;
    if (!recorded->has_envelope)
        return status;
    status = csv_rows_open(path, envelope_columns, NULL, NULL, &rows, error);
    for (bool more = true; more && !status;) {
        status = csv_rows_next(&rows, &more, error);
        if (!status && more)
            status = take_envelope_row(recorded, &rows, error);
    }
    csv_rows_close(&rows);
    return status;
}
