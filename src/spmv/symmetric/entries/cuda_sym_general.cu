/* The form of cuda_sym_bitwise for matrices of no special structure: one thread makes one row, as
 * one chain, by cuda_sym_staged.h where that is better, else by cuda_sym_entries.cuh. With several
 * columns a row has a thread for two of them (cuda_sym_columns.cuh): the walk is the same, its
 * indices and values are read by all threads of a row together, and what is gathered of X are whole
 * sectors from 4 columns on. */
#include "spmv/symmetric/cuda_sym_forms.h"

#include "base/memory.h"
#include "spmv/symmetric/cuda_sym_columns.cuh"
#include "spmv/symmetric/diagonals/build_diagonals.h"
#include "spmv/symmetric/entries/cuda_sym_entries.cuh"
#include "spmv/symmetric/entries/cuda_sym_long.cuh"
#include "spmv/symmetric/entries/cuda_sym_staged.h"

/* 40 registers a thread: with 4, which leaves 32, the loads of four entries no longer go out
 * together. */
enum { BLOCKS_A_PROCESSOR = 2 };

struct general {
    struct space_cuda *space;
    struct cuda_staged staged; /* zeroed: entries instead */
    struct cuda_entries entries;
    struct long_rows longs; /* of the entries, for several columns */
};

/* Of one column, or of several. */
template <typename Sum> struct chain {
    Sum sum;
    __device__ void add(typename tiles_sum<Sum>::number a, const Sum &x)
    {
        sum = fma(a, x, sum);
    }
};

template <int WIDTH, typename Number, int MOST = 0>
struct general_rows : entries_rows<WIDTH, Number, MOST> {
    using entries_rows<WIDTH, Number, MOST>::entries_rows;

    template <typename Vector>
    __device__ typename Vector::sum multiply(const Vector &vector, typename Vector::scalars scalars,
                                             const double *, int64_t base, int64_t i,
                                             typename Vector::element &own) const
    {
        chain<typename Vector::sum> row = {};
        this->walk(vector, scalars, base, i, own, row);
        return row.sum;
    }
};

static enum status apply_staged(void *state, const struct operands *operands, double *dot,
                                struct error *error)
{
    const struct general *kept = (const struct general *)state;
    return cuda_staged_multiply(&kept->staged, kept->space, (const double *)operands->x,
                                (double *)operands->y, dot, error);
}

/* The types of the products and sums, and of x and y. */
template <int WIDTH, typename Sum, typename X>
static enum status multiply_entries(void *state, const struct operands *operands, double *dot,
                                    struct error *error)
{
    const struct general *kept = (const struct general *)state;
    return tiles_launch<1, BLOCKS_A_PROCESSOR>(
        kept->space, general_rows<WIDTH, Sum>(&kept->entries),
        tiles_vector<Sum, X>{(const X *)operands->x}, (X *)operands->y, dot, error);
}

template <int WIDTH>
static enum status apply_entries(void *state, const struct operands *operands, double *dot,
                                 struct error *error)
{
    return multiply_entries<WIDTH, double, double>(state, operands, dot, error);
}

/* In single precision, of vectors of doubles or singles. */
template <int WIDTH, typename X>
static enum status single_entries(void *state, const struct operands *operands, struct error *error)
{
    return multiply_entries<WIDTH, float, X>(state, operands, NULL, error);
}

template <int WIDTH, typename Sum>
static enum status columns_entries(void *state, const struct operands *operands,
                                   struct error *error)
{
    const struct general *kept = (const struct general *)state;
    const struct space_cuda *space = kept->space;
    enum status status = tiles_launch<1, BLOCKS_A_PROCESSOR>(
        kept->space, general_rows<WIDTH, Sum, LONG_ROW>(&kept->entries),
        tiles_columns<2, Sum>(operands), (double *)operands->y, NULL, error);
    if (status || kept->longs.count == 0)
        return status;
    size_t bytes = long_rows_bytes(operands->columns);
    multiply_long_rows<<<(unsigned int)kept->longs.count, LONG_THREADS, bytes, space->stream>>>(
        entries_rows<WIDTH, Sum>(&kept->entries), kept->longs.row, (const double *)operands->x,
        (double *)operands->y, operands->columns, space->base.ended);
    return cuda_check_launch("a product of long rows", error);
}

/* Long rows, and the shared memory that they want with the most columns. */
template <int WIDTH, typename Sum>
static enum status find_longs(struct general *kept, struct error *error)
{
    enum status status =
        long_rows_find<WIDTH, Sum>(kept->space, &kept->entries, &kept->longs, error);
    if (!status && kept->longs.count)
        status = cuda_check(cudaFuncSetAttribute(multiply_long_rows<WIDTH, Sum>,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 (int)long_rows_bytes(32)),
                            "shared memory", error);
    return status;
}

static enum status find_longs(struct general *kept, bool floats, struct error *error)
{
    switch (kept->entries.width) {
    case 0:
        return find_longs<0, double>(kept, error);
    case 1:
        return (floats ? find_longs<1, float> : find_longs<1, double>)(kept, error);
    case 2:
        return (floats ? find_longs<2, float> : find_longs<2, double>)(kept, error);
    default:
        return (floats ? find_longs<VALUE_DICTIONARY_SINGLES, float>
                       : find_longs<VALUE_DICTIONARY_SINGLES, double>)(kept, error);
    }
}

template <typename X>
static enum status single_staged(void *state, const struct operands *operands, struct error *error)
{
    const struct general *kept = (const struct general *)state;
    return cuda_staged_multiply_single(&kept->staged, kept->space, (const X *)operands->x,
                                       (X *)operands->y, error);
}

static enum status columns_staged(void *state, const struct operands *operands, struct error *error)
{
    const struct general *kept = (const struct general *)state;
    return cuda_staged_columns(&kept->staged, kept->space, operands, error);
}

static void destroy(void *state)
{
    struct general *kept = (struct general *)state;
    if (kept) {
        cuda_staged_free(kept->space, &kept->staged);
        cuda_entries_free(kept->space, &kept->entries);
        cuda_free(kept->space, kept->longs.row);
    }
    memory_free(kept);
}

static const struct operator_table staged_table = {
    .apply_columns = columns_staged, .apply_dot = apply_staged, .destroy = destroy};
/* By the width of the values. */
#define DOUBLES(WIDTH)                                                                             \
    {                                                                                              \
        .apply_columns = columns_entries<WIDTH, double>, .apply_dot = apply_entries<WIDTH>,        \
        .destroy = destroy                                                                         \
    }
static const struct operator_table entries_tables[VALUE_DICTIONARY_SINGLES + 1] = {
    DOUBLES(0), DOUBLES(1), DOUBLES(2), {}, DOUBLES(VALUE_DICTIONARY_SINGLES)};

/* The same with single sums. */
static const struct operator_table staged_table_of_floats = {.apply = single_staged<double>,
                                                             .apply_float = single_staged<float>,
                                                             .apply_columns = columns_staged,
                                                             .destroy = destroy};
#define FLOATS(WIDTH)                                                                              \
    {                                                                                              \
        .apply = single_entries<WIDTH, double>, .apply_float = single_entries<WIDTH, float>,       \
        .apply_columns = columns_entries<WIDTH, float>, .destroy = destroy                         \
    }
static const struct operator_table entries_tables_of_floats[VALUE_DICTIONARY_SINGLES + 1] = {
    {}, FLOATS(1), FLOATS(2), {}, FLOATS(VALUE_DICTIONARY_SINGLES)};

static void report_costs(const struct general *kept, const struct sym_choice *choice,
                         struct linear_operator *made)
{
    bool floats = choice->single_sums;
    if (kept->staged.tiles) {
        made->table = floats ? &staged_table_of_floats : &staged_table;
        cuda_staged_tell(&kept->staged, made);
    } else {
        made->table = &(floats ? entries_tables_of_floats : entries_tables)[kept->entries.width];
        cuda_entries_tell(&kept->entries, made);
    }
}

enum status cuda_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                   struct linear_operator *made, struct error *error)
{
    struct general *kept = cuda_state_create<struct general>(&staged_table, made, error);
    if (!kept)
        return STATUS_MEMORY;
    enum status status = cuda_staged_create(kept->space, A, choice, &kept->staged, error);
    if (!status && !kept->staged.tiles)
        status = cuda_entries_create(kept->space, A, choice, &kept->entries, error);
    if (!status && !kept->staged.tiles)
        status = find_longs(kept, choice->single_sums, error);
    if (!status)
        report_costs(kept, choice, made);
    return status;
}

/* Whether the lists of entries can be made on the device, as far as their memory tells. */
static bool has_room(struct space_cuda *space, const struct csr *A, const struct sym_choice *choice)
{
    struct error ignored;
    int64_t value = choice->singles ? sizeof(float) : sizeof(double);
    int64_t bytes = cuda_entries_bytes_on_device(A) + cuda_entries_least_bytes(A) + A->nnz * value;
    return A->nnz <= INT32_MAX && !cuda_memory_fits(space, bytes, "", &ignored);
}

/* Values as codes are not staged, as on the host. */
static enum status make_on_device(const struct csr *A, const struct sym_choice *choice,
                                  struct cuda_values *values, struct general *made, bool *suits,
                                  struct error *error)
{
    struct space_cuda *space = made->space;
    enum status status = STATUS_OK;
    if (choice->compress)
        status =
            cuda_values_count(space, A, A->nnz + ENTRIES_SLICE, choice->singles, values, error);
    if (!status && choice->singles)
        status = cuda_sym_single_check(space, A, error);
    if (!status && cuda_values_width(values, A->nnz) == 0)
        status = cuda_staged_create_on_device(space, A, choice, &made->staged, error);
    *suits = !status && made->staged.tiles;
    if (!status && !*suits && has_room(space, A, choice))
        status =
            cuda_entries_create_on_device(space, A, choice, values, &made->entries, suits, error);
    return !status && *suits && !made->staged.tiles ? find_longs(made, choice->single_sums, error)
                                                    : status;
}

enum status cuda_sym_general_setup_on_device(const struct csr *A, const struct sym_choice *choice,
                                             struct linear_operator *made, bool *suits,
                                             struct error *error)
{
    struct cuda_values values = {};
    struct general *kept = cuda_state_create<struct general>(&staged_table, made, error);
    if (!kept)
        return STATUS_MEMORY;
    enum status status = make_on_device(A, choice, &values, kept, suits, error);
    cuda_values_free(kept->space, &values);
    if (!status && *suits)
        report_costs(kept, choice, made);
    return status;
}
