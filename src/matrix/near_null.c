#include "matrix/near_null.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The map of coordinates, y = (x - center) / extent. */
struct frame {
    double center[3], extent;
};

static enum status frame_of(int64_t nodes, int dimensions, const double *coordinates,
                            struct frame *frame, struct error *error)
{
    *frame = (struct frame){.extent = 0};
    for (int64_t i = 0; i < nodes; i++)
        for (int a = 0; a < dimensions; a++) {
            double x = coordinates[i * dimensions + a];
            if (!isfinite(x))
                return error_set(error, STATUS_CONFIG,
                                 "coordinate %d of node %" PRId64 " is not finite", a + 1, i + 1);
            frame->center[a] += x / (double)nodes;
        }
    for (int64_t i = 0; i < nodes; i++)
        for (int a = 0; a < dimensions; a++)
            frame->extent =
                fmax(frame->extent, fabs(coordinates[i * dimensions + a] - frame->center[a]));
    frame->extent = frame->extent > 0 ? frame->extent : 1;
    return STATUS_OK;
}

static enum status create(int64_t n, int64_t block, int64_t count, struct near_null *near_null,
                          struct error *error)
{
    *near_null = (struct near_null){0};
    enum status status =
        memory_fits((double)n * (double)count * sizeof(double), "a near-null space", error);
    if (status)
        return status;
    double *values = memory_array(n * count, sizeof *values, "a near-null space", error);
    if (!values)
        return STATUS_MEMORY;
    *near_null = (struct near_null){n, block, count, values};
    return STATUS_OK;
}

/* rows[dimensions][count] of a node at y. */
static void rigid_rows(int dimensions, const double *y, double *rows)
{
    int count = dimensions == 3 ? 6 : 3;
    memset(rows, 0, (size_t)(dimensions * count) * sizeof *rows);
    for (int a = 0; a < dimensions; a++)
        rows[a * count + a] = 1;
    for (int v = 0; v < count - dimensions; v++) { /* rotation in the plane of axes a and b */
        int a = v, b = (v + 1) % dimensions;
        rows[a * count + dimensions + v] = -y[b];
        rows[b * count + dimensions + v] = y[a];
    }
}

enum status near_null_rigid_body(int64_t nodes, int dimensions, const double *coordinates,
                                 struct near_null *near_null, struct error *error)
{
    struct frame frame;
    int64_t count = dimensions == 3 ? 6 : 3;
    *near_null = (struct near_null){0};
    enum status status = frame_of(nodes, dimensions, coordinates, &frame, error);
    if (!status)
        status = create(nodes * dimensions, dimensions, count, near_null, error);
    for (int64_t i = 0; i < nodes && !status; i++) {
        double y[3];
        for (int a = 0; a < dimensions; a++)
            y[a] = (coordinates[i * dimensions + a] - frame.center[a]) / frame.extent;
        rigid_rows(dimensions, y, near_null->values + i * dimensions * count);
    }
    return status;
}

static enum status check(int64_t n, int64_t block, int64_t count, const double *values,
                         struct error *error)
{
    if (count < 1 || count > NEAR_NULL_MAX)
        return error_set(error, STATUS_CONFIG,
                         "a near-null space of %" PRId64 " vectors: must have 1 to %d", count,
                         NEAR_NULL_MAX);
    if (block > NEAR_NULL_MAX)
        return error_set(error, STATUS_CONFIG,
                         "a near-null space of nodes with %" PRId64 " rows: must be at most %d",
                         block, NEAR_NULL_MAX);
    if (block < 1 || n % block != 0)
        return error_set(error, STATUS_CONFIG,
                         "a near-null space of %" PRId64 " rows in blocks of %" PRId64
                         ": they do not divide it",
                         n, block);
    for (int64_t v = 0; v < count; v++) {
        bool zero = true;
        for (int64_t i = 0; i < n; i++) {
            if (!isfinite(values[i * count + v]))
                return error_set(error, STATUS_CONFIG,
                                 "row %" PRId64 " of near-null vector %" PRId64 " is not finite",
                                 i + 1, v + 1);
            zero = zero && values[i * count + v] == 0;
        }
        if (zero)
            return error_set(error, STATUS_CONFIG, "near-null vector %" PRId64 " is 0", v + 1);
    }
    return STATUS_OK;
}

enum status near_null_of(int64_t n, int64_t block, int64_t count, const double *values,
                         struct near_null *near_null, struct error *error)
{
    *near_null = (struct near_null){0};
    enum status status = check(n, block, count, values, error);
    if (!status)
        status = create(n, block, count, near_null, error);
    if (!status)
        memcpy(near_null->values, values, (size_t)(n * count) * sizeof *values);
    return status;
}

void near_null_free(struct near_null *near_null)
{
    memory_free(near_null->values);
    *near_null = (struct near_null){0};
}
