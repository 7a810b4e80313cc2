#include "spmv/device_csr.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "space/ranks/ranks.h"
#include "space/rows.h"

static const char what[] = "the matrix for set-up";

typedef enum status mover(struct space *space, int64_t bytes, const void *from, void *to,
                          struct error *error);

static enum status take_offsets(struct space *space, struct csr *A, struct error *error)
{
    return space->operations->allocate(space, A->n + 1, sizeof *A->offsets, what,
                                       (void **)&A->offsets, error);
}

static enum status take_entries(struct space *space, struct csr *A, struct error *error)
{
    enum status status = space->operations->allocate(space, A->nnz, sizeof *A->columns, what,
                                                     (void **)&A->columns, error);
    return status ? status
                  : space->operations->allocate(space, A->nnz, sizeof *A->values, what,
                                                (void **)&A->values, error);
}

enum status device_csr_create(struct space *space, enum csr_kind kind, int64_t n, int64_t nnz,
                              struct csr *A, struct error *error)
{
    *A = (struct csr){.kind = kind, .n = n, .width = n, .nnz = nnz, .space = space};
    enum status status = take_offsets(space, A, error);
    if (!status)
        status = take_entries(space, A, error);
    if (status)
        device_csr_free(A);
    return status;
}

enum status device_csr_begin(struct space *space, enum csr_kind kind, int64_t n, struct csr *A,
                             struct error *error)
{
    *A = (struct csr){.kind = kind, .n = n, .width = n, .space = space};
    if (space)
        return take_offsets(space, A, error);
    A->offsets = memory_array(n + 1, sizeof *A->offsets, "the matrix's row offsets", error);
    return A->offsets ? STATUS_OK : STATUS_MEMORY;
}

static enum status complete_on_host(struct csr *A, struct error *error)
{
    struct csr made;
    enum status status = csr_create(&made, A->kind, A->n, A->offsets[A->n], error);
    if (status)
        return status;
    memory_free(made.offsets);
    made.offsets = A->offsets;
    *A = made;
    return STATUS_OK;
}

enum status device_csr_complete(struct csr *A, struct error *error)
{
    struct space *space = A->space;
    enum status status = rows_scan(space, A->n, A->offsets, error);
    if (!status && !space)
        return complete_on_host(A, error);
    if (!status)
        status =
            space->operations->download(space, sizeof A->nnz, A->offsets + A->n, &A->nnz, error);
    return status ? status : take_entries(space, A, error);
}

void device_csr_free(struct csr *A)
{
    if (!A->space) {
        csr_free(A);
        return;
    }
    space_release(A->space, A->offsets);
    space_release(A->space, A->columns);
    space_release(A->space, A->values);
    *A = (struct csr){0};
}

/* Each array of `from` to that of `to`. */
static enum status copy(const struct csr *from, const struct csr *to, mover *move,
                        struct space *space, struct error *error)
{
    enum status status = move(space, (from->n + 1) * (int64_t)sizeof *from->offsets, from->offsets,
                              to->offsets, error);
    if (!status)
        status = move(space, from->nnz * (int64_t)sizeof *from->columns, from->columns, to->columns,
                      error);
    return status ? status
                  : move(space, from->nnz * (int64_t)sizeof *from->values, from->values, to->values,
                         error);
}

/* The rows of A's maker from `first` on, into the zeroed *rows, whose arrays are the caller's to
 * free. */
static enum status make(struct space *space, const struct csr *A, int64_t first, struct csr *rows,
                        struct error *error)
{
    csr_rows_on_device *make_rows = device_csr_maker(A);
    enum status status = take_offsets(space, rows, error);
    if (!status)
        status = make_rows(A->maker_options, space->stream, first, first, rows, error);
    if (!status)
        status = space->operations->download(space, sizeof rows->nnz, rows->offsets + rows->n,
                                             &rows->nnz, error);
    if (!status)
        status = take_entries(space, rows, error);
    return status ? status : make_rows(A->maker_options, space->stream, first, first, rows, error);
}

bool device_csr_makes(const struct space *space, const struct csr *A)
{
    return space->operations->kind == SPACE_CUDA && A->maker && A->maker->rows_on_device &&
           device_csr_maker(A);
}

csr_rows_on_device *device_csr_maker(const struct csr *A)
{
    return (csr_rows_on_device *)cuda_part_function(A->maker->rows_on_device);
}

enum status device_csr_make_rows(struct space *space, const struct csr *A, int64_t first,
                                 int64_t last, struct csr *rows, struct error *error)
{
    *rows = (struct csr){.kind = A->kind, .n = last - first, .space = space};
    rows->width = csr_made_width(A, first, last);
    space_enter(space);
    enum status status = csr_check_rows(rows->width, error);
    if (!status)
        status = make(space, A, first, rows, error);
    if (status)
        device_csr_free(rows);
    return status;
}

enum status device_csr_bring(struct space *space, const struct csr *A, struct csr *device,
                             struct error *error)
{
    bool makes = device_csr_makes(space, A);
    enum status status = makes ? device_csr_make_rows(space, A, 0, A->n, device, error)
                               : device_csr_create(space, A->kind, A->n, A->nnz, device, error);
    if (!status && !makes)
        status = copy(A, device, A->space ? rows_copy : rows_upload, space, error);
    if (status)
        device_csr_free(device);
    else {
        device->host = A->space ? A->host : A;
        device->exponent = A->exponent;
        device->near_null = A->near_null;
    }
    return status;
}

enum status device_csr_fetch(const struct csr *device, struct csr *A, struct error *error)
{
    enum status status = csr_create(A, device->kind, device->n, device->nnz, error);
    if (status)
        return status;
    A->width = device->width;
    A->exponent = device->exponent;
    A->near_null = device->near_null;
    status = copy(device, A, rows_download, device->space, error);
    if (status)
        csr_free(A);
    return status;
}

enum status device_csr_on_host(const struct csr *A, const struct csr **host, struct csr *copy,
                               struct error *error)
{
    *copy = (struct csr){0};
    *host = !A->space ? A : A->host ? A->host : copy;
    return *host == copy ? device_csr_fetch(A, copy, error) : STATUS_OK;
}

const struct csr *device_csr_share(struct space *space, const struct csr *A, struct csr *rows)
{
    struct error ignored;
    *rows = (struct csr){0};
    bool can = space->operations->kind == SPACE_CUDA && !A->space && !ranks_of(space) &&
               A->kind != CSR_GENERAL && (A->offsets || device_csr_makes(space, A));
    if (!can || space->operations->fits(space, 3 * csr_bytes(A), "", &ignored) ||
        device_csr_bring(space, A, rows, &ignored))
        return A;
    return rows;
}
