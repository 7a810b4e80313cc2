#include "problem/lattice4d.h"

#include "problem/problem.h"

#include <inttypes.h>
#include <stdbool.h>

enum { SPINS = 4, COLOURS = 3, UNKNOWNS = SPINS * COLOURS, AXES = 4, TIME = 3 };

int64_t lattice4d_rows(const int64_t n[4])
{
    int64_t rows = UNKNOWNS;
    for (int axis = 0; axis < AXES; axis++) {
        if (n[axis] < (axis == TIME ? 2 : 3) || n[axis] > INT32_MAX / rows)
            return -1;
        rows *= n[axis];
    }
    return n[TIME] % 2 == 0 ? rows : -1;
}

struct pattern_of_lattice {
    const struct lattice4d *lattice;
    bool symmetric;
};

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
    const struct pattern_of_lattice *pattern = generator;
    struct neighbour neighbours[NEIGHBOURS];
    int64_t length = 0, site = row / UNKNOWNS;
    find_neighbours(pattern->lattice->n, site, (int)(row % UNKNOWNS / COLOURS), neighbours);
    for (int k = 0; k < NEIGHBOURS; k++)
        for (int unknown = 0; unknown < UNKNOWNS; unknown++) {
            int64_t column = neighbours[k].site * UNKNOWNS + unknown;
            if (!(neighbours[k].spins >> unknown / COLOURS & 1) ||
                (pattern->symmetric && column < row))
                continue;
            if (columns)
                columns[length] = (int32_t)column;
            length++;
        }
    return length;
}

struct lattice4d_pattern {
    struct lattice4d lattice;
    struct pattern_options pattern;
};

enum status lattice4d_create(const struct lattice4d *lattice, const struct pattern_options *options,
                             struct csr *A, struct error *error)
{
    const struct lattice4d_pattern made = {*lattice, *options};
    enum status status = problem_check(&problem_lattice4d, &made, error);
    if (status)
        return status;
    const struct pattern_of_lattice pattern = {lattice, options->kind == PATTERN_SYMMETRIC};
    return pattern_create(options, lattice4d_rows(lattice->n), fill_row, &pattern, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return lattice4d_rows(((const struct lattice4d_pattern *)options)->lattice.n);
}

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) < 0
               ? "the first three must be at least 3, the last one even, and twelve times their "
                 "product at most 2147483647"
               : pattern_check(&((const struct lattice4d_pattern *)options)->pattern, parameter);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct lattice4d_pattern *made = options;
    return lattice4d_create(&made->lattice, &made->pattern, A, error);
}

static void describe(const void *options, FILE *stream)
{
    const struct lattice4d_pattern *made = options;
    const int64_t *n = made->lattice.n;
    fprintf(stream, "lattice4d, %" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64 " sites", n[0],
            n[1], n[2], n[3]);
    pattern_describe(&made->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "sites along x, y, z and t, of twelve rows each", NULL,
     TAKES_INTEGER(struct lattice4d_pattern, lattice.n, 2, INT32_MAX), .count = 4,
     .one_for_all = true},
    PARAMETERS_OF(struct lattice4d_pattern, pattern, pattern_parameters),
    {0}};

const struct problem problem_lattice4d = {{COMPONENT_PROBLEM, "lattice4d",
                                           "sparsity pattern of lattice QCD: 4D, 12 rows a site",
                                           parameters, sizeof(struct lattice4d_pattern), complain},
                                          .rows = rows,
                                          .make = make,
                                          .describe = describe};
