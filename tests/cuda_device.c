#include "cuda_device.h"

#include "spmv/kernel.h"
#include "support.h"

#include <stdio.h>

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
