/* Each kind of step with the pointers that it has known to the compiler. */
#include "precondition/multigrid/smooth.h"

#include "base/multiversion.h"

/* q[i - from] is q_i. */
static inline __attribute__((always_inline)) void steps(const struct smooth *given, const double *q,
                                                        int64_t from, int64_t begin, int64_t end,
                                                        bool has_q, bool d, bool x, bool goes_on,
                                                        bool makes_x)
{
    struct smooth work = *given;
    const struct smooth_scalars none = {0};
    work.q = has_q ? q : 0;
    work.d = d ? given->d : 0;
    work.x = x ? given->x : 0;
    work.made_r = goes_on && has_q ? given->made_r : 0;
    work.made_d = goes_on ? given->made_d : 0;
    work.made_x = makes_x ? given->made_x : 0;
    work.dot = 0;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        struct smooth_element element;
        smooth_load_with(&work, i, has_q ? q[i - from] : 0, &element);
        smooth_make(&work, &none, i, &element);
    }
}

/* With q from memory, and with a product that has just been made of these rows. */
#define STEPS(name, ...)                                                                           \
    MULTIVERSION static void name(const void *work, int64_t begin, int64_t end)                    \
    {                                                                                              \
        const struct smooth *given = work;                                                         \
        steps(given, given->q, 0, begin, end, __VA_ARGS__);                                        \
    }                                                                                              \
    MULTIVERSION static void name##_of(const void *work, const double *product, int64_t begin,     \
                                       int64_t end)                                                \
    {                                                                                              \
        steps(work, product, begin, begin, end, __VA_ARGS__);                                      \
    }

STEPS(first, false, false, false, true, false)
STEPS(first_later, true, false, false, true, false)
STEPS(second, true, true, false, true, true)
STEPS(second_last, true, true, false, false, true)
STEPS(middle, true, true, true, true, true)
STEPS(last, true, true, true, false, true)

#define PASS(kind, its_make, its_reads, its_writes)                                                \
    [kind] = {.name = "a step of a smoother",                                                      \
              .make = its_make,                                                                    \
              .make_of = its_make##_of,                                                            \
              .sum = smooth_sum,                                                                   \
              .cuda = PASS_ON_CUDA(smooth_cuda),                                                   \
              .reads = its_reads,                                                                  \
              .writes = its_writes}

const struct pass smooth_passes[SMOOTH_KINDS] = {
    PASS(SMOOTH_FIRST, first, 2, 1),   PASS(SMOOTH_FIRST_LATER, first_later, 3, 2),
    PASS(SMOOTH_SECOND, second, 4, 3), PASS(SMOOTH_SECOND_LAST, second_last, 4, 1),
    PASS(SMOOTH_MIDDLE, middle, 5, 3), PASS(SMOOTH_LAST, last, 5, 1),
};
