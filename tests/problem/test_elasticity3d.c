/* The matrix of an elastic body against a dense one that is summed over elements and points of
 * Gauss in long double, its rigid motions, its shapes, and what is refused. */
#include "csr_check.h"
#include "options.h"
#include "support.h"

#include "problem/elasticity3d_row.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 3, /* elements of a body whose matrix is dense here */
    ROWS = 3 * (SIDE + 1) * (SIDE + 1) * (SIDE + 1),
    LARGE = 8,
    MOST = 3 * (LARGE + 1) * (LARGE + 1) * (LARGE + 1),
};

static enum status make(const struct elasticity3d *body, struct csr *A, struct error *error)
{
    return problem_create(&problem_elasticity3d, body, A, error);
}

static struct csr create(const struct elasticity3d *body)
{
    struct error error;
    struct csr A;
    expect_ok(make(body, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_int_eq(A.n, problem_elasticity3d.rows(body));
    return A;
}

static struct near_null near_null_of_body(const struct elasticity3d *body)
{
    const struct options options = {&problem_elasticity3d.component, (void *)body};
    struct near_null near_null;
    struct error error;
    expect_ok(problem_near_null(&options, &near_null, &error), &error);
    ck_assert_int_eq(near_null.n, problem_elasticity3d.rows(body));
    ck_assert_int_eq(near_null.block, 3);
    ck_assert_int_eq(near_null.count, 6);
    return near_null;
}

/* With a power of ten in that range. */
static double draw_power(uint64_t *state, double least, double most)
{
    return pow(10, least + (most - least) * test_random(state));
}

static struct elasticity3d draw_body(uint64_t *state, int64_t most)
{
    struct elasticity3d body = {.poisson_ratio = 1.3 * test_random(state) - 0.85,
                                .jump = test_random(state) < 0.5 ? 1 : draw_power(state, -3, 3),
                                .support = test_random(state) < 0.7 ? ELASTICITY3D_CLAMPED
                                                                    : ELASTICITY3D_FREE};
    for (int axis = 0; axis < 3; axis++) {
        body.n[axis] = 1 + test_random_below(state, most);
        body.spacing[axis] = test_random(state) < 0.5 ? 1 : draw_power(state, -1, 1);
    }
    return body;
}

/* --- a dense matrix --------------------------------------------------------------------------- */

/* And what the rounding of each entry is relative to. */
struct dense {
    int64_t nodes[3]; /* with those that are clamped */
    bool joined[ROWS / 3][ROWS / 3];
    long double values[ROWS][ROWS], sizes[ROWS][ROWS];
};

struct element {
    long double values[24][24], sizes[24][24];
};

/* strains[6][24] at a point of [-1, 1]^3 in an element with these edges. */
static void strains_at(const double h[3], const long double point[3], long double strains[6][24])
{
    memset(strains, 0, 6 * sizeof *strains);
    for (int a = 0; a < 8; a++) {
        long double slope[3];
        for (int i = 0; i < 3; i++) {
            slope[i] = (a >> i & 1 ? 1.0L : -1.0L) / h[i];
            for (int j = 0; j < 3; j++)
                if (j != i)
                    slope[i] *= (1 + (a >> j & 1 ? point[j] : -point[j])) / 2;
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            strains[i][3 * a + i] = slope[i];
            strains[3 + i][3 * a + i] = slope[j];
            strains[3 + i][3 * a + j] = slope[i];
        }
    }
}

/* Hooke's law. */
static void stiffness_of(double ratio, long double C[6][6])
{
    long double nu = ratio, lambda = nu / ((1 + nu) * (1 - 2 * nu)), mu = 1 / (2 * (1 + nu));
    memset(C, 0, 6 * sizeof *C);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            C[i][j] = lambda + (i == j ? 2 * mu : 0);
        C[3 + i][3 + i] = mu;
    }
}

/* The integral of B'CB, by 2 x 2 x 2 points. */
static void integrate(const struct elasticity3d *body, struct element *element)
{
    const double *h = body->spacing;
    long double C[6][6], B[6][24], weight = (long double)h[0] * h[1] * h[2] / 8;
    stiffness_of(body->poisson_ratio, C);
    memset(element, 0, sizeof *element);
    for (int point = 0; point < 8; point++) {
        long double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = (point >> i & 1 ? 1 : -1) / sqrtl(3);
        strains_at(h, at, B);
        for (int r = 0; r < 24; r++)
            for (int s = 0; s < 24; s++)
                for (int i = 0; i < 6; i++)
                    for (int j = 0; j < 6; j++) {
                        long double term = weight * B[i][r] * C[i][j] * B[j][s];
                        element->values[r][s] += term;
                        element->sizes[r][s] += fabsl(term);
                    }
    }
}

/* Which indices of an axis of n = 1, 2, 3 elements lie in its middle half, by hand. */
static bool is_middle(int64_t n, int64_t index)
{
    return n > 1 && index >= 1;
}

static int64_t node_number(const struct dense *dense, const int64_t at[3])
{
    return at[0] + dense->nodes[0] * (at[1] + dense->nodes[1] * at[2]);
}

static void add_element(const struct elasticity3d *body, const struct element *element,
                        const int64_t e[3], struct dense *dense)
{
    bool middle = true;
    for (int axis = 0; axis < 3; axis++)
        middle = middle && is_middle(body->n[axis], e[axis]);
    long double E = middle ? body->jump : 1;
    int64_t node[8];
    for (int a = 0; a < 8; a++) {
        const int64_t at[3] = {e[0] + (a & 1), e[1] + (a >> 1 & 1), e[2] + (a >> 2 & 1)};
        node[a] = node_number(dense, at);
    }
    for (int r = 0; r < 24; r++)
        for (int s = 0; s < 24; s++) {
            int64_t i = 3 * node[r / 3] + r % 3, j = 3 * node[s / 3] + s % 3;
            dense->joined[node[r / 3]][node[s / 3]] = true;
            dense->values[i][j] += E * element->values[r][s];
            dense->sizes[i][j] += E * element->sizes[r][s];
        }
}

static void fill_dense(const struct elasticity3d *body, struct dense *dense)
{
    struct element element;
    int64_t e[3];
    memset(dense, 0, sizeof *dense);
    for (int axis = 0; axis < 3; axis++)
        dense->nodes[axis] = body->n[axis] + 1;
    integrate(body, &element);
    for (e[0] = 0; e[0] < body->n[0]; e[0]++)
        for (e[1] = 0; e[1] < body->n[1]; e[1]++)
            for (e[2] = 0; e[2] < body->n[2]; e[2]++)
                add_element(body, &element, e, dense);
}

/* The free nodes in the order of their numbers, by the clamped axis, -1: none; returns how many. */
static int64_t list_free(const struct dense *dense, int clamped, int64_t *free_nodes)
{
    int64_t at[3], count = 0;
    for (at[2] = 0; at[2] < dense->nodes[2]; at[2]++)
        for (at[1] = 0; at[1] < dense->nodes[1]; at[1]++)
            for (at[0] = 0; at[0] < dense->nodes[0]; at[0]++)
                if (clamped < 0 || at[clamped] > 0)
                    free_nodes[count++] = node_number(dense, at);
    return count;
}

static int longest_axis(const struct elasticity3d *body)
{
    double length[3];
    if (body->support == ELASTICITY3D_FREE)
        return -1;
    for (int axis = 0; axis < 3; axis++)
        length[axis] = (double)body->n[axis] * body->spacing[axis];
    if (length[0] >= length[1] && length[0] >= length[2])
        return 0;
    return length[1] >= length[2] ? 1 : 2;
}

/* Roundings on the way to a value: mu 2, lambda + 2 mu and the like 5; G 3, the sum of two G 1;
 * products 1, their sum 1; E_e times it 1; at most 8 elements: 19, and some of long double. */
static void expect_dense(const struct elasticity3d *body, const struct csr *A,
                         const struct dense *dense)
{
    int64_t free_nodes[ROWS / 3];
    ck_assert_int_eq(3 * list_free(dense, longest_axis(body), free_nodes), A->n);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t place = A->offsets[i], v = free_nodes[i / 3];
        for (int64_t j = i; j < A->n; j++) {
            int64_t w = free_nodes[j / 3];
            if (!dense->joined[v][w])
                continue;
            ck_assert(place < A->offsets[i + 1] && A->columns[place] == j);
            long double wanted = dense->values[3 * v + i % 3][3 * w + j % 3],
                        size = dense->sizes[3 * v + i % 3][3 * w + j % 3];
            ck_assert_msg(fabsl(A->values[place] - wanted) <= 20 * (DBL_EPSILON / 2) * size,
                          "row %d column %d: %.17g instead of %.17Lg", (int)i, (int)j,
                          A->values[place], wanted);
            place++;
        }
        ck_assert_int_eq(place, A->offsets[i + 1]);
    }
}

static const double ratios[] = {-1 + 0x1p-53, -0.999, -0.5, 0, 0.25, 0.3, 0.499, 0.5 - 0x1p-54};

START_TEST(all_small_bodies)
{
    static struct dense dense;
    uint64_t state = test_seed();
    for (int code = 0; code < SIDE * SIDE * SIDE; code++)
        for (int draws = 0; draws < 6; draws++) {
            struct elasticity3d body = draw_body(&state, SIDE);
            for (int axis = 0, rest = code; axis < 3; axis++, rest /= SIDE)
                body.n[axis] = 1 + rest % SIDE;
            if (draws % 2)
                body.poisson_ratio = ratios[test_random_below(&state, 8)];
            if (draws == 2)
                body.jump = test_random(&state) < 0.5 ? 1e-100 : 1e100;
            if (draws == 4)
                body.spacing[code % 3] = code % 2 ? 1e-30 : 1e30;
            struct csr A = create(&body);
            fill_dense(&body, &dense);
            expect_dense(&body, &A, &dense);
            csr_free(&A);
        }
}
END_TEST

/* With nu = 0: lambda = 0 and 2 mu = 1, so a corner has (1 + 1/2 + 1/2) / 9 along each axis. A
 * single element has no middle half. */
START_TEST(one_element)
{
    struct elasticity3d body = {.n = {1, 1, 1}, .spacing = {1, 1, 1}, .jump = 7};
    struct csr A = create(&body);
    ck_assert_int_eq(A.n, 12);
    ck_assert_int_eq(A.nnz, 12 * 13 / 2);
    for (int64_t i = 0; i < A.n; i++)
        ck_assert_double_eq_tol(A.values[A.offsets[i]], 2. / 9, DBL_EPSILON);
    csr_free(&A);
}
END_TEST

/* A = LL' in long double. Diagonals 0.1 to 10 times as long, ratios of -0.85 to 0.45 and a jump of
 * 1e-3 to 1e3 leave the condition number of 4^3 nodes far below 1e15. */
START_TEST(a_clamped_body_is_definite)
{
    static long double L[ROWS][ROWS];
    uint64_t state = test_seed();
    for (int trial = 0; trial < 60; trial++) {
        struct elasticity3d body = draw_body(&state, SIDE);
        body.support = ELASTICITY3D_CLAMPED;
        struct csr A = create(&body);
        memset(L, 0, sizeof L);
        for (int64_t i = 0; i < A.n; i++)
            for (int64_t k = A.offsets[i]; k < A.offsets[i + 1]; k++)
                L[A.columns[k]][i] = A.values[k];
        for (int64_t j = 0; j < A.n; j++) {
            for (int64_t m = 0; m < j; m++)
                for (int64_t i = j; i < A.n && L[j][m] != 0; i++)
                    L[i][j] -= L[i][m] * L[j][m];
            ck_assert_msg(L[j][j] > 0, "pivot %d is %Lg", (int)j, L[j][j]);
            long double root = sqrtl(L[j][j]);
            for (int64_t i = j; i < A.n; i++)
                L[i][j] /= root;
        }
        csr_free(&A);
    }
}
END_TEST

/* --- motions ---------------------------------------------------------------------------------- */

/* A v = 0 in all rows of a free body, and in those of nodes that no clamped node shares an element
 * with, for motions v of which
 * the exact A makes 0: an entry is off by 20 roundings of at most sqrt(a_ii a_jj), an element of v
 * by 6 of 1, and a product of 81 entries by 82. */
static void expect_free(const struct elasticity3d *body, const struct csr *A, const double *v)
{
    static double diagonal[MOST];
    const struct elasticity3d_body made = elasticity3d_body(body);
    struct csr full;
    struct error error;
    for (int64_t i = 0; i < A->n; i++)
        diagonal[i] = A->values[A->offsets[i]];
    expect_ok(csr_expand(A, &full, &error), &error);
    for (int64_t i = 0; i < full.n; i++) {
        struct grid_point node = grid_point_of(&made.nodes, i / 3);
        double sum = 0, size = 0;
        for (int64_t k = full.offsets[i]; k < full.offsets[i + 1]; k++) {
            sum += full.values[k] * v[full.columns[k]];
            size += sqrt(diagonal[i] * diagonal[full.columns[k]]);
        }
        if (made.clamped < 0 || node.index[made.clamped] > 0)
            ck_assert_double_le(fabs(sum), 112 * (DBL_EPSILON / 2) * size);
    }
    csr_free(&full);
}

START_TEST(rigid_motions_are_free)
{
    static double v[MOST];
    uint64_t state = test_seed();
    for (int trial = 0; trial < 40; trial++) {
        struct elasticity3d body = draw_body(&state, LARGE);
        struct csr A = create(&body);
        struct near_null near_null = near_null_of_body(&body);
        for (int64_t m = 0; m < near_null.count; m++) {
            for (int64_t i = 0; i < A.n; i++)
                v[i] = near_null.values[i * near_null.count + m];
            expect_free(&body, &A, v);
        }
        near_null_free(&near_null);
        csr_free(&A);
    }
}
END_TEST

/* v = strain x, and whether the node is inside the body. */
static bool strain_at(const struct elasticity3d *body, double strain[3][3], int64_t row, double *v)
{
    const struct elasticity3d_body made = elasticity3d_body(body);
    struct grid_point node = grid_point_of(&made.nodes, row / 3);
    bool inside = true;
    *v = 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t index = node.index[axis];
        *v += strain[row % 3][axis] * body->spacing[axis] * (double)index;
        inside = inside && index > 0 && index + 1 < made.nodes.n[axis];
    }
    return inside;
}

/* The patch test: a constant strain has forces at the boundary alone. Bounds as of rigid motions,
 * with elements of v that are off by 4 roundings of the largest sum of their terms. */
START_TEST(a_constant_strain_has_no_inner_forces)
{
    static double v[MOST], forces[MOST];
    uint64_t state = test_seed();
    for (int trial = 0; trial < 40; trial++) {
        struct elasticity3d body = draw_body(&state, LARGE);
        body.jump = 1;
        struct csr A = create(&body);
        double strain[3][3], largest = 0, diagonal = 0;
        for (int p = 0; p < 9; p++)
            strain[p / 3][p % 3] = 2 * test_random(&state) - 1;
        for (int axis = 0; axis < 3; axis++)
            largest += body.spacing[axis] * (double)body.n[axis];
        for (int64_t i = 0; i < A.n; i++) {
            strain_at(&body, strain, i, &v[i]);
            diagonal = fmax(diagonal, A.values[A.offsets[i]]);
        }
        csr_multiply(&A, v, forces);
        for (int64_t i = 0; i < A.n; i++)
            if (strain_at(&body, strain, i, &v[i]))
                ck_assert_double_le(fabs(forces[i]),
                                    112 * (DBL_EPSILON / 2) * 81 * diagonal * largest);
        csr_free(&A);
    }
}
END_TEST

/* --- rows ------------------------------------------------------------------------------------- */

/* The block of w and v is the transpose of that of v and w, bit for bit. */
START_TEST(both_triangles_are_the_same)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 20; trial++) {
        struct elasticity3d options = draw_body(&state, 5);
        const struct elasticity3d_body body = elasticity3d_body(&options);
        struct csr A = create(&options);
        for (int64_t i = 0; i < A.n; i++)
            for (int place = 0; place <= ELASTICITY3D_OWN_PLACE; place++) {
                struct grid_point node = grid_point_of(&body.nodes, i / 3);
                int step[3];
                double values[3] = {NAN, NAN, NAN};
                if (!elasticity3d_find_node(&body, &node, place, step))
                    continue;
                int64_t other =
                    i / 3 + step[0] + body.nodes.n[0] * (step[1] + body.nodes.n[1] * step[2]);
                elasticity3d_block_row(&body, &node, (int)(i % 3), step, values);
                for (int64_t j = 3 * other; j < 3 * other + 3 && j <= i; j++)
                    ck_assert_mem_eq(&values[j % 3], &A.values[csr_find_entry(&A, j, i)],
                                     sizeof *values);
            }
        csr_free(&A);
    }
}
END_TEST

START_TEST(threads_do_not_matter)
{
    struct elasticity3d body = {{13, 17, 11},        ELASTICITY3D_CUBE, {1, 0.5, 2}, 0.4, 7,
                                ELASTICITY3D_CLAMPED};
    test_threads(1);
    struct csr A = create(&body);
    test_threads(7);
    struct csr B = create(&body);
    ck_assert_int_eq(A.nnz, B.nnz);
    ck_assert_mem_eq(A.offsets, B.offsets, (size_t)(A.n + 1) * sizeof *A.offsets);
    ck_assert_mem_eq(A.columns, B.columns, (size_t)A.nnz * sizeof *A.columns);
    ck_assert_mem_eq(A.values, B.values, (size_t)A.nnz * sizeof *A.values);
    csr_free(&A);
    csr_free(&B);
}
END_TEST

/* --- shapes ----------------------------------------------------------------------------------- */

static void expect_described(struct options *options, const char *wanted)
{
    char *text;
    size_t size;
    struct error error;
    const struct matrix_market_report none = {0};
    expect_ok(options_check(options, &error), &error);
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    problem_describe(options, &none, stream);
    fclose(stream);
    ck_assert_str_eq(text, wanted);
    free(text);
    options_free(options);
}

START_TEST(shapes_are_described)
{
    struct options cube = test_options(COMPONENT_PROBLEM, "elasticity3d", NULL),
                   beam = test_options(COMPONENT_PROBLEM, "elasticity3d", "shape=beam", "n=3",
                                       "poisson_ratio=0.3", NULL),
                   plate = test_options(COMPONENT_PROBLEM, "elasticity3d", "shape=plate", "n=[2]",
                                        "spacing=1, 2, 0.25", "jump=1e3", NULL),
                   box = test_options(COMPONENT_PROBLEM, "elasticity3d", "n=4, 5, 6", NULL),
                   afloat = test_options(COMPONENT_PROBLEM, "elasticity3d", "n=4, 5, 6",
                                         "support=free", NULL);
    expect_described(&cube,
                     "elasticity3d, 8 x 8 x 8 elements, clamped at x = 0, Poisson's ratio 0.25");
    expect_described(&afloat, "elasticity3d, 4 x 5 x 6 elements, free, Poisson's ratio 0.25");
    expect_described(&beam,
                     "elasticity3d, 24 x 3 x 3 elements, clamped at x = 0, Poisson's ratio 0.3");
    expect_described(&plate,
                     "elasticity3d, 16 x 16 x 2 elements, clamped at y = 0, Poisson's ratio 0.25, "
                     "spacing 1, 2, 0.25, jump 1000");
    expect_described(&box,
                     "elasticity3d, 4 x 5 x 6 elements, clamped at z = 0, Poisson's ratio 0.25");
}
END_TEST

START_TEST(a_shape_is_its_sizes)
{
    static const struct {
        enum elasticity3d_shape shape;
        int64_t n[3];
    } shapes[] = {{ELASTICITY3D_CUBE, {2, 2, 2}},
                  {ELASTICITY3D_BEAM, {16, 2, 2}},
                  {ELASTICITY3D_PLATE, {16, 16, 2}}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct elasticity3d given = {{2, 0, 0}, shapes[k].shape,     {1, 1, 1}, 0.25,
                                     3,         ELASTICITY3D_CLAMPED},
                            box = given;
        box.shape = ELASTICITY3D_CUBE;
        memcpy(box.n, shapes[k].n, sizeof box.n);
        struct csr A = create(&given), B = create(&box);
        ck_assert_uint_eq(csr_hash(&A), csr_hash(&B));
        csr_free(&A);
        csr_free(&B);
    }
}
END_TEST

/* --- what is refused -------------------------------------------------------------------------- */

static void expect_refused(struct elasticity3d body, const char *text, const char *value)
{
    struct error error = {""};
    struct csr A;
    expect_error(make(&body, &A, &error), STATUS_CONFIG, &error, text, value, NULL);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(sizes_are_checked)
{
    static const struct {
        int64_t n[3], rows; /* -1: they are too many; 0: n is refused before */
        const char *text;
    } sizes[] = {{{1, 1, 1}, 12, ""},
                 {{5, 0, 0}, 3 * 5 * 6 * 6, ""},
                 {{INT32_MAX, 1, 1}, 12 * INT64_C(2147483647), "25769803764 rows"},
                 {{8192, 8192, 5459}, 3 * INT64_C(8192) * 8193 * 5460, "in one memory"},
                 {{8192, 8192, 5460}, -1, "[8192, 8192, 5460]"},
                 {{INT32_MAX, INT32_MAX, INT32_MAX}, -1, "pass 1099511627776"},
                 {{INT32_MAX, 0, 0}, -1, "pass 1099511627776"},
                 {{0, 4, 4}, 0, "not 0"},
                 {{0, 0, 0}, 0, "not 0"},
                 {{4, 0, 4}, 0, "not 0"},
                 {{4, 4, 0}, 0, "one number is wanted, or one for each axis"},
                 {{4, -4, -4}, 0, "not -4"},
                 {{4, 4, INT64_C(1) << 31}, 0, "not 2147483648"}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct elasticity3d body = {.spacing = {1, 1, 1}, .jump = 1};
        memcpy(body.n, sizes[k].n, sizeof body.n);
        if (sizes[k].rows)
            ck_assert_int_eq(problem_elasticity3d.rows(&body), sizes[k].rows);
        if (sizes[k].text[0])
            expect_refused(body, sizes[k].rows > 0 ? "in one memory" : "problem.n", sizes[k].text);
    }
    for (int shape = ELASTICITY3D_BEAM; shape <= ELASTICITY3D_PLATE; shape++)
        expect_refused(
            (struct elasticity3d){{4, 4, 4}, shape, {1, 1, 1}, 0.25, 1, ELASTICITY3D_CLAMPED},
            "problem.shape", "a beam or a plate is made of one number, problem.n");
}
END_TEST

START_TEST(numbers_are_checked)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0, -1};
    static const char *const shown[] = {"nan", "inf", "-inf", "not 0", "not -1"};
    static const struct elasticity3d good = {{2, 2, 2}, ELASTICITY3D_CUBE,   {1, 1, 1}, 0.25,
                                             1,         ELASTICITY3D_CLAMPED};
    for (int k = 0; k < 5; k++) {
        struct elasticity3d body = good;
        body.jump = bad[k];
        expect_refused(body, "problem.jump", shown[k]);
        for (int axis = 0; axis < 3; axis++) {
            body = good;
            body.spacing[axis] = bad[k];
            expect_refused(body, "problem.spacing", shown[k]);
        }
        body = good;
        body.poisson_ratio = bad[k] == 0 ? 0.5 : bad[k];
        expect_refused(body, "problem.poisson_ratio",
                       bad[k] == 0 ? "(-1, 0.5), not 0.5" : shown[k]);
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct csr A;
    struct near_null near_null;
    enum status status = make(context, &A, error);
    if (status)
        return status;
    status = problem_elasticity3d.near_null(context, &near_null, error);
    ck_assert(!status == (near_null.values != NULL));
    near_null_free(&near_null);
    csr_free(&A);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct elasticity3d body = {{3, 4, 5}, ELASTICITY3D_CUBE,   {1, 1, 1}, 0.25,
                                2,         ELASTICITY3D_CLAMPED};
    walk_allocation_failures(attempt, &body);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {all_small_bodies,
                            one_element,
                            a_clamped_body_is_definite,
                            rigid_motions_are_free,
                            a_constant_strain_has_no_inner_forces,
                            both_triangles_are_the_same,
                            threads_do_not_matter,
                            shapes_are_described,
                            a_shape_is_its_sizes,
                            sizes_are_checked,
                            numbers_are_checked,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("problem/elasticity3d", tests);
}
