/* Ranks that are threads of a test. */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include "base/exchange.h"

#include <stddef.h>

enum { TEST_RANKS_MAX = 12 };

/* run(context) in a thread for each rank, of contexts[ranks], of `bytes` each, that begin with the
 * rank's `struct exchange *`, which is set here; returns when all have ended. */
void test_ranks(int ranks, void *(*run)(void *context), void *contexts, size_t bytes);

/* Before anything is asked of CUDA, where ranks may share a GPU: their kernels run beside each
 * other. Loading one would wait for those that run, and so would streams that share a queue. */
void test_ranks_of_gpus(void);

#endif
