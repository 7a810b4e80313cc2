/* The 7-point matrix against a dense one that is built cell pair by cell pair, its spectrum, and
 * what is refused. */
#include "csr_check.h"
#include "made.h"
#include "support.h"

#include "problem/grid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static struct csr create(const struct poisson3d *poisson)
{
    struct error error;
    struct csr A;
    expect_ok(poisson3d_create(poisson, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_int_eq(A.n, poisson->n[0] * poisson->n[1] * poisson->n[2]);
    ck_assert_int_eq(A.n, grid_rows(poisson->n));
    return A;
}

/* Which indices of an axis of n = 1 ... 7 cells lie in its middle half, n <= 4 i < 3 n: from
 * first[n] to last[n], counted by hand. */
static const int64_t first[] = {0, 1, 1, 1, 1, 2, 2, 2};
static const int64_t last[] = {0, 0, 1, 2, 2, 3, 4, 5};

static double kappa(const struct poisson3d *poisson, const int64_t cell[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = poisson->n[axis];
        if (cell[axis] < first[n] || cell[axis] > last[n])
            return 1;
    }
    return poisson->jump;
}

static void cell_of(const struct poisson3d *poisson, int64_t row, int64_t cell[3])
{
    cell[0] = cell[1] = 0;
    for (cell[2] = 0; cell[2] < poisson->n[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < poisson->n[1]; cell[1]++)
            for (cell[0] = 0; cell[0] < poisson->n[0]; cell[0]++)
                if (row-- == 0)
                    return;
}

/* The axis along which two cells are neighbours, or -1. */
static int shared_axis(const int64_t c[3], const int64_t d[3])
{
    int64_t distance = 0;
    int axis = -1;
    for (int a = 0; a < 3; a++) {
        distance += llabs(c[a] - d[a]);
        if (c[a] != d[a])
            axis = a;
    }
    return distance == 1 ? axis : -1;
}

/* dense[n][n] by the text of problem/poisson3d.c: every pair of cells is looked at, and every face
 * of a cell that no neighbour took is a boundary. */
static void fill_dense(const struct poisson3d *poisson, int64_t n, double *dense)
{
    memset(dense, 0, (size_t)(n * n) * sizeof *dense);
    for (int64_t row = 0; row < n; row++) {
        int64_t c[3], d[3];
        int open[3] = {2, 2, 2};
        cell_of(poisson, row, c);
        double own = kappa(poisson, c), *diagonal = &dense[row * n + row];
        for (int64_t column = 0; column < n; column++) {
            cell_of(poisson, column, d);
            int axis = shared_axis(c, d);
            if (axis < 0)
                continue;
            double other = kappa(poisson, d);
            double coupling = poisson->weights[axis] * 2 / (1 / own + 1 / other);
            dense[row * n + column] = -coupling;
            *diagonal += coupling;
            open[axis]--;
        }
        for (int axis = 0; axis < 3; axis++)
            *diagonal += open[axis] * poisson->weights[axis] * own;
    }
}

/* The stored entries are the diagonal and the nonzeros right of it; a value takes at most a dozen
 * operations on positive numbers here and there. */
static void expect_dense(const struct poisson3d *poisson, const struct csr *A, const double *dense)
{
    for (int64_t i = 0; i < A->n; i++) {
        int64_t k = A->offsets[i];
        for (int64_t j = i; j < A->n; j++) {
            double wanted = dense[i * A->n + j];
            if (j > i && wanted == 0)
                continue;
            ck_assert_msg(k < A->offsets[i + 1] && A->columns[k] == j,
                          "%d x %d x %d: row %d lacks column %d", (int)poisson->n[0],
                          (int)poisson->n[1], (int)poisson->n[2], (int)i, (int)j);
            ck_assert_msg(fabs(A->values[k] - wanted) <= 12 * DBL_EPSILON * fabs(wanted),
                          "row %d column %d: %.17g instead of %.17g", (int)i, (int)j, A->values[k],
                          wanted);
            k++;
        }
        ck_assert_int_eq(k, A->offsets[i + 1]);
    }
}

static const double weights[][3] = {{1, 1, 1}, {1, 0.1, 3}, {0, 1, 2}, {1, 0, 2},
                                    {1, 2, 0}, {0, 0, 1},   {0, 7, 0}, {0.5, 0, 0}};
static const double jumps[] = {1, 10, 1e-3, 1e6, 1e100};

START_TEST(all_small_boxes)
{
    static double dense[64 * 64];
    for (int code = 0; code < 64; code++) {
        for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
            for (size_t jump = 0; jump < sizeof jumps / sizeof *jumps; jump++) {
                struct poisson3d poisson = {.n = {1 + code % 4, 1 + code / 4 % 4, 1 + code / 16},
                                            .jump = jumps[jump]};
                memcpy(poisson.weights, weights[w], sizeof poisson.weights);
                struct csr A = create(&poisson);
                fill_dense(&poisson, A.n, dense);
                expect_dense(&poisson, &A, dense);
                csr_free(&A);
            }
        }
    }
}
END_TEST

START_TEST(a_larger_box)
{
    struct poisson3d poisson = {{7, 6, 5}, {1, 0.25, 3}, 100, 0, POISSON3D_DIRICHLET};
    static double dense[210 * 210];
    struct csr A = create(&poisson);
    fill_dense(&poisson, A.n, dense);
    expect_dense(&poisson, &A, dense);
    csr_free(&A);
}
END_TEST

START_TEST(six_and_minus_one)
{
    struct poisson3d poisson = {{9, 8, 7}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    struct csr A = create(&poisson);
    ck_assert_int_eq(A.nnz, 504 + 8 * 8 * 7 + 9 * 7 * 7 + 9 * 8 * 6);
    for (int64_t i = 0; i < A.n; i++) {
        ck_assert(A.values[A.offsets[i]] == 6);
        for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++)
            ck_assert(A.values[k] == -1);
    }
    csr_free(&A);
}
END_TEST

static void expect_refused(struct poisson3d poisson, const char *text, const char *value)
{
    struct error error = {""};
    struct csr A;
    expect_error(poisson3d_create(&poisson, &A, &error), STATUS_CONFIG, &error, text, value, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(a_shift_is_added_to_the_diagonal)
{
    struct poisson3d plain = {{4, 3, 5}, {1, 0.3, 2}, 7, 0, POISSON3D_DIRICHLET}, shifted = plain;
    shifted.shift = -2.7;
    struct csr A = create(&plain), B = create(&shifted);
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++)
            ck_assert(B.values[k] == (A.columns[k] == i ? A.values[k] - 2.7 : A.values[k]));
    csr_free(&A);
    csr_free(&B);
    shifted.shift = NAN;
    expect_refused(shifted, "problem.shift", "nan");
}
END_TEST

/* Gershgorin: no row's off-diagonals outweigh its diagonal, and what is left over is the boundary's
 * share: strictly positive at the boundary, so A (irreducible) is positive definite. */
START_TEST(rows_are_dominated_by_the_diagonal)
{
    struct poisson3d poisson = {{7, 5, 6}, {1, 0.3, 2}, 1000, 0, POISSON3D_DIRICHLET};
    struct error error;
    struct csr A = create(&poisson), full;
    expect_ok(csr_expand(&A, &full, &error), &error);
    for (int64_t row = 0; row < full.n; row++) {
        double diagonal = 0, others = 0, boundary = 0;
        for (int64_t k = full.offsets[row]; k < full.offsets[row + 1]; k++) {
            if (full.columns[k] == row)
                diagonal = full.values[k];
            else
                ck_assert(full.values[k] < 0);
            others += full.columns[k] == row ? 0 : -full.values[k];
        }
        int64_t cell[3];
        cell_of(&poisson, row, cell);
        for (int axis = 0; axis < 3; axis++)
            boundary += ((cell[axis] == 0) + (cell[axis] == poisson.n[axis] - 1)) *
                        poisson.weights[axis] * kappa(&poisson, cell);
        ck_assert_double_eq_tol(diagonal - others, boundary, 16 * DBL_EPSILON * diagonal);
    }
    csr_free(&A);
    csr_free(&full);
}
END_TEST

/* One mode of the constant-coefficient box: v = product over the axes of
 * sin(pi m (i + 1) / (n + 1)), lambda = sum w (2 - 2 cos(pi m / (n + 1))); every sine is off by
 * about an ulp. */
static void expect_mode(const struct poisson3d *poisson, const struct csr *A, const int64_t mode[3])
{
    enum { MOST = 64 };
    double v[MOST], Av[MOST], lambda = 0, total = 0;
    for (int64_t row = 0; row < A->n; row++) {
        int64_t cell[3];
        cell_of(poisson, row, cell);
        v[row] = 1;
        for (int a = 0; a < 3; a++)
            v[row] *= sin(PI * (double)(mode[a] * (cell[a] + 1)) / (double)(poisson->n[a] + 1));
    }
    for (int a = 0; a < 3; a++) {
        lambda +=
            poisson->weights[a] * (2 - 2 * cos(PI * (double)mode[a] / (double)(poisson->n[a] + 1)));
        total += 4 * poisson->weights[a];
    }
    csr_multiply(A, v, Av);
    for (int64_t row = 0; row < A->n; row++)
        ck_assert_double_eq_tol(Av[row], lambda * v[row], 64 * DBL_EPSILON * total);
}

START_TEST(every_mode_is_an_eigenvector)
{
    struct poisson3d poisson = {{3, 4, 5}, {1, 0.5, 2}, 1, 0, POISSON3D_DIRICHLET};
    struct csr A = create(&poisson);
    int64_t mode[3];
    for (mode[2] = 1; mode[2] <= 5; mode[2]++)
        for (mode[1] = 1; mode[1] <= 4; mode[1]++)
            for (mode[0] = 1; mode[0] <= 3; mode[0]++)
                expect_mode(&poisson, &A, mode);
    csr_free(&A);
}
END_TEST

START_TEST(threads_do_not_matter)
{
    struct poisson3d poisson = {{31, 17, 23}, {1, 0.1, 3}, 7, 0, POISSON3D_DIRICHLET};
    test_threads(1);
    struct csr A = create(&poisson);
    test_threads(7);
    struct csr B = create(&poisson);
    ck_assert_int_eq(A.nnz, B.nnz);
    ck_assert_mem_eq(A.offsets, B.offsets, (size_t)(A.n + 1) * sizeof *A.offsets);
    ck_assert_mem_eq(A.columns, B.columns, (size_t)A.nnz * sizeof *A.columns);
    ck_assert_mem_eq(A.values, B.values, (size_t)A.nnz * sizeof *A.values);
    csr_free(&A);
    csr_free(&B);
}
END_TEST

START_TEST(sizes_are_checked)
{
    static const struct {
        int64_t n[3], rows;
        const char *text;
    } sizes[] = {
        {{1, 1, 1}, 1, ""},
        {{INT32_MAX, 1, 1}, INT32_MAX, ""},
        {{1, 1, INT32_MAX}, INT32_MAX, ""},
        {{1290, 1290, 1290}, 2146689000, ""},
        {{46340, 46340, 1}, 2147395600, ""},
        {{1291, 1291, 1291}, -1, "2151685171 rows"},
        {{46341, 46341, 1}, -1, "2147488281 rows"},
        {{1, 46341, 46341}, -1, "2147488281 rows"},
        {{INT32_MAX, 2, 1}, -1, "4294967294 rows"},
        {{1 << 13, 1 << 13, 1 << 14}, -1, "1099511627776 rows"},
        {{1 << 13, 1 << 13, (1 << 14) + 1}, -1, "[8192, 8192, 16385]"},
        {{1, 1, (INT64_C(1) << 40) + 1}, -1, "not 1099511627777"},
        {{INT64_MAX, INT64_MAX, INT64_MAX}, -1, "9223372036854775807"},
        {{INT64_C(1) << 32, INT64_C(1) << 32, 1}, -1, "not 4294967296"},
        {{0, 4, 4}, -1, "not 0"},
        {{4, -4, -4}, -1, "not -4"},
        {{4, 4, INT64_MIN}, -1, "not -9223372036854775808"},
    };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct poisson3d poisson = {.weights = {1, 1, 1}, .jump = 1};
        memcpy(poisson.n, sizes[k].n, sizeof poisson.n);
        ck_assert_int_eq(grid_rows(poisson.n), sizes[k].rows);
        bool made = grid_rows_made(poisson.n) > 0;
        if (sizes[k].rows < 0)
            expect_refused(poisson, made ? "in one memory" : "problem.n", sizes[k].text);
        else
            ck_assert_int_eq(grid_rows_made(poisson.n), sizes[k].rows);
    }
}
END_TEST

START_TEST(weights_and_jump_are_checked)
{
    static const double bad[] = {-1, NAN, INFINITY, -INFINITY, -0x1p-1074};
    static const char *const shown[] = {"-1", "nan", "inf", "-inf", "-4.94065645841247e-324"};
    for (int k = 0; k < 5; k++) {
        for (int axis = 0; axis < 3; axis++) {
            struct poisson3d poisson = {{3, 3, 3}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
            poisson.weights[axis] = bad[k];
            expect_refused(poisson, "problem.anisotropy", shown[k]);
        }
        expect_refused((struct poisson3d){{3, 3, 3}, {1, 1, 1}, bad[k], 0, POISSON3D_DIRICHLET},
                       "problem.jump", shown[k]);
    }
    expect_refused((struct poisson3d){{3, 3, 3}, {1, 1, 1}, 0, 0, POISSON3D_DIRICHLET},
                   "problem.jump", "[1e-100, 1e+100], not 0");
    expect_refused((struct poisson3d){{3, 3, 3}, {0, 0, 0}, 1, 0, POISSON3D_DIRICHLET},
                   "problem.anisotropy = [0.0, 0.0, 0.0]", "not every weight can be 0");
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct csr A;
    enum status status = poisson3d_create(context, &A, error);
    if (!status)
        csr_free(&A);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct poisson3d poisson = {{3, 4, 5}, {1, 1, 1}, 2, 0, POISSON3D_DIRICHLET};
    walk_allocation_failures(attempt, &poisson);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {all_small_boxes,
                            a_larger_box,
                            six_and_minus_one,
                            a_shift_is_added_to_the_diagonal,
                            rows_are_dominated_by_the_diagonal,
                            every_mode_is_an_eigenvector,
                            threads_do_not_matter,
                            sizes_are_checked,
                            weights_and_jump_are_checked,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("problem/poisson3d", tests);
}
