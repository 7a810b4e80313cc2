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
 * says CUDA_PASS(...) of space/cuda/cuda_pass.cuh and has NAME_cuda for the slot `cuda`.
 *
 * With ELEMENTS_COLUMNS(NAME, WORK) it also has NAME_columns, for `make_columns`, and with
 * CUDA_COLUMNS of space/cuda/cuda_columns.cuh NAME_cuda_columns: then it can run over the columns
 * of multivectors.
 *
 * Where there are no scalars in memory and no sums, one function does:
 *
 *     void NAME_at(const struct WORK *, int64_t i)         reads, makes and writes
 *
 * with ELEMENTS_AT(NAME, WORK) and CUDA_PASS_AT(NAME, WORK), and ELEMENTS_COLUMNS_AT. */
#ifndef SPACE_ELEMENTS_H
#define SPACE_ELEMENTS_H

#include "base/host_device.h"
#include "base/multiversion.h"
#include "space/pass.h"

/* The elements are independent of each other, whatever the vectors are. NAME_columns makes those of
 * the columns of a multivector (struct pass's make_columns), which lie side by side in a row. */
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

/* The loop over the elements of a row, of columns that lie side by side. */
#define ELEMENTS_OF_ROW(name, count)                                                               \
    _Pragma("omp simd") for (int c = 0; c < (count); c++)                                          \
    {                                                                                              \
        struct name##_element element;                                                             \
        name##_load(&work, row + c, &element);                                                     \
        name##_make(&work, &scalars[c], row + c, &element);                                        \
    }

#define ELEMENTS_COLUMNS(name, work_type)                                                          \
    MULTIVERSION static void name##_columns(const struct pass_columns *columns, int64_t begin,     \
                                            int64_t end)                                           \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)columns->work[0];                 \
        struct name##_scalars scalars[PASS_COLUMNS];                                               \
        int place[PASS_COLUMNS] = {0}, count = 0;                                                  \
        for (int j = 0; j < columns->count; j++) {                                                 \
            name##_read((const struct work_type *)columns->work[j], &scalars[count]);              \
            place[count] = columns->place[j];                                                      \
            count += name##_prepare(&scalars[count]);                                              \
        }                                                                                          \
        bool together = count > 0 && place[count - 1] == place[0] + count - 1;                     \
        for (int64_t i = begin; i < end; i++) {                                                    \
            int64_t row = i * columns->stride + place[0];                                          \
            if (together && count == 8)                                                            \
                ELEMENTS_OF_ROW(name, 8)                                                           \
            else if (together)                                                                     \
                ELEMENTS_OF_ROW(name, count)                                                       \
            else                                                                                   \
                for (int c = 0; c < count; c++) {                                                  \
                    struct name##_element element;                                                 \
                    name##_load(&work, row + place[c] - place[0], &element);                       \
                    name##_make(&work, &scalars[c], row + place[c] - place[0], &element);          \
                }                                                                                  \
        }                                                                                          \
    }

#define ELEMENTS_AT(name, work_type)                                                               \
    MULTIVERSION static void name##_elements(const void *context, int64_t begin, int64_t end)      \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        _Pragma("omp simd") for (int64_t i = begin; i < end; i++) name##_at(&work, i);             \
    }

#define ELEMENTS_COLUMNS_AT(name, work_type)                                                       \
    MULTIVERSION static void name##_columns(const struct pass_columns *columns, int64_t begin,     \
                                            int64_t end)                                           \
    {                                                                                              \
        for (int64_t i = begin; i < end; i++)                                                      \
            for (int j = 0; j < columns->count; j++)                                               \
                name##_at((const struct work_type *)columns->work[j], i * columns->stride);        \
    }

/* What a pass that runs over columns declares besides (struct pass). */
#define PASS_OVER_COLUMNS(name, work_type)                                                         \
    .cuda_columns = PASS_ON_CUDA(name##_cuda_columns), .work_bytes = sizeof(struct work_type)

#endif
