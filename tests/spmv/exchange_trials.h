/* Rows that travel between ranks: those that a rank wants are those of the whole matrix. */
#ifndef TESTS_SPMV_EXCHANGE_TRIALS_H
#define TESTS_SPMV_EXCHANGE_TRIALS_H

#include <stdint.h>

enum place { ON_HOST, IN_CPU_SPACE, IN_CUDA_SPACE };

/* Ranks that are threads, with their rows there, also behind more rows than 32 bits count. */
void exchange_trial(enum place place, uint64_t *state);

/* Wherever allocations begin to fail, all ranks end, and free what they have. */
void exchange_trial_without_memory(enum place place, uint64_t *state);

#endif
