#include "space/ranks/partition.h"

#include "base/memory.h"
#include "space/sum/cpu_sum.h"
#include "space/sum/sum_order.h"

#include <string.h>

enum status partition_create(struct exchange *exchange, int64_t n, struct partition *made,
                             struct error *error)
{
    *made = (struct partition){.exchange = exchange, .n = n};
    made->begin =
        memory_array(exchange->count + 1, sizeof *made->begin, "the rows of the ranks", error);
    if (!made->begin)
        return STATUS_MEMORY;
    int64_t tiles = sum_tiles(n);
    for (int r = 0; r <= exchange->count; r++) {
        int64_t row = tiles * r / exchange->count * SUM_TILE;
        made->begin[r] = row < n ? row : n;
    }
    return STATUS_OK;
}

void partition_free(struct partition *partition)
{
    memory_free(partition->begin);
    memory_free(partition->scratch);
    *partition = (struct partition){0};
}

/* --- what a rank sends of a sum --------------------------------------------------------------- */

/* Its terms first <= t < last: single terms up to tiles_begin, sums of tiles up to tiles_end, then
 * single terms. Without a complete tile, all are single terms up to tiles_begin. */
struct share {
    int64_t first, tiles_begin, tiles_end, last;
};

static struct share share_of(const struct partition *of, int rank)
{
    int64_t terms = sum_tiles(of->n);
    struct share share = {.first = sum_tiles(of->begin[rank]),
                          .last = sum_tiles(of->begin[rank + 1])};
    share.tiles_begin = (share.first + SUM_TILE - 1) / SUM_TILE * SUM_TILE;
    share.tiles_end = share.last == terms ? terms : share.last / SUM_TILE * SUM_TILE;
    if (share.tiles_begin >= share.tiles_end)
        share.tiles_begin = share.tiles_end = share.last;
    return share;
}

static int64_t share_length(const struct share *share)
{
    return share->tiles_begin - share->first + sum_tiles(share->tiles_end - share->tiles_begin) +
           share->last - share->tiles_end;
}

/* --- one sum, of numbers or of pairs ---------------------------------------------------------- */

/* WIDTH doubles a term. */
static void add_tile(const double *terms, int64_t count, int width, double *sum)
{
    if (width == 1) {
        *sum = sum_tile_terms(terms, count);
        return;
    }
    struct compensated pair = sum_tile_terms_compensated((const struct compensated *)terms, count);
    memcpy(sum, &pair, sizeof pair);
}

static void pack(const struct share *share, const double *terms, int width, double *to)
{
    int64_t tiles_begin = share->tiles_begin - share->first,
            tiles_end = share->tiles_end - share->first;
    size_t term = (size_t)width * sizeof(double);
    if (share->last == share->first)
        return; /* there are no terms */
    memcpy(to, terms, (size_t)tiles_begin * term);
    to += tiles_begin * width;
    for (int64_t t = tiles_begin; t < tiles_end; t += SUM_TILE, to += width)
        add_tile(terms + t * width, tiles_end - t < SUM_TILE ? tiles_end - t : SUM_TILE, width, to);
    memcpy(to, terms + tiles_end * width, (size_t)(share->last - share->first - tiles_end) * term);
}

/* Tiles with terms of several ranks, filled in the order of the terms. */
struct ending {
    int64_t all;  /* terms */
    double *tile; /* [SUM_TILE]: the terms of the incomplete tile */
    double *sums; /* of the tiles so far */
};

static void take_terms(struct ending *ending, int64_t first, int64_t last, int width,
                       const double *terms)
{
    for (int64_t t = first; t < last; t++) {
        int64_t place = t % SUM_TILE;
        memcpy(ending->tile + place * width, terms + (t - first) * width,
               (size_t)width * sizeof *terms);
        if (place == SUM_TILE - 1 || t == ending->all - 1)
            add_tile(ending->tile, place + 1, width, ending->sums + t / SUM_TILE * width);
    }
}

static void take_share(struct ending *ending, const struct share *share, int width,
                       const double *from)
{
    take_terms(ending, share->first, share->tiles_begin, width, from);
    from += (share->tiles_begin - share->first) * width;
    int64_t tiles = sum_tiles(share->tiles_end - share->tiles_begin);
    memcpy(ending->sums + share->tiles_begin / SUM_TILE * width, from,
           (size_t)(tiles * width) * sizeof *from);
    take_terms(ending, share->tiles_end, share->last, width, from + tiles * width);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* The scratch: offsets of the ranks' pieces, the pieces, one tile, and the sums of tiles. */
struct places {
    int64_t *begin;
    double *pieces;
    struct ending ending;
};

static enum status places_of(struct partition *of, int64_t count, int width, struct places *places,
                             struct error *error)
{
    int ranks = of->exchange->count;
    int64_t terms = sum_tiles(of->n), all = 0;
    for (int r = 0; r < ranks; r++) {
        struct share share = share_of(of, r);
        all += share_length(&share) * count;
    }
    int64_t doubles = ranks + 1 + (all + SUM_TILE + sum_tiles(terms) + 1) * width;
    enum status status = memory_grow(&of->scratch, &of->scratch_bytes,
                                     doubles * (int64_t)sizeof(double), 1, "sums of ranks", error);
    if (status)
        return status;
    places->begin = of->scratch;
    places->pieces = (double *)of->scratch + ranks + 1;
    places->ending.all = terms;
    places->ending.tile = places->pieces + all * width;
    places->ending.sums = places->ending.tile + SUM_TILE * width;
    places->begin[0] = 0;
    for (int r = 0; r < ranks; r++) {
        struct share share = share_of(of, r);
        places->begin[r + 1] =
            places->begin[r] + share_length(&share) * count * width * (int64_t)sizeof(double);
    }
    return STATUS_OK;
}

/* The pieces of all ranks, of `count` sums. */
static enum status gather(struct partition *of, const double *terms, int64_t count, int width,
                          struct places *places, struct error *error)
{
    struct exchange *exchange = of->exchange;
    enum status status = places_of(of, count, width, places, error);
    if (status)
        return status;
    struct share share = share_of(of, exchange->rank);
    int64_t tiles = share.last - share.first;
    double *own = places->pieces + places->begin[exchange->rank] / (int64_t)sizeof(double);
    for (int64_t k = 0; k < count; k++)
        pack(&share, terms + k * tiles * width, width, own + k * share_length(&share) * width);
    return exchange->operations->gather(exchange, own, places->begin, places->pieces, error);
}

/* Sum k as its tiles, in places->ending.sums. */
static void take(const struct partition *of, struct places *places, int64_t k, int width)
{
    for (int r = 0; r < of->exchange->count; r++) {
        struct share share = share_of(of, r);
        const double *from = places->pieces + places->begin[r] / (int64_t)sizeof(double);
        take_share(&places->ending, &share, width, from + k * share_length(&share) * width);
    }
}

enum status partition_sum(struct partition *of, const double *terms, int64_t count,
                          const struct pass_sum *sums, struct error *error)
{
    struct places places;
    enum status status = gather(of, terms, count, 1, &places, error);
    for (int64_t k = 0; k < count && !status; k++) {
        take(of, &places, k, 1);
        *sums[k].result = sum_levels(places.ending.sums, sum_tiles(places.ending.all));
    }
    return status;
}

enum status partition_sum_compensated(struct partition *of, const struct compensated *terms,
                                      struct compensated *result, struct error *error)
{
    struct places places;
    enum status status = gather(of, (const double *)terms, 1, 2, &places, error);
    if (status)
        return status;
    take(of, &places, 0, 2);
    *result = sum_levels_compensated((struct compensated *)places.ending.sums,
                                     sum_tiles(places.ending.all));
    return STATUS_OK;
}

enum status partition_gather(struct partition *of, const void *own, size_t size, void **all,
                             struct error *error)
{
    struct exchange *exchange = of->exchange;
    int ranks = exchange->count;
    int64_t begins = (ranks + 1) * (int64_t)sizeof(int64_t);
    enum status status = memory_grow(&of->scratch, &of->scratch_bytes,
                                     begins + ranks * (int64_t)size, 1, "sums of ranks", error);
    if (status)
        return status;
    int64_t *begin = of->scratch;
    *all = (char *)of->scratch + begins;
    for (int r = 0; r <= ranks; r++)
        begin[r] = r * (int64_t)size;
    return exchange->operations->gather(exchange, own, begin, *all, error);
}

enum status partition_sum_exact(struct partition *of, struct exact_sum *sum, struct error *error)
{
    void *all;
    enum status status = partition_gather(of, sum, sizeof *sum, &all, error);
    struct exact_sum *of_rank = all;
    for (int r = 0; r < of->exchange->count && !status; r++)
        if (r != of->exchange->rank)
            exact_sum_join(sum, &of_rank[r]);
    return status;
}

enum status partition_add(struct partition *of, double own, double *sum, struct error *error)
{
    void *all;
    if (!of) {
        *sum = own;
        return STATUS_OK;
    }
    enum status status = partition_gather(of, &own, sizeof own, &all, error);
    const double *term = all;
    if (status)
        return status;
    *sum = 0;
    for (int r = 0; r < of->exchange->count; r++)
        *sum += term[r];
    return STATUS_OK;
}
