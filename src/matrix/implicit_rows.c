#include "matrix/implicit_rows.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Rows per call of the maker. */
enum { CHUNK = 4096 };

struct csr csr_made(enum csr_kind kind, int64_t n, const struct csr_maker *maker,
                    const void *options)
{
    return (struct csr){.kind = kind,
                        .n = n,
                        .width = n,
                        .nnz = maker->entries(options),
                        .maker = maker,
                        .maker_options = options};
}

static int64_t chunks_of(int64_t n)
{
    return (n + CHUNK - 1) / CHUNK;
}

static int64_t rows_of_chunk(int64_t n, int64_t c)
{
    return n - c * CHUNK < CHUNK ? n - c * CHUNK : CHUNK;
}

struct making {
    const struct csr *A;
    int64_t first, n; /* rows of A: first ... first + n - 1 */
    int64_t *offsets; /* [n + 1], at first relative to each chunk */
    int64_t *prefix;  /* [chunks]: the entries of each chunk, then their exclusive prefix sums */
};

static void make_offsets(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    const struct csr *A = making->A;
    for (int64_t c = begin; c < end; c++) {
        int64_t own[CHUNK + 1], rows = rows_of_chunk(making->n, c);
        A->maker->rows(A->maker_options, making->first + c * CHUNK, 0,
                       &(struct csr){.n = rows, .offsets = own});
        memcpy(making->offsets + c * CHUNK, own, (size_t)rows * sizeof *own);
        making->prefix[c] = own[rows];
    }
}

static void shift_offsets(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    for (int64_t c = begin; c < end; c++)
        for (int64_t r = 0; r < rows_of_chunk(making->n, c); r++)
            making->offsets[c * CHUNK + r] += making->prefix[c];
}

enum status csr_make_offsets(const struct csr *A, int64_t first, int64_t last, int64_t *offsets,
                             struct error *error)
{
    int64_t n = last - first, chunks = chunks_of(n), before = 0;
    int64_t *prefix = memory_array(chunks, sizeof *prefix, "the matrix's rows", error);
    if (!prefix)
        return STATUS_MEMORY;
    struct making making = {A, first, n, offsets, prefix};
    threads_take(threads_lent(), chunks, 1, make_offsets, &making);
    for (int64_t c = 0; c < chunks; c++) {
        int64_t entries = prefix[c];
        prefix[c] = before;
        before += entries;
    }
    offsets[n] = before;
    threads_each(threads_lent(), chunks, shift_offsets, &making);
    memory_free(prefix);
    return STATUS_OK;
}

struct filling {
    const struct csr *A;
    int64_t first, base;
    const struct csr *rows;
};

static void fill_chunks(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct csr *A = filling->A, *rows = filling->rows;
    for (int64_t c = begin; c < end; c++) {
        struct csr chunk = {.n = rows_of_chunk(rows->n, c),
                            .offsets = rows->offsets + c * CHUNK,
                            .columns = rows->columns,
                            .values = rows->values};
        A->maker->rows(A->maker_options, filling->first + c * CHUNK, filling->base, &chunk);
        for (int64_t k = chunk.offsets[0]; A->exponent && k < chunk.offsets[chunk.n]; k++)
            chunk.values[k] = ldexp(chunk.values[k], -A->exponent);
    }
}

void csr_fill_rows(const struct csr *A, int64_t first, int64_t base, const struct csr *rows)
{
    threads_take(threads_lent(), chunks_of(rows->n), 1, fill_chunks,
                 &(struct filling){A, first, base, rows});
}

/* The made->n rows from `first` on. The arrays, NULL before, belong to the caller. */
static enum status make(const struct csr *A, int64_t first, struct csr *made, struct error *error)
{
    int64_t n = made->n;
    made->offsets = memory_array(n + 1, sizeof *made->offsets, "the matrix's row offsets", error);
    if (!made->offsets || csr_make_offsets(A, first, first + n, made->offsets, error))
        return STATUS_MEMORY;
    made->nnz = made->offsets[n];
    made->columns = memory_array(made->nnz, sizeof *made->columns, "the matrix's columns", error);
    if (made->columns)
        made->values = memory_array(made->nnz, sizeof *made->values, "the matrix's values", error);
    if (!made->values)
        return STATUS_MEMORY;
    csr_fill_rows(A, first, first, made);
    return STATUS_OK;
}

enum status csr_store(struct csr *A, struct error *error)
{
    if (!A->maker || A->offsets)
        return STATUS_OK;
    enum status status = A->maker->kept
                             ? error_set(error, STATUS_UNAVAILABLE,
                                         "of this matrix each rank has its own rows alone")
                             : csr_check_rows(A->n, error);
    if (!status)
        status = memory_fits((double)csr_bytes(A), "the matrix", error);
    if (!status)
        status = make(A, 0, A, error);
    if (status)
        csr_free(A);
    return status;
}

enum status csr_check_stored(const struct csr *A, struct error *error)
{
    return A->maker && !A->offsets
               ? error_set(error, STATUS_UNAVAILABLE, "the rows of this matrix are not stored")
               : STATUS_OK;
}

enum status csr_check_rows(int64_t n, struct error *error)
{
    return n <= INT32_MAX ? STATUS_OK
                          : error_set(error, STATUS_CONFIG,
                                      "%" PRId64 " rows of a matrix in one memory: at most %d. "
                                      "Several ranks may have more together",
                                      n, INT32_MAX);
}

int64_t csr_made_width(const struct csr *A, int64_t first, int64_t last)
{
    int64_t end = last + A->maker->reach(A->maker_options);
    return (end < A->n ? end : A->n) - first;
}

enum status csr_make_rows(const struct csr *A, int64_t first, int64_t last, struct csr *rows,
                          struct error *error)
{
    *rows = (struct csr){.kind = A->kind, .n = last - first};
    rows->width = csr_made_width(A, first, last);
    enum status status = csr_check_rows(rows->width, error);
    if (!status)
        status = make(A, first, rows, error);
    if (status)
        csr_free(rows);
    return status;
}

/* --- the rows of a rank ----------------------------------------------------------------------- */

static int64_t entries(const void *options)
{
    return ((const struct partial_csr *)options)->A.nnz;
}

static int64_t reach(const void *options)
{
    return ((const struct partial_csr *)options)->reach;
}

static const struct csr *kept_rows(const void *options)
{
    return &((const struct partial_csr *)options)->A;
}

static void copy_rows(const void *options, int64_t first, int64_t base, const struct csr *rows)
{
    const struct partial_csr *kept = options;
    const struct csr *A = &kept->A;
    first -= kept->base;
    base -= kept->base;
    int64_t begin = A->offsets[first], count = A->offsets[first + rows->n] - begin;
    if (!rows->columns) {
        for (int64_t i = 0; i <= rows->n; i++)
            rows->offsets[i] = A->offsets[first + i] - begin;
        return;
    }
    int64_t at = rows->offsets[0];
    for (int64_t k = 0; k < count; k++)
        rows->columns[at + k] = (int32_t)(A->columns[begin + k] - base);
    memcpy(rows->values + at, A->values + begin, (size_t)count * sizeof *rows->values);
}

static const struct csr_maker keeper = {
    .entries = entries, .reach = reach, .rows = copy_rows, .kept = kept_rows};

struct farthest {
    const struct csr *A;
    int64_t distance; /* of an entry from the diagonal */
};

static void find_farthest(void *context, int64_t begin, int64_t end)
{
    struct farthest *farthest = context;
    const struct csr *A = farthest->A;
    int64_t own = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t distance = A->columns[A->offsets[i + 1] - 1] - i;
        own = distance > own ? distance : own;
    }
    ATOMIC_MOST(&farthest->distance, own);
}

struct csr partial_csr_of(const struct csr *rows, int64_t base, int64_t n, struct partial_csr *kept)
{
    struct farthest farthest = {rows, rows->space ? rows->n - 1 : 0};
    if (!rows->space)
        threads_each(threads_lent(), rows->n, find_farthest, &farthest);
    *kept = (struct partial_csr){*rows, base, farthest.distance};
    struct csr made = csr_made(rows->kind, n, &keeper, kept);
    made.near_null = rows->near_null;
    return made;
}

void partial_csr_create(struct csr *A, struct partial_csr *kept)
{
    *A = partial_csr_of(A, 0, A->n, kept);
}

void partial_csr_free(struct partial_csr *kept)
{
    csr_free(&kept->A);
    kept->reach = 0;
}
