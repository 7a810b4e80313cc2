#include "space/cpu/cpu_blas.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

const char *const blas_names[] = {"libopenblas.so.0", "libcblas.so.3", "libblas.so.3",
                                  "/System/Library/Frameworks/Accelerate.framework/Accelerate",
                                  NULL};

enum status blas_open(const char *const *names, struct blas *blas, struct error *error)
{
    char tried[256] = "";
    size_t length = 0;
    *blas = (struct blas){0};
    for (; *names; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        blas->name = *names;
        if (library)
            *(void **)&blas->dot = dlsym(library, "cblas_ddot");
        if (blas->dot) { /* of the library, or of a library linked to it */
            *(void **)&blas->threads = dlsym(library, "omp_get_max_threads");
            *(void **)&blas->use_threads = dlsym(library, "omp_set_num_threads");
            return STATUS_OK;
        }
        if (library)
            dlclose(library);
        if (length < sizeof tried)
            length += (size_t)snprintf(tried + length, sizeof tried - length, "%s%s",
                                       length ? ", " : "", *names);
    }
    *blas = (struct blas){0};
    return error_set(
        error, STATUS_UNAVAILABLE,
        "reductions = \"blas\": no BLAS library with cblas_ddot is here; looked for %s", tried);
}

double blas_sum(const struct blas *blas, int threads, int n, const double *x, const double *y)
{
    bool openmp = blas->threads && blas->use_threads;
    int before = openmp ? blas->threads() : 0;
    if (openmp)
        blas->use_threads(threads);
    double sum = blas->dot(n, x, 1, y, 1);
    if (openmp)
        blas->use_threads(before);
    return sum;
}
