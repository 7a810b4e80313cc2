#include "spmv/symmetric/cuda_values.h"

#include "base/memory.h"
#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/cuda_sym_forms.h"

#include <algorithm>
#include <string.h>

static const char *const what = "the different values";

enum { COUNTING_BLOCKS = 128 };
static_assert(VALUE_DICTIONARY_MAX + 1 + (int)COUNTING_BLOCKS * (int)THREADS <
                  (int)CUDA_VALUES_SLOTS,
              "an empty slot is left");

/* --- counting --------------------------------------------------------------------------------- */

/* The value's slot; a new one adds to *different. */
__device__ static inline unsigned int meet(const struct cuda_values &values, double value,
                                           unsigned long long *different)
{
    unsigned int slot;
    unsigned long long key = cuda_values_key(values, value, &slot);
    for (;; slot = (slot + 1) % CUDA_VALUES_SLOTS) {
        unsigned long long held = ((volatile unsigned long long *)values.slots)[slot];
        if (held == 0) {
            held = atomicCAS(&values.slots[slot], 0ull, key);
            if (held == 0)
                atomicAdd(different, 1ull);
        }
        if (held == 0 || held == key)
            return slot;
    }
}

/* Threads of a warp that have met the same value add their number once. */
__global__ static void __launch_bounds__(THREADS)
    count_values(const __grid_constant__ struct csr A, const struct cuda_values values,
                 unsigned long long most, unsigned long long *different)
{
    int64_t stride = gridDim.x * (int64_t)THREADS;
    for (int64_t p = own_row(); p < A.nnz; p += stride) {
        if (*(volatile unsigned long long *)different > most)
            return;
        unsigned int slot = meet(values, A.values[p], different);
        unsigned int same = __match_any_sync(__activemask(), slot);
        if (threadIdx.x % WARP == (unsigned int)__ffs((int)same) - 1)
            atomicAdd(&values.times[slot], (unsigned long long)__popc(same));
    }
}

enum status cuda_values_count(struct space_cuda *space, const struct csr *A, int64_t length,
                              bool singles, struct cuda_values *values, struct error *error)
{
    *values = {};
    values->singles = singles;
    unsigned long long *device = NULL, different = 0;
    enum status status = zeros(space, CUDA_VALUES_SLOTS, sizeof *values->slots, what,
                               (void **)&values->slots, error);
    if (!status)
        status = zeros(space, CUDA_VALUES_SLOTS, sizeof *values->times, what,
                       (void **)&values->times, error);
    if (!status)
        status = zeros(space, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        unsigned int blocks = std::min<unsigned int>(blocks_for(A->nnz), COUNTING_BLOCKS);
        count_values<<<blocks, THREADS, 0, space->stream>>>(
            *A, *values, (unsigned long long)value_dictionary_most(length), device);
        status = bring(space, what, device, &different, error);
    }
    cuda_free(space, device);
    values->different = (int64_t)different;
    return status;
}

int cuda_values_width(const struct cuda_values *values, int64_t length)
{
    struct value_dictionary codes = value_dictionary_of(1, length);
    size_t size = values->singles ? sizeof(float) : sizeof(double);
    return value_dictionary_save(&codes, values->different, size) ? codes.width : 0;
}

/* --- codes ------------------------------------------------------------------------------------ */

/* The code of a listed value is its slot, for now. */
__global__ static void __launch_bounds__(THREADS)
    list_values(const struct cuda_values values, struct value_count *list,
                unsigned long long *listed)
{
    int64_t slot = own_row();
    if (slot < CUDA_VALUES_SLOTS && values.slots[slot] != 0)
        list[atomicAdd(listed, 1ull)] = {~values.slots[slot], (int64_t)values.times[slot], slot};
}

static enum status bring_list(struct space_cuda *space, const struct cuda_values *values,
                              struct value_count *list, struct error *error)
{
    struct value_count *device = NULL;
    unsigned long long *listed = NULL;
    int64_t count = values->different;
    enum status status = cuda_array(space, count, sizeof *device, what, (void **)&device, error);
    if (!status)
        status = zeros(space, 1, sizeof *listed, what, (void **)&listed, error);
    if (!status) {
        list_values<<<blocks_for(CUDA_VALUES_SLOTS), THREADS, 0, space->stream>>>(*values, device,
                                                                                  listed);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_copy_down(space, count * (int64_t)sizeof *list, device, list, what, error);
    cuda_free(space, listed);
    cuda_free(space, device);
    return status;
}

enum status cuda_values_number(struct space_cuda *space, bool single_table,
                               struct cuda_values *values, struct error *error)
{
    int64_t count = values->different;
    struct value_count *list =
        (struct value_count *)memory_array(2 * count, sizeof *list, what, error);
    double *table = (double *)memory_array(count, sizeof *table, what, error);
    uint16_t *codes = (uint16_t *)memory_zeros(CUDA_VALUES_SLOTS, sizeof *codes, what, error);
    enum status status =
        list && table && codes ? bring_list(space, values, list, error) : STATUS_MEMORY;
    if (!status) {
        const struct value_count *sorted = value_dictionary_sort(list, list + count, count);
        for (int64_t code = 0; code < count; code++) {
            memcpy(&table[code], &sorted[code].bits, sizeof *table);
            codes[sorted[code].code] = (uint16_t)code;
        }
        status = cuda_sym_put(space, single_table, table, count, "the table of the values",
                              &values->table, error);
    }
    if (!status)
        status = cuda_put(space, codes, CUDA_VALUES_SLOTS, sizeof *codes, what,
                          (void **)&values->codes, error);
    memory_free(list);
    memory_free(table);
    memory_free(codes);
    return status;
}

void cuda_values_free(struct space_cuda *space, struct cuda_values *values)
{
    cuda_free(space, values->slots);
    cuda_free(space, values->times);
    cuda_free(space, values->codes);
    cuda_free(space, values->table);
    *values = {};
}
