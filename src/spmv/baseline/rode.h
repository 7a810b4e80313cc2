/* Who multiplies which part of spmv/row_parts.h, for host and device alike. A regular part is
 * shared by 8 lanes, each with as many of its entries, by pairs: so N_B is a multiple of 16. A
 * residual part is shared by the fewest lanes that leave each 4 of its entries, a power of two, at
 * most 8.
 *
 * A warp has a number of teams, 2 to 32, of which each does what one lane has to do, or some
 * neighbouring lanes of a part. With one vector a team is a thread, with several its threads have a
 * few columns each. So a warp has some parts of one class at a time, and may have more of them in
 * rounds, one after the other. All its parts are neighbours, and so are their entries. The warps
 * are in the order of the classes. */
#ifndef SPMV_BASELINE_RODE_H
#define SPMV_BASELINE_RODE_H

#include "spmv/row_parts.h"

#include <stdio.h>

enum {
    RODE_WARP = 32,
    RODE_LANES_MAX = 8,
    RODE_STEP = 4, /* entries of a lane at a time */
    RODE_BLOCK_UNIT = 2 * RODE_LANES_MAX,
    /* N_B is at most what leaves a class for regular parts, and N_S at most the largest N_B times a
     * number of such classes: (96 - 48) * 48. The classes are among a launch's constants, which are
     * to stay few. */
    RODE_BLOCK_MAX = (ROW_PARTS_CLASSES_MAX - 1) / RODE_BLOCK_UNIT * RODE_BLOCK_UNIT,
    RODE_SPLIT_MAX = ROW_PARTS_CLASSES_MAX / 2 * (ROW_PARTS_CLASSES_MAX / 2),
};

/* How a warp is cut up: teams, and lanes of a team at most, RODE_LANES_MAX or more in all. It has
 * one round, and up to `rounds`, a power of two, where `warps` or more are left for the class. */
struct rode_form {
    int teams, own, rounds, warps;
};

/* Where each class begins: its warps, parts and entries. */
struct rode_classes {
    struct row_cuts cuts;
    int64_t first_warp[ROW_PARTS_CLASSES_MAX + 1], first_part[ROW_PARTS_CLASSES_MAX + 1],
        first_entry[ROW_PARTS_CLASSES_MAX + 1];
};

/* What a team has to do, and what its warp has. */
struct rode_share {
    bool regular;
    int length, lanes; /* of a part, and that share it */
    int own, lane;     /* how many of these are the team's, and the first one */
    int each, place;   /* parts at a time, and which of these is the team's */
    int parts;         /* in all rounds, 1 or more */
    int64_t part;      /* the warp's first one, */
    int64_t entry;     /* and its first entry */
};

/* What is wrong with N_S and N_B, each within its range, or NULL: `text` then says it. */
static inline const char *rode_complaint(int64_t split, int64_t block, char *text, size_t size)
{
    if (block % RODE_BLOCK_UNIT != 0)
        snprintf(text, size, "block = %d is not a multiple of %d", (int)block, RODE_BLOCK_UNIT);
    else if (split % block != 0)
        snprintf(text, size, "split = %d is not a multiple of block = %d", (int)split, (int)block);
    else if (split / block + block > ROW_PARTS_CLASSES_MAX)
        snprintf(text, size, "split / block + block = %d is more than %d lengths of parts",
                 (int)(split / block + block), ROW_PARTS_CLASSES_MAX);
    else
        return NULL;
    return text;
}

static inline struct row_cuts rode_cuts(int64_t split, int64_t block)
{
    struct row_cuts cuts = {(int32_t)block, (int32_t)(split / block)};
    return cuts;
}

/* That share a residual part. */
CGSOLVE_HOST_AND_DEVICE static inline int rode_residual_lanes(int length)
{
    return length <= RODE_STEP ? 1 : length <= 2 * RODE_STEP ? 2 : length <= 4 * RODE_STEP ? 4 : 8;
}

/* That share a part of a class. */
CGSOLVE_HOST_AND_DEVICE static inline int rode_lanes(struct row_cuts cuts, int c)
{
    return c < cuts.regular ? RODE_LANES_MAX : rode_residual_lanes(row_parts_length(cuts, c));
}

/* Lanes of a team, and parts of a warp at a time, where `lanes` lanes share a part. */
CGSOLVE_HOST_AND_DEVICE static inline int rode_own(struct rode_form form, int lanes)
{
    return lanes < form.own ? lanes : form.own;
}

CGSOLVE_HOST_AND_DEVICE static inline int rode_each(struct rode_form form, int lanes)
{
    return form.teams * rode_own(form, lanes) / lanes;
}

/* Parts that a warp has of a class of `parts` parts. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rode_parts_of_warp(struct rode_form form, int each,
                                                                 int64_t parts)
{
    int64_t rounds = 1;
    while (rounds < form.rounds && parts >= 2 * rounds * each * form.warps)
        rounds *= 2;
    return rounds * each;
}

static inline struct rode_classes rode_classes_of(const struct row_parts *parts,
                                                  struct rode_form form)
{
    struct rode_classes classes = {.cuts = parts->cuts};
    int64_t warps = 0;
    int count = row_cuts_classes(parts->cuts);
    for (int c = 0; c <= count; c++) {
        classes.first_warp[c] = warps;
        classes.first_part[c] = parts->first_part[c];
        classes.first_entry[c] = parts->first_entry[c];
        if (c < count) {
            int64_t members = parts->first_part[c + 1] - parts->first_part[c];
            int64_t of_warp =
                rode_parts_of_warp(form, rode_each(form, rode_lanes(parts->cuts, c)), members);
            warps += (members + of_warp - 1) / of_warp;
        }
    }
    return classes;
}

CGSOLVE_HOST_AND_DEVICE static inline int64_t rode_warps(const struct rode_classes *classes)
{
    return classes->first_warp[row_cuts_classes(classes->cuts)];
}

/* `classes` are for the same form. */
CGSOLVE_HOST_AND_DEVICE static inline struct rode_share
rode_share(const struct rode_classes *classes, struct rode_form form, int64_t warp, int team)
{
    struct rode_share share;
    int c = row_parts_class_of(classes->cuts, classes->first_warp, warp);
    share.regular = c < classes->cuts.regular;
    share.length = row_parts_length(classes->cuts, c);
    share.lanes = rode_lanes(classes->cuts, c);
    share.own = rode_own(form, share.lanes);
    share.each = rode_each(form, share.lanes);
    int sharing = share.lanes / share.own;
    share.lane = team % sharing * share.own;
    share.place = team / sharing;
    int64_t members = classes->first_part[c + 1] - classes->first_part[c];
    int64_t of_warp = rode_parts_of_warp(form, share.each, members);
    int64_t first = (warp - classes->first_warp[c]) * of_warp;
    share.parts = (int)(members - first < of_warp ? members - first : of_warp);
    share.part = classes->first_part[c] + first;
    share.entry = classes->first_entry[c] + first * share.length;
    return share;
}

/* The rounds of the warp; whether the team has a part in one; and which it reads then, counted from
 * the warp's first: its own, or the warp's last for nothing. */
CGSOLVE_HOST_AND_DEVICE static inline int rode_rounds(const struct rode_share *share)
{
    return (share->parts + share->each - 1) / share->each;
}

CGSOLVE_HOST_AND_DEVICE static inline bool rode_is_there(const struct rode_share *share, int round)
{
    return round * share->each + share->place < share->parts;
}

CGSOLVE_HOST_AND_DEVICE static inline int rode_member(const struct rode_share *share, int round)
{
    return rode_is_there(share, round) ? round * share->each + share->place : share->parts - 1;
}

/* Entry e of a lane, counted from the part's first. Of a regular part, by pairs, so that 8 lanes
 * load 16 neighbours at once, two each; of a residual one every lanes-th, where it may be after
 * the last. */
CGSOLVE_HOST_AND_DEVICE static inline int rode_regular_entry(int lane, int e)
{
    return (e / 2 * RODE_LANES_MAX + lane) * 2 + e % 2;
}

CGSOLVE_HOST_AND_DEVICE static inline int rode_residual_entry(int lanes, int lane, int e)
{
    return e * lanes + lane;
}

#endif
