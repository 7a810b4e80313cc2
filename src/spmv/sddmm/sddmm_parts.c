#include "spmv/sddmm/sddmm_parts.h"

#include "base/memory.h"

/* Adds the row's parts behind the *regular and *residual ones before; parts = NULL: counts them. */
static void cut_row(const struct csr *pattern, int64_t i, struct sddmm_part *parts,
                    int64_t *regular, int64_t *residual)
{
    int64_t first = pattern->offsets[i], end = pattern->offsets[i + 1];
    for (int64_t count; first < end; first += count) {
        int64_t left = end - first;
        count = left < ROW_PARTS_BLOCK    ? left
                : left >= ROW_PARTS_SPLIT ? ROW_PARTS_SPLIT
                                          : left / ROW_PARTS_BLOCK * ROW_PARTS_BLOCK;
        int64_t place = left < ROW_PARTS_BLOCK ? (*residual)++ : (*regular)++;
        if (parts)
            parts[place] = (struct sddmm_part){first, (int32_t)i, (int32_t)count};
    }
}

enum status sddmm_parts_create(const struct csr *pattern, struct sddmm_parts *parts,
                               struct error *error)
{
    int64_t regular = 0, residual = 0;
    for (int64_t i = 0; i < pattern->n; i++)
        cut_row(pattern, i, NULL, &regular, &residual);
    *parts = (struct sddmm_parts){regular, regular + residual, NULL};
    parts->parts = memory_array(parts->count, sizeof *parts->parts, "parts of the rows", error);
    if (!parts->parts)
        return STATUS_MEMORY;
    residual = regular;
    regular = 0;
    for (int64_t i = 0; i < pattern->n; i++)
        cut_row(pattern, i, parts->parts, &regular, &residual);
    return STATUS_OK;
}
