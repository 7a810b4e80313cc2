/* What the files of there.h share: a thread a row, and what rows find together. For .cu files. */
#ifndef PRECONDITION_MULTIGRID_THERE_CUH
#define PRECONDITION_MULTIGRID_THERE_CUH

#include "precondition/multigrid/there.h"
#include "space/cuda_setup.cuh"

#include <string.h>

/* Whole numbers, whose order does not matter: zeroed first, then grown by maxima or sums. */
struct found {
    unsigned long long max[2], sum;
};

/* Of a double the order as an unsigned number; NaN, which no maximum takes, below all. */
__device__ static inline unsigned long long ordered(double value)
{
    long long bits = __double_as_longlong(value);
    if (value != value)
        return 0;
    return bits < 0 ? ~(unsigned long long)bits : (unsigned long long)bits | 1ull << 63;
}

static inline double value_of(unsigned long long order)
{
    unsigned long long bits = order >> 63 ? order & ~(1ull << 63) : ~order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* launch(stream, found), and what it has found. */
template <typename Launch>
static enum status find(struct space *space, const char *what, struct found *here,
                        struct error *error, Launch launch)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct found *there = NULL;
    enum status status = zeros(cuda, 1, sizeof *there, what, (void **)&there, error);
    if (!status) {
        launch(cuda->stream, there);
        status = bring(cuda, what, there, here, error);
    }
    cuda_free(cuda, there);
    return status;
}

/* Slots of struct there. */
int64_t there_match_bytes(const struct csr *A);
enum status there_match(struct space *space, const struct csr *A, int passes,
                        const struct rescaling *by, struct aggregates *made, struct csr *coarse,
                        struct passes *kept, uint64_t hash[2], struct error *error);
enum status there_match_again(struct space *space, const struct csr *A, const struct rescaling *by,
                              const struct aggregates *made, const struct passes *passes,
                              struct csr *coarse, uint64_t hash[2], struct error *error);
enum status there_coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                          struct aggregates *made, struct csr *coarse, uint64_t hash[2],
                          struct error *error);

#endif
