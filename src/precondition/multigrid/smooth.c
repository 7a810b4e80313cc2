/* Each kind of step with the pointers that it has known to the compiler. */
#include "precondition/multigrid/smooth.h"

#include "base/multiversion.h"

static inline __attribute__((always_inline)) void steps(const struct smooth *given, int64_t begin,
                                                        int64_t end, bool q, bool d, bool x,
                                                        bool goes_on, bool makes_x)
{
    struct smooth work = *given;
    const struct smooth_scalars none = {0};
    work.q = q ? given->q : 0;
    work.d = d ? given->d : 0;
    work.x = x ? given->x : 0;
    work.made_r = goes_on && q ? given->made_r : 0;
    work.made_d = goes_on ? given->made_d : 0;
    work.made_x = makes_x ? given->made_x : 0;
    work.dot = 0;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        struct smooth_element element;
        smooth_load(&work, i, &element);
        smooth_make(&work, &none, i, &element);
    }
}

#define STEPS(name, q, d, x, goes_on, makes_x)                                                     \
    MULTIVERSION static void name(const void *work, int64_t begin, int64_t end)                    \
    {                                                                                              \
        steps(work, begin, end, q, d, x, goes_on, makes_x);                                        \
    }

STEPS(first, false, false, false, true, false)
STEPS(second, true, true, false, true, true)
STEPS(second_last, true, true, false, false, true)
STEPS(from_x, true, false, true, true, true)
STEPS(middle, true, true, true, true, true)
STEPS(last, true, true, true, false, true)

#define PASS(kind, its_make, its_reads, its_writes)                                                \
    [kind] = {.name = "a step of a smoother",                                                      \
              .make = its_make,                                                                    \
              .sum = smooth_sum,                                                                   \
              .cuda = PASS_ON_CUDA(smooth_cuda),                                                   \
              .reads = its_reads,                                                                  \
              .writes = its_writes}

const struct pass smooth_passes[SMOOTH_KINDS] = {
    PASS(SMOOTH_FIRST, first, 2, 1),
    PASS(SMOOTH_SECOND, second, 4, 3),
    PASS(SMOOTH_SECOND_LAST, second_last, 4, 1),
    PASS(SMOOTH_FROM_X, from_x, 4, 3),
    PASS(SMOOTH_MIDDLE, middle, 5, 3),
    PASS(SMOOTH_LAST, last, 5, 1),
};
