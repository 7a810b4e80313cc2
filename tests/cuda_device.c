#include "cuda_device.h"

#include "cgsolve/kernel.h"

#include <stdio.h>

bool cuda_device_is_there(void)
{
    const char *reason = kernel_unavailable(kernel_find("cuda_csr_subwarp"));
    if (reason)
        printf("nothing run: %s\n", reason);
    return !reason;
}
