#include "cuda_device.h"

#include "spmv/kernel.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cuda_device_is_there(void)
{
    const char *reason = kernel_unavailable(kernel_find("cuda_csr_subwarp"));
    if (reason)
        printf("nothing run: %s\n", reason);
    return !reason;
}

int cuda_devices(int most)
{
    for (int device = 0; device < most; device++) {
        struct error error;
        struct space *space;
        struct space_options options = {.device = device};
        enum status status = space_create(SPACE_CUDA, &options, &space, &error);
        if (status == STATUS_UNAVAILABLE)
            return device;
        expect_ok(status, &error);
        space->operations->destroy(space);
    }
    return most;
}

int cuda_ranks(int most)
{
    const char *link = getenv("CGSOLVE_GPU_LINK");
    bool shared = !(link && strcmp(link, "nccl") == 0) && !test_is_slow();
    return shared ? most : cuda_devices(most);
}

const int *cuda_rank_counts(void)
{
    static int counts[] = {2, 3, 0};
    for (int c = 0; counts[c]; c++)
        if (cuda_ranks(counts[c]) < counts[c])
            counts[c] = 0;
    return counts;
}
