/* Matrices with the structure of well-known ones, by name: for each class of the set of Williams,
 * Oliker, Vuduc, Shalf, Yelick and Demmel (SC 2007; Bell and Garland 2009 use it too), one of the
 * generators beside this file with sizes and shares that give about the number of rows, the entries
 * a row, their standard deviation and the longest row of the original; and for structures that are
 * hard for a product. docs/test-matrices.md has the table, stand_in.c the settings. */
#include "problem/generators.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *const stand_in_names[] = {
    [STAND_IN_PROTEIN] = "protein",
    [STAND_IN_SPHERES] = "spheres",
    [STAND_IN_CANTILEVER] = "cantilever",
    [STAND_IN_WIND_TUNNEL] = "wind_tunnel",
    [STAND_IN_HARBOR] = "harbor",
    [STAND_IN_QCD] = "qcd",
    [STAND_IN_SHIP] = "ship",
    [STAND_IN_ECONOMICS] = "economics",
    [STAND_IN_EPIDEMIOLOGY] = "epidemiology",
    [STAND_IN_ACCELERATOR] = "accelerator",
    [STAND_IN_CIRCUIT] = "circuit",
    [STAND_IN_WEBBASE] = "webbase",
    [STAND_IN_POWER_LAW] = "power_law",
    [STAND_IN_DENSE_ROW] = "dense_row",
    [STAND_IN_EMPTY_ROWS] = "empty_rows",
    [STAND_IN_KMER] = "kmer",
    [STAND_IN_CIRCUIT5M] = "circuit5m",
    [STAND_INS] = NULL,
};

enum generator { FE_BRICK, LATTICE4D, GRID2D, POWER_LAW, CHAINS };

static const struct problem *const generators[] = {[FE_BRICK] = &problem_fe_brick,
                                                   [LATTICE4D] = &problem_lattice4d,
                                                   [GRID2D] = &problem_grid2d,
                                                   [POWER_LAW] = &problem_power_law,
                                                   [CHAINS] = &problem_chains};

/* A generator and its settings. `scaled` says which of the sizes of a box grow with the scale. */
struct recipe {
    enum generator generator;
    union {
        struct fe_brick fe_brick;
        struct lattice4d lattice4d;
        struct grid2d grid2d;
        struct power_law power_law;
        struct chains chains;
        char settings; /* where each of them begins */
    };
    unsigned scaled;
};

enum { X = 1, Y = 2, Z = 4, T = 8 };

static const struct recipe recipes[] = {
    [STAND_IN_PROTEIN] = {FE_BRICK, .fe_brick = {{16, 16, 16}, 9, 1, {0.43, 0.72}, .hubs = 0},
                          X | Y | Z},
    [STAND_IN_SPHERES] = {FE_BRICK, .fe_brick = {{30, 30, 31}, 3, 1, {1, 1}, .fixed = 0.042},
                          X | Y | Z},
    /* 9 x 9 x 257 nodes, of which one face of 81 is fixed: the original has 243 rows of one
     * entry. */
    [STAND_IN_CANTILEVER] = {FE_BRICK,
                             .fe_brick = {{9, 9, 257}, 3, 1, {0.93, 0.93}, .fixed = 1.0 / 257}, Z},
    [STAND_IN_WIND_TUNNEL] = {FE_BRICK,
                              .fe_brick = {{190, 191, 1}, 6, 1, {0.985, 0.985}, .hubs = 0.0015},
                              X | Y},
    [STAND_IN_HARBOR] = {FE_BRICK, .fe_brick = {{33, 35, 8}, 5, 1, {0.09, 0.95}, .hubs = 0}, X | Y},
    [STAND_IN_QCD] = {LATTICE4D, .lattice4d = {.n = {8, 8, 8, 8}}, X | Y | Z | T},
    [STAND_IN_SHIP] = {FE_BRICK, .fe_brick = {{153, 153, 1}, 6, 1, {1, 1}, .hubs = 0.0115}, X | Y},
    [STAND_IN_ECONOMICS] = {POWER_LAW,
                            .power_law = {206500, 6.17, 4.44, 44, 0.5, 0.004, .empty = 0}},
    [STAND_IN_EPIDEMIOLOGY] = {GRID2D, .grid2d = {.n = {513, 1025}}, X | Y},
    [STAND_IN_ACCELERATOR] = {FE_BRICK,
                              .fe_brick = {{49, 49, 50},
                                           1,
                                           2,
                                           {0.09, 0.47},
                                           .fixed = 0.176,
                                           .numbering = FE_BRICK_RANDOM_LINES},
                              X | Y | Z},
    [STAND_IN_CIRCUIT] = {POWER_LAW, .power_law = {170998, 5.61, 4.39, 353, 0.5, 0.6, .empty = 0}},
    [STAND_IN_WEBBASE] = {POWER_LAW,
                          .power_law = {1000005, 3.1055, 25.345, 4700, 0.5, 0.4, .empty = 0}},
    [STAND_IN_POWER_LAW] = {POWER_LAW, .power_law = {1250000, 8, 60, 20000, 0.5, 1, .empty = 0}},
    [STAND_IN_DENSE_ROW] = {POWER_LAW, .power_law = {1000000, 4, 0, 4, 0.5, 1, .dense = 1}},
    [STAND_IN_EMPTY_ROWS] = {POWER_LAW, .power_law = {1000000, 20, 10, 200, 0.5, 1, .empty = 0.9}},
    [STAND_IN_KMER] = {CHAINS, .chains = {55042369, 0.098, 0.163, .numbering = CHAINS_RANDOM}},
    [STAND_IN_CIRCUIT5M] = {POWER_LAW,
                            .power_law = {5558326, 10.709, 1356.6, 1290501, 0.6, 1, .empty = 0}},
};

/* The x with x^degree = scale, by bisection: every machine finds the same one. */
static double root(double scale, int degree)
{
    double low = 0, high = scale > 1 ? scale : 1;
    for (int step = 0; step < 200; step++) {
        double middle = low + (high - low) / 2, power = 1;
        for (int k = 0; k < degree; k++)
            power *= middle;
        if (power < scale)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Whole numbers of steps, at least `least`. */
static int64_t rounded(double size, int64_t least, int64_t step)
{
    double steps = fmax(ceil((double)least / (double)step), round(size / (double)step));
    return (int64_t)steps * step;
}

/* The last scaled axis, with a size that is a multiple of `step`, corrects the rounding of the
 * other axes. */
static void scale_sizes(int64_t *n, int axes, unsigned scaled, double scale, int64_t least,
                        int64_t step)
{
    int degree = 0;
    double wanted = scale;
    for (int axis = 0; axis < axes; axis++)
        if (scaled >> axis & 1) {
            degree++;
            wanted *= (double)n[axis];
        }
    double factor = root(scale, degree);
    for (int axis = 0; axis < axes; axis++)
        if (scaled >> axis & 1) {
            bool last = --degree == 0;
            n[axis] =
                last ? rounded(wanted, least, step) : rounded(factor * (double)n[axis], least, 1);
            wanted /= (double)n[axis];
        }
}

static int64_t scaled_rows(int64_t n, double scale)
{
    return (int64_t)fmax(1, round(scale * (double)n));
}

/* The generator with its settings, for a matrix of about `scale` times the rows. */
static struct recipe recipe_of(const struct stand_in *stand_in, double scale)
{
    struct recipe recipe = recipes[stand_in->name];
    switch (recipe.generator) {
    case FE_BRICK:
        scale_sizes(recipe.fe_brick.n, 3, recipe.scaled, scale, 3, 1);
        recipe.fe_brick.pattern = stand_in->pattern;
        break;
    case LATTICE4D:
        scale_sizes(recipe.lattice4d.n, 4, recipe.scaled, scale, 3, 2);
        recipe.lattice4d.pattern = stand_in->pattern;
        break;
    case GRID2D:
        scale_sizes(recipe.grid2d.n, 2, recipe.scaled, scale, 2, 1);
        recipe.grid2d.pattern = stand_in->pattern;
        break;
    case POWER_LAW:
        recipe.power_law.n = scaled_rows(recipe.power_law.n, scale);
        recipe.power_law.pattern = stand_in->pattern;
        break;
    case CHAINS:
        recipe.chains.n = scaled_rows(recipe.chains.n, scale);
        recipe.chains.pattern = stand_in->pattern;
        break;
    }
    return recipe;
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *complain(const void *options, const char **parameter)
{
    const struct stand_in *stand_in = options;
    const struct recipe unscaled = recipe_of(stand_in, 1);
    const struct recipe recipe = recipe_of(stand_in, stand_in->scale);
    const struct problem *generator = generators[recipe.generator];
    int64_t rows = generator->rows(&recipe.settings);
    *parameter = "name";
    if (rows < 0 || rows > INT32_MAX)
        return "with that problem.scale it passes 2147483647 rows";
    const char *at_fault, *complaint = generator->component.check(&unscaled.settings, &at_fault);
    if (complaint && !strcmp(at_fault, "rows")) /* a parameter that the two have in common */
        *parameter = "rows";
    if (complaint)
        return complaint;
    return generator->component.check(&recipe.settings, &at_fault)
               ? "with that problem.scale there are too few rows for their lengths"
               : NULL;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct stand_in *stand_in = options;
    const struct recipe recipe = recipe_of(stand_in, stand_in->scale);
    return problem_create(generators[recipe.generator], &recipe.settings, A, error);
}

static void describe(const void *options, FILE *stream)
{
    const struct stand_in *stand_in = options;
    fprintf(stream, "stand_in, %s, scale %.6g", stand_in_names[stand_in->name], stand_in->scale);
    pattern_describe(&stand_in->pattern, stream);
}

static const struct parameter parameters[] = {
    {"name", "which matrix is stood in for (docs/test-matrices.md)", NULL,
     TAKES_CHOICE(struct stand_in, name, stand_in_names)},
    {"scale", "how many times as many rows as the matrix, about", "1",
     TAKES_REAL(struct stand_in, scale, 1e-6, 1e6)},
    PARAMETERS_OF(struct stand_in, pattern, pattern_parameters),
    {0}};

const struct problem problem_stand_in = {{COMPONENT_PROBLEM, "stand_in",
                                          "a stand-in for a well-known matrix", parameters,
                                          sizeof(struct stand_in), complain},
                                         .make = make,
                                         .describe = describe};
