/* The form of cuda_sym_bitwise for matrices of k x k blocks, k = 2, ..., 6: one index a block.
 *
 * One thread makes one row, in the frame of cuda_sym_tiles.cuh: k neighbouring threads read a block
 * together, each its row of an upper block and its column of a mirrored one. A value comes from
 * memory once; as a mirrored block it is read again, from the L2 cache while that holds what lies
 * between. So a row moves 8 bytes for each of its values right of the diagonal, (8 (k + 1) / 2 for
 * those of the diagonal block), 12 / k for a block's two indices, and x and y once. Single values,
 * on the diagonal too, are 4 bytes in place of 8.
 *
 * It is bound by the caches, not by memory: every block passes the L2 cache twice, and the threads
 * of a warp touch as many lines of the first-level cache as it has blocks, k times over. Blocks of
 * even k lie row by row, so that a thread reads two values at once; those of odd k, which have no
 * such alignment, column by column, which suits the upper ones. On an H200 (fe_cube, k = 4): 74 %
 * of a copy's speed. */
#include "spmv/symmetric/cuda_sym_forms.h"

#include "base/memory.h"
#include "base/threads.h"
#include "spmv/symmetric/blocks/cuda_sym_blocks.h"
#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/cuda_sym_tiles.cuh"
#include "spmv/symmetric/diagonals/build_diagonals.h"
#include "spmv/symmetric/transpose_index.h"
#include "spmv/symmetric/value_dictionary.h"

#include <inttypes.h>
#include <stdio.h>

enum { AT_ONCE = 2 }; /* blocks that a thread loads before it uses the first */

template <int K, typename Value, typename Sum> struct block_rows {
    enum { PLANES = 0, BY_COLUMNS = K % 2 };
    int64_t n;
    Sum sign;
    const int32_t *offsets, *lower_offsets, *columns;
    const struct mirrored *lower;
    const Value *values, *diagonals;

    size_t shared_bytes() const
    {
        return 0;
    }
    __device__ void begin(double *) const
    {
    }

    __device__ static void load_across(const Value *v, Sum (&a)[K])
    {
#pragma unroll
        for (int c = 0; c < K; c++)
            a[c] = v[c * K];
    }
    __device__ void load_upper(int64_t place, int r, Sum (&a)[K]) const
    {
        const Value *block = values + place * (K * K);
        if (BY_COLUMNS)
            load_across(block + r, a);
        else
            tiles_line(block + r * K, a);
    }
    __device__ void load_mirrored(int64_t place, int r, Sum (&a)[K]) const
    {
        const Value *block = values + place * (K * K);
        if (BY_COLUMNS)
            tiles_line(block + r * K, a);
        else
            load_across(block + r, a);
    }
    __device__ void load_diagonal(int64_t row, int r, Sum (&a)[K]) const
    {
        const Value *triangle = diagonals + row * (K * (K + 1) / 2);
#pragma unroll
        for (int c = 0; c < K; c++) {
            Sum v = triangle[sym_blocks_place(K, r, c)];
            a[c] = c < r ? sign * v : v;
        }
    }

    template <typename Vector>
    __device__ static Sum add(const Vector &vector, typename Vector::scalars scalars, Sum sum,
                              const Sum (&a)[K], const typename Vector::element (&x)[K])
    {
#pragma unroll
        for (int c = 0; c < K; c++)
            sum = fma(a[c], vector.value(scalars, x[c]), sum);
        return sum;
    }

    /* COUNT blocks from p on: load(p, a) brings a block's values and returns its block column. */
    template <int COUNT, typename Vector, typename Load>
    __device__ static Sum add_blocks(const Vector &vector, typename Vector::scalars scalars,
                                     Sum sum, int32_t p, Load load)
    {
        Sum a[COUNT][K];
        typename Vector::element x[COUNT][K];
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            int64_t column = load(p + u, a[u]);
            vector.template load_line<K>(column * K, x[u]);
        }
#pragma unroll
        for (int u = 0; u < COUNT; u++)
            sum = add(vector, scalars, sum, a[u], x[u]);
        return sum;
    }
    template <typename Vector, typename Load>
    __device__ static Sum add_list(const Vector &vector, typename Vector::scalars scalars, Sum sum,
                                   int32_t p, int32_t end, Load load)
    {
#pragma unroll 1
        for (; p + AT_ONCE <= end; p += AT_ONCE)
            sum = add_blocks<AT_ONCE>(vector, scalars, sum, p, load);
#pragma unroll 1
        for (; p < end; p++)
            sum = add_blocks<1>(vector, scalars, sum, p, load);
        return sum;
    }

    template <typename Vector>
    __device__ Sum multiply(const Vector &vector, typename Vector::scalars scalars, const double *,
                            int64_t, int64_t i, typename Vector::element &own) const
    {
        unsigned int row = (unsigned int)i / K;
        int r = (unsigned int)i % K;
        own = vector.load(i);
        Sum sum = add_list(vector, scalars, 0, lower_offsets[row], lower_offsets[row + 1],
                           [&](int32_t p, Sum(&a)[K]) {
                               struct mirrored block = lower[p];
                               load_mirrored(block.place, r, a);
                               if (sign < 0)
#pragma unroll
                                   for (int c = 0; c < K; c++)
                                       a[c] = -a[c];
                               return block.row;
                           });
        Sum a[K];
        typename Vector::element x[K];
        load_diagonal(row, r, a);
        vector.template load_line<K>((int64_t)row * K, x);
        sum = add(vector, scalars, sum, a, x);
        return add_list(vector, scalars, sum, offsets[row], offsets[row + 1],
                        [&](int32_t p, Sum(&b)[K]) {
                            load_upper(p, r, b);
                            return columns[p];
                        });
    }
};

template <int K, typename Value, typename Vector>
static enum status launch(const struct by_blocks *kept, const Vector &vector,
                          typename Vector::result *y, double *dot, struct error *error)
{
    typedef typename Vector::sum Sum;
    block_rows<K, Value, Sum> rows;
    rows.n = kept->n;
    rows.sign = (Sum)kept->sign;
    rows.offsets = kept->offsets;
    rows.lower_offsets = kept->lower_offsets;
    rows.columns = kept->columns;
    rows.lower = kept->lower;
    rows.values = (const Value *)kept->values;
    rows.diagonals = (const Value *)kept->diagonals;
    constexpr int BLOCKS_A_PROCESSOR = K < 6 ? 3 : 2;
    return tiles_launch<1, BLOCKS_A_PROCESSOR>(kept->space, rows, vector, y, dot, error);
}

template <typename Value, typename Vector>
static enum status launch_k(const struct by_blocks *kept, const Vector &vector,
                            typename Vector::result *y, double *dot, struct error *error)
{
    switch (kept->k) {
    case 2:
        return launch<2, Value>(kept, vector, y, dot, error);
    case 3:
        return launch<3, Value>(kept, vector, y, dot, error);
    case 4:
        return launch<4, Value>(kept, vector, y, dot, error);
    case 5:
        return launch<5, Value>(kept, vector, y, dot, error);
    default:
        return launch<6, Value>(kept, vector, y, dot, error);
    }
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct by_blocks *kept = (const struct by_blocks *)state;
    double *y = (double *)operands->y, *dot = operands->dot;
    const double *x = (const double *)operands->x;
    if (operands->columns > 1)
        return cuda_sym_blocks_columns(kept, operands, error);
    if (operands->singles)
        return launch_k<float>(kept, tiles_vector<float, float>{(const float *)operands->x},
                               (float *)operands->y, NULL, error);
    if (kept->single_sums)
        return launch_k<float>(kept, tiles_vector<float, double>{x}, y, NULL, error);
    return kept->singles ? launch_k<float>(kept, tiles_vector<double, double>{x}, y, dot, error)
                         : launch_k<double>(kept, tiles_vector<double, double>{x}, y, dot, error);
}

static void destroy(void *state)
{
    struct by_blocks *kept = (struct by_blocks *)state;
    if (!kept)
        return;
    cuda_free(kept->space, kept->offsets);
    cuda_free(kept->space, kept->lower_offsets);
    cuda_free(kept->space, kept->columns);
    cuda_free(kept->space, kept->lower);
    cuda_free(kept->space, kept->values);
    cuda_free(kept->space, kept->diagonals);
    memory_free(kept);
}

/* Each block transposed, in place. */
static void turn_blocks(struct sym_blocks *blocks)
{
    int k = blocks->k;
    int64_t count = blocks->offsets[blocks->rows];
    each_index(count, [&](int64_t p) {
        double *block = blocks->values + p * k * k;
        for (int r = 0; r < k; r++)
            for (int c = r + 1; c < k; c++) {
                double kept = block[r * k + c];
                block[r * k + c] = block[c * k + r];
                block[c * k + r] = kept;
            }
    });
}

static enum status put_offsets(struct space_cuda *space, const int64_t *offsets, int64_t count,
                               int32_t **device, struct error *error)
{
    int32_t *narrow = (int32_t *)memory_array(count, sizeof *narrow, "the row offsets", error);
    if (!narrow)
        return STATUS_MEMORY;
    for (int64_t i = 0; i < count; i++)
        narrow[i] = (int32_t)offsets[i];
    enum status status =
        cuda_put(space, narrow, count, sizeof *narrow, "the row offsets", (void **)device, error);
    memory_free(narrow);
    return status;
}

static enum status put_mirrored(const struct sym_blocks *blocks, struct by_blocks *kept,
                                struct error *error)
{
    struct transpose_index mirror;
    enum status status =
        transpose_index_create(blocks->rows, blocks->offsets, blocks->columns, &mirror, error);
    if (status)
        return status;
    struct mirrored *lower =
        (struct mirrored *)memory_array(kept->blocks, sizeof *lower, "the mirrored blocks", error);
    status = lower ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        for (int64_t p = 0; p < kept->blocks; p++)
            lower[p] = {mirror.columns[p], (int32_t)mirror.places[p]};
        status = cuda_put(kept->space, lower, kept->blocks, sizeof *lower, "the mirrored blocks",
                          (void **)&kept->lower, error);
    }
    if (!status)
        status =
            put_offsets(kept->space, mirror.offsets, kept->rows + 1, &kept->lower_offsets, error);
    memory_free(lower);
    transpose_index_free(&mirror);
    return status;
}

/* A is on the host. */
static enum status put(struct sym_blocks *blocks, struct by_blocks *kept, struct error *error)
{
    int k = blocks->k;
    if (k % 2)
        turn_blocks(blocks);
    enum status status = put_mirrored(blocks, kept, error);
    if (!status)
        status = put_offsets(kept->space, blocks->offsets, kept->rows + 1, &kept->offsets, error);
    if (!status)
        status = cuda_put(kept->space, blocks->columns, kept->blocks, sizeof(int32_t),
                          "the block columns", (void **)&kept->columns, error);
    if (!status)
        status = cuda_sym_put(kept->space, kept->singles, blocks->values, kept->blocks * k * k,
                              "the blocks", &kept->values, error);
    if (!status)
        status = cuda_sym_put(kept->space, kept->singles, blocks->diagonals,
                              kept->rows * sym_blocks_triangle(k), "the diagonal blocks",
                              &kept->diagonals, error);
    return status;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static struct by_blocks *create(const struct csr *A, const struct sym_choice *choice,
                                struct linear_operator *made, struct error *error)
{
    struct by_blocks *kept = cuda_state_create<struct by_blocks>(&table, made, error);
    if (!kept)
        return NULL;
    made->can = precision_can_columns(choice->single_sums) |
                (choice->single_sums ? 0u : (unsigned)OPERATOR_DOT);
    kept->n = A->n;
    kept->k = choice->k;
    kept->rows = A->n / choice->k;
    kept->singles = choice->singles;
    kept->single_sums = choice->single_sums;
    kept->sign = A->kind == CSR_SKEW ? -1 : 1;
    return kept;
}

static enum status check_count(const struct by_blocks *kept, struct error *error)
{
    if (kept->blocks <= INT32_MAX)
        return STATUS_OK;
    return error_set(error, STATUS_MEMORY, "the blocks: %" PRId64 " of them, %d can be numbered",
                     kept->blocks, INT32_MAX);
}

static void report_costs(const struct by_blocks *kept, struct linear_operator *made)
{
    int64_t k = kept->k, words = sizeof(int32_t);
    int64_t value = kept->singles ? sizeof(float) : sizeof(double);
    made->memory_bytes = kept->blocks * (k * k * value + 3 * words) +
                         kept->rows * sym_blocks_triangle(kept->k) * value +
                         2 * (kept->rows + 1) * words;
    made->bytes_per_apply = made->memory_bytes + cuda_vector_bytes(made);
    snprintf(made->description, sizeof made->description,
             "%" PRId64 " blocks of %d x %d right of the diagonal%s", kept->blocks, kept->k,
             kept->k, value_dictionary_text(kept->singles ? VALUE_DICTIONARY_SINGLES : 0));
}

enum status cuda_sym_blocks_setup(const struct csr *A, const struct sym_choice *choice,
                                  struct linear_operator *made, struct error *error)
{
    struct by_blocks *kept = create(A, choice, made, error);
    if (!kept)
        return STATUS_MEMORY;
    struct sym_blocks blocks;
    enum status status = sym_blocks_create(A, choice->k, &blocks, error);
    kept->blocks = status ? 0 : blocks.offsets[blocks.rows];
    if (!status)
        status = check_count(kept, error);
    if (!status)
        status = put(&blocks, kept, error);
    sym_blocks_free(&blocks);
    report_costs(kept, made);
    return status;
}

enum status cuda_sym_blocks_setup_on_device(const struct csr *A, const struct sym_choice *choice,
                                            struct linear_operator *made, bool *suits,
                                            struct error *error)
{
    struct space_cuda *space = space_cuda_of(made->space);
    struct sym_choice of = *choice;
    int64_t blocks;
    enum status status =
        cuda_sym_blocks_find(space, A, choice->form == SYM_FORM_BLOCKS, &of.k, &blocks, error);
    *suits = !status && of.k > 0;
    if (!status && *suits && choice->singles)
        status = cuda_sym_single_check(space, A, error);
    if (status || !*suits)
        return status;
    struct by_blocks *kept = create(A, &of, made, error);
    if (!kept)
        return STATUS_MEMORY;
    kept->blocks = blocks;
    status = check_count(kept, error);
    if (!status)
        status = cuda_sym_blocks_fill(A, kept, error);
    report_costs(kept, made);
    return status;
}
