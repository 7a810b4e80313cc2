/* Each kind of step with the pointers that it has known to the compiler, and whether it has one
 * column. */
#include "precondition/multigrid/cycle/smooth.h"

#include "base/multiversion.h"

/* q[i - from] is q_i. */
#define STEPS_OF(type, steps, pass)                                                                \
    static inline __attribute__((always_inline)) void steps(                                       \
        const struct smooth *given, const type *q, int64_t from, int64_t begin, int64_t end,       \
        int shift, bool has_q, bool d, bool x, bool goes_on, bool makes_x)                         \
    {                                                                                              \
        struct smooth work = *given;                                                               \
        work.shift = shift;                                                                        \
        const struct pass##_scalars none = {0};                                                    \
        work.q = has_q ? q : 0;                                                                    \
        work.d = d ? given->d : 0;                                                                 \
        work.x = x ? given->x : 0;                                                                 \
        work.made_r = goes_on && has_q ? given->made_r : 0;                                        \
        work.made_d = goes_on ? given->made_d : 0;                                                 \
        work.made_x = makes_x ? given->made_x : 0;                                                 \
        work.dot = 0;                                                                              \
        if ((has_q && !work.q) || (d && !work.d) || (x && !work.x) ||                              \
            (goes_on && has_q && !work.made_r) || (goes_on && !work.made_d) ||                     \
            (makes_x && !work.made_x))                                                             \
            __builtin_unreachable(); /* what there is is not NULL */                               \
        _Pragma("omp simd") for (int64_t i = begin; i < end; i++)                                  \
        {                                                                                          \
            struct pass##_element element;                                                         \
            pass##_load_with(&work, i, has_q ? q[i - from] : 0, &element);                         \
            pass##_make(&work, &none, i, &element);                                                \
        }                                                                                          \
    }

STEPS_OF(double, steps, smooth)
STEPS_OF(float, steps_float, smooth_float)

/* With q from memory, and with a product that has just been made of these rows; and in single
 * precision. */
#define STEPS(name, ...)                                                                           \
    MULTIVERSION static void name(const void *work, int64_t begin, int64_t end)                    \
    {                                                                                              \
        const struct smooth *given = work;                                                         \
        if (given->shift == 0)                                                                     \
            steps(given, given->q, 0, begin, end, 0, __VA_ARGS__);                                 \
        else                                                                                       \
            steps(given, given->q, 0, begin, end, given->shift, __VA_ARGS__);                      \
    }                                                                                              \
    MULTIVERSION static void name##_of(const void *work, const double *product, int64_t begin,     \
                                       int64_t end)                                                \
    {                                                                                              \
        steps(work, product, begin, begin, end, 0, __VA_ARGS__);                                   \
    }                                                                                              \
    MULTIVERSION static void name##_float(const void *work, int64_t begin, int64_t end)            \
    {                                                                                              \
        const struct smooth *given = work;                                                         \
        if (given->shift == 0)                                                                     \
            steps_float(given, given->q, 0, begin, end, 0, __VA_ARGS__);                           \
        else                                                                                       \
            steps_float(given, given->q, 0, begin, end, given->shift, __VA_ARGS__);                \
    }

STEPS(first, false, false, false, true, false)
STEPS(first_later, true, false, false, true, false)
STEPS(second, true, true, false, true, true)
STEPS(second_last, true, true, false, false, true)
STEPS(middle, true, true, true, true, true)
STEPS(last, true, true, true, false, true)

static inline __attribute__((always_inline)) void
steps_at_ends(const struct smooth *given, int64_t begin, int64_t end, int shift, bool enters)
{
    struct smooth work = *given;
    struct smooth_scaled_scalars scalars;
    work.q = enters ? 0 : given->q;
    work.d = enters ? 0 : given->d;
    work.x = enters ? 0 : given->x;
    work.made_d = enters ? given->made_d : 0;
    work.dot = 0;
    work.shift = work.float_scaling.shift = shift;
    work.float_scaling.b = enters ? given->float_scaling.b : 0;
    if (enters ? !work.float_scaling.b || !work.made_d : !work.q || !work.d || !work.x)
        __builtin_unreachable();
    smooth_scaled_read(&work, &scalars);
    smooth_scaled_prepare(&scalars);
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        struct smooth_scaled_element element;
        smooth_scaled_load(&work, i, &element);
        smooth_scaled_make(&work, &scalars, i, &element);
    }
}

#define ENDS(name, enters)                                                                         \
    MULTIVERSION static void name(const void *work, int64_t begin, int64_t end)                    \
    {                                                                                              \
        const struct smooth *given = work;                                                         \
        if (given->shift == 0)                                                                     \
            steps_at_ends(given, begin, end, 0, enters);                                           \
        else                                                                                       \
            steps_at_ends(given, begin, end, given->shift, enters);                                \
    }

ENDS(enter, true)
ENDS(leave, false)

#define PASS(its_make, its_reads, its_writes)                                                      \
    {                                                                                              \
        .name = "a step of a smoother", .make = its_make, .make_of = its_make##_of,                \
        .sum = smooth_sum, .cuda = "smooth_cuda", .reads = its_reads, .writes = its_writes         \
    }

const struct pass smooth_passes[SMOOTH_KINDS] = {
    [SMOOTH_FIRST] = PASS(first, 2, 1),   [SMOOTH_FIRST_LATER] = PASS(first_later, 3, 2),
    [SMOOTH_SECOND] = PASS(second, 4, 3), [SMOOTH_SECOND_LAST] = PASS(second_last, 4, 1),
    [SMOOTH_MIDDLE] = PASS(middle, 5, 3), [SMOOTH_LAST] = PASS(last, 5, 1),
};

#define PASS_FLOAT(its_make, its_reads, its_writes)                                                \
    {                                                                                              \
        .name = "a step of a smoother in single precision", .make = its_make,                      \
        .cuda = "smooth_float_cuda", .reads = 0.5 * (its_reads), .writes = 0.5 * (its_writes)      \
    }
#define PASS_AT_ENDS(its_make, its_reads, its_writes)                                              \
    {                                                                                              \
        .name = "a step of a smoother at the end of a cycle", .make = its_make,                    \
        .sum = smooth_scaled_sum, .cuda = "smooth_scaled_cuda", .reads = its_reads,                \
        .writes = its_writes                                                                       \
    }

const struct pass smooth_passes_float[SMOOTH_KINDS] = {
    [SMOOTH_FIRST] = PASS_FLOAT(first_float, 2, 1),
    [SMOOTH_FIRST_LATER] = PASS_FLOAT(first_later_float, 3, 2),
    [SMOOTH_SECOND] = PASS_FLOAT(second_float, 4, 3),
    [SMOOTH_SECOND_LAST] = PASS_FLOAT(second_last_float, 4, 1),
    [SMOOTH_MIDDLE] = PASS_FLOAT(middle_float, 5, 3),
    [SMOOTH_LAST] = PASS_FLOAT(last_float, 5, 1),
    [SMOOTH_ENTER] = PASS_AT_ENDS(enter, 1.5, 1),
    [SMOOTH_LEAVE] = PASS_AT_ENDS(leave, 3.5, 1),
};
