/* What counts as symmetric: rounding does, and nothing that is wrong in an equation. */
#include "io/market/symmetry.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 192 }; /* rows of a dense A */

static struct error error;
static double A[MOST][MOST];

/* Row by row the entries of a triangle of A that are not 0, and the diagonal of the upper one. */
static void take_triangle(int n, bool lower, struct csr *triangle)
{
    expect_ok(csr_create(triangle, CSR_GENERAL, n, (int64_t)n * n, &error), &error);
    int64_t k = 0;
    for (int i = 0; i < n; i++) {
        triangle->offsets[i] = k;
        for (int j = lower ? i + 1 : i; j < n; j++) {
            double value = lower ? A[j][i] : A[i][j];
            if (value == 0 && i != j)
                continue;
            triangle->columns[k] = j;
            triangle->values[k++] = value;
        }
    }
    triangle->offsets[n] = triangle->nnz = k;
}

/* The asymmetry of A; where it is at most `limit` the merged matrix has the means. */
static struct asymmetry merged(int n, enum csr_kind kind, double limit)
{
    struct csr upper, lower, made;
    struct asymmetry found;
    take_triangle(n, false, &upper);
    take_triangle(n, true, &lower);
    expect_ok(symmetry_merge(&upper, &lower, kind, limit, NULL, &made, &found, &error), &error);
    ck_assert_int_eq(found.worst <= limit, made.offsets != NULL);
    for (int64_t i = 0; i < made.n; i++)
        for (int64_t k = made.offsets[i]; k < made.offsets[i + 1]; k++) {
            double a = A[i][made.columns[k]], b = A[made.columns[k]][i];
            ck_assert(made.values[k] == (kind == CSR_SKEW ? (a - b) / 2 : (a + b) / 2));
        }
    csr_free(&upper);
    csr_free(&lower);
    csr_free(&made);
    return found;
}

/* Whether A is symmetric by default; the same for any number of threads, and any unit. */
static bool is_taken(int n)
{
    struct asymmetry found[3];
    for (int t = 0; t < 3; t++) {
        test_threads(1 + 3 * t);
        found[t] = merged(n, CSR_SYMMETRIC, ASYMMETRY_OF_ROUNDING);
        ck_assert_int_eq(found[t].unequal_pairs, found[0].unequal_pairs);
        ck_assert(found[t].worst == found[0].worst && found[t].row == found[0].row &&
                  found[t].column == found[0].column);
    }
    for (int unit = -400; unit <= 400; unit += 800) {
        for (int k = 0; k < n * n; k++)
            A[k / n][k % n] = ldexp(A[k / n][k % n], unit);
        ck_assert(merged(n, CSR_SYMMETRIC, ASYMMETRY_OF_ROUNDING).worst == found[0].worst);
        for (int k = 0; k < n * n; k++)
            A[k / n][k % n] = ldexp(A[k / n][k % n], -unit);
    }
    return found[0].worst <= ASYMMETRY_OF_ROUNDING;
}

static double between(double low, double high, uint64_t *state)
{
    return low + (high - low) * test_random(state);
}

/* A tridiagonal matrix in the rows from `first` on, with a share of convection. */
static void add_chain(int first, int n, double scale, double convection)
{
    for (int i = first; i < first + n; i++) {
        A[i][i] = 2 * scale;
        if (i > first) {
            A[i][i - 1] = scale * (-1 - convection);
            A[i - 1][i] = scale * (-1 + convection);
        }
    }
}

/* --- what rounding leaves --------------------------------------------------------------------- */

/* A_ij = sum_k W_ik (K W')_kj, K with as many signs as it likes, W with rows of any scale. An entry
 * that cancels has an error of n eps times its terms, and rows have n of them: the largest is no
 * smaller than the smallest scale allows. */
static void make_congruence(int n, bool hollow, uint64_t *state)
{
    static double W[MOST][MOST], KW[MOST][MOST];
    double K[MOST];
    for (int i = 0; i < n; i++) {
        double scale = ldexp(1, (int)test_random_below(state, 41) - 20);
        K[i] = between(-1, 3, state);
        for (int k = 0; k < n; k++)
            W[i][k] = scale * between(-1, 1, state);
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            KW[k][j] = K[k] * W[j][k] - (k > 0 ? W[j][k - 1] : 0) - (k + 1 < n ? W[j][k + 1] : 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = 0;
            for (int k = 0; k < n && (!hollow || i != j); k++)
                A[i][j] += W[i][k] * KW[k][j];
        }
}

START_TEST(congruences)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 8; trial++) {
        int n = 40 + (int)test_random_below(&state, 60);
        make_congruence(n, trial % 2, &state);
        ck_assert(merged(n, CSR_SYMMETRIC, 0).unequal_pairs > 0);
        ck_assert(is_taken(n));
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* P1 elements for elasticity on the six tetrahedra of each cube. */
enum {
    SIDE = 4,
    NODES = SIDE * SIDE * SIDE,
    CUBES = SIDE - 1,
    TETRAHEDRA = 6 * CUBES * CUBES * CUBES
};

/* From corner 0 to corner 7 of a cube along three edges, in each order of the axes, and then in a
 * random order. */
static void tetrahedron(int t, uint64_t *state, int corners[4])
{
    static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int step[3] = {1, SIDE, SIDE * SIDE};
    int cube = t / 6,
        node = cube % CUBES + cube / CUBES % CUBES * SIDE + cube / CUBES / CUBES * SIDE * SIDE;
    corners[0] = node;
    for (int k = 0; k < 3; k++)
        corners[k + 1] = node += step[axes[t % 6][k]];
    for (int k = 3; k > 0; k--) {
        int other = (int)test_random_below(state, k + 1), corner = corners[k];
        corners[k] = corners[other];
        corners[other] = corner;
    }
}

/* The gradients of the four barycentric coordinates, and the volume. */
static double gradients(double points[NODES][3], const int corners[4], double g[4][3])
{
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++)
            e[k][a] = points[corners[k + 1]][a] - points[corners[0]][a];
    double volume = 0;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) {
            int l = (k + 1) % 3, m = (k + 2) % 3, b = (a + 1) % 3, c = (a + 2) % 3;
            g[k + 1][a] = e[l][b] * e[m][c] - e[l][c] * e[m][b];
            volume += k == 0 ? e[0][a] * g[1][a] : 0;
        }
    for (int a = 0; a < 3; a++) {
        for (int k = 1; k < 4; k++)
            g[k][a] /= volume;
        g[0][a] = -(g[1][a] + g[2][a] + g[3][a]);
    }
    return fabs(volume) / 6;
}

static double element(double g[4][3], double volume, const double lame[2], int i, int j)
{
    int k = i / 3, l = j / 3, a = i % 3, b = j % 3;
    double dot = g[k][0] * g[l][0] + g[k][1] * g[l][1] + g[k][2] * g[l][2];
    return volume *
           (lame[0] * g[k][a] * g[l][b] + lame[1] * (g[k][b] * g[l][a] + (a == b ? dot : 0)));
}

static void add_element(double points[NODES][3], int t, bool upper, uint64_t *state)
{
    static const double lame[2] = {1.2, 0.8};
    int corners[4];
    double g[4][3];
    tetrahedron(t, state, corners);
    double volume = gradients(points, corners, g);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            int row = 3 * corners[i / 3] + i % 3, column = 3 * corners[j / 3] + j % 3;
            if (upper == (row <= column))
                A[row][column] += element(g, volume, lame, i, j);
        }
}

START_TEST(finite_elements)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 4; trial++) {
        double points[NODES][3], moved = trial % 2 ? 0.1 : 1e-6; /* whose entries cancel */
        memset(A, 0, sizeof A);
        for (int k = 0; k < NODES; k++)
            for (int a = 0, at = k; a < 3; a++, at /= SIDE)
                points[k][a] = at % SIDE + moved * between(-1, 1, &state);
        for (int upper = 0; upper < 2; upper++) {
            int32_t *order = test_random_numbering(TETRAHEDRA, &state);
            for (int t = 0; t < TETRAHEDRA; t++)
                add_element(points, order[t], upper, &state);
            memory_free(order);
        }
        struct asymmetry found = merged(3 * NODES, CSR_SYMMETRIC, 0);
        ck_assert(found.unequal_pairs > 0);
        ck_assert(is_taken(3 * NODES));
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* exp(-16 |x_i - x_j|^2) of random points, without the means of rows and columns. */
START_TEST(centred_kernels)
{
    uint64_t state = test_seed();
    int n = 60 + (int)test_random_below(&state, 60);
    double points[MOST][3], means[MOST], mean = 0;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++)
            points[i][a] = test_random(&state);
    for (int i = 0; i < n; i++) {
        means[i] = 0;
        for (int j = 0; j < n; j++) {
            double square = 0;
            for (int a = 0; a < 3; a++)
                square += (points[i][a] - points[j][a]) * (points[i][a] - points[j][a]);
            A[i][j] = exp(-16 * square);
            means[i] += A[i][j] / n;
        }
        mean += means[i] / n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = A[i][j] - means[i] - means[j] + mean;
    ck_assert(merged(n, CSR_SYMMETRIC, 0).unequal_pairs > 0);
    ck_assert(is_taken(n));
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The squared distances of a grid, doubly centred: the node in the middle is the mean, and all of
 * its row is rounding. */
START_TEST(rows_of_rounding)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 10; trial++) {
        int side = 3 + 2 * (int)test_random_below(&state, 5), n = side * side, middle = n / 2;
        double means[MOST], mean = 0, width = between(0.1, 1, &state);
        for (int i = 0; i < n; i++) {
            means[i] = 0;
            for (int j = 0; j < n; j++) {
                double x = width * (i % side - j % side), y = width * (i / side - j / side);
                A[i][j] = x * x + y * y;
                means[i] += A[i][j] / n;
            }
            mean += means[i] / n;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[i][j] = A[i][j] - means[i] - means[j] + mean;
        for (int i = 0; i < n; i++)
            ck_assert(fabs(A[middle][i]) < 1e-12 * width * width * n);
        ck_assert(is_taken(n));
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Two classes of nodes with edges between them alone, whose entries were scaled row by row. */
START_TEST(zero_diagonals)
{
    uint64_t state = test_seed();
    int n = 30 + (int)test_random_below(&state, 60);
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++)
        for (int j = n; j < 2 * n; j++) {
            double edge = between(-1, 1, &state), left = between(1, 2, &state);
            A[i][j] = edge * left * 3;
            A[j][i] = 3 * left * edge;
        }
    for (int j = n; j < 2 * n; j++) { /* one that cancels */
        A[0][j] = 0x1p-54;
        A[j][0] = -0x1p-54;
    }
    A[0][n] = A[n][0] = 1;
    ck_assert(merged(2 * n, CSR_SYMMETRIC, 0).unequal_pairs >= n - 1);
    ck_assert(is_taken(2 * n));
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(opposite_rounding_errors_become_zero)
{
    memset(A, 0, sizeof A);
    A[0][0] = A[1][1] = 1;
    A[0][1] = 1e-15;
    A[1][0] = -1e-15;
    ck_assert(is_taken(2));
    struct asymmetry found = merged(2, CSR_SYMMETRIC, 1e-15);
    ck_assert(found.worst == 2e-15 && found.unequal_pairs == 1);
    found = merged(2, CSR_SYMMETRIC, 2e-15); /* which compares the values with the means */
    ck_assert(found.row == 0 && found.column == 1 && found.upper == 1e-15 && found.lower == -1e-15);
}
END_TEST

/* --- what is wrong ---------------------------------------------------------------------------- */

static void expect_worst(int n, int row, int column, double least)
{
    ck_assert(!is_taken(n));
    struct asymmetry found = merged(n, CSR_SYMMETRIC, ASYMMETRY_OF_ROUNDING);
    ck_assert_msg(found.row == row && found.column == column && found.worst >= least,
                  "a(%d,%d): %g", (int)found.row, (int)found.column, found.worst);
}

START_TEST(convection)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 20; trial++) {
        int n = 10 + (int)test_random_below(&state, 80);
        memset(A, 0, sizeof A);
        add_chain(0, n, 1, pow(10, between(-11, 0, &state)));
        ck_assert(!is_taken(n));
    }
}
END_TEST

/* One entry that is missing, has another sign, or another last digit, among soft rows beside stiff
 * ones, coupled to them or not. */
START_TEST(one_entry)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 60; trial++) {
        int n = 10 + (int)test_random_below(&state, 60);
        int i = n + (int)test_random_below(&state, n - 1), way = trial % 3;
        double soft = pow(10, between(-16, 0, &state));
        memset(A, 0, sizeof A);
        add_chain(0, n, 1, 0);
        add_chain(n, n, soft, 0);
        if (trial % 2)
            A[n - 1][n] = A[n][n - 1] = -soft;
        A[i][i + 1] *= way == 0 ? 0 : way == 1 ? -1 : 1.01;
        expect_worst(2 * n, i, i + 1, 0.0049);
        for (int k = 0; k < 2 * n; k++) /* a graph has no diagonal */
            A[k][k] = 0;
        expect_worst(2 * n, i, i + 1, 0.0049);
    }
}
END_TEST

/* x_1 = b_1 in the place of an equation, by a diagonal entry that outweighs all: in one row, or in
 * two; beside a stiff row that is symmetric but for rounding. Or the entry is in that row alone. */
START_TEST(rows_that_were_replaced)
{
    for (int exponent = 0; exponent <= 300; exponent++)
        for (int k = 0; k < 4; k++) {
            memset(A, 0, sizeof A);
            add_chain(0, 6, 1, 0);
            A[0][0] = pow(10, exponent);
            A[k == 3][k != 3] = 0;
            if (k > 0)
                A[5][5] = A[0][0];
            A[5][4] *= k == 1 ? 0 : 1 + DBL_EPSILON;
            expect_worst(6, 0, 1, 0.5);
        }
}
END_TEST

START_TEST(skew_symmetric_ones)
{
    memset(A, 0, sizeof A);
    add_chain(0, 7, 1, 0);
    for (int i = 0; i < 7; i++) {
        A[i][i] = 0;
        if (i > 0)
            A[i][i - 1] *= -1;
    }
    expect_worst(7, 0, 1, 2);
    ck_assert(merged(7, CSR_SKEW, 0).worst == 0);
    A[3][3] = 1;
    ck_assert(merged(7, CSR_SKEW, 0).worst == 2);
}
END_TEST

/* Exactly is exactly, also where a difference is nothing beside its row. */
START_TEST(exactly)
{
    memset(A, 0, sizeof A);
    A[0][0] = A[1][1] = 1e300;
    A[0][1] = 1e-320;
    struct asymmetry found = merged(2, CSR_SYMMETRIC, 0);
    ck_assert(found.worst > 0 && found.unequal_pairs == 1);
    ck_assert(merged(2, CSR_SYMMETRIC, ASYMMETRY_OF_ROUNDING).worst == found.worst);
    A[1][0] = A[0][1];
    found = merged(2, CSR_SYMMETRIC, 0);
    ck_assert(found.worst == 0 && found.unequal_pairs == 0);
}
END_TEST

static enum status read_and_free(void *path, struct error *met)
{
    struct csr read;
    enum status status =
        matrix_market_read(path, CSR_SYMMETRIC, ASYMMETRY_OF_ROUNDING, NULL, &read, NULL, met);
    csr_free(&read);
    return status;
}

START_TEST(failing_allocations)
{
    char path[256];
    snprintf(path, sizeof path, "%s",
             temporary_file("a.mtx",
                            "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n"
                            "1 2 1e-15\n",
                            -1));
    walk_allocation_failures(read_and_free, path);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {congruences,
                            finite_elements,
                            centred_kernels,
                            rows_of_rounding,
                            zero_diagonals,
                            opposite_rounding_errors_become_zero,
                            convection,
                            one_entry,
                            rows_that_were_replaced,
                            skew_symmetric_ones,
                            exactly,
                            failing_allocations,
                            NULL};
    return suite_of("io/market/symmetry", tests);
}
