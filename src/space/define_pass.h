/* The definition of passes (space/elements.h) in a .c file. The build compiles each .c file that
 * includes this header twice: for the host, and by nvcc for a device. A line for the functions of
 * NAME makes loops on the host and launches on a device:
 *
 *     ELEMENTS(NAME, WORK, at_once)              without sums
 *     ELEMENTS_SUMS(NAME, WORK, at_once, sums)   with so many sums
 *     ELEMENTS_THEN(NAME, WORK, at_once, sums)   and PASS_AFTER
 *     ELEMENTS_AT(NAME, WORK)                    PASS_AT
 *     LANES_AT(NAME, WORK)                       PASS_LANES_AT
 *     LANES_OF_WIDE(NAME, WORK)                  the same; the host has a loop for each value of
 *                                                work->wide, 1, 2, 4, 8 or 16, as a constant
 *     SCALARS(NAME, WORK)                        PASS_AFTER alone
 *
 * A constant NAME of the same functions, with the other members of struct pass, follows them where
 * the line is
 *
 *     PASS_WITHOUT_SUMS(NAME, WORK, at_once, .name = "a step along p", .reads = 3, .writes = 2)
 *     PASS_WITH_SUMS(NAME, WORK, at_once, sums, .name = ...)
 *     PASS_THEN(NAME, WORK, at_once, sums, .name = ...)
 *     PASS_OF_SCALARS(NAME, WORK, .name = "the scalars")
 *
 * at_once: the number of elements that a thread of a device loads before it makes the first, or,
 * with sums, CUDA_ALL_STEPS or CUDA_SOME_STEPS (space/cuda/cuda_pass.cuh). After #define
 * PASSES_OVER_COLUMNS they also run over the columns of multivectors. A further constant of the
 * functions of NAME, or the only one after a line of the first kind:
 *
 *     PASS(CONSTANT, NAME, WORK, .name = "a step along p", .reads = 3, .writes = 2)
 *
 * And for a look (space/find.h):
 *
 *     FIND(CONSTANT, NAME, WORK, "the diagonal")
 *
 * A pass with loops or launches of its own has a .c file by space/host_loops.h and a .cu file by
 * space/cuda/cuda_pass.cuh. */
#ifndef SPACE_DEFINE_PASS_H
#define SPACE_DEFINE_PASS_H

#ifdef __CUDACC__

#ifdef PASSES_OVER_COLUMNS
#include "space/cuda/cuda_columns.cuh"
#else
#include "space/cuda/cuda_pass.cuh"
#define CUDA_COLUMNS(name)
#define CUDA_COLUMNS_SUMS(name)
#define CUDA_COLUMNS_AT(name)
#define CUDA_COLUMNS_AFTER(name)
#endif

#define ELEMENTS(name, work_type, at_once) CUDA_PASS(name, work_type, at_once) CUDA_COLUMNS(name)
#define ELEMENTS_SUMS(name, work_type, at_once, sums)                                              \
    CUDA_PASS_SUMS(name, work_type, at_once, sums) CUDA_COLUMNS_SUMS(name)
#define ELEMENTS_THEN(name, work_type, at_once, sums)                                              \
    CUDA_PASS_THEN(name, work_type, at_once, sums) CUDA_COLUMNS_SUMS(name)
#define ELEMENTS_AT(name, work_type) CUDA_PASS_AT(name, work_type) CUDA_COLUMNS_AT(name)
#define LANES_AT(name, work_type) CUDA_PASS_LANES_AT(name, work_type)
#define LANES_OF_WIDE(name, work_type) CUDA_PASS_LANES_AT(name, work_type)
#define SCALARS(name, work_type) CUDA_AFTER(name, work_type) CUDA_COLUMNS_AFTER(name)
#define PASS(...)
#define PASS_AFTER_ALONE(...)

#include "space/cuda/cuda_find.cuh"

#define FIND(constant, its, work_type, what)                                                       \
    static void its##_cuda(cudaStream_t stream, int64_t n, const void *work,                       \
                           struct cuda_found *found)                                               \
    {                                                                                              \
        cuda_launch_look<struct work_type, its##_look_at>(stream, n, work, found);                 \
    }                                                                                              \
    CUDA_PUT(its##_cuda)

#else

#include "space/host_loops.h"

#ifdef PASSES_OVER_COLUMNS
#define PASS_LOOPS(name, work_type) HOST_LOOP(name, work_type) HOST_COLUMNS(name, work_type)
#define PASS_LOOPS_AT(name, work_type)                                                             \
    HOST_LOOP_AT(name, work_type) HOST_COLUMNS_AT(name, work_type)
#define PASS_MADE(its) .make = its##_elements, .make_columns = its##_columns
#define PASS_LAUNCHED(its, work_type)                                                              \
    .cuda = #its "_cuda", .cuda_columns = #its "_cuda_columns",                                    \
    .work_bytes = sizeof(struct work_type)
#else
#define PASS_LOOPS(name, work_type) HOST_LOOP(name, work_type)
#define PASS_LOOPS_AT(name, work_type) HOST_LOOP_AT(name, work_type)
#define PASS_MADE(its) .make = its##_elements
#define PASS_LAUNCHED(its, work_type) .cuda = #its "_cuda"
#endif

#define ELEMENTS(name, work_type, at_once) PASS_LOOPS(name, work_type)
#define ELEMENTS_SUMS(name, work_type, at_once, sums) ELEMENTS(name, work_type, at_once)
#define ELEMENTS_THEN(name, work_type, at_once, sums) ELEMENTS(name, work_type, at_once)
#define ELEMENTS_AT(name, work_type) PASS_LOOPS_AT(name, work_type)
#define LANES_AT(name, work_type) HOST_LOOP_LANES_AT(name, work_type)
#define LANES_OF_WIDE(name, work_type) HOST_LOOP_LANES_OF_WIDE(name, work_type)
#define SCALARS(name, work_type)
#define PASS(constant, its, work_type, ...)                                                        \
    const struct pass constant = {PASS_MADE(its), PASS_LAUNCHED(its, work_type), __VA_ARGS__};
#define PASS_AFTER_ALONE(its, work_type, ...)                                                      \
    const struct pass its = {.after = its##_after, PASS_LAUNCHED(its, work_type), __VA_ARGS__};

#include "space/find.h"

#define FIND(constant, its, work_type, what)                                                       \
    static void its##_look(const void *context, int64_t begin, int64_t end, struct found *found)   \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        struct found own = *found;                                                                 \
        for (int64_t i = begin; i < end; i++)                                                      \
            its##_look_at(&work, i, &own);                                                         \
        *found = own;                                                                              \
    }                                                                                              \
    const struct find constant = {what, its##_look, #its "_cuda"};

#endif

#define PASS_WITHOUT_SUMS(name, work_type, at_once, ...)                                           \
    ELEMENTS(name, work_type, at_once)                                                             \
    PASS(name, name, work_type, __VA_ARGS__)
#define PASS_WITH_SUMS(name, work_type, at_once, sums, ...)                                        \
    ELEMENTS_SUMS(name, work_type, at_once, sums)                                                  \
    PASS(name, name, work_type, .sum = name##_sum, .summed = sums, __VA_ARGS__)
#define PASS_THEN(name, work_type, at_once, sums, ...)                                             \
    ELEMENTS_THEN(name, work_type, at_once, sums)                                                  \
    PASS(name, name, work_type, .sum = name##_sum, .after = name##_after, .summed = sums,          \
         __VA_ARGS__)
#define PASS_OF_SCALARS(name, work_type, ...)                                                      \
    SCALARS(name, work_type)                                                                       \
    PASS_AFTER_ALONE(name, work_type, __VA_ARGS__)

#endif
