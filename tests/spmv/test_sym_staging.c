/* Staged entries: what a device makes by sorts over all entries is what the host makes tile by
 * tile, and a product by it has the bits of csr_multiply. */
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "spmv/single.h"
#include "spmv/sym_matrices.h"
#include "spmv/symmetric/entries/sym_staging_tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a device makes --------------------------------------------------------------------- */

static void *array(int64_t count, size_t size)
{
    struct error error;
    void *made = memory_array(count, size, "a test's array", &error);
    ck_assert_ptr_nonnull(made);
    memset(made, 0xa5, (size_t)count * size);
    return made;
}

struct sorted {
    uint64_t key;
    int64_t p;
};

static int by_key(const void *one, const void *other)
{
    const struct sorted *a = one, *b = other;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->p > b->p) - (a->p < b->p);
}

/* Everything in the order of build_staging.cu. */
struct made {
    struct staging s;
    int64_t *row_of;
    uint16_t *rank;
    struct sorted *sorted;
    struct staging_places *joined;
    uint64_t *notes;
};

static void mirror(struct made *made)
{
    struct staging *s = &made->s;
    for (int64_t p = 0; p < s->A.nnz; p++)
        made->sorted[p] = (struct sorted){(uint64_t)s->A.columns[p], p};
    qsort(made->sorted, (size_t)s->A.nnz, sizeof *made->sorted, by_key);
    for (int64_t k = 0; k < s->A.nnz; k++)
        staging_mirror(s, made->row_of[made->sorted[k].p], made->sorted[k].p, k);
}

static void order_rows(struct made *made)
{
    struct staging *s = &made->s;
    for (int64_t begin = 0; begin < s->tiles * SUM_TILE; begin += SUM_TILE) {
        int32_t length[SUM_TILE];
        for (int r = 0; r < SUM_TILE; r++)
            length[r] = (int32_t)staging_row_length(s, begin + r);
        for (int r = 0; r < SUM_TILE; r++) {
            int own = staging_rank(length, r);
            made->rank[begin + r] = (uint16_t)own;
            s->row[begin + own] = (uint16_t)r;
        }
    }
}

/* Joined up to each of these, in a random grouping. */
static void join(struct made *made, int64_t begin, int64_t end, int bits, uint64_t *state)
{
    if (end - begin == 1) {
        const struct sorted *at = &made->sorted[begin];
        made->joined[begin] = staging_place(begin == 0 || at[0].key >> bits != at[-1].key >> bits);
        return;
    }
    int64_t middle = begin + 1 + test_random_below(state, end - begin - 1);
    join(made, begin, middle, bits, state);
    join(made, middle, end, bits, state);
    for (int64_t k = middle; k < end; k++)
        made->joined[k] = staging_join(made->joined[middle - 1], made->joined[k],
                                       staging_sector_values(&made->s));
}

static void order_values(struct made *made, uint64_t *state)
{
    enum { STEPS = 13, TILES = 8 };
    struct staging *s = &made->s;
    int segment = STEPS + STAGING_SLICE_BITS + STAGING_LANE_BITS;
    for (int64_t p = 0; p < s->A.nnz; p++) {
        int64_t i = made->row_of[p];
        uint64_t key =
            staging_value_key(s->A.columns[p], made->rank[i], p - s->A.offsets[i], STEPS);
        ck_assert(key >> (segment + TILES) == 0);
        made->sorted[p] = (struct sorted){(uint64_t)(i / SUM_TILE) << (segment + TILES) | key, p};
    }
    qsort(made->sorted, (size_t)s->A.nnz, sizeof *made->sorted, by_key);
    join(made, 0, s->A.nnz, segment, state);
    for (int64_t k = 0; k < s->A.nnz; k++) {
        int64_t p = made->sorted[k].p;
        staging_take_place(s, made->row_of[p], p, k, made->joined);
    }
    for (int64_t tile = 0; tile < s->tiles; tile++)
        staging_take_values(s, tile, made->joined);
    s->values_length = s->tile[s->tiles - 1].values + (int64_t)s->tile[s->tiles - 1].own;
}

static int by_note(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static void copy_sectors(struct made *made)
{
    enum { BITS = 24 };
    struct staging *s = &made->s;
    int64_t count = STAGING_NOTES * s->A.nnz, once = 0;
    for (int64_t p = 0; p < s->A.nnz; p++)
        staging_notes(s, made->row_of[p], p, BITS, made->notes + STAGING_NOTES * p);
    qsort(made->notes, (size_t)count, sizeof *made->notes, by_note);
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || made->notes[k] != made->notes[once - 1])
            made->notes[once++] = made->notes[k];
    for (int64_t tile = 0; tile < s->tiles; tile++)
        staging_take_sectors(s, tile, made->notes, once, BITS);
    for (int64_t k = 0; k < once; k++)
        s->sectors[k] = (uint32_t)(made->notes[k] & ((UINT64_C(1) << BITS) - 1));
}

static void measure(struct staging *s)
{
    int64_t most = 0, columns_most = 0, copied = 0, numbers = 0;
    s->lists_length = 0;
    for (int64_t tile = 0; tile < s->tiles; tile++) {
        struct staged_tile *t = &s->tile[tile];
        int64_t length = staging_measure(s, tile), words = staging_shared_words(t);
        t->lists = s->lists_length;
        s->lists_length += length;
        most = words > most ? words : most;
        int64_t columns = staging_columns_bytes(t);
        columns_most = columns > columns_most ? columns : columns_most;
        copied += words;
        numbers += t->slice[STAGED_SLICES];
    }
    staging_sum_up(s, most, columns_most, copied, numbers);
}

static struct made make(const struct csr *A, int64_t value_bytes, uint64_t *state)
{
    struct made made = {.s = {.A = *A, .value_bytes = value_bytes, .tiles = sum_tiles(A->n)}};
    struct staging *s = &made.s;
    s->mirror.offsets = array(A->n + 1, sizeof *s->mirror.offsets);
    s->mirror.columns = array(A->nnz, sizeof *s->mirror.columns);
    s->mirror.places = array(A->nnz, sizeof *s->mirror.places);
    s->row = array(s->tiles * SUM_TILE, sizeof *s->row);
    s->moved = array(A->nnz, sizeof *s->moved);
    s->sectors = array(STAGING_NOTES * A->nnz, sizeof *s->sectors);
    s->first = array(s->tiles, sizeof *s->first);
    s->tile = array(s->tiles, sizeof *s->tile);
    made.row_of = array(A->nnz, sizeof *made.row_of);
    made.rank = array(s->tiles * SUM_TILE, sizeof *made.rank);
    made.sorted = array(A->nnz, sizeof *made.sorted);
    made.joined = array(A->nnz, sizeof *made.joined);
    made.notes = array(STAGING_NOTES * A->nnz, sizeof *made.notes);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++)
            made.row_of[p] = i;
    mirror(&made);
    order_rows(&made);
    order_values(&made, state);
    copy_sectors(&made);
    measure(s);
    return made;
}

static void made_free(struct made *made)
{
    staging_free(&made->s);
    memory_free(made->row_of);
    memory_free(made->rank);
    memory_free(made->sorted);
    memory_free(made->joined);
    memory_free(made->notes);
}

/* ---- it is what the host makes --------------------------------------------------------------- */

static uint32_t *lists_of(const struct staging *s)
{
    uint32_t *lists = array(s->lists_length, sizeof *lists);
    memset(lists, 0, (size_t)s->lists_length * sizeof *lists);
    for (int64_t tile = 0; tile < s->tiles; tile++)
        staging_fill(s, tile, lists);
    return lists;
}

static void expect_array(const char *name, const char *what, const void *found, const void *wanted,
                         int64_t count, size_t size)
{
    ck_assert_msg(memcmp(found, wanted, (size_t)count * size) == 0, "%s: %s", name, what);
}

static void expect_same(const char *name, const struct staging *a, const struct staging *b)
{
    ck_assert_int_eq(a->values_length, b->values_length);
    ck_assert_int_eq(a->lists_length, b->lists_length);
    ck_assert_int_eq(a->shared_bytes, b->shared_bytes);
    ck_assert_int_eq(a->columns_bytes, b->columns_bytes);
    ck_assert_int_eq(a->copied, b->copied);
    ck_assert_int_eq(a->filled, b->filled);
    int64_t n = a->A.n, nnz = a->A.nnz;
    expect_array(name, "mirrored rows", a->mirror.offsets, b->mirror.offsets, n + 1, 8);
    expect_array(name, "mirrored columns", a->mirror.columns, b->mirror.columns, nnz - n, 4);
    expect_array(name, "mirrored places", a->mirror.places, b->mirror.places, nnz - n, 8);
    expect_array(name, "rows", a->row, b->row, a->tiles * SUM_TILE, 2);
    expect_array(name, "places", a->moved, b->moved, nnz, 4);
    expect_array(name, "tiles", a->tile, b->tile, a->tiles, sizeof *a->tile);
    for (int64_t tile = 0; tile < a->tiles; tile++)
        expect_array(name, "sectors", a->sectors + a->first[tile], b->sectors + b->first[tile],
                     a->tile[tile].sectors, 4);
    uint32_t *one = lists_of(a), *other = lists_of(b);
    expect_array(name, "lists", one, other, a->lists_length, 4);
    memory_free(one);
    memory_free(other);
}

/* ---- a product ------------------------------------------------------------------------------- */

static double value_at(const struct staging *s, const char *shared, uint32_t place)
{
    float narrow;
    double value;
    memcpy(&narrow, shared + place, sizeof narrow);
    if (s->value_bytes == sizeof narrow)
        return narrow;
    memcpy(&value, shared + place, sizeof value);
    return value;
}

static char *values_of(const struct staging *s)
{
    char *values = array(s->values_length, STAGED_WORD);
    for (int64_t i = 0; i < s->A.n; i++)
        for (int64_t p = s->A.offsets[i]; p < s->A.offsets[i + 1]; p++) {
            int64_t number = staging_value_number(s, i / SUM_TILE, p);
            float narrow = (float)s->A.values[p];
            if (s->value_bytes == sizeof narrow)
                memcpy(values + number * 4, &narrow, sizeof narrow);
            else
                memcpy(values + number * 8, &s->A.values[p], sizeof(double));
        }
    return values;
}

/* x in pairs, whole ones alone, as the kernel copies them. */
static void copy_x(double *to, const double *x, int64_t from, int64_t count, int64_t n)
{
    for (int64_t k = from; k + 1 < n && k < from + count; k += 2)
        memcpy(to + (k - from), x + k, 2 * sizeof *x);
}

/* The j of the x_j at a place, as the kernel of several columns finds it by the sectors. */
static int64_t number_at(const uint32_t *sectors, int64_t begin, uint32_t place)
{
    uint32_t sector = place / STAGED_SECTOR, own = SUM_TILE / STAGED_SECTOR;
    int64_t number = sector < own ? begin / STAGED_SECTOR + sector : sectors[sector - own];
    return number * STAGED_SECTOR + place % STAGED_SECTOR;
}

static void multiply_tile(const struct staging *s, int64_t tile, const uint32_t *lists,
                          const char *values, const double *x, double *y)
{
    const struct staged_tile *t = &s->tile[tile];
    int64_t words = staging_shared_words(t), begin = tile * SUM_TILE;
    double *shared = array(words, sizeof *shared);
    lists += t->lists;
    const uint32_t *sectors = lists + t->slice[STAGED_SLICES] + SUM_TILE;
    copy_x(shared, x, begin, SUM_TILE, s->A.n);
    for (uint32_t k = 0; k < t->x_sectors; k++)
        copy_x(shared + SUM_TILE + STAGED_SECTOR * k, x, (int64_t)sectors[k] * STAGED_SECTOR,
               STAGED_SECTOR, s->A.n);
    for (uint32_t k = t->x_sectors; k < t->sectors; k++)
        memcpy(shared + SUM_TILE + STAGED_SECTOR * k, values + (int64_t)sectors[k] * 32, 32);
    memcpy(shared + SUM_TILE + STAGED_SECTOR * t->sectors, values + t->values * STAGED_WORD,
           (size_t)t->own * STAGED_WORD);
    if (t->last != STAGED_NO_LAST)
        shared[t->last] = x[s->A.n - 1];
    for (uint32_t r = 0; r < SUM_TILE; r++) {
        uint32_t here = lists[t->slice[STAGED_SLICES] + r], length = here >> STAGED_ROW_BITS;
        const uint32_t *word = lists + t->slice[r / STAGED_SLICE] + r % STAGED_SLICE;
        double sum = 0;
        for (uint32_t k = 0; k < length; k++, word += STAGED_SLICE) {
            double a = value_at(s, (const char *)shared, *word >> STAGED_VALUE_BIT);
            if (*word >> STAGED_SIGN_BIT & 1)
                a = -a;
            uint32_t place = *word & ((1u << STAGED_X_BITS) - 1);
            ck_assert(memcmp(&shared[place], &x[number_at(sectors, begin, place)], 8) == 0);
            sum = fma(a, shared[place], sum);
        }
        int64_t i = begin + (here & ((1u << STAGED_ROW_BITS) - 1));
        if (i < s->A.n)
            y[i] = sum;
    }
    memory_free(shared);
}

static void expect_product(const char *name, const struct staging *s, uint64_t *state)
{
    int64_t n = s->A.n;
    double *x = array(n, sizeof *x), *y = array(n, sizeof *y), *wanted = array(n, sizeof *wanted);
    for (int64_t i = 0; i < n; i++)
        x[i] = 2 * test_random(state) - 1;
    csr_multiply(&s->A, x, wanted);
    uint32_t *lists = lists_of(s);
    char *values = values_of(s);
    for (int64_t tile = 0; tile < s->tiles; tile++)
        multiply_tile(s, tile, lists, values, x, y);
    expect_array(name, "y", y, wanted, n, sizeof *y);
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
    memory_free(lists);
    memory_free(values);
}

/* ---- the trials ------------------------------------------------------------------------------ */

/* Of a tile. */
static int64_t most_values(const struct csr *A)
{
    int64_t most = 0;
    for (int64_t begin = 0; begin < A->n; begin += SUM_TILE) {
        int64_t end = begin + SUM_TILE < A->n ? begin + SUM_TILE : A->n;
        int64_t count = A->offsets[end] - A->offsets[begin];
        most = count > most ? count : most;
    }
    return most;
}

/* Takes A. */
static void try_matrix(const char *name, struct csr *A, uint64_t *state)
{
    for (int64_t value_bytes = 8; value_bytes >= 4; value_bytes -= 4) {
        struct error error;
        struct staging here;
        struct csr rounded = {0};
        bool fits = false;
        if (value_bytes == 4)
            expect_ok(single_round(A, &rounded, &error), &error);
        const struct csr *of = value_bytes == 4 ? &rounded : A;
        expect_ok(staging_create(of, value_bytes, &here, &fits, &error), &error);
        ck_assert(fits == (most_values(A) <= STAGED_SHARED / value_bytes));
        if (fits) {
            struct made there = make(of, value_bytes, state);
            expect_same(name, &there.s, &here);
            if (there.s.shared_bytes <= STAGED_SHARED)
                expect_product(name, &there.s, state);
            made_free(&there);
        }
        staging_free(&here);
        memory_free(rounded.values);
    }
    csr_free(A);
}

START_TEST(small_matrices)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct csr A;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            try_matrix(test_matrices[m].name, &A, &state);
        }
}
END_TEST

START_TEST(every_structure)
{
    uint64_t state = test_seed();
    for (int k = 0; k < sym_matrices_count(); k++) {
        struct csr A;
        const char *name = sym_matrix(k, &state, &A);
        try_matrix(name, &A, &state);
    }
}
END_TEST

/* Rows of many lengths, whose entries lie near and far. */
static void draw(uint64_t *state, struct csr *A)
{
    struct error error;
    int64_t n = 1 + test_random_below(state, 8 * SUM_TILE), nnz = 0, most = 24;
    enum csr_kind kind = test_random(state) < 0.5 ? CSR_SYMMETRIC : CSR_SKEW;
    expect_ok(csr_create(A, kind, n, n * most, &error), &error);
    double near = test_random(state);
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 1 + test_random_below(state, most);
        A->offsets[i] = nnz;
        for (int64_t j = i; j < n && nnz < A->offsets[i] + count;
             j += 1 + test_random_below(state, test_random(state) < near ? 50 : n)) {
            A->columns[nnz] = (int32_t)j;
            A->values[nnz++] = kind == CSR_SKEW && j == i ? 0 : 2 * test_random(state) - 1;
        }
    }
    A->offsets[n] = A->nnz = nnz;
}

START_TEST(random_matrices)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 10; trial++) {
        struct csr A;
        draw(&state, &A);
        try_matrix("random rows", &A, &state);
    }
}
END_TEST

START_TEST(unstructured_meshes)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 4; trial++) {
        struct error error;
        struct csr A;
        struct fe_mesh mesh = {.n = {13 + test_random_below(&state, 20), 17, trial % 2 ? 9 : 0},
                               .unknowns = 1,
                               .shift = 1e-3,
                               .seed = test_random_below(&state, 1000),
                               .diagonals = FE_MESH_RANDOM_DIAGONALS,
                               .numbering = trial < 2 ? FE_MESH_NATURAL : FE_MESH_RANDOM_NUMBERING};
        expect_ok(fe_mesh_create(&mesh, &A, &error), &error);
        try_matrix("a mesh", &A, &state);
    }
}
END_TEST

/* The first row alone has more values than shared memory. */
START_TEST(too_many_values_do_not_fit)
{
    enum { N = STAGED_SHARED / 8 + 1 };
    struct error error;
    struct csr A;
    expect_ok(csr_create(&A, CSR_SYMMETRIC, N, 2 * N - 1, &error), &error);
    for (int64_t k = 0; k < A.nnz; k++) {
        A.columns[k] = (int32_t)(k < N ? k : k - N + 1);
        A.values[k] = 1;
    }
    A.offsets[0] = 0;
    for (int64_t i = 0; i < N; i++)
        A.offsets[i + 1] = N + i;
    for (int64_t value_bytes = 8; value_bytes >= 4; value_bytes -= 4) {
        struct staging staging;
        bool fits = value_bytes == 8;
        expect_ok(staging_create(&A, value_bytes, &staging, &fits, &error), &error);
        ck_assert(fits == (value_bytes == 4));
        staging_free(&staging);
    }
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct staging staging;
    bool fits;
    enum status status = staging_create(context, 8, &staging, &fits, error);
    staging_free(&staging);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    uint64_t state = test_seed();
    struct csr A;
    draw(&state, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {small_matrices,
                            every_structure,
                            random_matrices,
                            unstructured_meshes,
                            too_many_values_do_not_fit,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("spmv/sym_staging", tests);
}
