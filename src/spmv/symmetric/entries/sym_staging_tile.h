/* Staged entries, one row, entry or tile at a time, for host and device: what sym_staging.h keeps.
 * The lengths of rows, the mirrored entries and A come first; each part below reads what those
 * above it have made. */
#ifndef SPMV_SYMMETRIC_ENTRIES_SYM_STAGING_TILE_H
#define SPMV_SYMMETRIC_ENTRIES_SYM_STAGING_TILE_H

#include "base/host_device.h"
#include "spmv/symmetric/entries/sym_staging.h"

#define STAGING_FUNCTION CGSOLVE_HOST_AND_DEVICE static inline

STAGING_FUNCTION int64_t staging_whole(int64_t count, int64_t unit)
{
    return (count + unit - 1) / unit * unit;
}

/* Values in a sector. */
STAGING_FUNCTION int64_t staging_sector_values(const struct staging *staging)
{
    return STAGED_SECTOR * STAGED_WORD / staging->value_bytes;
}

/* The row behind the last one of a tile. */
STAGING_FUNCTION int64_t staging_end(const struct staging *staging, int64_t tile)
{
    int64_t end = (tile + 1) * SUM_TILE;
    return end < staging->A.n ? end : staging->A.n;
}

/* The first of `count` ascending keys that is not below `key`. */
STAGING_FUNCTION int64_t staging_find(const uint32_t *keys, int64_t count, uint32_t key)
{
    int64_t begin = 0;
    while (begin < count) {
        int64_t middle = begin + (count - begin) / 2;
        if (keys[middle] < key)
            begin = middle + 1;
        else
            count = middle;
    }
    return begin;
}

/* --- the mirrored entries --------------------------------------------------------------------- */

/* Of all entries, sorted by their columns in a stable way, entry p of row i comes as number s. The
 * diagonal, which every row has, is the last of its column: so many of them come before s. */
STAGING_FUNCTION void staging_mirror(const struct staging *staging, int64_t i, int64_t p, int64_t s)
{
    int64_t j = staging->A.columns[p];
    if (i == j) {
        staging->mirror.offsets[j + 1] = s - j;
    } else {
        staging->mirror.columns[s - j] = (int32_t)i;
        staging->mirror.places[s - j] = p;
    }
    if (s == 0)
        staging->mirror.offsets[0] = 0;
}

/* --- the order of the rows -------------------------------------------------------------------- */

/* Entries of row i of the full matrix; 0 beyond the last. */
STAGING_FUNCTION int64_t staging_row_length(const struct staging *staging, int64_t i)
{
    if (i >= staging->A.n)
        return 0;
    const int64_t *offsets = staging->A.offsets, *mirrored = staging->mirror.offsets;
    return offsets[i + 1] - offsets[i] + mirrored[i + 1] - mirrored[i];
}

/* The place of row r in its tile, whose rows have these lengths: longest first, then by number. */
STAGING_FUNCTION int staging_rank(const int32_t length[SUM_TILE], int r)
{
    int32_t own = length[r];
    int rank = 0;
    for (int s = 0; s < SUM_TILE; s++)
        rank += length[s] > own || (length[s] == own && s < r);
    return rank;
}

/* --- the order of the values ------------------------------------------------------------------ */

/* An upper entry of the row at place r of its tile, the step-th of it: by the tile of its column,
 * the slice of its row, the step, and the place in the slice. 9 bits and step_bits for what is not
 * the tile of the column. */
enum { STAGING_SLICE_BITS = 4, STAGING_LANE_BITS = 5 };
static_assert(STAGED_SLICES <= 1 << STAGING_SLICE_BITS, "slices");
static_assert(STAGED_SLICE == 1 << STAGING_LANE_BITS, "rows of a slice");

STAGING_FUNCTION uint64_t staging_value_key(int64_t column, int r, int64_t step, int step_bits)
{
    uint64_t slice =
        (uint64_t)(column / SUM_TILE) << STAGING_SLICE_BITS | (uint64_t)r / STAGED_SLICE;
    return (slice << step_bits | (uint64_t)step) << STAGING_LANE_BITS | (uint64_t)r % STAGED_SLICE;
}

/* Values one behind the other, where each segment begins at a whole sector. How a piece of them
 * moves the next place x: to x + behind, or with before >= 0 to whole(x + before) + behind. Two
 * pieces are one again, so pieces may be joined in any grouping. */
struct staging_places {
    int64_t before, behind;
};

STAGING_FUNCTION struct staging_places staging_place(bool begins_segment)
{
    struct staging_places one = {begins_segment ? 0 : -1, 1};
    return one;
}

STAGING_FUNCTION struct staging_places staging_join(struct staging_places a,
                                                    struct staging_places b, int64_t unit)
{
    struct staging_places both = {a.before, a.behind + b.behind};
    if (b.before >= 0 && a.before < 0) {
        both.before = a.behind + b.before;
        both.behind = b.behind;
    } else if (b.before >= 0) {
        both.behind = staging_whole(a.behind + b.before, unit) + b.behind;
    }
    return both;
}

/* From the upper entries of all tiles, sorted by tile and then staging_value_key, and their places
 * joined up to and with each of them: where the tile's values are, */
STAGING_FUNCTION void staging_take_values(const struct staging *staging, int64_t tile,
                                          const struct staging_places *joined)
{
    const int64_t *offsets = staging->A.offsets;
    int64_t begin = joined[offsets[tile * SUM_TILE]].behind - 1;
    int64_t end = joined[offsets[staging_end(staging, tile)] - 1].behind;
    end = staging_whole(end, staging_sector_values(staging));
    struct staged_tile *t = &staging->tile[tile];
    t->values = begin * staging->value_bytes / STAGED_WORD;
    t->own = (uint32_t)((end - begin) * staging->value_bytes / STAGED_WORD);
}

/* and the place among them of entry p, of row i, which is number s of the sorted ones. */
STAGING_FUNCTION void staging_take_place(const struct staging *staging, int64_t i, int64_t p,
                                         int64_t s, const struct staging_places *joined)
{
    int64_t first = staging->A.offsets[i / SUM_TILE * SUM_TILE];
    staging->moved[p] = (uint32_t)(joined[s].behind - joined[first].behind);
}

/* --- what is copied --------------------------------------------------------------------------- */

/* The place of the value of entry p, of a row of that tile, among all values. */
STAGING_FUNCTION int64_t staging_value_number(const struct staging *staging, int64_t tile,
                                              int64_t p)
{
    int64_t words = staging->tile[tile].values;
    return words * STAGED_WORD / staging->value_bytes + staging->moved[p];
}

/* What an entry (i, j) whose row and column lie in two tiles has them copy: the sector of x_j for
 * the tile of its row, and of x_i and of the value for that of its column. As keys that ascend by
 * tiles, then x before values, then sectors, of sector_bits. An entry within a tile has three keys
 * behind those of the last tile. */
enum { STAGING_NOTES = 3 };

STAGING_FUNCTION uint64_t staging_note(int64_t tile, bool of_values, int64_t sector,
                                       int sector_bits)
{
    return ((uint64_t)tile << 1 | of_values) << sector_bits | (uint64_t)sector;
}

STAGING_FUNCTION void staging_notes(const struct staging *staging, int64_t i, int64_t p,
                                    int sector_bits, uint64_t notes[STAGING_NOTES])
{
    int64_t j = staging->A.columns[p], tile = i / SUM_TILE, other = j / SUM_TILE;
    for (int k = 0; k < STAGING_NOTES; k++)
        notes[k] = staging_note(staging->tiles, false, 0, sector_bits);
    if (tile == other)
        return;
    int64_t number = staging_value_number(staging, tile, p);
    notes[0] = staging_note(tile, false, j / STAGED_SECTOR, sector_bits);
    notes[1] = staging_note(other, false, i / STAGED_SECTOR, sector_bits);
    notes[2] = staging_note(other, true, number / staging_sector_values(staging), sector_bits);
}

/* The first of `count` ascending notes that is not below `note`. */
STAGING_FUNCTION int64_t staging_find_note(const uint64_t *notes, int64_t count, uint64_t note)
{
    int64_t begin = 0;
    while (begin < count) {
        int64_t middle = begin + (count - begin) / 2;
        if (notes[middle] < note)
            begin = middle + 1;
        else
            count = middle;
    }
    return begin;
}

/* Where a tile's sectors begin, and how many there are, from all notes, each once. */
STAGING_FUNCTION void staging_take_sectors(const struct staging *staging, int64_t tile,
                                           const uint64_t *notes, int64_t count, int sector_bits)
{
    int64_t first = staging_find_note(notes, count, staging_note(tile, false, 0, sector_bits));
    int64_t values = staging_find_note(notes, count, staging_note(tile, true, 0, sector_bits));
    int64_t end = staging_find_note(notes, count, staging_note(tile + 1, false, 0, sector_bits));
    staging->first[tile] = first;
    staging->tile[tile].x_sectors = (uint32_t)(values - first);
    staging->tile[tile].sectors = (uint32_t)(end - first);
}

/* --- the lists -------------------------------------------------------------------------------- */

/* Where things are in shared memory: x in words, values in bytes. Of a number, counted from the
 * first of these sectors, which hold so many numbers each. */
STAGING_FUNCTION int64_t staging_sector_place(const uint32_t *sectors, int64_t count,
                                              int64_t numbers, int64_t number)
{
    return numbers * staging_find(sectors, count, (uint32_t)(number / numbers)) + number % numbers;
}

STAGING_FUNCTION uint32_t staging_x_place(const struct staging *staging, int64_t tile, int64_t j)
{
    int64_t own = j - tile * SUM_TILE;
    if (own >= 0 && own < SUM_TILE)
        return (uint32_t)own;
    const uint32_t *sectors = staging->sectors + staging->first[tile];
    return SUM_TILE +
           (uint32_t)staging_sector_place(sectors, staging->tile[tile].x_sectors, STAGED_SECTOR, j);
}

/* The byte of a value that lies so many values behind the first of a sector. */
STAGING_FUNCTION uint32_t staging_value_place(const struct staging *staging, uint32_t sector,
                                              int64_t behind)
{
    return (SUM_TILE + STAGED_SECTOR * sector) * STAGED_WORD +
           (uint32_t)(behind * staging->value_bytes);
}

STAGING_FUNCTION uint32_t staging_own_place(const struct staging *staging, int64_t tile, int64_t p)
{
    return staging_value_place(staging, staging->tile[tile].sectors, staging->moved[p]);
}

STAGING_FUNCTION uint32_t staging_mirrored_place(const struct staging *staging, int64_t tile,
                                                 int64_t q)
{
    int64_t from = staging->mirror.columns[q] / SUM_TILE, p = staging->mirror.places[q];
    if (from == tile)
        return staging_own_place(staging, tile, p);
    const struct staged_tile *t = &staging->tile[tile];
    const uint32_t *values = staging->sectors + staging->first[tile] + t->x_sectors;
    int64_t behind =
        staging_sector_place(values, t->sectors - t->x_sectors, staging_sector_values(staging),
                             staging_value_number(staging, from, p));
    return staging_value_place(staging, t->x_sectors, behind);
}

/* Entry k of row i of the full matrix, a row of that tile. */
STAGING_FUNCTION uint32_t staging_word(const struct staging *staging, int64_t tile, int64_t i,
                                       int64_t k)
{
    const struct csr *A = &staging->A;
    const struct transpose_index *mirror = &staging->mirror;
    int64_t q = mirror->offsets[i] + k, mirrored_end = mirror->offsets[i + 1];
    uint32_t x, value, sign = 0;
    if (q < mirrored_end) {
        x = staging_x_place(staging, tile, mirror->columns[q]);
        value = staging_mirrored_place(staging, tile, q);
        sign = A->kind == CSR_SKEW;
    } else {
        int64_t p = A->offsets[i] + (q - mirrored_end);
        x = staging_x_place(staging, tile, A->columns[p]);
        value = staging_own_place(staging, tile, p);
    }
    return x | sign << STAGED_SIGN_BIT | value << STAGED_VALUE_BIT;
}

/* The longest row of a slice. */
STAGING_FUNCTION int64_t staging_slice_steps(const struct staging *staging, int64_t tile, int slice)
{
    int64_t begin = tile * SUM_TILE;
    return staging_row_length(staging, begin + staging->row[begin + slice * STAGED_SLICE]);
}

/* Where x_n-1 is, when it is there and n is odd. */
STAGING_FUNCTION uint32_t staging_last_place(const struct staging *staging, int64_t tile)
{
    int64_t last = staging->A.n - 1, count = staging->tile[tile].x_sectors;
    const uint32_t *sectors = staging->sectors + staging->first[tile];
    int64_t found = staging_find(sectors, count, (uint32_t)(last / STAGED_SECTOR));
    bool here = last / SUM_TILE == tile ||
                (found < count && sectors[found] == (uint32_t)(last / STAGED_SECTOR));
    return here && last % 2 == 0 ? staging_x_place(staging, tile, last) : (uint32_t)STAGED_NO_LAST;
}

/* Of a tile where its slices begin, and how long its lists are. */
STAGING_FUNCTION int64_t staging_measure(const struct staging *staging, int64_t tile)
{
    struct staged_tile *t = &staging->tile[tile];
    int64_t words = 0;
    for (int slice = 0; slice < STAGED_SLICES; slice++) {
        t->slice[slice] = (uint32_t)words;
        words += STAGED_SLICE * staging_slice_steps(staging, tile, slice);
    }
    t->slice[STAGED_SLICES] = (uint32_t)words;
    t->last = staging_last_place(staging, tile);
    return staging_whole(words + SUM_TILE + t->sectors, STAGED_SLICE);
}

/* Words in shared memory. */
STAGING_FUNCTION int64_t staging_shared_words(const struct staged_tile *t)
{
    return SUM_TILE + STAGED_SECTOR * (int64_t)t->sectors + t->own;
}

/* Where X has several columns, of the table of the sectors of x, the tile's own ones first; and
 * with the values behind it. */
STAGING_FUNCTION int64_t staging_table_bytes(const struct staged_tile *t)
{
    return staging_whole(((int64_t)SUM_TILE / STAGED_SECTOR + t->x_sectors) * 4, 2 * STAGED_WORD);
}

STAGING_FUNCTION int64_t staging_columns_bytes(const struct staged_tile *t)
{
    int64_t sectors = (int64_t)t->sectors - (int64_t)t->x_sectors;
    return staging_table_bytes(t) + (STAGED_SECTOR * sectors + (int64_t)t->own) * STAGED_WORD;
}

/* The words of the row at place r of a tile, in the lists of that tile. */
STAGING_FUNCTION void staging_fill_row(const struct staging *staging, int64_t tile, int r,
                                       uint32_t *lists)
{
    const struct staged_tile *t = &staging->tile[tile];
    int64_t begin = tile * SUM_TILE, row = staging->row[begin + r];
    int64_t length = staging_row_length(staging, begin + row);
    int slice = r / STAGED_SLICE;
    int64_t steps = (t->slice[slice + 1] - t->slice[slice]) / STAGED_SLICE;
    uint32_t *words = lists + t->slice[slice] + r % STAGED_SLICE;
    for (int64_t k = 0; k < steps; k++)
        words[STAGED_SLICE * k] = k < length ? staging_word(staging, tile, begin + row, k) : 0;
    lists[t->slice[STAGED_SLICES] + (uint32_t)r] = (uint32_t)(row | length << STAGED_ROW_BITS);
}

#endif
