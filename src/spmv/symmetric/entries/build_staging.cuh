/* What the files of build_staging.h share: memory, and what kernels find. For .cu files. */
#ifndef SPMV_SYMMETRIC_ENTRIES_BUILD_STAGING_CUH
#define SPMV_SYMMETRIC_ENTRIES_BUILD_STAGING_CUH

#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/entries/build_staging.h"
#include "spmv/symmetric/entries/sym_staging_tile.h"

/* Whole numbers: zeroed first, then grown by maxima and sums. */
struct staging_found {
    unsigned long long tile_entries; /* the most upper entries of a tile, */
    unsigned long long row_entries;  /* and of a row */
    /* staging_sum_up's */
    unsigned long long most, columns_most, copied, numbers;
    unsigned long long values_length, lists_length;
};

/* Arrays in one piece of memory; from a base of 0 only its size comes out. */
struct staging_arena {
    uintptr_t base;
    int64_t used;

    template <typename Element> void take(int64_t count, Element **array)
    {
        *array = (Element *)(base + (uintptr_t)used);
        used = staging_whole(used + count * (int64_t)sizeof(Element), 256);
    }
};

/* What is used while `made` is made. The pieces of `sorts` are used one after the other. */
struct staging_scratch {
    uint16_t *rank;    /* [tiles SUM_TILE] where a row of a tile comes in its order */
    int64_t *lists_at; /* [tiles + 1] */
    int64_t *notes;    /* how many there are, each once */
    struct staging_found *found;
    char *sorts;
};

/* The sectors of all tiles, where the values are in order: staging_take_sectors, and
 * made->staging.sectors in a piece of the sorts. */
enum status cuda_staging_copy_sectors(struct space_cuda *space, struct cuda_staging *made,
                                      const struct staging_scratch *scratch, struct error *error);

/* What is left of the tiles' headers behind that, and the lengths of *made on the host. */
enum status cuda_staging_measure(struct space_cuda *space, struct cuda_staging *made,
                                 const struct staging_scratch *scratch, struct error *error);

#endif
