#include "solver/singular.h"

#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"
#include "space/rows.h"
#include "space/vector_norm.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/exchanged_rows.h"
#include "spmv/lower_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A part of b outside of A's range, or in it, that is always taken for rounding. */
static const double ROUNDING = 0x1p-40;

/* Rows of a device that are looked at before all are fetched. */
enum { FEW = 4096 };

/* --- the null space --------------------------------------------------------------------------- */

/* Of rows that the ranks have apart. The first ones have all their entries in the first rank. */
static enum status find_by_ranks(struct space *space, const struct csr *A, const int32_t *number,
                                 bool each, struct null_space *made, struct error *error)
{
    bool may = each;
    enum status status = STATUS_OK, met;
    if (!each && ranks_first_row(space) == 0)
        status = null_space_may_be(A, ranks_rows(space, A->n), number, &may, error);
    int64_t all = may && !status;
    met = ranks_max(space, &all, error);
    status = status ? status : met;
    if (status || !all)
        return status;
    struct csr rows;
    status = exchange_all_rows(ranks_partition(space), A, &rows, error);
    rows.near_null = A->near_null;
    if (!status)
        status = null_space_find(&rows, number, each, made, error);
    csr_free(&rows);
    return status;
}

/* *few = the first rows, on the host, of an A in the memory of a device. */
static enum status fetch_few(const struct csr *A, int64_t rows, struct csr *few,
                             struct error *error)
{
    int64_t nnz;
    *few = (struct csr){0};
    enum status status =
        space_download(A->space, 1, (const double *)(A->offsets + rows), (double *)&nnz, error);
    if (!status)
        status = csr_create(few, A->kind, rows, nnz, error);
    if (!status)
        status = rows_download(A->space, (rows + 1) * (int64_t)sizeof *A->offsets, A->offsets,
                               few->offsets, error);
    if (!status)
        status = rows_download(A->space, nnz * (int64_t)sizeof *A->columns, A->columns,
                               few->columns, error);
    if (!status)
        status = rows_download(A->space, nnz * (int64_t)sizeof *A->values, A->values, few->values,
                               error);
    return status;
}

/* Whether the first rows of an A in the memory of a device leave a candidate. */
static enum status few_may_be(const struct csr *A, const int32_t *number, bool *may,
                              struct error *error)
{
    struct csr fetched = {0}, few;
    int64_t rows = A->n < FEW ? A->n : FEW;
    enum status status = A->host ? STATUS_OK : fetch_few(A, rows, &fetched, error);
    few = A->host ? *A->host : fetched;
    few.n = few.width = A->n; /* of which it has the first rows */
    few.near_null = A->near_null;
    if (!status)
        status = null_space_may_be(&few, rows, number, may, error);
    csr_free(&fetched);
    return status;
}

/* What the device can say of all rows. *open: the rest is found on the host; so it is where the
 * device has no room. */
static enum status look_on_device(const struct csr *A, const int32_t *number, bool each,
                                  struct null_space *made, bool *open, struct error *error)
{
    bool constants = false, others = false;
    struct csr lower;
    *open = true;
    if (A->nnz > UINT32_MAX)
        return STATUS_OK;
    enum status status = lower_rows(A, &lower, error);
    if (!status)
        status = null_space_look(A, &lower, number, &constants, &others, error);
    device_csr_free(&lower);
    if (status == STATUS_MEMORY)
        return STATUS_OK;
    bool alone = constants && !(each && A->near_null); /* a vector may be one in all components */
    if (!status && alone && !others && null_space_is_connected(A)) {
        null_space_of_constants(A->n, made);
        *open = false;
    } else
        *open = each || constants || others;
    return status;
}

static enum status find_on_device(const struct csr *A, const int32_t *number, bool each,
                                  struct null_space *made, struct error *error)
{
    bool open = each;
    struct csr copy = {0};
    enum status status = STATUS_OK;
    if (!each)
        status = few_may_be(A, number, &open, error);
    if (!status && open)
        status = look_on_device(A, number, each, made, &open, error);
    if (status || !open)
        return status;
    const struct csr *host;
    status = device_csr_on_host(A, &host, &copy, error);
    if (!status) {
        struct csr own = *host;
        own.near_null = A->near_null;
        status = null_space_find(&own, number, each, made, error);
    }
    csr_free(&copy);
    return status;
}

/* Of an A whose rows the device makes: they are kept there for the look, if the first ones leave a
 * candidate. */
static enum status find_by_maker(struct space *space, const struct csr *A, const int32_t *number,
                                 bool each, struct null_space *made, struct error *error)
{
    bool may = each;
    struct csr rows;
    enum status status = STATUS_OK;
    if (!each)
        status = null_space_may_be(A, A->n < FEW ? A->n : FEW, number, &may, error);
    if (status || !may)
        return status;
    if (device_csr_share(space, A, &rows) == A)
        return null_space_find(A, number, each, made, error);
    rows.near_null = A->near_null;
    status = find_on_device(&rows, number, each, made, error);
    device_csr_free(&rows);
    return status;
}

enum status singular_find(struct space *space, const struct csr *A, const int32_t *number,
                          const struct solver_options *options, bool each, struct null_space *made,
                          struct error *error)
{
    *made = (struct null_space){0};
    if (options->null_space == NULL_SPACE_NONE || !solver_finds_vector(options) ||
        A->kind != CSR_SYMMETRIC || (!A->maker && !A->offsets))
        return STATUS_OK;
    each = each || options->null_space == NULL_SPACE_PROJECT;
    if (A->maker && A->maker->kept)
        return find_by_ranks(space, A, number, each, made, error);
    if (A->space)
        return find_on_device(A, number, each, made, error);
    if (device_csr_makes(space, A))
        return find_by_maker(space, A, number, each, made, error);
    return null_space_find(A, number, each, made, error);
}

/* --- vectors ---------------------------------------------------------------------------------- */

/* *copy = v, with the rows of all ranks; NULL where v is. */
static enum status take_all(const struct solver *solver, const double *v, double **copy,
                            struct error *error)
{
    struct partition *of = ranks_partition(solver->space);
    int64_t first = ranks_first_row(solver->space), rows = ranks_rows(solver->space, solver->n);
    *copy = NULL;
    if (!v)
        return STATUS_OK;
    *copy = rank_vector_create(of, solver->n, sizeof **copy, "b", error);
    if (!*copy)
        return STATUS_MEMORY;
    memcpy(*copy + first, v + first, (size_t)rows * sizeof *v);
    return rank_vector_fetch(of, sizeof **copy, 0, solver->n, *copy, error);
}

static void drop(const struct solver *solver, double *v)
{
    rank_vector_free(ranks_partition(solver->space), solver->n, sizeof *v, v);
}

/* --- b ---------------------------------------------------------------------------------------- */

static enum status refuse(const struct solver *solver, struct error *error)
{
    const struct null_space *of = solver->singular.space;
    return error_set(
        error, STATUS_CONFIG,
        "A is singular, with %" PRId64 " null vector%s, and b is not in its range: ||Q'b|| = %.3g "
        "||b||, where Q is a basis of the null space. No x has a smaller residual. null_space = "
        "\"project\" takes that part from b, and finds the least squares solution of least norm",
        of->dimension, of->dimension > 1 ? "s" : "", solver->singular.outside);
}

/* The b that is solved for, of start->b. */
static enum status project_b(struct solver *solver, const struct scaled_start *start,
                             struct error *error)
{
    struct solver_singular *singular = &solver->singular;
    const struct solver_options *options = &solver->options;
    double removed, norm = vector_norm(solver->space->threads, solver->n, singular->b);
    if (!(norm > 0)) /* 0; or not finite, which the method says */
        return STATUS_OK;
    enum status status = null_space_project(singular->space, singular->b, &removed, error);
    if (status)
        return status;
    double left = vector_norm(solver->space->threads, solver->n, singular->b);
    singular->outside = removed / norm;
    double allowed = fmax(fmax(options->tolerance, options->absolute_tolerance / norm), ROUNDING);
    singular->projected = options->null_space == NULL_SPACE_PROJECT || singular->outside <= allowed;
    singular->nothing = singular->projected && left <= ROUNDING * norm;
    if (singular->nothing)
        memset(singular->b, 0, (size_t)solver->n * sizeof *singular->b);
    if (singular->projected)
        return STATUS_OK;
    if (!(solver->method->traits & METHOD_TAKES_INDEFINITE))
        return refuse(solver, error);
    drop(solver, singular->b);
    return take_all(solver, start->b, &singular->b, error);
}

enum status singular_begin(struct solver *solver, const struct csr *A, struct scaled_start *start,
                           struct error *error)
{
    struct solver_singular *singular = &solver->singular;
    double removed;
    if (!A->null_space || solver->options.shift != 0 || solver->options.memory ||
        !solver_finds_vector(&solver->options))
        return STATUS_OK;
    singular->space = A->null_space;
    enum status status = take_all(solver, start->b, &singular->b, error);
    if (!status)
        status = project_b(solver, start, error);
    if (!status && !singular->nothing)
        status = take_all(solver, start->x0, &singular->x0, error);
    if (!status && singular->x0)
        status = null_space_project(singular->space, singular->x0, &removed, error);
    solver_scale_release(solver, start);
    *start = (struct scaled_start){.b = singular->b, .x0 = singular->x0};
    return status;
}

/* --- x ---------------------------------------------------------------------------------------- */

enum status singular_end(struct solver *solver, double *x, struct error *error)
{
    struct space *space = solver->space;
    struct partition *of = ranks_partition(space);
    double removed;
    if (!solver->singular.space)
        return STATUS_OK;
    double *host = rank_vector_create(of, solver->n, sizeof *host, "x", error);
    if (!host)
        return STATUS_MEMORY;
    enum status status = ranks_download_own(space, solver->n, x, host, error);
    if (!status)
        status = rank_vector_fetch(of, sizeof *host, 0, solver->n, host, error);
    if (!status)
        status = null_space_project(solver->singular.space, host, &removed, error);
    if (!status && isfinite(removed))
        status = space_upload(space, solver->n, host, x, error);
    drop(solver, host);
    return status;
}

void singular_free(struct solver *solver)
{
    drop(solver, solver->singular.b);
    drop(solver, solver->singular.x0);
    solver->singular.b = solver->singular.x0 = NULL;
}
