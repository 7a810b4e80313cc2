/* The block matrices of all small meshes, entry by entry, against dense ones that are built pair of
 * nodes by pair of nodes in long double. */
#include "csr_check.h"
#include "made.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K = FE_MESH_UNKNOWNS_MAX, ROWS = 27 * K /* of the largest mesh that is built densely */ };

static struct csr create(const struct fe_mesh *mesh)
{
    struct error error;
    struct csr A;
    expect_ok(fe_mesh_create(mesh, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_int_eq(A.n, problem_fe_cube.rows(mesh));
    return A;
}

/* splitmix64 as it was published, with a state that moves on. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The k x k matrices of one edge, and W made of absolute values: what rounding is relative to. */
struct edge {
    long double P[K][K], Q[K][K], W[K][K], size[K][K];
};

static void draw_matrix(int k, uint64_t *state, long double scale, long double diagonal,
                        long double X[K][K])
{
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++)
            X[p][q] =
                scale * ((long double)(next(state) >> 11) / 0x1p52L - 1) + diagonal * (p == q);
}

static void draw_edge(const struct fe_mesh *mesh, int64_t a, int code, struct edge *edge)
{
    int k = (int)mesh->unknowns;
    long double L[K][K];
    uint64_t streams = (uint64_t)mesh->seed, state = 0;
    for (int64_t index = 0; index <= 8 * a + code; index++)
        state = next(&streams);
    draw_matrix(k, &state, 0x1p-12L, 1, edge->P);
    draw_matrix(k, &state, 0x1p-12L, 1, edge->Q);
    draw_matrix(k, &state, 1, 0, L);
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++) {
            edge->W[p][q] = edge->size[p][q] = p == q ? 0.5L : 0;
            for (int m = 0; m < k; m++) {
                edge->W[p][q] += 1.5L / k * L[m][p] * L[m][q];
                edge->size[p][q] += 1.5L / k * fabsl(L[m][p] * L[m][q]);
            }
        }
}

/* A dense matrix, and what the rounding of each of its entries is relative to. */
struct dense {
    long double values[ROWS][ROWS], sizes[ROWS][ROWS];
};

/* Add sign X'WY to the block of the nodes a and b. */
static void add_product(const struct fe_mesh *mesh, struct edge *edge, long double sign,
                        long double X[K][K], long double Y[K][K], int64_t a, int64_t b,
                        struct dense *dense)
{
    int k = (int)mesh->unknowns;
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++)
            for (int m = 0; m < k; m++)
                for (int l = 0; l < k; l++) {
                    dense->values[a * k + p][b * k + q] += sign * X[m][p] * edge->W[m][l] * Y[l][q];
                    dense->sizes[a * k + p][b * k + q] +=
                        fabsl(X[m][p]) * edge->size[m][l] * fabsl(Y[l][q]);
                }
}

static int64_t layers(const struct fe_mesh *mesh)
{
    return mesh->n[2] == 0 ? 1 : mesh->n[2];
}

static void node_of(const struct fe_mesh *mesh, int64_t number, int64_t node[3])
{
    node[0] = node[1] = 0;
    for (node[2] = 0; node[2] < layers(mesh); node[2]++)
        for (node[1] = 0; node[1] < mesh->n[1]; node[1]++)
            for (node[0] = 0; node[0] < mesh->n[0]; node[0]++)
                if (number-- == 0)
                    return;
}

static int64_t number_of(const struct fe_mesh *mesh, const int64_t node[3])
{
    return node[0] + mesh->n[0] * (node[1] + mesh->n[1] * node[2]);
}

static uint64_t rank_of(const struct fe_mesh *mesh, int64_t number)
{
    uint64_t state = (uint64_t)mesh->seed, rank = 0;
    for (int64_t index = 0; index <= 8 * number; index++)
        rank = next(&state);
    return rank;
}

/* The first of the corners between two opposite ones. */
static int64_t first_corner(const struct fe_mesh *mesh, const int64_t low[3], const int64_t high[3])
{
    int64_t first = number_of(mesh, low), at[3];
    if (mesh->diagonals == FE_MESH_REGULAR)
        return first;
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
                if (rank_of(mesh, number_of(mesh, at)) < rank_of(mesh, first))
                    first = number_of(mesh, at);
    return first;
}

/* What the edge between a and b > a is the diagonal of: its lowest corner, and the code of its
 * direction; 0 when there is none. */
static int edge_code(const struct fe_mesh *mesh, int64_t a, int64_t b, int64_t *lowest)
{
    int64_t from[3], to[3], low[3], high[3];
    int code = 0;
    node_of(mesh, a, from);
    node_of(mesh, b, to);
    for (int axis = 2; axis >= 0; axis--) {
        if (llabs(to[axis] - from[axis]) > 1)
            return 0;
        low[axis] = from[axis] < to[axis] ? from[axis] : to[axis];
        high[axis] = from[axis] > to[axis] ? from[axis] : to[axis];
        code = 2 * code + (int)(high[axis] - low[axis]);
    }
    *lowest = number_of(mesh, low);
    int64_t first = first_corner(mesh, low, high);
    return first == a || first == b ? code : 0;
}

/* By the text of problem/fe_mesh.c: every pair of nodes is looked at. Returns the edges. */
static int64_t fill_dense(const struct fe_mesh *mesh, struct dense *dense)
{
    int64_t nodes = problem_fe_cube.rows(mesh) / mesh->unknowns, edges = 0;
    memset(dense, 0, sizeof *dense);
    for (int64_t row = 0; row < problem_fe_cube.rows(mesh); row++)
        dense->values[row][row] = dense->sizes[row][row] = mesh->shift;
    for (int64_t a = 0; a < nodes; a++)
        for (int64_t b = a + 1; b < nodes; b++) {
            struct edge edge;
            int64_t lowest;
            int code = edge_code(mesh, a, b, &lowest);
            if (code == 0)
                continue;
            draw_edge(mesh, lowest, code, &edge);
            add_product(mesh, &edge, 1, edge.P, edge.P, a, a, dense);
            add_product(mesh, &edge, -1, edge.P, edge.Q, a, b, dense);
            add_product(mesh, &edge, 1, edge.Q, edge.Q, b, b, dense);
            edges++;
        }
    return edges;
}

/* Every entry of a block is stored, right of the diagonal. Roundings on the way to a value: k in
 * each of the chains of L'L, WX and X'WX, 1 in each P or Q, 3 in the rest of W, and one for each of
 * at most 26 edges and the shift. */
static void expect_dense(const struct fe_mesh *mesh, const struct csr *A, const struct dense *dense)
{
    int64_t k = mesh->unknowns, lowest;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t place = A->offsets[i];
        for (int64_t j = i; j < A->n; j++) {
            if (i / k != j / k && edge_code(mesh, i / k, j / k, &lowest) == 0)
                continue;
            ck_assert_msg(place < A->offsets[i + 1] && A->columns[place] == j,
                          "%d x %d x %d, %d unknowns: row %d lacks column %d", (int)mesh->n[0],
                          (int)mesh->n[1], (int)mesh->n[2], (int)k, (int)i, (int)j);
            long double off = fabsl(A->values[place] - dense->values[i][j]);
            ck_assert_msg(off <= (3 * k + 36) * (DBL_EPSILON / 2) * dense->sizes[i][j],
                          "row %d column %d: %.17g instead of %.17Lg", (int)i, (int)j,
                          A->values[place], dense->values[i][j]);
            place++;
        }
        ck_assert_int_eq(place, A->offsets[i + 1]);
    }
}

/* Sheets (nz = 0) and boxes of up to 3 nodes an axis, numbered. */
static struct fe_mesh small_mesh(int number, int64_t unknowns)
{
    return (struct fe_mesh){.n = {1 + number % 3, 1 + number / 3 % 3, number / 9},
                            .unknowns = unknowns,
                            .shift = 0.125,
                            .seed = 1 + number};
}

enum { SMALL_MESHES = 36 };

static void check_small_meshes(enum fe_mesh_diagonals diagonals, int64_t most)
{
    static struct dense dense;
    for (int number = 0; number < SMALL_MESHES; number++)
        for (int64_t k = 1; k <= most; k++) {
            struct fe_mesh mesh = small_mesh(number, k);
            mesh.diagonals = diagonals;
            struct csr A = create(&mesh);
            int64_t edges = fill_dense(&mesh, &dense);
            ck_assert_int_eq(csr_nnz_full(&A), k * k * (A.n / k + 2 * edges));
            expect_dense(&mesh, &A, &dense);
            csr_free(&A);
        }
}

START_TEST(all_small_meshes)
{
    check_small_meshes(FE_MESH_REGULAR, K);
    check_small_meshes(FE_MESH_RANDOM_DIAGONALS, 3);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {all_small_meshes, NULL};
    return suite_of("problem/fe_mesh_dense", tests);
}
