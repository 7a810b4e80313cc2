#include "study/test_matrices.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

double test_stream(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static int none(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)i, (void)j, (void)n, (void)state;
    return 0;
}

static int tridiagonal(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)n, (void)state;
    return j == i + 1;
}

static int first_row(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)j, (void)n, (void)state;
    return i == 0;
}

static int last_column(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)i, (void)state;
    return j == n - 1;
}

static int cross(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)state;
    return i == n / 2 || j == n / 2;
}

enum { SIDE_2D = 37, SIDE_3D = 12 };

static int laplace_2d(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)n, (void)state;
    return (j == i + 1 && j % SIDE_2D != 0) || j == i + SIDE_2D;
}

static int laplace_3d(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)n, (void)state;
    return (j == i + 1 && j % SIDE_3D != 0) ||
           (j == i + SIDE_3D && i / SIDE_3D % SIDE_3D != SIDE_3D - 1) || j == i + SIDE_3D * SIDE_3D;
}

static int random_sparse(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)i, (void)j;
    return test_stream(state) * (double)n < 8;
}

static int dense(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    (void)i, (void)j, (void)n, (void)state;
    return 1;
}

static int lonely_rows(int64_t i, int64_t j, int64_t n, uint64_t *state)
{
    return i % 3 == 0 && j % 3 == 0 && random_sparse(i, j, n / 4, state);
}

const struct test_matrix test_matrices[] = {
    {"one row", 1, none},
    {"two rows", 2, dense},
    {"diagonal", 500, none},
    {"tridiagonal", 1441, tridiagonal},
    {"dense first row", 900, first_row},
    {"dense last column", 900, last_column},
    {"dense row and column", 901, cross},
    {"2-D Laplacian", SIDE_2D *SIDE_2D, laplace_2d},
    {"3-D Laplacian", SIDE_3D *SIDE_3D *SIDE_3D, laplace_3d},
    {"random", 2000, random_sparse},
    {"dense", 150, dense},
    {"rows without off-diagonals", 1000, lonely_rows},
};

const int test_matrices_count = sizeof test_matrices / sizeof *test_matrices;

static int nothing(int64_t i, int64_t j, uint64_t *state)
{
    (void)i, (void)j, (void)state;
    return 0;
}

static int everything(int64_t i, int64_t j, uint64_t *state)
{
    (void)i, (void)j, (void)state;
    return 1;
}

static int every_second(int64_t i, int64_t j, uint64_t *state)
{
    (void)i, (void)state;
    return j % 2 != 0;
}

static int every_third_row(int64_t i, int64_t j, uint64_t *state)
{
    (void)j, (void)state;
    return i % 3 == 1;
}

static int scattered(int64_t i, int64_t j, uint64_t *state)
{
    (void)i, (void)j;
    return test_stream(state) < 0.02;
}

static int off_diagonal(int64_t i, int64_t j, uint64_t *state)
{
    return i != j && scattered(i, j, state);
}

static int one_row(int64_t i, int64_t j, uint64_t *state)
{
    (void)j, (void)state;
    return i == 450;
}

static int one_column(int64_t i, int64_t j, uint64_t *state)
{
    (void)i, (void)state;
    return j == 7;
}

static int in_the_middle(int64_t i, int64_t j, uint64_t *state)
{
    return i >= 130 && i < 410 && scattered(i, j, state);
}

static int in_runs(int64_t i, int64_t j, uint64_t *state)
{
    return i / 97 % 3 == 1 && scattered(i, j, state);
}

static int left_of_diagonal(int64_t i, int64_t j, uint64_t *state)
{
    (void)state;
    return j < i;
}

static int long_among_short(int64_t i, int64_t j, uint64_t *state)
{
    (void)state;
    return i == 7 || j == 61 * i % 9001;
}

const struct test_rectangle test_rectangles[] = {
    {"one place, empty", 1, 1, nothing},
    {"one row of many columns", 1, 3001, every_second},
    {"one column of many rows", 3001, 1, every_third_row},
    {"no entries", 700, 40, nothing},
    {"wide", 300, 2000, scattered},
    {"tall", 2000, 300, scattered},
    {"a full row, the others empty", 900, 1100, one_row},
    {"a full column, the others empty", 1100, 900, one_column},
    {"empty first and last rows", 600, 500, in_the_middle},
    {"runs of empty rows", 3000, 257, in_runs},
    {"rows of 0, 1, 2, ... entries", 301, 300, left_of_diagonal},
    {"a long row among short ones", 400, 9001, long_among_short},
    {"rows of 32", 1024, 64, every_second},
    {"full", 130, 170, everything},
    {"square without a diagonal", 1000, 1000, off_diagonal},
};

const int test_rectangles_count = sizeof test_rectangles / sizeof *test_rectangles;

/* Of the entries of row i: very different in some rows. */
static double size_of_row(int64_t i)
{
    return i % 7 == 3 ? 1e-9 : i % 11 == 5 ? 1e9 : 1;
}

enum status test_rectangle_make(const struct test_rectangle *rectangle, uint64_t *state,
                                struct csr *A, struct error *error)
{
    int64_t n = rectangle->n, width = rectangle->width, nnz = 0;
    struct csr wide;
    *A = (struct csr){0};
    enum status status = csr_create(&wide, CSR_GENERAL, n, n * width, error);
    if (status)
        return status;
    wide.width = width;
    wide.offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < width; j++) {
            if (!rectangle->has(i, j, state))
                continue;
            wide.columns[nnz] = (int32_t)j;
            wide.values[nnz++] = size_of_row(i) * (2 * test_stream(state) - 1);
        }
        wide.offsets[i + 1] = nnz;
    }
    wide.nnz = nnz;
    status = csr_expand(&wide, A, error);
    csr_free(&wide);
    return status;
}

/* Room for the whole upper triangle is taken first, and cut down at the end. */
enum status test_matrix_make(const struct test_matrix *matrix, enum csr_kind kind, uint64_t *state,
                             struct csr *A, struct error *error)
{
    int64_t n = matrix->n, capacity = 16 * n + n * n / 2, nnz = 0;
    struct csr wide;
    *A = (struct csr){0};
    enum status status = csr_create(&wide, kind, n, capacity, error);
    if (status)
        return status;
    wide.offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        double size = size_of_row(i);
        wide.columns[nnz] = (int32_t)i;
        wide.values[nnz++] = kind == CSR_SKEW ? 0 : size * (2 * test_stream(state) - 1);
        for (int64_t j = i + 1; j < n; j++) {
            if (!matrix->has(i, j, n, state))
                continue;
            wide.columns[nnz] = (int32_t)j;
            wide.values[nnz++] = size * (2 * test_stream(state) - 1);
        }
        wide.offsets[i + 1] = nnz;
    }
    status = csr_create(A, kind, n, nnz, error);
    if (!status) {
        memcpy(A->offsets, wide.offsets, (size_t)(n + 1) * sizeof *A->offsets);
        memcpy(A->columns, wide.columns, (size_t)nnz * sizeof *A->columns);
        memcpy(A->values, wide.values, (size_t)nnz * sizeof *A->values);
    }
    csr_free(&wide);
    return status;
}

enum status test_matrix_make_positive(const struct test_matrix *matrix, uint64_t *state,
                                      struct csr *A, struct error *error)
{
    enum status status = test_matrix_make(matrix, CSR_SYMMETRIC, state, A, error);
    for (int64_t i = 0; i < A->n; i++)
        A->values[A->offsets[i]] = 1;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            A->values[k] = -test_stream(state);
            A->values[A->offsets[i]] -= A->values[k];
            A->values[A->offsets[A->columns[k]]] -= A->values[k];
        }
    return status;
}

/* D^-1/2 (E / 2 + D) D^-1/2, where E has the off-diagonal entries and D the sums of their sizes, or
 * 1 for an empty row. */
enum status test_matrix_make_easy(const struct test_matrix *matrix, enum csr_kind kind,
                                  uint64_t *state, struct csr *A, struct error *error)
{
    enum status status = test_matrix_make_positive(matrix, state, A, error);
    double *size = status ? NULL : memory_array(A->n, sizeof *size, "the sizes of rows", error);
    if (!size) {
        csr_free(A);
        return status ? status : STATUS_MEMORY;
    }
    A->kind = kind;
    for (int64_t i = 0; i < A->n; i++)
        size[i] = A->values[A->offsets[i]] > 1 ? A->values[A->offsets[i]] - 1 : 1;
    for (int64_t i = 0; i < A->n; i++) {
        A->values[A->offsets[i]] = kind == CSR_SKEW ? 0 : 1;
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            A->values[k] *=
                (test_stream(state) < 0.5 ? -0.5 : 0.5) / sqrt(size[i] * size[A->columns[k]]);
    }
    memory_free(size);
    return STATUS_OK;
}
