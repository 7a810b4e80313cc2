#include "precondition/multigrid/cycle/direct.h"

#include "base/multiversion.h"

/* So many rows at once, whose values lie beside each other. */
enum { ROWS = 16 };

MULTIVERSION static void direct_elements(const void *context, int64_t begin, int64_t end)
{
    const struct direct work = *(const struct direct *)context;
    int64_t i = begin;
    for (; i + ROWS <= end && work.shift == 0; i += ROWS) {
        float s[ROWS];
        for (int u = 0; u < ROWS; u++)
            s[u] = work.values[i + u] * work.b[0];
        for (int64_t j = 1; j < work.n; j++)
#pragma omp simd
            for (int u = 0; u < ROWS; u++)
                s[u] = fmaf(work.values[j * work.n + i + u], work.b[j], s[u]);
        for (int u = 0; u < ROWS; u++)
            work.x[i + u] = s[u];
    }
    for (; i < end; i++)
        direct_at(&work, i);
}

const struct pass pass_direct = {.name = "a last level in single precision",
                                 .make = direct_elements,
                                 .cuda = "direct_cuda",
                                 .reads = 0.5,
                                 .writes = 0.5};
