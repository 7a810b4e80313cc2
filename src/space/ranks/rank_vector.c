#include "space/ranks/rank_vector.h"

#include "base/hash.h"
#include "base/memory.h"
#include "space/vector_norm.h"

#include <math.h>
#include <string.h>

void *rank_vector_create(const struct partition *of, int64_t n, size_t size, const char *what,
                         struct error *error)
{
    return (of ? memory_room : memory_array)(n, size, what, error);
}

void rank_vector_free(const struct partition *of, int64_t n, size_t size, void *v)
{
    if (of)
        memory_room_free(v, n, size);
    else
        memory_free(v);
}

/* A range of rows, of bytes of v, or of pieces. */
struct span {
    int64_t from, until;
};

static struct span overlap(struct span a, struct span b)
{
    int64_t from = a.from > b.from ? a.from : b.from;
    int64_t until = a.until < b.until ? a.until : b.until;
    return (struct span){from, until > from ? until : from};
}

static struct span rows_of(const struct partition *of, int rank)
{
    return (struct span){of->begin[rank], of->begin[rank + 1]};
}

static struct exchange_piece piece(struct span rows, size_t size, void *v)
{
    int64_t bytes = (int64_t)size;
    return (struct exchange_piece){(char *)v + rows.from * bytes, (rows.until - rows.from) * bytes};
}

enum status rank_vector_fetch(struct partition *of, size_t size, int64_t from, int64_t until,
                              void *v, struct error *error)
{
    if (!of)
        return STATUS_OK;
    struct exchange *exchange = of->exchange;
    int count = exchange->count, rank = exchange->rank;
    struct span wish = {from, until}, own = rows_of(of, rank);
    void *wishes;
    enum status status = partition_gather(of, &wish, sizeof wish, &wishes, error);
    struct exchange_piece *pieces =
        status ? NULL : memory_zeros(2 * count, sizeof *pieces, "rows of other ranks", error);
    if (!pieces)
        return status ? status : STATUS_MEMORY;
    for (int r = 0; r < count; r++)
        if (r != rank) {
            pieces[r] = piece(overlap(own, ((struct span *)wishes)[r]), size, v);
            pieces[count + r] = piece(overlap(wish, rows_of(of, r)), size, v);
        }
    status = exchange->operations->swap(exchange, pieces, pieces + count, error);
    memory_free(pieces);
    return status;
}

/* --- what is made of blocks ------------------------------------------------------------------- */

/* The first row of block k of v[n]; n after the last block. */
typedef int64_t block_begin(int64_t n, int64_t k);

/* The first of `blocks` that begins at or after the row. */
static int64_t first_block(block_begin *begin, int64_t n, int64_t blocks, int64_t row)
{
    int64_t low = 0, high = blocks;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (begin(n, middle) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The blocks of a rank: those that begin in its rows; the rank of the last row also has the empty
 * blocks after it. */
static struct span blocks_of(const struct partition *of, int rank, block_begin *begin, int64_t n,
                             int64_t blocks)
{
    struct span rows = rows_of(of, rank);
    struct span made = {first_block(begin, n, blocks, rows.from),
                        first_block(begin, n, blocks, rows.until)};
    if (rows.until == n)
        made.until = blocks;
    return made;
}

/* Fetches v[i] for all rows of this rank's blocks. */
static enum status fetch_blocks(struct partition *of, block_begin *begin, int64_t n, int64_t blocks,
                                struct span made, double *v, struct error *error)
{
    int64_t from = begin(n, made.from), until = made.until < blocks ? begin(n, made.until) : n;
    return rank_vector_fetch(of, sizeof *v, from, made.from < made.until ? until : from, v, error);
}

/* All-gather of all[blocks], of which each rank has made its own. */
static enum status gather_blocks(struct partition *of, block_begin *begin, int64_t n,
                                 int64_t blocks, size_t size, void *all, struct error *error)
{
    struct exchange *exchange = of->exchange;
    int64_t *places = memory_array(exchange->count + 1, sizeof *places, "the ranks", error);
    if (!places)
        return STATUS_MEMORY;
    for (int r = 0; r < exchange->count; r++)
        places[r] = blocks_of(of, r, begin, n, blocks).from * (int64_t)size;
    places[exchange->count] = blocks * (int64_t)size;
    char *own = (char *)all + places[exchange->rank];
    enum status status = exchange->operations->gather(exchange, own, places, all, error);
    memory_free(places);
    return status;
}

static enum status largest_of_all(struct partition *of, double own, double *largest,
                                  struct error *error)
{
    void *all;
    enum status status = partition_gather(of, &own, sizeof own, &all, error);
    *largest = 0;
    for (int r = 0; r < of->exchange->count && !status; r++) {
        double of_rank = ((double *)all)[r];
        *largest = isfinite(of_rank) ? fmax(*largest, of_rank) : INFINITY;
        if (!isfinite(*largest))
            break;
    }
    return status;
}

enum status rank_vector_norm(struct threads *threads, struct partition *of, int64_t n, double *v,
                             double *norm, struct error *error)
{
    if (!of) {
        *norm = vector_norm(threads, n, v);
        return STATUS_OK;
    }
    struct compensated squares[VECTOR_NORM_PARTS];
    int parts = vector_norm_parts(n);
    struct span made = blocks_of(of, of->exchange->rank, vector_norm_begin, n, parts);
    int first = (int)made.from, last = (int)made.until;
    double largest = 0;
    enum status status = fetch_blocks(of, vector_norm_begin, n, parts, made, v, error);
    if (!status)
        status =
            largest_of_all(of, vector_norm_largest(threads, n, 1, v, first, last), &largest, error);
    *norm = isfinite(largest) ? 0 : NAN;
    if (status || !(largest > 0 && isfinite(largest)))
        return status;
    struct vector_norm_scale by = vector_norm_scale(largest);
    vector_norm_squares(threads, n, 1, v, &by, first, last, squares);
    status = gather_blocks(of, vector_norm_begin, n, parts, sizeof *squares, squares, error);
    *norm = vector_norm_join(n, &by, squares);
    return status;
}

static int64_t hash_begin(int64_t n, int64_t k)
{
    return k * HASH_BLOCK < n ? k * HASH_BLOCK : n;
}

enum status rank_vector_hash(struct threads *threads, struct partition *of, int64_t n, double *v,
                             uint64_t *hash, struct error *error)
{
    if (!of) {
        *hash = hash_vector(threads, v, n);
        return STATUS_OK;
    }
    int64_t blocks = hash_vector_blocks(n);
    struct span made = blocks_of(of, of->exchange->rank, hash_begin, n, blocks);
    uint64_t *hashes = memory_array(blocks, sizeof *hashes, "the hash of a vector", error);
    enum status status =
        hashes ? fetch_blocks(of, hash_begin, n, blocks, made, v, error) : STATUS_MEMORY;
    if (!status) {
        hash_vector_part(threads, v, n, made.from, made.until, hashes + made.from);
        status = gather_blocks(of, hash_begin, n, blocks, sizeof *hashes, hashes, error);
    }
    if (!status)
        *hash = hash_words(HASH_START, hashes, blocks);
    memory_free(hashes);
    return status;
}

/* --- piece after piece ------------------------------------------------------------------------ */

/* The rows of the span, of all ranks, as values[] in rank 0. */
static enum status collect(const struct partition *of, struct span shown, const double *v,
                           double *values, struct exchange_piece *pieces, struct error *error)
{
    struct exchange *exchange = of->exchange;
    int count = exchange->count, rank = exchange->rank;
    struct span own = overlap(shown, rows_of(of, rank));
    memset(pieces, 0, (size_t)(2 * count) * sizeof *pieces);
    if (rank > 0)
        pieces[0] = piece(own, sizeof *v, (double *)v);
    else
        memcpy(values, v + own.from, (size_t)(own.until - own.from) * sizeof *v);
    for (int r = 1; r < count && rank == 0; r++)
        pieces[count + r] = piece(overlap(shown, rows_of(of, r)), sizeof *v, values - shown.from);
    return exchange->operations->swap(exchange, pieces, pieces + count, error);
}

enum status rank_vector_show(struct partition *of, int64_t n, const double *v,
                             rank_vector_shown *show, void *context, struct error *error)
{
    enum { PIECE = 1 << 20 };
    if (!of)
        return show(context, 0, n, v, error);
    struct exchange *exchange = of->exchange;
    struct exchange_piece *pieces =
        memory_array(2 * exchange->count, sizeof *pieces, "the ranks", error);
    double *values = memory_array(PIECE, sizeof *values, "a piece of a vector", error);
    enum status status = pieces && values ? STATUS_OK : STATUS_MEMORY;
    for (int64_t first = 0; first < n && !status; first += PIECE) {
        struct span shown = {first, n - first < PIECE ? n : first + PIECE};
        status = collect(of, shown, v, values, pieces, error);
        if (!status && exchange->rank == 0)
            status = show(context, first, shown.until - first, values, error);
    }
    memory_free(values);
    memory_free(pieces);
    return status;
}
