/* SDDMM by cuSPARSE's generic API: cusparseSDDMM computes C = alpha (A B) o spy(C) + beta C with
 * dense A and B and C in CSR. Here A = X and B = Y', by rows, alpha = 1, and beta = 0 for the first
 * group of columns and 1 for the others. It moves the pattern and the values once a group at the
 * least, and X and Y once. */
#include "spmv/sddmm/sddmm.h"

#include "spmv/operator.h"
#include "spmv/vendor/cusparse_csr.h"

/* A product of groups of one width, made ready. */
struct group {
    int columns, stride;
    cusparseDnMatDescr_t x, y;
    cusparseSpMatDescr_t samples;
    void *workspace;
    size_t bytes; /* of it */
};

enum { WHOLE, REST, GROUPS };

struct state {
    struct space_cuda *space;
    cusparseHandle_t handle;
    int64_t n, width, nnz, columns;
    int32_t *offsets, *indices;
    struct group groups[GROUPS]; /* REST: where 32 does not divide the columns */
};

static const double one = 1, zero = 0;
static const cusparseOperation_t keep = CUSPARSE_OPERATION_NON_TRANSPOSE,
                                 transpose = CUSPARSE_OPERATION_TRANSPOSE;

static enum status describe(const struct state *own, struct group *group, struct error *error)
{
    void *any = own->indices; /* every call sets its own */
    enum status status =
        cusparse_check(cusparseCreateDnMat(&group->x, own->n, group->columns, group->stride, any,
                                           CUDA_R_64F, CUSPARSE_ORDER_ROW),
                       "X", error);
    if (!status)
        status =
            cusparse_check(cusparseCreateDnMat(&group->y, own->width, group->columns, group->stride,
                                               any, CUDA_R_64F, CUSPARSE_ORDER_ROW),
                           "Y", error);
    if (!status)
        status = cusparse_check(cusparseCreateCsr(&group->samples, own->n, own->width, own->nnz,
                                                  own->offsets, own->indices, any,
                                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                  CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                                "the pattern", error);
    return status;
}

static enum status make_ready(const struct state *own, struct group *group, int columns,
                              struct error *error)
{
    group->columns = columns;
    group->stride = columns_stride(columns);
    enum status status = describe(own, group, error);
    if (!status)
        status =
            cusparse_check(cusparseSDDMM_bufferSize(own->handle, keep, transpose, &one, group->x,
                                                    group->y, &zero, group->samples, CUDA_R_64F,
                                                    CUSPARSE_SDDMM_ALG_DEFAULT, &group->bytes),
                           "the size of the work space", error);
    if (!status)
        status = cuda_array(own->space, (int64_t)group->bytes, 1, "cuSPARSE's work space",
                            &group->workspace, error);
    if (!status)
        status =
            cusparse_check(cusparseSDDMM_preprocess(own->handle, keep, transpose, &one, group->x,
                                                    group->y, &zero, group->samples, CUDA_R_64F,
                                                    CUSPARSE_SDDMM_ALG_DEFAULT, group->workspace),
                           "the preparation of sampled products", error);
    return status;
}

static enum status multiply(const struct state *own, const struct group *group, const double *x,
                            const double *y, const double *beta, double *values,
                            struct error *error)
{
    enum status status =
        cusparse_check(cusparseDnMatSetValues(group->x, const_cast<double *>(x)), "X", error);
    if (!status)
        status =
            cusparse_check(cusparseDnMatSetValues(group->y, const_cast<double *>(y)), "Y", error);
    if (!status)
        status =
            cusparse_check(cusparseSpMatSetValues(group->samples, values), "the values", error);
    if (!status)
        status = cusparse_check(cusparseSDDMM(own->handle, keep, transpose, &one, group->x,
                                              group->y, beta, group->samples, CUDA_R_64F,
                                              CUSPARSE_SDDMM_ALG_DEFAULT, group->workspace),
                                "sampled products", error);
    return status;
}

static enum status apply(void *state, const double *X, const double *Y, double *values,
                         struct error *error)
{
    const struct state *own = (const struct state *)state;
    enum status status = STATUS_OK;
    for (int64_t first = 0; first < own->columns && own->nnz > 0 && !status;
         first += COLUMNS_AT_ONCE) {
        bool is_whole = first + COLUMNS_AT_ONCE <= own->columns;
        status = multiply(own, &own->groups[is_whole ? WHOLE : REST], X + first * own->n,
                          Y + first * own->width, first > 0 ? &one : &zero, values, error);
    }
    return status;
}

static void destroy(void *state)
{
    struct state *own = (struct state *)state;
    if (!own)
        return;
    for (int g = 0; g < GROUPS; g++) {
        struct group *group = &own->groups[g];
        if (group->x)
            cusparseDestroyDnMat(group->x);
        if (group->y)
            cusparseDestroyDnMat(group->y);
        if (group->samples)
            cusparseDestroySpMat(group->samples);
        cuda_free(own->space, group->workspace);
    }
    cuda_free(own->space, own->offsets);
    cuda_free(own->space, own->indices);
    if (own->handle)
        cusparseDestroy(own->handle);
    memory_free(own);
}

static const struct sddmm_table table = {apply, destroy};

/* The pattern there, with offsets as the library wants them beside its columns. */
static enum status bring(const struct csr *pattern, struct state *own, struct error *error)
{
    if (pattern->nnz > INT32_MAX)
        return error_set(error, STATUS_CONFIG, "cuSPARSE: at most %d entries are sampled",
                         INT32_MAX);
    int32_t *offsets =
        (int32_t *)memory_array(pattern->n + 1, sizeof *offsets, "the offsets", error);
    if (!offsets)
        return STATUS_MEMORY;
    for (int64_t i = 0; i <= pattern->n; i++)
        offsets[i] = (int32_t)pattern->offsets[i];
    const struct cuda_piece pieces[] = {
        {offsets, pattern->n + 1, sizeof *offsets, &own->offsets},
        {pattern->columns, pattern->nnz, sizeof *pattern->columns, &own->indices}};
    enum status status = cuda_put_pieces(own->space, pieces, "the pattern", error);
    memory_free(offsets);
    return status;
}

static enum status setup(const struct csr *pattern, struct state *own, struct error *error)
{
    int rest = (int)(own->columns % COLUMNS_AT_ONCE);
    enum status status = bring(pattern, own, error);
    if (!status)
        status = cusparse_open(own->space, &own->handle, error);
    if (!status && own->nnz > 0 && own->columns >= COLUMNS_AT_ONCE)
        status = make_ready(own, &own->groups[WHOLE], COLUMNS_AT_ONCE, error);
    if (!status && own->nnz > 0 && rest > 0)
        status = make_ready(own, &own->groups[REST], rest, error);
    return status;
}

enum status cusparse_sddmm_create(struct space *space, const struct csr *pattern, int64_t columns,
                                  struct sddmm *made, struct error *error)
{
    *made = sddmm_of(space, pattern, columns);
    space_enter(space);
    struct state *own = (struct state *)memory_zeros(1, sizeof *own, "a product's state", error);
    made->name = "cuSPARSE";
    made->table = &table;
    made->state = own;
    enum status status = STATUS_MEMORY;
    if (own) {
        own->space = space_cuda_of(space);
        own->n = made->n;
        own->width = made->width;
        own->nnz = made->nnz;
        own->columns = columns;
        status = setup(pattern, own, error);
        made->memory_bytes = (made->n + 1 + made->nnz) * (int64_t)sizeof(int32_t) +
                             (int64_t)(own->groups[WHOLE].bytes + own->groups[REST].bytes);
    }
    if (status)
        sddmm_destroy(made);
    return status;
}
CUDA_PUT(cusparse_sddmm_create)
