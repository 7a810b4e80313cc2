/* The 7-point finite-volume discretisation of -div(kappa grad u) on a box of nx x ny x nz cells
 * with homogeneous boundaries of Dirichlet or of Neumann, h = 1 (the matrix omits the spacing).
 *
 * Unknown (i, j, k), 0 <= i < nx, ..., is row  i + nx (j + ny k).  Along each axis a, with its
 * weight w_a, neighbouring cells c and d are coupled by
 *
 *     A[c][d] = -w_a kappa_cd,    kappa_cd = 2 kappa_c kappa_d / (kappa_c + kappa_d)
 *
 * (the harmonic mean; Patankar 1980, section 4.2-3), a boundary face by w_a kappa_c, of Neumann by
 * 0, and A[c][c] is the sum of its six face coefficients: 6 and -1 when all weights and kappa are
 * 1. Of Neumann every row sums to 0: A is singular, with the constant for a null vector. kappa =
 * jump in the block of cells whose three indices satisfy n_a <= 4 i_a < 3 n_a (the middle half of
 * each axis), 1 elsewhere. `shift` is added to the diagonal: a negative one makes A indefinite. An
 * axis of weight 0 has no entries. Only + - * / are used, so every machine makes the same bits. */
#include "problem/poisson3d_row.h"

#include <inttypes.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

static int64_t entries(const void *options)
{
    struct grid grid = poisson3d_grid(options);
    return grid_entries_before(&grid, grid_rows_made(grid.n));
}

static int64_t reach(const void *options)
{
    struct grid grid = poisson3d_grid(options);
    return grid_reach(&grid);
}

static void make_rows(const void *options, int64_t first, int64_t base, const struct csr *rows)
{
    struct grid grid = poisson3d_grid(options);
    for (int64_t r = 0; r <= rows->n; r++)
        poisson3d_row(options, &grid, first, base, rows, r);
}

/* Of numbers whose products and quotients are far from the ends of the range. */
static bool connected(const void *options)
{
    const double least = 1e-50, most = 1e50;
    const struct poisson3d *p = options;
    for (int a = 0; a < 3; a++)
        if (p->n[a] > 1 && !(p->weights[a] >= least && p->weights[a] <= most))
            return false;
    return p->jump >= least && p->jump <= most;
}

static void sizes(const void *options, int64_t n[3])
{
    memcpy(n, ((const struct poisson3d *)options)->n, 3 * sizeof *n);
}

/* A row follows from the neighbours that its cell has, and from which of these and itself lie in
 * the middle half of each axis. */
static int kind(const void *options, int axis, int64_t place)
{
    const struct poisson3d *poisson = options;
    int64_t n = poisson->n[axis];
    int kind = (place > 0) | (place + 1 < n) << 1;
    for (int step = -1; step <= 1 && poisson->jump != 1; step++)
        kind |= grid_in_middle_of_axis(n, place + step) << (3 + step);
    return kind;
}

static const struct csr_kinds kinds = {sizes, kind};

static const struct csr_maker maker = {.entries = entries,
                                       .reach = reach,
                                       .rows = make_rows,
                                       .rows_on_device = "poisson3d_cuda",
                                       .connected = connected,
                                       .kinds = &kinds};

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return grid_rows_made(((const struct poisson3d *)options)->n);
}

static const char *complain(const void *options, const char **parameter)
{
    const struct poisson3d *poisson = options;
    const double *weights = poisson->weights;
    *parameter = "n";
    if (rows(options) < 0)
        return "the product of the sizes passes 1099511627776 rows";
    *parameter = "anisotropy";
    return weights[0] == 0 && weights[1] == 0 && weights[2] == 0 ? "not every weight can be 0"
                                                                 : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct poisson3d *p = options;
    fprintf(stream, "poisson3d, %" PRId64 " x %" PRId64 " x %" PRId64, p->n[0], p->n[1], p->n[2]);
    if (p->weights[0] != 1 || p->weights[1] != 1 || p->weights[2] != 1)
        fprintf(stream, ", weights %g, %g, %g", p->weights[0], p->weights[1], p->weights[2]);
    if (p->jump != 1)
        fprintf(stream, ", jump %g", p->jump);
    if (p->boundary == POISSON3D_NEUMANN)
        fprintf(stream, ", Neumann");
}

static const char *const boundaries[] = {
    [POISSON3D_DIRICHLET] = "dirichlet", [POISSON3D_NEUMANN] = "neumann", NULL};

/* A weight and a jump are at most 1e100, so that no product of two overflows. */
static const struct parameter parameters[] = {
    {"n", "cells along x, y and z", NULL, TAKES_INTEGER(struct poisson3d, n, 1, INT32_MAX),
     .count = 3, .one_for_all = true},
    {"anisotropy", "weights of the three axes, not all 0", "1",
     TAKES_REAL(struct poisson3d, weights, 0, 1e100), .count = 3},
    {"jump", "the coefficient in the block in the middle of the box; it is 1 elsewhere", "1",
     TAKES_REAL(struct poisson3d, jump, 1e-100, 1e100)},
    {"shift", "what is added to the diagonal: a negative one makes the matrix indefinite", "0",
     TAKES_REAL(struct poisson3d, shift, -1e100, 1e100)},
    {"boundary",
     "what is given there: the value 0; or the slope 0, and then the matrix is singular",
     "dirichlet", TAKES_CHOICE(struct poisson3d, boundary, boundaries)},
    {0}};

const struct problem problem_poisson3d = {{COMPONENT_PROBLEM, "poisson3d",
                                           "Poisson's equation on a box", parameters,
                                           sizeof(struct poisson3d), complain},
                                          .rows = rows,
                                          .maker = &maker,
                                          .describe = describe};
