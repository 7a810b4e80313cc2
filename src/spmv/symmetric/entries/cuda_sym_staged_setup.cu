/* The arrays of cuda_sym_staged.h, from a matrix on the host or in the device's memory. */
#include "spmv/symmetric/entries/cuda_sym_staged.h"

#include "base/memory.h"
#include "base/threads.h"
#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/entries/build_staging.h"
#include "spmv/symmetric/value_dictionary.h"

#include <algorithm>

static const char *const what = "the lists of staged entries";

/* ---- on the host ----------------------------------------------------------------------------- */

static enum status put_lists(struct space_cuda *space, const struct staging *staging,
                             struct cuda_staged *kept, struct error *error)
{
    uint32_t *lists = (uint32_t *)memory_zeros(kept->lists_length, sizeof *lists, what, error);
    if (!lists)
        return STATUS_MEMORY;
    each_index(kept->tiles, STAGED_PIECE,
               [&](int64_t tile) { staging_fill(staging, tile, lists); });
    enum status status = cuda_put(space, lists, kept->lists_length, sizeof *lists, what,
                                  (void **)&kept->lists, error);
    memory_free(lists);
    if (!status)
        status = cuda_put(space, staging->tile, kept->tiles, sizeof *staging->tile, what,
                          (void **)&kept->tile, error);
    return status;
}

template <typename Value> static void move_values(const struct staging *staging, Value *values)
{
    const struct csr *A = &staging->A;
    each_index(A->n, [&](int64_t i) {
        int64_t words = staging->tile[i / SUM_TILE].values;
        Value *own = values + words * STAGED_WORD / (int64_t)sizeof(Value);
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++)
            own[staging->moved[p]] = (Value)A->values[p];
    });
}

static enum status put_values(struct space_cuda *space, const struct staging *staging,
                              struct cuda_staged *kept, struct error *error)
{
    void *values = memory_zeros(kept->values_length, STAGED_WORD, "the values", error);
    if (!values)
        return STATUS_MEMORY;
    if (kept->singles)
        move_values(staging, (float *)values);
    else
        move_values(staging, (double *)values);
    enum status status = cuda_put(space, values, kept->values_length, STAGED_WORD, "the values",
                                  (void **)&kept->values, error);
    memory_free(values);
    return status;
}

/* Whether the values would be kept as codes. */
static enum status coded(const struct csr *A, int64_t value_bytes, bool *yes, struct error *error)
{
    struct value_dictionary codes;
    enum status status =
        value_dictionary_create(A->values, 1, A->nnz, (size_t)value_bytes, &codes, error);
    *yes = codes.width > 0;
    value_dictionary_free(&codes);
    return status;
}

/* Bytes of shared memory: for a block STAGED_SHARED, or what it may have on this device, if less;
 * and for all blocks of a multiprocessor. */
struct shared_limit {
    int block, processor;
};
static enum status find_limit(const struct space_cuda *space, struct shared_limit *limit,
                              struct error *error)
{
    cudaError_t result = cudaDeviceGetAttribute(
        &limit->block, cudaDevAttrMaxSharedMemoryPerBlockOptin, space->device);
    if (!result)
        result = cudaDeviceGetAttribute(&limit->processor,
                                        cudaDevAttrMaxSharedMemoryPerMultiprocessor, space->device);
    limit->block = std::min<int>(limit->block, STAGED_SHARED);
    return cuda_check(result, "shared memory", error);
}

/* All but the arrays. */
static enum status begin(const struct staging *staging, const struct sym_choice *choice,
                         struct shared_limit limit, struct cuda_staged *staged, struct error *error)
{
    staged->n = staging->A.n;
    staged->nnz = staging->A.nnz;
    staged->tiles = staging->tiles;
    staged->values_length = staging->values_length;
    staged->lists_length = staging->lists_length;
    staged->shared_bytes = (int)staging->shared_bytes;
    staged->columns_bytes = (int)staging->columns_bytes;
    staged->processor_bytes = limit.processor;
    staged->skew = staging->A.kind == CSR_SKEW;
    staged->singles = choice->singles;
    staged->single_sums = choice->single_sums;
    enum status status = cuda_staged_allow(staged, limit.block, error);
    return status ? status : cuda_staged_columns_allow(staged, limit.block, error);
}

static enum status put(struct space_cuda *space, const struct staging *staging,
                       const struct sym_choice *choice, struct shared_limit limit,
                       struct cuda_staged *staged, struct error *error)
{
    enum status status = begin(staging, choice, limit, staged, error);
    if (!status)
        status = put_lists(space, staging, staged, error);
    return status ? status : put_values(space, staging, staged, error);
}

static int64_t value_bytes_of(const struct sym_choice *choice)
{
    return choice->singles ? sizeof(float) : sizeof(double);
}

enum status cuda_staged_create(struct space_cuda *space, const struct csr *A,
                               const struct sym_choice *choice, struct cuda_staged *staged,
                               struct error *error)
{
    *staged = {};
    bool codes = false, fits = false;
    struct shared_limit limit = {};
    int64_t value_bytes = value_bytes_of(choice);
    enum status status = choice->compress ? coded(A, value_bytes, &codes, error) : STATUS_OK;
    if (!status)
        status = find_limit(space, &limit, error);
    if (status || codes)
        return status;
    struct staging staging;
    status = staging_create(A, value_bytes, &staging, &fits, error);
    if (!status && fits && staging_is_worth(&staging, limit.block))
        status = put(space, &staging, choice, limit, staged, error);
    staging_free(&staging);
    if (status)
        cuda_staged_free(space, staged);
    return status;
}

/* ---- in the device's memory ------------------------------------------------------------------ */

/* Of a form that has the fewest words: each entry of A and of the full matrix once. */
static int64_t least_bytes(const struct csr *A, int64_t value_bytes)
{
    return A->nnz * value_bytes + 2 * A->nnz * (int64_t)sizeof(uint32_t);
}

int64_t cuda_staged_bytes_on_device(const struct csr *A, int64_t value_bytes)
{
    return cuda_staging_bytes(A) + least_bytes(A, value_bytes);
}

static bool has_room(struct space_cuda *space, int64_t bytes)
{
    struct error ignored;
    return !space->base.operations->fits(&space->base, bytes, "", &ignored);
}

/* The headers of the tiles become the form's. */
static enum status fill(struct space_cuda *space, struct cuda_staging *from,
                        struct cuda_staged *staged, struct error *error)
{
    enum status status = zeros(space, staged->lists_length, sizeof *staged->lists, what,
                               (void **)&staged->lists, error);
    if (!status)
        status = zeros(space, staged->values_length, STAGED_WORD, "the values",
                       (void **)&staged->values, error);
    if (!status)
        status = cuda_staging_fill(space, from, staged->lists, staged->values, error);
    staged->tile = from->staging.tile;
    from->staging.tile = NULL;
    return status;
}

enum status cuda_staged_create_on_device(struct space_cuda *space, const struct csr *A,
                                         const struct sym_choice *choice,
                                         struct cuda_staged *staged, struct error *error)
{
    *staged = {};
    bool yes;
    struct shared_limit limit = {};
    int64_t longest, value_bytes = value_bytes_of(choice);
    if (A->nnz > INT32_MAX || !has_room(space, cuda_staged_bytes_on_device(A, value_bytes)))
        return STATUS_OK;
    struct cuda_staging from = {};
    struct staging *staging = &from.staging;
    enum status status = cuda_staging_fits(space, A, value_bytes, &longest, &yes, error);
    if (!status)
        status = find_limit(space, &limit, error);
    if (!status && yes)
        status = cuda_staging_create(space, A, value_bytes, longest, &from, &yes, error);
    if (!status && yes && staging_is_worth(staging, limit.block) &&
        has_room(space, staging->values_length * STAGED_WORD +
                            staging->lists_length * (int64_t)sizeof(uint32_t))) {
        status = begin(staging, choice, limit, staged, error);
        if (!status)
            status = fill(space, &from, staged, error);
    }
    cuda_staging_free(space, &from);
    if (status)
        cuda_staged_free(space, staged);
    return status;
}
