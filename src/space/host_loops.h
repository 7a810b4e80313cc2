/* The loops of a pass (space/elements.h) on a host. space/define_pass.h writes them for most
 * passes. */
#ifndef SPACE_HOST_LOOPS_H
#define SPACE_HOST_LOOPS_H

#include "base/multiversion.h"
#include "space/elements.h"

/* The elements are independent, for any vectors. NAME_columns makes the elements of the columns of
 * a multivector (struct pass's make_columns), which are contiguous in a row. */
#define HOST_LOOP(name, work_type)                                                                 \
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

/* The loop over the elements of a row in contiguous columns. */
#define HOST_ROW(name, count)                                                                      \
    _Pragma("omp simd") for (int c = 0; c < (count); c++)                                          \
    {                                                                                              \
        struct name##_element element;                                                             \
        name##_load(&work, row + c, &element);                                                     \
        name##_make(&work, &scalars[c], row + c, &element);                                        \
    }

#define HOST_COLUMNS(name, work_type)                                                              \
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
                HOST_ROW(name, 8)                                                                  \
            else if (together)                                                                     \
                HOST_ROW(name, count)                                                              \
            else                                                                                   \
                for (int c = 0; c < count; c++) {                                                  \
                    struct name##_element element;                                                 \
                    name##_load(&work, row + place[c] - place[0], &element);                       \
                    name##_make(&work, &scalars[c], row + place[c] - place[0], &element);          \
                }                                                                                  \
        }                                                                                          \
    }

#define HOST_LOOP_AT(name, work_type)                                                              \
    MULTIVERSION static void name##_elements(const void *context, int64_t begin, int64_t end)      \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        _Pragma("omp simd") for (int64_t i = begin; i < end; i++) name##_at(&work, i);             \
    }

#define HOST_LOOP_LANES_AT(name, work_type)                                                        \
    MULTIVERSION __attribute__((flatten)) static void name##_elements(const void *context,         \
                                                                      int64_t begin, int64_t end)  \
    {                                                                                              \
        const struct work_type work = *(const struct work_type *)context;                          \
        for (int64_t i = begin; i < end; i++)                                                      \
            name##_at(&work, i, 0, 1);                                                             \
    }

/* Loops over a constant number of columns become operations on vectors of that length. */
#define HOST_CASE_OF_WIDE(name, constant)                                                          \
    case constant:                                                                                 \
        work.wide = constant;                                                                      \
        for (int64_t i = begin; i < end; i++)                                                      \
            name##_at(&work, i, 0, 1);                                                             \
        break;

#define HOST_LOOP_LANES_OF_WIDE(name, work_type)                                                   \
    MULTIVERSION __attribute__((flatten)) static void name##_elements(const void *context,         \
                                                                      int64_t begin, int64_t end)  \
    {                                                                                              \
        struct work_type work = *(const struct work_type *)context;                                \
        switch (work.wide) {                                                                       \
            HOST_CASE_OF_WIDE(name, 1)                                                             \
            HOST_CASE_OF_WIDE(name, 2)                                                             \
            HOST_CASE_OF_WIDE(name, 4)                                                             \
            HOST_CASE_OF_WIDE(name, 8)                                                             \
            HOST_CASE_OF_WIDE(name, 16)                                                            \
        }                                                                                          \
    }

#define HOST_COLUMNS_AT(name, work_type)                                                           \
    MULTIVERSION static void name##_columns(const struct pass_columns *columns, int64_t begin,     \
                                            int64_t end)                                           \
    {                                                                                              \
        for (int64_t i = begin; i < end; i++)                                                      \
            for (int j = 0; j < columns->count; j++)                                               \
                name##_at((const struct work_type *)columns->work[j], i * columns->stride);        \
    }

#endif
