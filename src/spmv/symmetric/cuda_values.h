/* The different values of a matrix in a device's memory, and their codes: what
 * spmv/symmetric/value_dictionary.h makes on the host. For .cu files. */
#ifndef SPMV_SYMMETRIC_CUDA_VALUES_H
#define SPMV_SYMMETRIC_CUDA_VALUES_H

#include "matrix/csr.h"
#include "space/cuda/cuda.h"
#include "spmv/symmetric/value_dictionary.h"

#include <stdbool.h>
#include <stdint.h>

/* Slots of a hash table with open addressing. It never fills up: a thread that adds a value sees
 * first whether there are more than can have codes. */
enum { CUDA_VALUES_SLOTS = 4 * VALUE_DICTIONARY_MAX };

struct cuda_values {
    bool singles;              /* of fl(A) */
    int64_t different;         /* as far as they were counted */
    unsigned long long *slots; /* the complement of a value's bits; 0: empty, as none is NaN */
    unsigned long long *times; /* how often the value comes */
    uint16_t *codes;           /* its code */
    void *table;               /* [different] the values by their codes, doubles or singles */
};

/* The values of A, or of fl(A) with singles, until there are more than get codes in an array of
 * that length. The caller calls cuda_values_free, on failure too. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status cuda_values_count(struct space_cuda *space, const struct csr *A, int64_t length,
                              bool singles, struct cuda_values *values, struct error *error);

/* Bytes of a code as value_dictionary_create chooses it for an array of that length, of these
 * values alone; 0: no codes. */
int cuda_values_width(const struct cuda_values *values, int64_t length);

/* The codes and the table, of singles where that is wanted. Errors: as above. */
enum status cuda_values_number(struct space_cuda *space, bool single_table,
                               struct cuda_values *values, struct error *error);

void cuda_values_free(struct space_cuda *space, struct cuda_values *values);

/* Where a value's slot is looked for first, and the complement of its bits. */
__device__ static inline unsigned long long cuda_values_key(const struct cuda_values &values,
                                                            double value, unsigned int *slot)
{
    unsigned long long bits =
        (unsigned long long)__double_as_longlong(values.singles ? (float)value : value);
    *slot = (unsigned int)((bits * 0x9e3779b97f4a7c15ull) >> 40) % CUDA_VALUES_SLOTS;
    return ~bits;
}

/* The code of a value that has one. */
__device__ static inline uint16_t cuda_values_code(const struct cuda_values &values, double value)
{
    unsigned int slot;
    unsigned long long key = cuda_values_key(values, value, &slot);
    while (values.slots[slot] != key)
        slot = (slot + 1) % CUDA_VALUES_SLOTS;
    return values.codes[slot];
}

#endif
