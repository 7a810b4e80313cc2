#include "spmv/symmetric/cuda_sym_choice.h"

#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/value_dictionary.h"

#include <algorithm>

/* A hash table of the different values' bits; it never fills up: before a thread adds one, it sees
 * whether there are more than what is worth codes. */
enum { SLOTS = 4 * VALUE_DICTIONARY_MAX, COUNTING_BLOCKS = 128 };
static_assert(VALUE_DICTIONARY_MAX + 1 + (int)COUNTING_BLOCKS * (int)THREADS < (int)SLOTS,
              "an empty slot is left");

struct values_found {
    unsigned long long zero;  /* 1: a value is +0, whose bits mark an empty slot */
    unsigned long long count; /* of others */
};

__device__ static inline void meet(unsigned long long *slots, unsigned long long bits,
                                   struct values_found *found)
{
    unsigned int s = (unsigned int)((bits * 0x9e3779b97f4a7c15ull) >> 40) % SLOTS;
    for (;; s = (s + 1) % SLOTS) {
        unsigned long long there = ((volatile unsigned long long *)slots)[s];
        if (there == 0) {
            there = atomicCAS(&slots[s], 0ull, bits);
            if (there == 0) {
                atomicAdd(&found->count, 1ull);
                return;
            }
        }
        if (there == bits)
            return;
    }
}

__global__ static void __launch_bounds__(THREADS)
    count_values(const __grid_constant__ struct csr A, bool singles, unsigned long long most,
                 unsigned long long *slots, struct values_found *found)
{
    int64_t stride = gridDim.x * (int64_t)THREADS;
    for (int64_t p = own_row(); p < A.nnz; p += stride) {
        double value = singles ? (float)A.values[p] : A.values[p];
        unsigned long long bits = (unsigned long long)__double_as_longlong(value);
        if (((volatile struct values_found *)found)->count > most)
            return;
        if (bits)
            meet(slots, bits, found);
        else if (!((volatile struct values_found *)found)->zero)
            found->zero = 1;
    }
}

enum status cuda_sym_has_codes(struct space_cuda *space, const struct csr *A, int64_t length,
                               bool singles, bool *yes, struct error *error)
{
    static const char *const what = "the different values";
    unsigned long long *slots = NULL;
    struct values_found *there = NULL, here = {};
    enum status status = zeros(space, SLOTS, sizeof *slots, what, (void **)&slots, error);
    if (!status)
        status = zeros(space, 1, sizeof *there, what, (void **)&there, error);
    if (!status) {
        unsigned int blocks = std::min<unsigned int>(blocks_for(A->nnz), COUNTING_BLOCKS);
        count_values<<<blocks, THREADS, 0, space->stream>>>(
            *A, singles, (unsigned long long)value_dictionary_most(length), slots, there);
        status = bring(space, what, there, &here, error);
    }
    cuda_free(space, slots);
    cuda_free(space, there);
    struct value_dictionary codes = value_dictionary_of(1, length);
    *yes = !status && value_dictionary_save(&codes, (int64_t)(here.zero + here.count),
                                            singles ? sizeof(float) : sizeof(double));
    return status;
}
