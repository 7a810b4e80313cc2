/* y = A x and Y = A X from full rows by k x k blocks, by cuSPARSE: what the library has for a
 * matrix of several unknowns a node. A block is kept whole where any entry lies in it, so there is
 * one column number for k k values, and a row of X is fetched once for k rows of Y.
 *
 * Moves for a block 8 k k + 4 bytes, 4 a block row, x and y once. Where blocks would take more
 * bytes than entries, or k = 1 is asked for, it is the library's product of compressed rows, whose
 * default promises no bits.
 *
 * The library has this product of one vector since CUDA 13.0; that of several it had before. */
#include "base/threads.h"
#include "spmv/vendor/cusparse_csr.h"

#include <inttypes.h>

extern "C" const struct kernel kernel_cusparse_bsr;

#if CUDART_VERSION >= 13000

enum { BLOCK };                                   /* the place of the parameter */
enum { K_MAX = 8, FEWEST = 0, ENTRY_BYTES = 12 }; /* of an entry that is by itself */

static const struct parameter parameters[] = {
    KERNEL_INTEGER(BLOCK, "block",
                   "rows and columns of a block, a divisor of A's; 1: none; 0: what takes the "
                   "fewest bytes",
                   "0", FEWEST, K_MAX),
    {},
};

static enum status multiply(struct cusparse_csr *csr, const void *x, void *y, struct error *error)
{
    return cusparse_product_apply(csr, 0, 1, x, 0, y, error);
}

static constexpr const struct operator_table *table = &cusparse_table<multiply>;

static bool divides(const struct csr *A, int64_t k)
{
    return A->n % k == 0 && A->width % k == 0;
}

/* The blocks of a block row of the full matrix, in ascending columns, and how many there are.
 * visit(b, J, u, p): entry p is in the row's block b, which is in block column J, in its row u. */
template <typename Visit>
static int64_t walk(const struct csr *full, int k, int64_t row, Visit visit)
{
    int64_t next[K_MAX], count = 0;
    const int64_t *offsets = full->offsets + row * k;
    for (int u = 0; u < k; u++)
        next[u] = offsets[u];
    for (;; count++) {
        int32_t column = INT32_MAX;
        for (int u = 0; u < k; u++)
            if (next[u] < offsets[u + 1] && full->columns[next[u]] / k < column)
                column = full->columns[next[u]] / k;
        if (column == INT32_MAX)
            return count;
        for (int u = 0; u < k; u++)
            for (; next[u] < offsets[u + 1] && full->columns[next[u]] / k == column; next[u]++)
                visit(count, column, u, next[u]);
    }
}

struct counting {
    const struct csr *full;
    int k;
    int64_t count;
};

static void count_rows(void *context, int64_t row, int64_t end)
{
    struct counting *by = (struct counting *)context;
    int64_t count = 0;
    for (; row < end; row++)
        count += walk(by->full, by->k, row, [](int64_t, int32_t, int, int64_t) {});
    __atomic_fetch_add(&by->count, count, __ATOMIC_RELAXED);
}

static int64_t count_blocks(const struct csr *full, int k)
{
    struct counting counting = {full, k, 0};
    threads_each(threads_lent(), full->n / k, count_rows, &counting);
    return counting.count;
}

static int64_t block_bytes(int k)
{
    return k * k * (int64_t)sizeof(double) + (int64_t)sizeof(int32_t);
}

static int fewest_bytes(const struct csr *full)
{
    int best = 1;
    int64_t least = full->nnz * ENTRY_BYTES;
    for (int k = 2; k <= K_MAX; k++) {
        if (!divides(full, k))
            continue;
        int64_t bytes = count_blocks(full, k) * block_bytes(k);
        if (bytes < least) {
            least = bytes;
            best = k;
        }
    }
    return best;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* On the host. Each array has one spare element, so that none is empty. */
struct blocks {
    int64_t count;
    int32_t *offsets, *columns;
    double *values;
};

static void fill(const struct csr *full, int k, const struct blocks *blocks)
{
    each_index(full->n / k, [&](int64_t row) {
        walk(full, k, row, [&](int64_t b, int32_t column, int u, int64_t p) {
            int64_t block = blocks->offsets[row] + b;
            blocks->columns[block] = column;
            blocks->values[(block * k + u) * k + full->columns[p] % k] = full->values[p];
        });
    });
}

static enum status make_blocks(const struct csr *full, int k, struct blocks *blocks,
                               struct error *error)
{
    static const char *const what = "the matrix by blocks";
    int64_t rows = full->n / k;
    blocks->count = count_blocks(full, k);
    if (blocks->count > INT32_MAX)
        return error_set(error, STATUS_CONFIG, "cusparse_bsr: more than 2^31 - 1 blocks");
    blocks->offsets = (int32_t *)memory_zeros(rows + 1, sizeof(int32_t), what, error);
    if (blocks->offsets)
        blocks->columns = (int32_t *)memory_zeros(blocks->count + 1, sizeof(int32_t), what, error);
    if (blocks->columns)
        blocks->values =
            (double *)memory_zeros(blocks->count * k * k + 1, sizeof(double), what, error);
    if (!blocks->values)
        return STATUS_MEMORY;
    for (int64_t row = 0; row < rows; row++)
        blocks->offsets[row + 1] =
            blocks->offsets[row] +
            (int32_t)walk(full, k, row, [](int64_t, int32_t, int, int64_t) {});
    fill(full, k, blocks);
    return STATUS_OK;
}

static enum status put(struct cusparse_csr *csr, const struct csr *full, struct error *error)
{
    int k = csr->block;
    struct blocks blocks = {};
    enum status status = make_blocks(full, k, &blocks, error);
    csr->A.n = full->n;
    csr->A.width = full->width;
    csr->A.nnz = blocks.count;
    if (!status) {
        const struct cuda_piece pieces[] = {
            {blocks.offsets, full->n / k + 1, sizeof(int32_t), &csr->A.offsets},
            {blocks.columns, blocks.count + 1, sizeof(int32_t), &csr->A.columns},
            {blocks.values, blocks.count * k * k + 1, sizeof(double), &csr->A.values}};
        status = cuda_put_pieces(csr->space, pieces, "the matrix by blocks", error);
    }
    memory_free(blocks.offsets);
    memory_free(blocks.columns);
    memory_free(blocks.values);
    return status;
}

/* The handle, and the matrix by blocks of k. */
static enum status create(const struct csr *full, int k, struct linear_operator *made,
                          struct error *error)
{
    struct cusparse_csr *csr = cuda_state_create<struct cusparse_csr>(table, made, error);
    if (!csr)
        return STATUS_MEMORY;
    csr->block = k;
    csr->columns_algorithm = CUSPARSE_SPMM_BSR_ALG1;
    enum status status = cusparse_open(csr->space, &csr->handle, error);
    if (!status)
        status = put(csr, full, error);
    made->memory_bytes = csr->A.nnz * block_bytes(k) + (full->n / k + 1) * (int64_t)sizeof(int32_t);
    snprintf(made->description, sizeof made->description, "blocks of %d x %d", k, k);
    return status;
}

/* The same by entries. */
static enum status create_entries(const struct csr *A, const struct kernel_options *options,
                                  struct linear_operator *made, struct error *error)
{
    enum status status =
        cusparse_csr_create(&kernel_cusparse_bsr, table, A, options, false, made, error);
    if (status)
        return status;
    ((struct cusparse_csr *)made->state)->columns_algorithm = CUSPARSE_SPMM_CSR_ALG2;
    return STATUS_OK;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct csr full;
    enum status status = csr_expand(A, &full, error);
    if (status)
        return status;
    int64_t asked = options->values[BLOCK];
    int k = asked == FEWEST ? fewest_bytes(&full) : (int)asked;
    status = k > 1 ? create(&full, k, made, error) : create_entries(A, options, made, error);
    made->can = OPERATOR_APART;
    csr_free(&full);
    made->bytes_per_apply = made->memory_bytes + cuda_vector_bytes(made);
    if (!status)
        status =
            cusparse_product_create(made, 0, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                    k > 1 ? CUSPARSE_SPMV_BSR_ALG1 : CUSPARSE_SPMV_CSR_ALG1, error);
    return status;
}

/* At the least: blocks without zeros, whose columns are not known. */
static int64_t setup_bytes(const struct csr *A, const struct kernel_options *)
{
    return csr_nnz_full(A) * (int64_t)sizeof(double);
}

static enum status check(const struct csr *A, const struct kernel_options *options,
                         struct error *error)
{
    int64_t k = options->values[BLOCK];
    if (k == FEWEST || divides(A, k))
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "block = %" PRId64 " does not divide %" PRId64 " rows and %" PRId64 " columns",
                     k, A->n, A->width);
}

const struct kernel kernel_cusparse_bsr = {
    .component =
        KERNEL_COMPONENT("cusparse_bsr", "full rows by small blocks, by cuSPARSE", parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_NONE,
    .unavailable = cuda_unavailable,
    .check = check,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cusparse_bsr)
#else
static const char *without_blocks(void)
{
    return "cuSPARSE has no product by blocks: it needs CUDA 13.0 at the build";
}

/* A name without a kernel behind it, as where there is no CUDA. */
const struct kernel kernel_cusparse_bsr = {
    .component = KERNEL_COMPONENT("cusparse_bsr", "not in this build", nullptr),
    .space = SPACE_CUDA,
    .unavailable = without_blocks,
};
CUDA_PUT_CONSTANT(kernel_cusparse_bsr)
#endif
