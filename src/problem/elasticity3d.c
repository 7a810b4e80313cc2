/* A linearly elastic body that is clamped at one end, or free: trilinear finite elements (Q1) on
 * a box of nx x ny x nz bricks with the edges h_x, h_y, h_z (`spacing`). Young's modulus E is
 * `jump` in the bricks in the middle half of each axis (n_a <= 4 i_a < 3 n_a), 1 elsewhere.
 * Poisson's ratio nu is `poisson_ratio` everywhere.
 *
 * The body is a cantilever: it is clamped where its longest axis begins, by n_a h_a (of equally
 * long ones x before y before z). The nodes of that side are left out. The free nodes, m_a = n_a
 * of them along the clamped axis and n_a + 1 along the others, are numbered line by line, along
 * x first. Of a free body no node is left out. Node (i, j, k) has the number v = i + m_x (j +
 * m_y k). Its displacement along axis p, 0 <= p < 3, is row 3 v + p.
 *
 *     A_(v p)(w q) = sum of E_e K_pq(v, w)  over the bricks e that have the nodes v and w,
 *
 *     K_pq(v, w) = lambda G_pq + mu G_qp + [p = q] mu (G_xx + G_yy + G_zz),
 *     G_pq = integral of  d_p N_v  d_q N_w  over the brick,
 *     lambda = nu / ((1 + nu) (1 - 2 nu)),  mu = 1 / (2 (1 + nu))
 *
 * (Zienkiewicz, Taylor and Zhu, The Finite Element Method: Its Basis and Fundamentals, 6th ed.
 * 2005, chapters 4 to 6). 2 x 2 x 2 points of Gauss are exact for these integrals, which are
 * written out here. With s_a(v) = 1 where v is the upper corner along axis a, -1 where it is the
 * lower one, {p, q, r} = {x, y, z}, and M_a = 1/3 where v and w are equal along axis a, 1/6 where
 * they differ:
 *
 *     G_pp = s_p(v) s_p(w) h_q h_r / h_p  M_q M_r       G_pq = s_p(v) s_q(w) h_r / 4  M_r
 *
 *     K_pp = (lambda + 2 mu) G_pp + mu (G_qq + G_rr)
 *     K_pq = s_p(v) s_q(w) h_r / 4 M_r  (lambda + mu t),  t = s_p(v) s_p(w) s_q(v) s_q(w)
 *
 * Order of operations, which makes the bits the same on every machine: with
 * d = (1 + nu) (1 - 2 nu), q = p + 1 and r = p + 2 modulo 3 in K_pp, and w = 36 M_q M_r,
 *
 *     mu = 0.5 / (1 + nu)            lambda + mu = 0.5 / d
 *     lambda + 2 mu = (1 - nu) / d   lambda - mu = (2 nu - 0.5) / d
 *     |G_pp| = h_q h_r / h_p (w / 36)
 *     K_pp = (lambda + 2 mu) G_pp + mu (G_qq + G_rr)
 *     |K_pq| = (lambda + mu t) (h_r / 12), or (h_r / 24) where M_r = 1/6
 *
 * from left to right. A value of A begins as 0 and takes the products E_e K_pq one after the other,
 * in ascending order of the bricks e_x + nx (e_y + ny e_z).
 *
 * All 9 values of a block of two nodes are stored, on the diagonal the upper half. Some are 0, as
 * those of lambda - mu where nu = 1/4.
 *
 * A is positive definite, of a free body semidefinite with the rigid motions for its null
 * vectors. A value has at most 20 roundings of something below sqrt(a_ii a_jj), and a row has
 * 81: they change A by less than 2e-13 of its largest entry, in the norm. The stored matrix can
 * therefore lose definiteness where the smallest eigenvalue is that much smaller: with nu within
 * some 1e-10 of its bounds, or a jump beyond 1e10.
 *
 * In the rows of nodes that share no element with a clamped node, A times a rigid motion of the
 * body is 0: the rigid motions are its near-null space. */
#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "problem/elasticity3d_row.h"

#include <inttypes.h>

/* ---- rows ------------------------------------------------------------------------------------ */

static int64_t rows(const void *options)
{
    struct elasticity3d_body body = elasticity3d_body(options);
    int64_t nodes = grid_rows_made(body.nodes.n);
    return nodes < 0 || nodes > GRID_ROWS_MADE_MOST / 3 ? -1 : 3 * nodes;
}

static int64_t entries(const void *options)
{
    struct elasticity3d_body body = elasticity3d_body(options);
    return elasticity3d_entries_before(&body, rows(options));
}

/* From the first unknown of a node to the last one of the farthest node of a brick. */
static int64_t reach(const void *options)
{
    struct elasticity3d_body body = elasticity3d_body(options);
    const int64_t *nodes = body.nodes.n;
    int64_t farthest =
        (nodes[0] > 1) + nodes[0] * ((nodes[1] > 1) + nodes[1] * (int64_t)(nodes[2] > 1));
    return 3 * farthest + 2;
}

static void make_rows(const void *options, int64_t first, int64_t base, const struct csr *rows)
{
    struct elasticity3d_body body = elasticity3d_body(options);
    for (int64_t r = 0; r <= rows->n; r++)
        elasticity3d_row(&body, first, base, rows, r);
}

static const struct csr_maker maker = {
    .entries = entries, .reach = reach, .rows = make_rows, .rows_on_device = "elasticity3d_cuda"};

static enum status near_null(const void *options, struct near_null *near_null, struct error *error)
{
    const struct elasticity3d *elasticity = options;
    struct elasticity3d_body body = elasticity3d_body(options);
    int64_t nodes = grid_rows_made(body.nodes.n);
    double *coordinates =
        memory_array(nodes, 3 * sizeof *coordinates, "the coordinates of the nodes", error);
    *near_null = (struct near_null){0};
    if (!coordinates)
        return STATUS_MEMORY;
    for (int64_t v = 0; v < nodes; v++) {
        struct grid_point node = grid_point_of(&body.nodes, v);
        for (int axis = 0; axis < 3; axis++)
            coordinates[3 * v + axis] =
                (double)(node.index[axis] + (axis == body.clamped)) * elasticity->spacing[axis];
    }
    enum status status = near_null_rigid_body(nodes, 3, coordinates, near_null, error);
    memory_free(coordinates);
    return status;
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *const shapes[] = {[ELASTICITY3D_CUBE] = "cube",
                                     [ELASTICITY3D_BEAM] = "beam",
                                     [ELASTICITY3D_PLATE] = "plate",
                                     NULL};

static const char *const supports[] = {
    [ELASTICITY3D_CLAMPED] = "clamped", [ELASTICITY3D_FREE] = "free", NULL};

static bool is_free(const void *options)
{
    return ((const struct elasticity3d *)options)->support == ELASTICITY3D_FREE;
}

static const char *complain(const void *options, const char **parameter)
{
    const struct elasticity3d *elasticity = options;
    const int64_t *n = elasticity->n;
    *parameter = "n";
    if (n[1] != 0 && n[2] == 0)
        return "one number is wanted, or one for each axis";
    if (rows(options) < 0)
        return "the rows of the matrix pass 1099511627776";
    *parameter = "shape";
    return n[2] != 0 && elasticity->shape != ELASTICITY3D_CUBE
               ? "a beam or a plate is made of one number, problem.n"
               : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct elasticity3d *elasticity = options;
    const double *h = elasticity->spacing;
    struct elasticity3d_body body = elasticity3d_body(options);
    fprintf(stream, "elasticity3d, %" PRId64 " x %" PRId64 " x %" PRId64 " elements, ", body.n[0],
            body.n[1], body.n[2]);
    if (is_free(options))
        fprintf(stream, "free");
    else
        fprintf(stream, "clamped at %c = 0", "xyz"[body.clamped]);
    fprintf(stream, ", Poisson's ratio %g", elasticity->poisson_ratio);
    if (h[0] != 1 || h[1] != 1 || h[2] != 1)
        fprintf(stream, ", spacing %g, %g, %g", h[0], h[1], h[2]);
    if (elasticity->jump != 1)
        fprintf(stream, ", jump %g", elasticity->jump);
}

/* Spacing and jump are bounded so that no product of them overflows. */
static const struct parameter parameters[] = {
    {"n",
     "elements along x, y and z; one number: along the short edges of the shape, whose long ones "
     "have 8 times as many",
     "8", TAKES_INTEGER(struct elasticity3d, n, 1, INT32_MAX), .count = 3, .fewer = true},
    {"shape",
     "of n = one number: n x n x n; 8 n x n x n; 8 n x 8 n x n. The body is clamped where its "
     "longest axis begins",
     "cube", TAKES_CHOICE(struct elasticity3d, shape, shapes)},
    {"spacing", "the edges of an element along x, y and z", "1",
     TAKES_REAL(struct elasticity3d, spacing, 1e-30, 1e30), .count = 3, .one_for_all = true},
    {"poisson_ratio", "Poisson's ratio: near 0.5 the body is nearly incompressible", "0.25",
     TAKES_REAL(struct elasticity3d, poisson_ratio, -1, 0.5), .above = true, .below = true},
    {"jump", "Young's modulus in the block in the middle of the body; it is 1 elsewhere", "1",
     TAKES_REAL(struct elasticity3d, jump, 1e-100, 1e100)},
    {"support",
     "what holds the body: one end is clamped; or nothing, and then the matrix is singular",
     "clamped", TAKES_CHOICE(struct elasticity3d, support, supports)},
    {0}};

const struct problem problem_elasticity3d = {
    {COMPONENT_PROBLEM, "elasticity3d", "an elastic body, clamped at one end or free, blocks of 3",
     parameters, sizeof(struct elasticity3d), complain},
    .rows = rows,
    .maker = &maker,
    .near_null = near_null,
    .is_free = is_free,
    .describe = describe};
