#include "base/threads.h"

#include <omp.h>

int threads_available(void)
{
    return omp_get_num_procs();
}

void threads_use(int threads)
{
    omp_set_dynamic(0);
    omp_set_num_threads(threads > 0 ? threads : threads_available());
}

int threads_count(void)
{
    return omp_get_max_threads();
}
