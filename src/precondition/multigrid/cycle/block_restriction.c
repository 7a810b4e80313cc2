#include "precondition/multigrid/cycle/transfer.h"
#include "space/host_loops.h"

/* All columns of a coarse node at once: its blocks are read once. */
#define LOOP(name)                                                                                 \
    MULTIVERSION __attribute__((flatten)) static void name##_elements(const void *context,         \
                                                                      int64_t begin, int64_t end)  \
    {                                                                                              \
        const struct block_transfer work = *(const struct block_transfer *)context;                \
        switch (near_null_wide(work.P.width)) {                                                    \
        case 1:                                                                                    \
            name##_nodes(&work, begin, end, 1);                                                    \
            break;                                                                                 \
        case 2:                                                                                    \
            name##_nodes(&work, begin, end, 2);                                                    \
            break;                                                                                 \
        case 4:                                                                                    \
            name##_nodes(&work, begin, end, 4);                                                    \
            break;                                                                                 \
        case 8:                                                                                    \
            name##_nodes(&work, begin, end, 8);                                                    \
            break;                                                                                 \
        default:                                                                                   \
            name##_nodes(&work, begin, end, NEAR_NULL_WIDE);                                       \
        }                                                                                          \
    }
LOOP(block_restriction)
LOOP(block_restriction_float)

/* The caller counts what is read of P and by it. */
const struct pass pass_block_restriction = {.name = "a restriction by blocks",
                                            .make = block_restriction_elements,
                                            .cuda = "block_restriction_cuda",
                                            .writes = 1};
const struct pass pass_block_restriction_float = {.name = "a restriction by blocks",
                                                  .make = block_restriction_float_elements,
                                                  .cuda = "block_restriction_float_cuda",
                                                  .writes = 0.5};
