/* Matrices with the structure of well-known ones, by name: for each class of the set of Williams,
 * Oliker, Vuduc, Shalf, Yelick and Demmel (SC 2007; Bell and Garland 2009 use it too), one of the
 * generators beside this file with sizes and shares that give about the number of rows, the entries
 * a row, their standard deviation and the longest row of the original; and for structures that are
 * hard for a product. docs/test-matrices.md has the table, stand_in.c the settings. */
#ifndef PROBLEM_STAND_IN_H
#define PROBLEM_STAND_IN_H

#include "problem/pattern.h"

enum stand_in_name {
    STAND_IN_PROTEIN,
    STAND_IN_SPHERES,
    STAND_IN_CANTILEVER,
    STAND_IN_WIND_TUNNEL,
    STAND_IN_HARBOR,
    STAND_IN_QCD,
    STAND_IN_SHIP,
    STAND_IN_ECONOMICS,
    STAND_IN_EPIDEMIOLOGY,
    STAND_IN_ACCELERATOR,
    STAND_IN_CIRCUIT,
    STAND_IN_WEBBASE,
    STAND_IN_POWER_LAW,
    STAND_IN_DENSE_ROW,
    STAND_IN_EMPTY_ROWS,
    STAND_IN_KMER,
    STAND_IN_CIRCUIT5M,
    STAND_INS,
};

/* "protein", ...; [STAND_INS + 1], ended by NULL. */
extern const char *const stand_in_names[];

struct stand_in {
    enum stand_in_name name;
    double
        scale; /* 1e-6 to 1e6: about so many times the rows, with rows of the same kind; what does
                  not go below some rows stays there */
};

/* The caller owns A. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status stand_in_create(const struct stand_in *stand_in, const struct pattern_options *options,
                            struct csr *A, struct error *error);

#endif
