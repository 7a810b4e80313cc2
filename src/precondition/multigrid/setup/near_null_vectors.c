#include "precondition/multigrid/setup/near_null_vectors.h"

#include "matrix/near_null.h"
#include "precondition/multigrid/setup/near_null_rows.h"
#include "space/rows.h"

#include <string.h>

static const char what[] = "near-null vectors";

enum { LANES = 16 }; /* of an aggregate on a device: a power of two, for they meet */

/* Whether the numbering keeps the rows of each node together, in their order. */
static bool keeps_nodes(int64_t n, int64_t block, const int32_t *number)
{
    for (int64_t i = 0; number && i < n; i++)
        if (number[i] != number[i - i % block] + i % block || number[i - i % block] % block != 0)
            return false;
    return true;
}

static enum status bring_vectors(struct space *space, const struct near_null *near_null,
                                 const int32_t *number, double *B, struct error *error)
{
    int64_t width = near_null->count;
    size_t row = (size_t)width * sizeof *B;
    double *renumbered = space ? NULL : B;
    if (!number) {
        if (space)
            return space->operations->upload(space, near_null->n * (int64_t)row, near_null->values,
                                             B, error);
        memcpy(B, near_null->values, (size_t)near_null->n * row);
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    if (space)
        status =
            rows_array(NULL, near_null->n * width, sizeof *B, what, (void **)&renumbered, error);
    for (int64_t i = 0; i < near_null->n && !status; i++)
        memcpy(renumbered + number[i] * width, near_null->values + i * width, row);
    if (!status && space)
        status =
            space->operations->upload(space, near_null->n * (int64_t)row, renumbered, B, error);
    if (space)
        rows_release(NULL, renumbered);
    return status;
}

enum status near_null_take(const struct csr *A, const struct near_null *near_null, int64_t block,
                           const int32_t *number, struct near_null_vectors *vectors,
                           struct error *error)
{
    block = near_null && near_null->block > 1 ? near_null->block : block;
    block = keeps_nodes(A->n, block, number) ? block : 1;
    *vectors =
        (struct near_null_vectors){A->space, block, near_null ? near_null->count : block, NULL};
    enum status status = rows_array(A->space, A->n * vectors->width, sizeof *vectors->B, what,
                                    (void **)&vectors->B, error);
    if (status)
        return status;
    if (near_null)
        return bring_vectors(A->space, near_null, number, vectors->B, error);
    return rows_run(A->space, &pass_constants, A->n,
                    &(struct constants){vectors->B, vectors->width}, error);
}

enum status near_null_return(struct near_null_vectors *vectors, int64_t n, struct error *error)
{
    double *host;
    int64_t count = n * vectors->width;
    enum status status = rows_array(NULL, count, sizeof *host, what, (void **)&host, error);
    if (!status)
        status =
            rows_download(vectors->space, count * (int64_t)sizeof *host, vectors->B, host, error);
    rows_release(vectors->space, vectors->B);
    vectors->space = NULL;
    vectors->B = host;
    return status;
}

void near_null_vectors_free(struct near_null_vectors *vectors)
{
    rows_release(vectors->space, vectors->B);
    *vectors = (struct near_null_vectors){0};
}

enum status near_null_orthogonalize(const struct near_null_vectors *vectors,
                                    const struct aggregates *aggregates, double **T,
                                    struct near_null_vectors *below, struct error *error)
{
    struct space *space = vectors->space;
    int64_t width = vectors->width;
    struct tentative by = {.block = vectors->block,
                           .width = width,
                           .B = vectors->B,
                           .begins = aggregates->offsets,
                           .members = aggregates->members,
                           .lanes = LANES};
    *below = (struct near_null_vectors){space, width, width, NULL};
    enum status status = rows_array(space, aggregates->n * vectors->block * width + NEAR_NULL_WIDE,
                                    sizeof *by.T, what, (void **)&by.T, error);
    if (!status)
        status = rows_array(space, aggregates->count * width * width, sizeof *by.R, what,
                            (void **)&by.R, error);
    *T = by.T;
    below->B = by.R;
    return status ? status : rows_run(space, &pass_orthogonalizing, aggregates->count, &by, error);
}
