/* The form of cuda_sym_bitwise for matrices of no special structure. One thread makes one row, in the frame
 * of cuda_sym_tiles.cuh: first the mirrored entries, through a list of columns and of places among the
 * values, then the diagonal and the entries right of it, which lie in a row.
 *
 * A value comes from memory once, if the cache holds what lies between its two uses: it does when the
 * rows are numbered so that neighbours are near (problem.reorder = "rcm"). Indices are differences
 * from the entry before, 16 bits each for a tile of rows where they fit: 8 + 2 bytes an entry right of
 * the diagonal and 2 + 2 for its mirror image, against 24 in full storage. The second use reads a sector
 * of 32 bytes from the L2 cache for 8 bytes; that is its bound. */
#include "spmv/cuda_sym_forms.h"

#include "base/memory.h"
#include "spmv/cuda_sym_tiles.cuh"
#include "spmv/sym_codes.h"
#include "spmv/sym_mirror.h"

#include <algorithm>
#include <inttypes.h>
#include <stdio.h>

/* The three lists of indices of a tile. */
enum list { UPPER, MIRRORED, PLACES, LISTS };

/* A tile of rows. In each list the numbers are differences from one entry of a row to the next: the first
 * UPPER one from the row itself, the first of the others from `least`. List l begins at indices +
 * begin[l], and has 32 bits a number when bit l of `wide` is set. */
struct tile {
    int64_t value; /* the place of the first row's diagonal entry */
    int64_t begin[LISTS], least[LISTS];
    int32_t wide;
};

struct general {
    struct space_cuda *space;
    int64_t n, nnz, tiles, length;
    double sign;
    int width, codes; /* bytes of a code, 0: the values themselves; and how many codes there are */
    void *values;
    double *table;
    struct tile *tile; /* [tiles] */
    uint32_t *upper_first,
        *lower_first;  /* [tiles (SUM_TILE + 1)]: a row's first number in its lists */
    uint16_t *indices; /* [length] */
};

enum { ROWS = SUM_TILE + 1, AT_ONCE = 4 };

template <int WIDTH> struct general_rows {
    int64_t n;
    double sign;
    const void *values;
    const double *table;
    const struct tile *tile;
    const uint32_t *upper_first, *lower_first;
    const uint16_t *indices;

    size_t shared_bytes() const
    {
        return 0;
    }
    __device__ void begin(double *) const
    {
    }

    __device__ double value(int64_t place) const
    {
        if (WIDTH == 1)
            return table[((const uint8_t *)values)[place]];
        if (WIDTH == 2)
            return table[((const uint16_t *)values)[place]];
        return ((const double *)values)[place];
    }

    /* Number k of a list. */
    __device__ uint32_t number(const struct tile &t, int list, uint32_t k) const
    {
        const uint16_t *narrow = indices + t.begin[list];
        return t.wide >> list & 1 ? ((const uint32_t *)narrow)[k] : narrow[k];
    }

    template <typename Vector>
    __device__ double multiply(const Vector &vector, typename Vector::scalars scalars,
                               const double *, int64_t base, int64_t i,
                               typename Vector::element &own) const
    {
        int64_t at = base / SUM_TILE;
        const struct tile &t = tile[at];
        int64_t row = at * ROWS + threadIdx.x;
        own = vector.load(i);
        double sum = 0;
        int64_t column = t.least[MIRRORED], place = t.least[PLACES];
        uint32_t end = lower_first[row + 1];
#pragma unroll 1
        for (uint32_t k = lower_first[row]; k < end; k += AT_ONCE) {
            double a[AT_ONCE];
            typename Vector::element x[AT_ONCE];
            uint32_t columns[AT_ONCE], places[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                uint32_t q = min(k + u, end - 1);
                columns[u] = number(t, MIRRORED, q);
                places[u] = number(t, PLACES, q);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                column += k + u < end ? columns[u] : 0;
                place += k + u < end ? places[u] : 0;
                a[u] = sign * value(place);
                x[u] = vector.load(column);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (k + u < end)
                    sum = fma(a[u], vector.value(scalars, x[u]), sum);
        }
        uint32_t first = upper_first[row];
        end = upper_first[row + 1];
        place = t.value + first + threadIdx.x;
        sum = fma(value(place), vector.value(scalars, own), sum);
        column = i;
        place += 1;
        place -= first;
#pragma unroll 1
        for (uint32_t k = first; k < end; k += AT_ONCE) {
            double a[AT_ONCE];
            typename Vector::element x[AT_ONCE];
            uint32_t columns[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                uint32_t q = min(k + u, end - 1);
                columns[u] = number(t, UPPER, q);
                a[u] = value(place + q);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                column += k + u < end ? columns[u] : 0;
                x[u] = vector.load(column);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (k + u < end)
                    sum = fma(a[u], vector.value(scalars, x[u]), sum);
        }
        return sum;
    }
};

template <int WIDTH, typename Vector>
static enum status launch(const struct general *kept, const Vector &vector, double *y, double *dot,
                          struct error *error)
{
    struct general_rows<WIDTH> rows = {
        kept->n, kept->sign, kept->values, kept->table, kept->tile, kept->upper_first,
            kept->lower_first, kept->indices
    };
    return tiles_launch<1, 3>(kept->space, rows, vector, y, dot, error);
}

template <typename Vector>
static enum status multiply_by(const void *state, const Vector &vector, double *y, double *dot,
                               struct error *error)
{
    const struct general *kept = (const struct general *)state;
    return kept->width == 0   ? launch<0>(kept, vector, y, dot, error)
           : kept->width == 1 ? launch<1>(kept, vector, y, dot, error)
                              : launch<2>(kept, vector, y, dot, error);
}

static enum status multiply(const void *state, const double *x, double *y, double *dot,
                            struct error *error)
{
    return multiply_by(state, tiles_vector{x}, y, dot, error);
}

static void destroy(void *state)
{
    struct general *kept = (struct general *)state;
    if (!kept)
        return;
    cudaFree(kept->values);
    cudaFree(kept->table);
    cudaFree(kept->tile);
    cudaFree(kept->upper_first);
    cudaFree(kept->lower_first);
    cudaFree(kept->indices);
    memory_free(kept);
}

/* What set-up makes on the host. */
struct host_lists {
    const struct csr *A;
    struct sym_mirror mirror;
    int64_t tiles;
    struct tile *tile;
    uint32_t *upper_first, *lower_first;
    uint16_t *indices;
};

static void free_lists(struct host_lists *lists)
{
    sym_mirror_free(&lists->mirror);
    memory_free(lists->tile);
    memory_free(lists->upper_first);
    memory_free(lists->lower_first);
    memory_free(lists->indices);
}

/* Calls number(list, value) for every number of a tile, in the order of each list. */
template <typename Number>
static void each_number(const struct host_lists *lists, int64_t tile, Number number)
{
    const struct csr *A = lists->A;
    const struct sym_mirror *mirror = &lists->mirror;
    const struct tile &t = lists->tile[tile];
    int64_t end = (tile + 1) * SUM_TILE < A->n ? (tile + 1) * SUM_TILE : A->n;
    for (int64_t i = tile * SUM_TILE; i < end; i++) {
        for (int64_t p = A->offsets[i] + 1; p < A->offsets[i + 1]; p++)
            number(UPPER, (int64_t)A->columns[p] - A->columns[p - 1]);
        int64_t column = t.least[MIRRORED], place = t.least[PLACES];
        for (int64_t q = mirror->offsets[i]; q < mirror->offsets[i + 1]; q++) {
            number(MIRRORED, mirror->columns[q] - column);
            number(PLACES, mirror->places[q] - place);
            column = mirror->columns[q];
            place = mirror->places[q];
        }
    }
}

/* All of a tile but where its lists begin; lengths[l] in units of 16 bits. False when a number needs more
 * than 32. */
static bool measure(struct host_lists *lists, int64_t tile, int64_t lengths[LISTS])
{
    const struct csr *A = lists->A;
    const struct sym_mirror *mirror = &lists->mirror;
    struct tile *t = &lists->tile[tile];
    int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < A->n ? begin + SUM_TILE : A->n;
    *t = {};
    t->value = A->offsets[begin];
    t->least[MIRRORED] = t->least[PLACES] = INT64_MAX;
    for (int64_t i = begin; i <= begin + SUM_TILE; i++) {
        int64_t to = i < end ? i : end;
        int64_t row = tile * ROWS + (i - begin);
        lists->upper_first[row] = (uint32_t)(A->offsets[to] - A->offsets[begin] - (to - begin));
        lists->lower_first[row] = (uint32_t)(mirror->offsets[to] - mirror->offsets[begin]);
        int64_t q = mirror->offsets[to];
        if (i < end && q < mirror->offsets[to + 1]) {
            t->least[MIRRORED] = std::min<int64_t>(t->least[MIRRORED], mirror->columns[q]);
            t->least[PLACES] = std::min(t->least[PLACES], mirror->places[q]);
        }
    }
    int64_t largest[LISTS] = {}, counts[LISTS] = {};
    each_number(lists, tile, [&](int list, int64_t number) {
        largest[list] = std::max(largest[list], number);
        counts[list]++;
    });
    for (int l = 0; l < LISTS; l++) {
        bool wide = largest[l] > UINT16_MAX;
        t->wide |= wide << l;
        lengths[l] =
            wide ? 2 * counts[l] : (counts[l] + 1) / 2 * 2; /* lists begin at even places */
        if (largest[l] > UINT32_MAX || counts[l] > UINT32_MAX)
            return false;
    }
    return true;
}

static void fill(struct host_lists *lists, int64_t tile)
{
    const struct tile &t = lists->tile[tile];
    int64_t next[LISTS] = {};
    each_number(lists, tile, [&](int list, int64_t number) {
        uint16_t *narrow = lists->indices + t.begin[list];
        if (t.wide >> list & 1)
            ((uint32_t *)(void *)narrow)[next[list]++] = (uint32_t)number;
        else
            narrow[next[list]++] = (uint16_t)number;
    });
}

static enum status make_lists(struct host_lists *lists, int64_t *length, struct error *error)
{
    static const char *const what = "the indices";
    const struct csr *A = lists->A;
    enum status status = sym_mirror_create(A->n, A->offsets, A->columns, &lists->mirror, error);
    if (status)
        return status;
    int64_t tiles = lists->tiles = sum_tiles(A->n);
    lists->tile = (struct tile *)memory_array(tiles, sizeof *lists->tile, what, error);
    lists->upper_first = (uint32_t *)memory_array(tiles * ROWS, sizeof(uint32_t), what, error);
    lists->lower_first = (uint32_t *)memory_array(tiles * ROWS, sizeof(uint32_t), what, error);
    int64_t *lengths = (int64_t *)memory_array(tiles * LISTS, sizeof *lengths, what, error);
    bool fits = true;
    if (!lists->tile || !lists->upper_first || !lists->lower_first || !lengths)
        status = STATUS_MEMORY;
    if (!status) {
#pragma omp parallel for schedule(static) reduction(&& : fits)
        for (int64_t tile = 0; tile < tiles; tile++)
            fits = measure(lists, tile, lengths + tile * LISTS) && fits;
        if (!fits)
            status = error_set(error, STATUS_MEMORY,
                               "%s: an entry lies more than 2^32 places from its neighbour", what);
    }
    *length = 0;
    for (int64_t tile = 0; tile < tiles && !status; tile++)
        for (int l = 0; l < LISTS; l++) {
            lists->tile[tile].begin[l] = *length;
            *length += lengths[tile * LISTS + l];
        }
    memory_free(lengths);
    if (!status)
        status = memory_fits(2.0 * (double)*length, what, error);
    if (!status) {
        lists->indices = (uint16_t *)memory_array(*length, sizeof(uint16_t), what, error);
        status = lists->indices ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status) {
#pragma omp parallel for schedule(static)
        for (int64_t tile = 0; tile < tiles; tile++)
            fill(lists, tile);
    }
    return status;
}

static enum status put_lists(const struct csr *A, struct general *kept, struct error *error)
{
    struct host_lists lists = {};
    lists.A = A;
    enum status status = make_lists(&lists, &kept->length, error);
    kept->tiles = lists.tiles;
    const struct {
        const void *host;
        int64_t count;
        size_t size;
        void **there;
    } arrays[] = {
        {lists.tile, kept->tiles, sizeof *lists.tile, (void **)&kept->tile},
        {lists.upper_first, kept->tiles * ROWS, sizeof(uint32_t), (void **)&kept->upper_first},
        {lists.lower_first, kept->tiles * ROWS, sizeof(uint32_t), (void **)&kept->lower_first},
        {lists.indices, kept->length, sizeof(uint16_t), (void **)&kept->indices},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = cuda_put(kept->space, arrays[k].host, arrays[k].count, arrays[k].size,
                          "the indices", arrays[k].there, error);
    free_lists(&lists);
    return status;
}

static enum status put_values(const struct csr *A, bool compress, struct general *kept,
                              struct error *error)
{
    struct sym_codes codes = {};
    enum status status =
        compress ? sym_codes_create(A->values, 1, A->nnz, &codes, error) : STATUS_OK;
    kept->width = codes.width;
    kept->codes = codes.count;
    if (!status && codes.width)
        status = cuda_put(kept->space, codes.table, codes.count, sizeof(double),
                          "the table of the values", (void **)&kept->table, error);
    if (!status)
        status = cuda_put(kept->space, codes.width ? codes.codes : A->values, A->nnz,
                          codes.width ? (size_t)codes.width : sizeof(double), "the values",
                          &kept->values, error);
    sym_codes_free(&codes);
    return status;
}

static enum status setup(const struct csr *A, const struct sym_choice *choice,
                         struct space_cuda *space, void **state, struct error *error)
{
    *state = nullptr;
    struct general *kept =
        (struct general *)memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    kept->space = space;
    kept->n = A->n;
    kept->nnz = A->nnz;
    kept->sign = A->kind == CSR_SKEW ? -1 : 1;
    enum status status = put_lists(A, kept, error);
    if (!status)
        status = put_values(A, choice->compress, kept, error);
    if (status)
        destroy(kept);
    else
        *state = kept;
    return status;
}

static void describe(const void *state, char *text, size_t size)
{
    const struct general *kept = (const struct general *)state;
    int used = snprintf(text, size, "rows, %.3g bytes of indices an entry",
                        2.0 * (double)kept->length / (double)kept->nnz);
    if (kept->width && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", values as codes of %d byte%s", kept->width,
                 kept->width == 1 ? "" : "s");
}

static int64_t memory_bytes(const void *state)
{
    const struct general *kept = (const struct general *)state;
    int64_t value = kept->width ? kept->width : (int64_t)sizeof(double);
    return kept->nnz * value + kept->codes * (int64_t)sizeof(double) +
           kept->length * (int64_t)sizeof(uint16_t) +
           kept->tiles * (int64_t)(sizeof(struct tile) + 2 * ROWS * sizeof(uint32_t));
}

static int64_t bytes_per_apply(const void *state)
{
    return memory_bytes(state) + 2 * ((const struct general *)state)->n * (int64_t)sizeof(double);
}

const struct cuda_sym_form cuda_sym_general = {
    .setup = setup,
    .multiply = multiply,
    .multiply_direction = nullptr, /* r and p of every neighbour: more than the pass costs */
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
