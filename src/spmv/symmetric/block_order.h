/* An order for the blocks of threads that make a product's rows, where a row needs others a plane
 * of the grid before and behind it, and two planes do not stay in a cache: each plane is cut into
 * strips, and all planes' first strips come before all their second ones,
 *
 *     strip 0 of plane 0, strip 0 of plane 1, ..., strip 1 of plane 0, strip 1 of plane 1, ...
 *
 * so that between two uses of a row only strips of two planes are read, not whole planes. Who makes
 * a row does not matter to its bits. Lengths are in blocks; a plane of the grid that is no whole
 * number of them is rounded, because blocks a plane apart need only be near each other. */
#ifndef SPMV_SYMMETRIC_BLOCK_ORDER_H
#define SPMV_SYMMETRIC_BLOCK_ORDER_H

#include "base/host_device.h"

#include <stdint.h>

struct block_order {
    uint32_t blocks, plane, planes;
    uint32_t width, count; /* of the strips; the last one of a plane may be narrower */
};

/* That many blocks, `distance` of them a plane, cut into about `count` >= 1 strips each. */
static inline struct block_order block_order_of(uint32_t blocks, double distance, uint32_t count)
{
    struct block_order strips = {.blocks = blocks,
                                 .plane = distance < 1.5 ? 1 : (uint32_t)(distance + 0.5)};
    strips.planes = (blocks + strips.plane - 1) / strips.plane;
    strips.width = (strips.plane + count - 1) / count;
    strips.count = (strips.plane + strips.width - 1) / strips.width;
    return strips;
}

/* The block in that place of a strip, or UINT32_MAX: there is none. */
CGSOLVE_HOST_AND_DEVICE static inline uint32_t
block_order_block(const struct block_order *strips, uint32_t strip, uint32_t plane, uint32_t place)
{
    uint32_t within = strip * strips->width + place;
    uint32_t block = plane * strips->plane + within;
    return within < strips->plane && block < strips->blocks ? block : UINT32_MAX;
}

#endif
