#include "api/arrays.h"
#include "api/handles.h"
#include "api/ranks.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/market/matrix_market.h"
#include "spmv/device_csr.h"

#include <stdbool.h>
#include <string.h>

/* The parts of a matrix from its source: A, whether it borrows, the averaged pairs. */
typedef enum status make_matrix(const void *source, struct cgs_matrix *made, struct error *error);

/* Frees the members of a matrix, but not the matrix. */
static void release(struct cgs_matrix *matrix)
{
    if (matrix->rows.given)
        partial_csr_free(&matrix->kept);
    else if (matrix->borrows)
        arrays_give_back(&matrix->A);
    else
        device_csr_free(&matrix->A);
    api_division_free(&matrix->rows);
    near_null_free(&matrix->near_null);
}

static enum status create(struct cgs_context *context, make_matrix *make, const void *source,
                          struct cgs_matrix **matrix, struct error *error)
{
    struct cgs_matrix *made = memory_zeros(1, sizeof *made, "a matrix", error);
    if (!made)
        return STATUS_MEMORY;
    made->context = context;
    fenv_t host;
    float_state_begin(&host);
    enum status status = make(source, made, error);
    float_state_end(&host);
    if (status)
        memory_free(made);
    else
        *matrix = made;
    return status;
}

struct given {
    const struct cgs_context *context;
    const struct cgs_matrix_data *data;
};

static void note(const struct asymmetry *found, struct cgs_matrix *made)
{
    made->averaged_pairs = found->unequal_pairs;
    made->asymmetry = found->worst;
}

/* Of arrays on the host. */
static enum status of_arrays(const struct cgs_context *context, const struct cgs_matrix_data *data,
                             struct cgs_matrix *made, struct error *error)
{
    struct asymmetry found = {0};
    struct threads *before;
    int threads = threads_for(context->threads, data->columns.rows);
    enum status status = threads_begin(threads, &before, error);
    if (!status)
        status = made->borrows ? arrays_borrow(data, &made->A, error)
                               : arrays_read(data, &made->A, &found, error);
    threads_end(before);
    note(&found, made);
    return status;
}

/* --- over ranks ------------------------------------------------------------------------------- */

/* The distribution of the rows, and the part that each rank wants. */
static enum status divide(const struct cgs_context *context, const struct cgs_matrix_data *data,
                          struct cgs_matrix *made, struct matrix_market_ranks *readers,
                          struct error *error)
{
    struct exchange *exchange = context->exchange;
    const struct csr shape = {.n = data->n, .width = data->n};
    enum status status =
        api_division_create(exchange, data->n, data->first_row, data->own_rows, &made->rows, error);
    if (!status)
        status =
            matrix_market_ranks_divide(exchange, &shape, made->rows.parts.begin, readers, error);
    return api_ranks_end(context, status, error);
}

static enum status read_shared(const struct cgs_context *context,
                               const struct cgs_matrix_data *data,
                               const struct matrix_market_ranks *readers, struct cgs_matrix *made,
                               struct error *error)
{
    struct asymmetry found = {0};
    struct threads *before;
    enum status status =
        threads_begin(threads_for(context->threads, data->columns.rows), &before, error);
    status = arrays_read_shared(data, readers, status, &made->A, &found, error);
    threads_end(before);
    status = api_ranks_agree(context, status, "matrix", 0, error);
    if (!status) {
        status = arrays_join(data, context->exchange, &made->A, &found, error);
        status = api_ranks_end(context, status, error);
    }
    made->averaged_pairs = found.unequal_pairs;
    made->asymmetry = found.worst;
    return status;
}

/* Over all ranks: if one has single precision, its rounding counts for the matrix. */
static enum status find_limit(const struct cgs_context *context, struct cgs_matrix_data *data,
                              struct error *error)
{
    bool single = data->values.data && data->values.type == CGS_FLOAT;
    enum status status = api_ranks_any(context, &single, error);
    if (single && data->asymmetry == 0)
        data->asymmetry = ASYMMETRY_OF_ROUNDING_SINGLE;
    return status;
}

static uint64_t hash_of(const struct cgs_matrix_data *data)
{
    uint64_t bits, hash = hash_word(hash_word(HASH_START, (uint64_t)data->n), data->part);
    memcpy(&bits, &data->asymmetry, sizeof bits);
    return hash_word(hash_word(hash, data->kind), bits);
}

/* In the rows of this rank in the space's distribution. */
static int64_t own_entries(const struct cgs_matrix *made)
{
    const struct partition *parts = &made->rows.parts;
    const int64_t *begin = parts->begin + parts->exchange->rank;
    return made->A.offsets[begin[1]] - made->A.offsets[begin[0]];
}

/* From the rows that each rank gives; `status` is this rank's so far. */
static enum status of_ranks(const struct cgs_context *context, struct cgs_matrix_data *data,
                            enum status status, struct cgs_matrix *made, struct error *error)
{
    struct matrix_market_ranks readers = {.exchange = NULL};
    status = api_ranks_agree(context, status, "n, part, kind and asymmetry of the matrix",
                             hash_of(data), error);
    if (!status)
        status = find_limit(context, data, error);
    if (!status)
        status = divide(context, data, made, &readers, error);
    if (!status)
        status = read_shared(context, data, &readers, made, error);
    matrix_market_ranks_free(&readers);
    int64_t own = status ? 0 : own_entries(made);
    if (!status)
        status = api_ranks_sum(context, &own, error);
    if (status) {
        csr_free(&made->A);
        api_division_free(&made->rows);
        return status;
    }
    partial_csr_create(&made->A, &made->kept);
    made->A.nnz = own;
    return STATUS_OK;
}

/* Other values on the same pattern, of the same rows. */
static enum status replace_shared(struct cgs_matrix *matrix, struct cgs_matrix *made,
                                  struct error *error)
{
    struct csr *A = &matrix->kept.A, *other = &made->kept.A, before = *A;
    const struct api_division *rows = &matrix->rows;
    size_t begins = (size_t)(rows->parts.exchange->count + 1) * sizeof *rows->given;
    bool same = false;
    if (memcmp(rows->given, made->rows.given, begins) != 0)
        return error_set(error, STATUS_CONFIG, "a rank gives other rows of the matrix than before");
    enum status status = array_rows_same_pattern(A, other, &same, error);
    if (!status && !same)
        status = error_set(error, STATUS_INPUT, "the matrix has another pattern than before");
    status = api_ranks_agree(matrix->context, status, "pattern", 0, error);
    if (status)
        return status;
    *A = *other;
    *other = before;
    return STATUS_OK;
}

/* --- of one rank or several ------------------------------------------------------------------- */

static enum status of_data(const void *source, struct cgs_matrix *made, struct error *error)
{
    const struct given *given = source;
    struct cgs_matrix_data own;
    struct strided copies[ARRAYS_OF_MATRIX] = {{.what = NULL}};
    const struct cgs_context *context = given->context;
    struct asymmetry found = {0};
    bool suits = false, shared = context->exchange;
    enum status status =
        api_struct("cgs_matrix_data", given->data, given->data->size,
                   offsetof(struct cgs_matrix_data, asymmetry), &own, sizeof own, error);
    if (status && !shared)
        return status;
    if (status)
        own = (struct cgs_matrix_data){0};
    made->borrows = own.borrow != 0;
    if (!status)
        status = arrays_take(context, &own, copies, error);
    if (shared) {
        status = of_ranks(context, &own, status, made, error);
    } else if (!status) {
        status = arrays_read_on_device(context->space, &own, &made->A, &found, &suits, error);
        note(&found, made);
    }
    suits = suits || shared;
    if (!status && !suits)
        status = arrays_fetch(context, &own, copies, error);
    if (!status && !suits)
        status = of_arrays(context, &own, made, error);
    for (int k = 0; k < ARRAYS_OF_MATRIX; k++)
        strided_free(&copies[k]);
    return status;
}

enum cgs_status cgs_matrix_create(struct cgs_context *context, const struct cgs_matrix_data *data,
                                  struct cgs_matrix **matrix, struct cgs_error *error)
{
    if (!matrix)
        return api_missing("the pointer to a matrix", error);
    *matrix = NULL;
    if (!context || !data)
        return api_missing(context ? "the data of a matrix" : "a context", error);
    return api_status(
        create(context, of_data, &(struct given){context, data}, matrix, api_error(error)));
}

/* To where the other one is. */
static enum status follow(struct csr *A, const struct csr *other, struct error *error)
{
    struct csr moved;
    if (A->space == other->space)
        return STATUS_OK;
    enum status status = other->space ? device_csr_bring(other->space, A, &moved, error)
                                      : device_csr_fetch(A, &moved, error);
    if (status)
        return status;
    device_csr_free(A);
    moved.host = NULL;
    *A = moved;
    return STATUS_OK;
}

/* Swaps the values of the two. Operators of the matrix are set up again before they read it. */
static enum status replace(struct cgs_matrix *matrix, struct cgs_matrix *made, struct error *error)
{
    struct csr *A = &matrix->A, *other = &made->A, before = *A;
    bool same;
    if (made->borrows != matrix->borrows)
        return error_set(error, STATUS_CONFIG, "the matrix %s its arrays: borrow must be %d again",
                         matrix->borrows ? "borrows" : "has copied", matrix->borrows);
    enum status status = follow(other, A, error);
    if (!status)
        status = array_rows_same_pattern(A, other, &same, error);
    if (status)
        return status;
    if (!same)
        return error_set(error, STATUS_INPUT, "the matrix has another pattern than before");
    A->columns = other->columns;
    A->values = other->values;
    other->columns = before.columns;
    other->values = before.values;
    return STATUS_OK;
}

static enum status update(struct cgs_matrix *matrix, const struct cgs_matrix_data *data,
                          struct error *error)
{
    struct cgs_matrix made = {0};
    if (atomic_load(&matrix->at_work) > 0)
        return error_set(error, STATUS_CONFIG,
                         "a call goes on that works with this matrix: it cannot be updated");
    fenv_t host;
    float_state_begin(&host);
    enum status status = of_data(&(struct given){matrix->context, data}, &made, error);
    float_state_end(&host);
    if (status)
        return status;
    status = (matrix->rows.given ? replace_shared : replace)(matrix, &made, error);
    if (!status) {
        matrix->averaged_pairs = made.averaged_pairs;
        matrix->asymmetry = made.asymmetry;
        matrix->updates++;
    }
    release(&made);
    return status;
}

enum cgs_status cgs_matrix_update(struct cgs_matrix *matrix, const struct cgs_matrix_data *data,
                                  struct cgs_error *error)
{
    if (!matrix || !data)
        return api_missing(matrix ? "the data of a matrix" : "a matrix", error);
    return api_status(update(matrix, data, api_error(error)));
}

struct file {
    const char *path;
    double asymmetry;
};

static enum status of_file(const void *source, struct cgs_matrix *made, struct error *error)
{
    const struct file *file = source;
    struct matrix_market_report met = {0};
    if (made->context->exchange)
        return api_ranks_agree(made->context,
                               error_set(error, STATUS_UNAVAILABLE,
                                         "several ranks give their rows of a matrix: they read no "
                                         "file of all rows"),
                               "matrix", 0, error);
    if (!(file->asymmetry < 1))
        return error_set(error, STATUS_CONFIG, "asymmetry = %g must be below 1", file->asymmetry);
    double limit = arrays_limit(file->asymmetry, CGS_DOUBLE);
    struct threads *before;
    enum status status = threads_begin(made->context->threads, &before, error);
    if (!status)
        status = matrix_market_read(file->path, CSR_SYMMETRIC, limit, NULL, &made->A, &met, error);
    threads_end(before);
    made->averaged_pairs = met.averaged_pairs;
    made->asymmetry = met.asymmetry;
    return status;
}

enum cgs_status cgs_matrix_read(struct cgs_context *context, const char *path, double asymmetry,
                                struct cgs_matrix **matrix, struct cgs_error *error)
{
    if (!matrix)
        return api_missing("the pointer to a matrix", error);
    *matrix = NULL;
    if (!context || !path)
        return api_missing(context ? "the path of a matrix" : "a context", error);
    return api_status(
        create(context, of_file, &(struct file){path, asymmetry}, matrix, api_error(error)));
}

void cgs_matrix_destroy(struct cgs_matrix *matrix)
{
    if (!matrix || atomic_load(&matrix->at_work) > 0)
        return;
    release(matrix);
    memory_free(matrix);
}

int64_t cgs_matrix_rows(const struct cgs_matrix *matrix)
{
    return matrix ? matrix->A.n : 0;
}

enum asked { ENTRIES, HASH };

/* Of the matrix on the host. */
static enum status ask_one(const struct cgs_matrix *matrix, enum asked what, uint64_t *found,
                           struct error *error)
{
    struct csr copy;
    const struct csr *A;
    enum status status = device_csr_on_host(&matrix->A, &A, &copy, error);
    if (!status)
        *found = what == HASH ? csr_hash(A) : (uint64_t)csr_entries(A);
    csr_free(&copy);
    return status;
}

static enum status ask_all(const struct cgs_matrix *matrix, enum asked what, uint64_t *found,
                           struct error *error)
{
    uint64_t both[2];
    enum status status =
        api_survey_matrix(&matrix->rows, &matrix->A, &both[ENTRIES], &both[HASH], error);
    if (!status)
        *found = both[what];
    return api_ranks_end(matrix->context, status, error);
}

/* 0 where there is no memory. */
static uint64_t ask(const struct cgs_matrix *matrix, enum asked what)
{
    uint64_t found = 0;
    struct threads *before;
    struct error ignored; /* without memory for a team this thread works alone */
    threads_begin(threads_for(matrix->context->threads, matrix->A.nnz), &before, &ignored);
    enum status status = (matrix->rows.given ? ask_all : ask_one)(matrix, what, &found, &ignored);
    threads_end(before);
    return status ? 0 : found;
}

int64_t cgs_matrix_entries(const struct cgs_matrix *matrix)
{
    return matrix ? (int64_t)ask(matrix, ENTRIES) : 0;
}

int64_t cgs_matrix_averaged(const struct cgs_matrix *matrix, double *asymmetry)
{
    if (asymmetry)
        *asymmetry = matrix ? matrix->asymmetry : 0;
    return matrix ? matrix->averaged_pairs : 0;
}

uint64_t cgs_matrix_hash(const struct cgs_matrix *matrix)
{
    return matrix ? ask(matrix, HASH) : 0;
}

uint64_t cgs_vector_hash(const double *v, int64_t n)
{
    return v && n > 0 ? hash_vector(NULL, v, n) : 0;
}
