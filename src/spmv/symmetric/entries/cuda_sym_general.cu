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
    bool single_sums;
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

/* The types of the products and sums, and of x and y. */
template <int WIDTH, typename Sum, typename X>
static enum status multiply_one(const struct general *kept, const struct operands *operands,
                                struct error *error)
{
    return tiles_launch<1, BLOCKS_A_PROCESSOR>(
        kept->space, general_rows<WIDTH, Sum>(&kept->entries),
        tiles_vector<Sum, X>{(const X *)operands->x}, (X *)operands->y, operands->dot, error);
}

template <int WIDTH, typename Sum, typename X>
static enum status multiply_columns(const struct general *kept, const struct operands *operands,
                                    struct error *error)
{
    const struct space_cuda *space = kept->space;
    enum status status = tiles_launch<1, BLOCKS_A_PROCESSOR>(
        kept->space, general_rows<WIDTH, Sum, LONG_ROW>(&kept->entries),
        tiles_columns<2, Sum, X>(operands), (X *)operands->y, NULL, error);
    if (status || kept->longs.count == 0)
        return status;
    size_t bytes = long_rows_bytes(operands->columns);
    multiply_long_rows<<<(unsigned int)kept->longs.count, LONG_THREADS, bytes, space->stream>>>(
        entries_rows<WIDTH, Sum>(&kept->entries), kept->longs.row, (const X *)operands->x,
        (X *)operands->y, operands->columns, space->base.ended);
    return cuda_check_launch("a product of long rows", error);
}

template <int WIDTH, typename Sum>
static enum status multiply_entries(const struct general *kept, const struct operands *operands,
                                    struct error *error)
{
    bool several = operands->columns > 1;
    if constexpr (std::is_same_v<Sum, float>)
        if (operands->singles)
            return several ? multiply_columns<WIDTH, float, float>(kept, operands, error)
                           : multiply_one<WIDTH, float, float>(kept, operands, error);
    return several ? multiply_columns<WIDTH, Sum, double>(kept, operands, error)
                   : multiply_one<WIDTH, Sum, double>(kept, operands, error);
}

/* Long rows, and the shared memory that they want with the most columns. */
template <int WIDTH, typename Sum>
static enum status find_longs(struct general *kept, struct error *error)
{
    const auto most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    int bytes = (int)long_rows_bytes(32);
    enum status status =
        long_rows_find<WIDTH, Sum>(kept->space, &kept->entries, &kept->longs, error);
    if (!status && kept->longs.count)
        status =
            cuda_check(cudaFuncSetAttribute(multiply_long_rows<WIDTH, Sum, double>, most, bytes),
                       "shared memory", error);
    if constexpr (std::is_same_v<Sum, float>)
        if (!status && kept->longs.count)
            status =
                cuda_check(cudaFuncSetAttribute(multiply_long_rows<WIDTH, Sum, float>, most, bytes),
                           "shared memory", error);
    return status;
}

static enum status find_longs(struct general *kept, struct error *error)
{
    switch (kept->entries.width) {
    case 0:
        return find_longs<0, double>(kept, error);
    case 1:
        return (kept->single_sums ? find_longs<1, float> : find_longs<1, double>)(kept, error);
    case 2:
        return (kept->single_sums ? find_longs<2, float> : find_longs<2, double>)(kept, error);
    default:
        return (kept->single_sums ? find_longs<VALUE_DICTIONARY_SINGLES, float>
                                  : find_longs<VALUE_DICTIONARY_SINGLES, double>)(kept, error);
    }
}

static enum status apply_staged(const struct general *kept, const struct operands *operands,
                                struct error *error)
{
    return operands->columns > 1
               ? cuda_staged_columns(&kept->staged, kept->space, operands, error)
               : cuda_staged_multiply(&kept->staged, kept->space, operands, error);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct general *kept = (const struct general *)state;
    auto with_sums = [&]<int WIDTH>() {
        return (kept->single_sums ? multiply_entries<WIDTH, float>
                                  : multiply_entries<WIDTH, double>)(kept, operands, error);
    };
    if (kept->staged.tiles)
        return apply_staged(kept, operands, error);
    switch (kept->entries.width) {
    case 0: /* values of doubles, so are the sums */
        return multiply_entries<0, double>(kept, operands, error);
    case 1:
        return with_sums.template operator()<1>();
    case 2:
        return with_sums.template operator()<2>();
    default:
        return with_sums.template operator()<VALUE_DICTIONARY_SINGLES>();
    }
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

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static struct general *create(const struct sym_choice *choice, struct linear_operator *made,
                              struct error *error)
{
    struct general *kept = cuda_state_create<struct general>(&table, made, error);
    if (!kept)
        return NULL;
    kept->single_sums = choice->single_sums;
    made->can = precision_can_columns(choice->single_sums) |
                (choice->single_sums ? 0u : (unsigned)OPERATOR_DOT);
    return kept;
}

static void report_costs(const struct general *kept, struct linear_operator *made)
{
    if (kept->staged.tiles)
        cuda_staged_tell(&kept->staged, made);
    else
        cuda_entries_tell(&kept->entries, made);
}

enum status cuda_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                   struct linear_operator *made, struct error *error)
{
    struct general *kept = create(choice, made, error);
    if (!kept)
        return STATUS_MEMORY;
    enum status status = cuda_staged_create(kept->space, A, choice, &kept->staged, error);
    if (!status && !kept->staged.tiles)
        status = cuda_entries_create(kept->space, A, choice, &kept->entries, error);
    if (!status && !kept->staged.tiles)
        status = find_longs(kept, error);
    if (!status)
        report_costs(kept, made);
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
    return !status && *suits && !made->staged.tiles ? find_longs(made, error) : status;
}

enum status cuda_sym_general_setup_on_device(const struct csr *A, const struct sym_choice *choice,
                                             struct linear_operator *made, bool *suits,
                                             struct error *error)
{
    struct cuda_values values = {};
    struct general *kept = create(choice, made, error);
    if (!kept)
        return STATUS_MEMORY;
    enum status status = make_on_device(A, choice, &values, kept, suits, error);
    cuda_values_free(kept->space, &values);
    if (!status && *suits)
        report_costs(kept, made);
    return status;
}
