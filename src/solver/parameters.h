/* What is said of the members of struct solver_options: columns of a struct parameter behind its
 * name, for a member of that kind in the struct `options`. */
#ifndef SOLVER_PARAMETERS_H
#define SOLVER_PARAMETERS_H

#include "base/component.h"
#include "solver/solver.h"

#define TAKES_TOLERANCE(options, member)                                                           \
    "done when ||r|| <= tolerance ||b||; 0 is taken where absolute_tolerance is above 0", "1e-8",  \
        TAKES_REAL(options, member, 0, 1), .below = true

#define TAKES_ABSOLUTE_TOLERANCE(options, member)                                                  \
    "done also when ||r|| <= absolute_tolerance", "0", TAKES_REAL(options, member, 0, 1e300)

/* What is wrong with a tolerance, or NULL. */
static inline const char *tolerance_complaint(const struct solver_options *options)
{
    return options->tolerance > 0 || options->absolute_tolerance > 0
               ? NULL
               : "must be above 0 where absolute_tolerance is 0";
}

#define TAKES_MAX_ITERATIONS(options, member)                                                      \
    "the iteration limit", "10000", TAKES_INTEGER(options, member, 0, INT64_MAX)

#define TAKES_SHIFT(options, member)                                                               \
    "the system is (shift I + S) x = b, S the problem's matrix", "0",                              \
        TAKES_REAL(options, member, -1e100, 1e100)

#define TAKES_RELAXATION(options, member)                                                          \
    "omega, by which M^-1 r is multiplied before it is added to x", "1",                           \
        TAKES_REAL(options, member, 0, 1e100), .above = true

#define TAKES_NULL_SPACE(options, member)                                                          \
    "where A is singular: a b that is not in its range is refused, but by a method that takes "    \
    "any "                                                                                         \
    "A; it loses its part outside of the range; A's null vectors are not looked for",              \
        "auto", TAKES_CHOICE(options, member, null_space_names)

#define TAKES_RESIDENT(options, member)                                                            \
    "whether a GPU may keep a small system in its processors for many iterations of cg or "        \
    "minres: where that suits; never. The bits are the same",                                      \
        "auto", TAKES_CHOICE(options, member, solver_resident_names)

#define TAKES_REDUCTIONS(options, member)                                                          \
    "how dot products are summed: in a fixed order; in the order in which threads finish; by the " \
    "vendor's library; in a fixed order with compensation; exactly, and rounded once",             \
        "reproducible", TAKES_CHOICE(options, member, reductions_names)

#define TAKES_EIGEN_COUNT(options, member)                                                         \
    "how many eigenvalues, from each end that is asked for", "10",                                 \
        TAKES_INTEGER(options, member, 1, 100000)

#define TAKES_EIGEN_WHICH(options, member)                                                         \
    "the end, or ends, of the spectrum", "smallest",                                               \
        TAKES_CHOICE(options, member, eigen_which_names)

#define TAKES_EIGEN_TOLERANCE(options, member)                                                     \
    "done when ||A v - theta v|| <= tolerance |theta| for all of them", "1e-10",                   \
        TAKES_REAL(options, member, 0, 1), .above = true, .below = true

#define TAKES_REORTHOGONALIZATION(options, member)                                                 \
    "what a new vector of the basis is made orthogonal to, besides the two before it: nothing; "   \
    "the Ritz vectors that have converged; the basis",                                             \
        "full", TAKES_CHOICE(options, member, reorthogonalization_names)

#define TAKES_EIGEN_RESTART(options, member)                                                       \
    "size of the basis; at this size it restarts from the best Ritz vectors; 0: twice the wanted " \
    "eigenvalues and 20, at least 60",                                                             \
        "0", TAKES_INTEGER(options, member, 0, 100000)

#endif
