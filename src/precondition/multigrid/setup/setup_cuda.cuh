/* What the .cu files of setup_cuda.h share: a thread a row, and integers that rows combine. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_CUH
#define PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_CUH

#include "precondition/multigrid/setup/setup_cuda.h"
#include "space/cuda/cuda_setup.cuh"

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
    struct found *device_setup = NULL;
    enum status status = zeros(cuda, 1, sizeof *device_setup, what, (void **)&device_setup, error);
    if (!status) {
        launch(cuda->stream, device_setup);
        status = bring(cuda, what, device_setup, here, error);
    }
    cuda_free(cuda, device_setup);
    return status;
}

/* Slots of struct there. */
int64_t setup_cuda_match_bytes(const struct csr *A);
enum status setup_cuda_match(struct space *space, const struct csr *A, int passes,
                             const struct rescaling *by, struct aggregates *made,
                             struct csr *coarse, struct passes *kept, uint64_t hash[2],
                             struct error *error);
enum status setup_cuda_match_again(struct space *space, const struct csr *A,
                                   const struct rescaling *by, const struct aggregates *made,
                                   const struct passes *passes, struct csr *coarse,
                                   uint64_t hash[2], struct error *error);
enum status setup_cuda_coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                               struct aggregates *made, struct csr *coarse, uint64_t hash[2],
                               struct error *error);

#endif
