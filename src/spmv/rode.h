/* Who multiplies which part of spmv/row_parts.h by one vector, for host and device alike. A part is shared by
 * the fewest lanes (threads) that leave each 4 of its entries, a power of two, at most 8; a warp of 32
 * lanes has 32 / lanes parts of one class, and the warps are in the order of the classes. */
#ifndef SPMV_RODE_H
#define SPMV_RODE_H

#include "spmv/row_parts.h"

enum {
    RODE_WARP = 32,
    RODE_LANES_MAX = 8,
    RODE_STEP = 4, /* entries of a lane at a time */
};

/* Where each class begins: its warps, parts and entries. */
struct rode_classes {
    int64_t first_warp[ROW_PARTS_CLASSES + 1], first_part[ROW_PARTS_CLASSES + 1],
        first_entry[ROW_PARTS_CLASSES + 1];
};

/* What a lane has to do. */
struct rode_share {
    int length, lanes; /* of its part, and that share it */
    int lane;          /* of these */
    bool there; /* else it has no part of its own, and reads the class's last one for nothing */
    int64_t part;
    int64_t entry; /* the part's first */
};

CGSOLVE_HOST_AND_DEVICE static inline int rode_lanes(int length)
{
    return length <= RODE_STEP ? 1 : length <= 2 * RODE_STEP ? 2 : length <= 4 * RODE_STEP ? 4 : 8;
}

static inline struct rode_classes rode_classes_of(const struct row_parts *parts)
{
    struct rode_classes classes;
    int64_t warps = 0;
    for (int c = 0; c <= ROW_PARTS_CLASSES; c++) {
        classes.first_warp[c] = warps;
        classes.first_part[c] = parts->first_part[c];
        classes.first_entry[c] = parts->first_entry[c];
        if (c < ROW_PARTS_CLASSES) {
            int64_t each = RODE_WARP / rode_lanes(row_parts_length(c));
            warps += (parts->first_part[c + 1] - parts->first_part[c] + each - 1) / each;
        }
    }
    return classes;
}

CGSOLVE_HOST_AND_DEVICE static inline struct rode_share
rode_share(const struct rode_classes *classes, int64_t warp, int lane)
{
    struct rode_share share;
    int c = row_parts_class_of(classes->first_warp, warp);
    share.length = row_parts_length(c);
    share.lanes = rode_lanes(share.length);
    share.lane = lane % share.lanes;
    int64_t last = classes->first_part[c + 1] - classes->first_part[c] - 1;
    int64_t member =
        (warp - classes->first_warp[c]) * (RODE_WARP / share.lanes) + lane / share.lanes;
    share.there = member <= last;
    member = share.there ? member : last;
    share.part = classes->first_part[c] + member;
    share.entry = classes->first_entry[c] + member * share.length;
    return share;
}

/* Entry e of a lane, counted from the part's first. Of a regular part, by pairs, so that 8 lanes load 16
 * neighbours at once, two each; of a residual one every lanes-th, up to e = RODE_STEP - 1, where it may be
 * behind the last. */
CGSOLVE_HOST_AND_DEVICE static inline int rode_regular_entry(int lane, int e)
{
    return (e / 2 * RODE_LANES_MAX + lane) * 2 + e % 2;
}

CGSOLVE_HOST_AND_DEVICE static inline int rode_residual_entry(int lanes, int lane, int e)
{
    return e * lanes + lane;
}

#endif
