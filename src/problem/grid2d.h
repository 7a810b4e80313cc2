/* Nodes of an nx x ny grid with a few neighbours each: the structure of a two-dimensional Markov
 * chain, as the epidemiology matrix mc2depi of the SuiteSparse collection. Node (i, j) is row
 * i + nx j.
 *
 *     kind = symmetric   a honeycomb, drawn as a brick wall: (i, j) is joined to (i + 1, j), and,
 *                        where i + j is even, to (i, j + 1); with the diagonal four entries a row
 *                        inside
 *     kind = general     from a state (i, j) a chain stays, or goes to (i + 1, j), (i, j + 1) or
 *                        (i - 1, j - 1): the same four entries, in a nonsymmetric pattern
 *
 * On 513 x 1025 nodes the general one has exactly mc2depi's rows, entries, standard deviation, and
 * shortest and longest row. */
#ifndef PROBLEM_GRID2D_H
#define PROBLEM_GRID2D_H

#include "problem/pattern.h"

struct grid2d {
    int64_t n[2]; /* nx, ny >= 1 */
};

/* Rows nx ny, or -1 when they pass INT32_MAX or an n is below 1. */
int64_t grid2d_rows(const int64_t n[2]);

/* The caller owns A. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status grid2d_create(const struct grid2d *grid, const struct pattern_options *options,
                          struct csr *A, struct error *error);

#endif
