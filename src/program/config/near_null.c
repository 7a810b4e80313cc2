#include "program/config/near_null.h"

#include "base/memory.h"
#include "problem/rhs.h"
#include "program/config/system.h"

#include <inttypes.h>
#include <stdio.h>

/* rows[rows][columns] of a file, row by row; the caller calls memory_free. */
static enum status read_rows(const char *path, int64_t rows, int64_t columns, double **made,
                             struct error *error)
{
    enum status status =
        memory_fits(16.0 * (double)rows * (double)columns, "a near-null space", error);
    double *by_columns = NULL;
    *made = NULL;
    if (!status)
        by_columns = memory_array(rows * columns, sizeof *by_columns, "a near-null space", error);
    if (by_columns)
        *made = memory_array(rows * columns, sizeof **made, "a near-null space", error);
    if (!*made)
        status = STATUS_MEMORY;
    if (!status)
        status =
            vector_file_read(path, rows, &(struct rhs_part){columns, 0, rows}, by_columns, error);
    for (int64_t i = 0; i < rows && !status; i++)
        for (int64_t j = 0; j < columns; j++)
            (*made)[i * columns + j] = by_columns[j * rows + i];
    memory_free(by_columns);
    if (status) {
        memory_free(*made);
        *made = NULL;
    }
    return status;
}

/* What is wrong with the numbers of a file is a fault of the file. */
static enum status blame(const char *path, enum status status, const struct error *why,
                         struct error *error)
{
    return status == STATUS_CONFIG ? error_set(error, STATUS_INPUT, "%s: %s", path, why->text)
                                   : error_set(error, status, "%s", why->text);
}

static enum status refuse_shape(const char *path, int64_t n, struct error *error)
{
    char two[32] = "", three[32] = "";
    if (n % 2 == 0)
        snprintf(two, sizeof two, "%" PRId64 " x 2", n / 2);
    if (n % 3 == 0)
        snprintf(three, sizeof three, "%" PRId64 " x 3", n / 3);
    if (n % 2 && n % 3)
        return error_set(error, STATUS_INPUT,
                         "%s: the matrix has %" PRId64
                         " rows, which are not 2 or 3 for each node that has coordinates",
                         path, n);
    return error_set(error, STATUS_INPUT,
                     "%s: must have %s%s%s numbers, the coordinates of the nodes of a matrix of "
                     "%" PRId64 " rows",
                     path, two, *two && *three ? " or " : "", three, n);
}

/* *dimensions: 3 or 2, of which the file has n / *dimensions rows and as many columns. */
static enum status find_dimensions(const char *path, int64_t n, int *dimensions,
                                   struct error *error)
{
    struct error why;
    enum status status = system_check_file(path, error);
    if (status)
        return status;
    for (*dimensions = 3; *dimensions >= 2; --*dimensions) {
        int64_t columns = 0;
        if (n % *dimensions)
            continue;
        status = vector_file_columns(path, n / *dimensions, &columns, &why);
        if (status == STATUS_MEMORY)
            return error_set(error, status, "%s", why.text);
        if (!status && columns == *dimensions)
            return STATUS_OK;
    }
    return refuse_shape(path, n, error);
}

static enum status read_coordinates(const char *path, int64_t n, struct near_null *near_null,
                                    struct error *error)
{
    int dimensions;
    double *coordinates = NULL;
    struct error why;
    enum status status = find_dimensions(path, n, &dimensions, error);
    if (!status)
        status = read_rows(path, n / dimensions, dimensions, &coordinates, error);
    if (status)
        return status;
    status = near_null_rigid_body(n / dimensions, dimensions, coordinates, near_null, &why);
    memory_free(coordinates);
    return status ? blame(path, status, &why, error) : STATUS_OK;
}

static enum status read_vectors(const char *path, int64_t n, struct near_null *near_null,
                                struct error *error)
{
    int64_t count = 0;
    double *values = NULL;
    struct error why;
    enum status status = vector_file_columns(path, n, &count, error);
    if (!status && (count < 1 || count > NEAR_NULL_MAX))
        status = error_set(error, STATUS_INPUT,
                           "%s: has %" PRId64 " columns: a near-null space has 1 to %d vectors",
                           path, count, NEAR_NULL_MAX);
    if (!status)
        status = read_rows(path, n, count, &values, error);
    if (status)
        return status;
    status = near_null_of(n, 1, count, values, near_null, &why);
    memory_free(values);
    return status ? blame(path, status, &why, error) : STATUS_OK;
}

enum status near_null_read(const struct near_null_wanted *wanted, int64_t n,
                           struct near_null *near_null, struct error *error)
{
    *near_null = (struct near_null){0};
    return wanted->coordinates ? read_coordinates(wanted->coordinates, n, near_null, error)
           : wanted->vectors   ? read_vectors(wanted->vectors, n, near_null, error)
                               : STATUS_OK;
}
