/* The near-null space of A, from the caller's arrays. */
#include "matrix/near_null.h"

#include "api/handles.h"
#include "api/ranks.h"
#include "api/strided.h"
#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>

struct given {
    struct cgs_matrix *matrix;
    struct cgs_array array;
    const char *what;  /* its name in a sentence */
    bool of_nodes;     /* coordinates: each row belongs to as many rows of A as it has columns */
    int64_t block;     /* of vectors */
    int64_t columns;   /* of all ranks; 0: the arrays are missing */
    struct strided at; /* of this rank */
    int64_t *begin;    /* [ranks + 1]: bytes of `rows` */
    double *rows;      /* those of all ranks, row by row */
};

/* The rows of A for one row of the array. */
static int64_t unknowns(const struct given *given)
{
    return given->of_nodes ? given->columns : 1;
}

static bool is_shared(const struct given *given)
{
    return given->matrix->rows.given != NULL;
}

/* The rows of A that this rank gives: the first, and the end. */
static void own_rows(const struct given *given, int64_t *first, int64_t *last)
{
    const struct api_division *rows = &given->matrix->rows;
    int rank = is_shared(given) ? rows->parts.exchange->rank : 0;
    *first = is_shared(given) ? rows->given[rank] : 0;
    *last = is_shared(given) ? rows->given[rank + 1] : given->matrix->A.n;
}

/* 0: no array, or no rows. */
static int64_t own_columns(const struct given *given)
{
    const struct cgs_array *array = &given->array;
    int64_t first, last;
    own_rows(given, &first, &last);
    return !array->data || first == last ? 0 : array->columns ? array->columns : 1;
}

/* given->columns: those of the rank that has the first row of A. */
static enum status find_columns(struct given *given, struct error *error)
{
    int64_t first, last;
    own_rows(given, &first, &last);
    given->columns = first == 0 ? own_columns(given) : 0;
    return api_ranks_sum(given->matrix->context, &given->columns, error);
}

static enum status check_columns(const struct given *given, struct error *error)
{
    int64_t first, last, columns = given->columns;
    own_rows(given, &first, &last);
    if (last > first && own_columns(given) != columns)
        return error_set(error, STATUS_CONFIG,
                         "%s of the rows from %" PRId64 " on have %" PRId64
                         " columns: those of the first rows have %" PRId64,
                         given->what, first, own_columns(given), columns);
    if (!given->of_nodes)
        return STATUS_OK;
    if (columns != 2 && columns != 3)
        return error_set(error, STATUS_CONFIG, "%s have %" PRId64 " columns: they must have 2 or 3",
                         given->what, columns);
    if (first % columns || last % columns)
        return error_set(error, STATUS_CONFIG,
                         "%s have %" PRId64 " columns: the %" PRId64 " rows from %" PRId64
                         " on are not as many for each node",
                         given->what, columns, last - first, first);
    return STATUS_OK;
}

/* given->at, and room for the rows of all ranks, those of this one in it. */
static enum status read_rows(struct given *given, struct error *error)
{
    const struct cgs_context *context = given->matrix->context;
    int64_t first, last, of_one = unknowns(given), columns = given->columns;
    own_rows(given, &first, &last);
    int64_t rows = (last - first) / of_one;
    const struct strided_wanted wanted = {given->what, rows, columns, STRIDED_DOUBLES};
    if (rows == 0)
        given->array.data = NULL;
    enum status status =
        strided_check(context, context->space, &given->array, &wanted, &given->at, error);
    if (!status)
        status = strided_read(context->space, &given->at, NULL, error);
    if (status)
        return status;
    given->rows = memory_array(given->matrix->A.n / of_one * columns, sizeof *given->rows,
                               given->what, error);
    if (!given->rows)
        return STATUS_MEMORY;
    double *own = given->rows + first / of_one * columns;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            own[i * columns + j] = ((const double *)given->at.host)[j * rows + i];
    return STATUS_OK;
}

/* given->begin */
static enum status divide(struct given *given, struct error *error)
{
    const struct api_division *rows = &given->matrix->rows;
    if (!is_shared(given))
        return STATUS_OK;
    int count = rows->parts.exchange->count;
    given->begin = memory_array(count + 1, sizeof *given->begin, given->what, error);
    for (int r = 0; given->begin && r <= count; r++)
        given->begin[r] =
            rows->given[r] / unknowns(given) * given->columns * (int64_t)sizeof *given->rows;
    return given->begin ? STATUS_OK : STATUS_MEMORY;
}

static enum status join(const struct given *given, struct error *error)
{
    struct exchange *exchange = given->matrix->context->exchange;
    if (!is_shared(given))
        return STATUS_OK;
    const char *own = (const char *)given->rows + given->begin[exchange->rank];
    return exchange->operations->gather(exchange, own, given->begin, given->rows, error);
}

static enum status make(const struct given *given, struct near_null *made, struct error *error)
{
    int64_t n = given->matrix->A.n, columns = given->columns;
    return given->of_nodes
               ? near_null_rigid_body(n / columns, (int)columns, given->rows, made, error)
               : near_null_of(n, given->block, columns, given->rows, made, error);
}

/* Operators are set up again: they have copies of A. */
static void replace(struct cgs_matrix *matrix, const struct near_null *made)
{
    near_null_free(&matrix->near_null);
    matrix->near_null = *made;
    matrix->A.near_null = made->count > 0 ? &matrix->near_null : NULL;
    matrix->near_nulls++;
    matrix->updates++;
}

static enum status take(struct given *given, struct error *error)
{
    struct cgs_matrix *matrix = given->matrix;
    const struct cgs_context *context = matrix->context;
    struct near_null made = {0};
    if (atomic_load(&matrix->at_work) > 0)
        return error_set(error, STATUS_CONFIG,
                         "a call goes on that works with this matrix: it cannot be updated");
    enum status status = find_columns(given, error);
    if (!status && (given->columns > 0 || own_columns(given) > 0))
        status = check_columns(given, error);
    if (!status && given->columns > 0)
        status = read_rows(given, error);
    if (!status && given->columns > 0)
        status = divide(given, error);
    status = api_ranks_agree(context, status, "block of a near-null space",
                             hash_word(HASH_START, (uint64_t)given->block), error);
    if (!status && given->columns > 0) {
        status = join(given, error);
        if (!status)
            status = make(given, &made, error);
        status = api_ranks_end(context, status, error);
    }
    if (!status)
        replace(matrix, &made);
    return status;
}

static enum cgs_status give(struct given *given, struct cgs_error *error)
{
    fenv_t host;
    if (!given->matrix)
        return api_missing("a matrix", error);
    float_state_begin(&host);
    enum status status = take(given, api_error(error));
    float_state_end(&host);
    strided_free(&given->at);
    memory_free(given->begin);
    memory_free(given->rows);
    return api_status(status);
}

enum cgs_status cgs_matrix_coordinates(struct cgs_matrix *matrix, struct cgs_array coordinates,
                                       struct cgs_error *error)
{
    return give(
        &(struct given){
            .matrix = matrix, .array = coordinates, .what = "coordinates", .of_nodes = true},
        error);
}

enum cgs_status cgs_matrix_near_null(struct cgs_matrix *matrix, struct cgs_array vectors,
                                     int64_t block, struct cgs_error *error)
{
    return give(&(struct given){.matrix = matrix,
                                .array = vectors,
                                .what = "near-null vectors",
                                .block = block ? block : 1},
                error);
}
