#include "spmv/sym_matrices.h"

#include "support.h"

#include "matrices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 1000 };

/* Entries on some diagonals, now and then one is missing; the farthest may be one entry long. */
static bool has_distance[ROWS_MAX];

static int by_diagonals(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)n;
    return has_distance[j - i] && test_random(state) < 0.95;
}

/* Blocks of `block` rows and columns, on the diagonal and some others, nearly full. */
static int64_t block;
static bool has_block[ROWS_MAX];

static int by_blocks(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)n;
    int64_t row = i / block, column = j / block;
    bool there = column == row || column == row + 1 || has_block[(7 * row + column) % ROWS_MAX];
    return there && test_random(state) < 0.95;
}

static int by_entries(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)j;
    return i == n / 3 || test_random(state) * (double)n < 9;
}

static const struct structure {
    const char *name;
    int (*has)(int64_t i, int64_t j, int64_t n, uint64_t *state);
    int count; /* of diagonals, or rows of a block */
} structures[] = {{"diagonal", by_diagonals, 1},   {"diagonals", by_diagonals, 2},
                  {"diagonals", by_diagonals, 4},  {"diagonals", by_diagonals, 5},
                  {"diagonals", by_diagonals, 14}, {"diagonals", by_diagonals, 40},
                  {"row a block", by_blocks, 2},   {"rows a block", by_blocks, 3},
                  {"rows a block", by_blocks, 4},  {"rows a block", by_blocks, 5},
                  {"rows a block", by_blocks, 6},  {"stored triangle", by_entries, 1}};
enum { STRUCTURES = sizeof structures / sizeof *structures };

/* How many different values; 0: any. */
static const int64_t different[] = {0, 1, 99, 300};
enum { DIFFERENT = sizeof different / sizeof *different };

int sym_matrices_count(void)
{
    return STRUCTURES * DIFFERENT;
}

/* What the structure's `has` looks at. */
static void draw(const struct structure *structure, int64_t n, uint64_t *state)
{
    memset(has_distance, 0, sizeof has_distance);
    for (int left = structure->count - 1; structure->has == by_diagonals && left > 0;) {
        int64_t d = 1 + test_random_below(state, test_random(state) < 0.2 ? n - 1 : n / 3);
        left -= !has_distance[d];
        has_distance[d] = true;
    }
    block = structure->count;
    for (int64_t b = 0; b < ROWS_MAX; b++)
        has_block[b] = test_random(state) < 0.03;
}

/* Numbers that single precision rounds, but for the zeros of a skew-symmetric diagonal. */
static void draw_values(struct csr *A, int64_t values, uint64_t *state)
{
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++)
            if (A->kind != CSR_SKEW || A->columns[p] != i)
                A->values[p] = sin(1.0 + (double)test_random_below(state, values));
}

const char *sym_matrix(int k, uint64_t *state, struct csr *A)
{
    static char name[100];
    const struct structure *structure = &structures[k % STRUCTURES];
    int64_t values = different[k / STRUCTURES];
    int64_t n = 201 + 2 * test_random_below(state, (ROWS_MAX - 201) / 2);
    if (structure->has == by_blocks)
        n -= n % structure->count;
    enum csr_kind kind = test_random(state) < 0.5 ? CSR_SYMMETRIC : CSR_SKEW;
    snprintf(name, sizeof name, "%d %s, %d rows, %s, %d values", structure->count, structure->name,
             (int)n, csr_kind_name(kind), (int)values);
    draw(structure, n, state);
    test_matrix_build(&(struct test_matrix){name, n, structure->has}, kind, state, A);
    if (values)
        draw_values(A, values, state);
    return name;
}
