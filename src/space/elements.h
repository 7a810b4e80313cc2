/* A pass that makes its elements one by one, written once for CPU and GPU. In a header of its own
 * stand, for a pass NAME that works on a struct WORK (addresses, by value to a GPU):
 *
 *     struct NAME_scalars    the numbers that all elements are made with
 *     struct NAME_element    what is read of an element, and what is made of it
 *
 *     void NAME_read(const struct WORK *, struct NAME_scalars *)          as memory holds them
 *     bool NAME_prepare(struct NAME_scalars *)                            and what follows; false:
 *                                                                         the vectors stay
 *     void NAME_load(const struct WORK *, int64_t i, struct NAME_element *)
 *     void NAME_make(const struct WORK *, const struct NAME_scalars *, int64_t i,
 *                    struct NAME_element *)                               makes it, and writes
 *
 * as CGSOLVE_HOST_AND_DEVICE static inline functions. A GPU reads several elements and the scalars
 * at once, and prepares these when all are on their way: hence the four steps. Where the pass has
 * sums, each is of one product an element:
 *
 *     void NAME_term(const struct NAME_element *, int k, double *x, double *y)
 *     bool NAME_sum(const void *work, int64_t k, struct pass_sum *)    struct pass's slot
 *     void NAME_after(const void *work)                                struct pass's slot
 *
 * A .c file then says ELEMENTS(NAME, WORK) and has NAME_elements for the slot `make`; a .cu file
 * says CUDA_PASS(...) of space/cuda_pass.cuh and has NAME_cuda for the slot `cuda`.
 *
 * With ELEMENTS_COLUMN(NAME, WORK) it also has NAME_column, for `make_column`, and with CUDA_COLUMNS
 * of space/cuda_columns.cuh NAME_cuda_columns: then it can run over the columns of multivectors.
 *
 * Where there are no scalars in memory and no sums, one function does:
 *
 *     void NAME_at(const struct WORK *, int64_t i)         reads, makes and writes
 *
 * with ELEMENTS_AT(NAME, WORK) and CUDA_PASS_AT(NAME, WORK), and ELEMENTS_COLUMN_AT. */
#ifndef SPACE_ELEMENTS_H
#define SPACE_ELEMENTS_H

#include "base/multiversion.h"
#include "cgsolve/host_device.h"
#include "cgsolve/pass.h"

/* The elements are independent of each other, whatever the vectors are. NAME_column makes those of a
 * column of a multivector (struct pass's make_column). */
#define ELEMENTS(name, work_type)                                                                  \
    MULTIVERSION static void name##_elements(const void *context, int64_t begin, int64_t end)      \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        struct name##_scalars scalars;                                                             \
        name##_read(&work, &scalars);                                                              \
        if (!name##_prepare(&scalars))                                                             \
            return;                                                                                \
        _Pragma("omp simd") for (int64_t i = begin; i < end; i++)                                  \
        {                                                                                          \
            struct name##_element element;                                                         \
            name##_load(&work, i, &element);                                                       \
            name##_make(&work, &scalars, i, &element);                                             \
        }                                                                                          \
    }

#define ELEMENTS_COLUMN(name, work_type)                                                           \
    MULTIVERSION static void name##_column(const void *context, int64_t stride, int64_t begin,     \
                                           int64_t end)                                            \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        struct name##_scalars scalars;                                                             \
        name##_read(&work, &scalars);                                                              \
        if (!name##_prepare(&scalars))                                                             \
            return;                                                                                \
        for (int64_t i = begin * stride; i < end * stride; i += stride) {                          \
            struct name##_element element;                                                         \
            name##_load(&work, i, &element);                                                       \
            name##_make(&work, &scalars, i, &element);                                             \
        }                                                                                          \
    }

#define ELEMENTS_AT(name, work_type)                                                               \
    MULTIVERSION static void name##_elements(const void *context, int64_t begin, int64_t end)      \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        _Pragma("omp simd") for (int64_t i = begin; i < end; i++) name##_at(&work, i);             \
    }

#define ELEMENTS_COLUMN_AT(name, work_type)                                                        \
    MULTIVERSION static void name##_column(const void *context, int64_t stride, int64_t begin,     \
                                           int64_t end)                                            \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        for (int64_t i = begin * stride; i < end * stride; i += stride)                            \
            name##_at(&work, i);                                                                   \
    }

/* What a pass that runs over columns declares besides (struct pass). */
#define PASS_OVER_COLUMNS(name, work_type)                                                         \
    .cuda_columns = PASS_ON_CUDA(name##_cuda_columns), .work_bytes = sizeof(struct work_type)

#endif
