/* The pattern of a quark propagator (Wilson 1974) on a periodic lattice of nx x ny x nz x nt sites,
 * with four spins and three colours each: site (x, y, z, t), spin s and colour c are row
 *
 *     12 (x + nx (y + ny (z + nz t))) + 3 s + c.
 *
 * Each row has 39 neighbours: in each of the six directions of space all colours of two spins of
 * the next site, s and its partner, 3 - s along x and y and s xor 2 along z; and in time all
 * colours of spin s of one site. That is the hopping matrix in the Dirac basis, where 1 -+ gamma_t
 * has a single entry in every other row, and so has conf5_4-8x8-05 of the SuiteSparse collection
 * (8^4 sites, 49,152 rows) exactly 39 a row.
 *
 * The one site in time is t + 1 or t - 1 such that the pattern is symmetric (that of the hopping
 * matrix is not): t + 1 where t is even and s < 2, or t is odd and s >= 2. kind = general: the 39
 * alone. kind = symmetric: with the diagonal, 40, as I - kappa D that is solved with has. */
#include "problem/generators.h"

#include <inttypes.h>
#include <stdbool.h>

enum { SPINS = 4, COLOURS = 3, UNKNOWNS = SPINS * COLOURS, AXES = 4, TIME = 3 };

static int64_t rows(const void *options)
{
    const int64_t *n = ((const struct lattice4d *)options)->n;
    int64_t count = UNKNOWNS;
    for (int axis = 0; axis < AXES; axis++) {
        if (n[axis] < (axis == TIME ? 2 : 3) || n[axis] > INT32_MAX / count)
            return -1;
        count *= n[axis];
    }
    return n[TIME] % 2 == 0 ? count : -1;
}

/* A site, and the spins of it that a row is joined to, as bits. */
struct neighbour {
    int64_t site;
    unsigned spins;
};

enum { NEIGHBOURS = 2 * TIME + 1 };

static void insert(struct neighbour neighbour, int count, struct neighbour *sorted)
{
    int place = count;
    for (; place > 0 && sorted[place - 1].site > neighbour.site; place--)
        sorted[place] = sorted[place - 1];
    sorted[place] = neighbour;
}

/* The sites that spin `spin` of a site is joined to, in ascending order. */
static void find_neighbours(const int64_t n[4], int64_t site, int spin, struct neighbour *sorted)
{
    const int partner[TIME] = {3 - spin, 3 - spin, spin ^ 2};
    int64_t stride = 1, rest = site;
    int count = 0;
    for (int axis = 0; axis < AXES; axis++) {
        int64_t at = rest % n[axis];
        int64_t up = site + ((at + 1) % n[axis] - at) * stride;
        int64_t down = site + ((at + n[axis] - 1) % n[axis] - at) * stride;
        if (axis == TIME) {
            bool goes_up = (at % 2 == 0) == (spin < 2);
            insert((struct neighbour){goes_up ? up : down, 1u << spin}, count++, sorted);
        } else {
            unsigned spins = 1u << spin | 1u << partner[axis];
            insert((struct neighbour){down, spins}, count++, sorted);
            insert((struct neighbour){up, spins}, count++, sorted);
        }
        rest /= n[axis];
        stride *= n[axis];
    }
}

static int64_t fill_row(const void *generator, int64_t row, int32_t *columns)
{
    const struct lattice4d *lattice = generator;
    bool symmetric = lattice->pattern.kind == PATTERN_SYMMETRIC;
    struct neighbour neighbours[NEIGHBOURS];
    int64_t length = 0, site = row / UNKNOWNS;
    find_neighbours(lattice->n, site, (int)(row % UNKNOWNS / COLOURS), neighbours);
    for (int k = 0; k < NEIGHBOURS; k++)
        for (int unknown = 0; unknown < UNKNOWNS; unknown++) {
            int64_t column = neighbours[k].site * UNKNOWNS + unknown;
            if (!(neighbours[k].spins >> unknown / COLOURS & 1) || (symmetric && column < row))
                continue;
            if (columns)
                columns[length] = (int32_t)column;
            length++;
        }
    return length;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct lattice4d *lattice = options;
    return pattern_create(&lattice->pattern, rows(lattice), fill_row, lattice, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) < 0
               ? "the first three must be at least 3, the last one even, and twelve times their "
                 "product at most 2147483647"
               : pattern_check(&((const struct lattice4d *)options)->pattern, parameter);
}

static void describe(const void *options, FILE *stream)
{
    const struct lattice4d *lattice = options;
    const int64_t *n = lattice->n;
    fprintf(stream, "lattice4d, %" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64 " sites", n[0],
            n[1], n[2], n[3]);
    pattern_describe(&lattice->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "sites along x, y, z and t, of twelve rows each", NULL,
     TAKES_INTEGER(struct lattice4d, n, 2, INT32_MAX), .count = 4, .one_for_all = true},
    PARAMETERS_OF(struct lattice4d, pattern, pattern_parameters),
    {0}};

const struct problem problem_lattice4d = {{COMPONENT_PROBLEM, "lattice4d",
                                           "sparsity pattern of lattice QCD: 4D, 12 rows a site",
                                           parameters, sizeof(struct lattice4d), complain},
                                          .rows = rows,
                                          .make = make,
                                          .describe = describe};
