#include "api/arrays.h"
#include "api/handles.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/market/matrix_market.h"
#include "spmv/device_csr.h"

#include <stdbool.h>

/* What of a matrix its source says: A, whether it borrows, what was averaged. */
typedef enum status make_matrix(const void *source, struct cgs_matrix *made, struct error *error);

static void free_csr(struct csr *A, bool borrows)
{
    if (borrows)
        arrays_give_back(A);
    else
        device_csr_free(A);
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

static enum status of_data(const void *source, struct cgs_matrix *made, struct error *error)
{
    const struct given *given = source;
    struct cgs_matrix_data own;
    struct strided copies[ARRAYS_OF_MATRIX] = {{.what = NULL}};
    enum status status =
        api_struct("cgs_matrix_data", given->data, given->data->size,
                   offsetof(struct cgs_matrix_data, asymmetry), &own, sizeof own, error);
    if (status)
        return status;
    made->borrows = own.borrow != 0;
    bool suits = false;
    struct asymmetry found = {0};
    status = arrays_take(given->context, &own, copies, error);
    if (!status)
        status =
            arrays_read_on_device(given->context->space, &own, &made->A, &found, &suits, error);
    note(&found, made);
    if (!status && !suits)
        status = arrays_fetch(given->context, &own, copies, error);
    if (!status && !suits)
        status = of_arrays(given->context, &own, made, error);
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

/* Exchanges the values of the two. Operators of the matrix are set up again before they read it. */
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
    matrix->averaged_pairs = made->averaged_pairs;
    matrix->asymmetry = made->asymmetry;
    matrix->updates++;
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
    status = replace(matrix, &made, error);
    free_csr(&made.A, made.borrows);
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
    free_csr(&matrix->A, matrix->borrows);
    memory_free(matrix);
}

int64_t cgs_matrix_rows(const struct cgs_matrix *matrix)
{
    return matrix ? matrix->A.n : 0;
}

typedef uint64_t survey(const struct csr *A);

/* Of the matrix on the host; 0 where it cannot be brought there. */
static uint64_t ask(const struct cgs_matrix *matrix, survey *ask_of)
{
    struct csr copy;
    const struct csr *A;
    struct threads *before;
    struct error ignored; /* without memory for a team this thread asks alone */
    threads_begin(threads_for(matrix->context->threads, matrix->A.nnz), &before, &ignored);
    uint64_t found = device_csr_on_host(&matrix->A, &A, &copy, &ignored) ? 0 : ask_of(A);
    csr_free(&copy);
    threads_end(before);
    return found;
}

static uint64_t entries_of(const struct csr *A)
{
    return (uint64_t)csr_entries(A);
}

int64_t cgs_matrix_entries(const struct cgs_matrix *matrix)
{
    return matrix ? (int64_t)ask(matrix, entries_of) : 0;
}

int64_t cgs_matrix_averaged(const struct cgs_matrix *matrix, double *asymmetry)
{
    if (asymmetry)
        *asymmetry = matrix ? matrix->asymmetry : 0;
    return matrix ? matrix->averaged_pairs : 0;
}

uint64_t cgs_matrix_hash(const struct cgs_matrix *matrix)
{
    return matrix ? ask(matrix, csr_hash) : 0;
}

uint64_t cgs_vector_hash(const double *v, int64_t n)
{
    return v && n > 0 ? hash_vector(NULL, v, n) : 0;
}
