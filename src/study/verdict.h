/* The summary of all runs of a kernel in one line. */
#ifndef STUDY_VERDICT_H
#define STUDY_VERDICT_H

#include <stddef.h>
#include <stdint.h>

/* A reason, and its number of runs. */
struct verdict_ending {
    const char *reason; /* borrowed; NULL: no more of them */
    int64_t runs;
};

enum { VERDICT_ENDINGS = 8 }; /* there are no more reasons */

struct verdict {
    const char *label; /* of the kernel */
    int64_t columns;   /* of the right-hand sides; 0 is taken as 1 */
    int64_t runs;      /* in all columns together */
    int64_t
        solutions; /* different ones, compared bit by bit; with Lanczos' method eigenvalues; with
                          several columns those of the one with the most */
    int64_t iterations_min, iterations_max;
    int64_t failed; /* runs that did not converge, which verdict_fail counts */
    struct verdict_ending endings[VERDICT_ENDINGS]; /* of them, in the order in which they came */
};

/* One of the runs ended for that reason and not because it converged. */
void verdict_fail(struct verdict *verdict, const char *reason);

/* "5 residual gap, 3 stagnation", or the only reason alone: "residual gap". Cut off when it does
 * not fit. Gives back text. */
const char *verdict_reasons(const struct verdict *verdict, char *text, size_t size);

/* "atomics: 8 different solutions in 8 runs, 1561 to 1598 iterations", and where runs failed "; 3
 * of 8 did not converge (residual gap)"; of a run that was interrupted before any other was
 * finished, which gave no solution, "atomics: interrupted in run 1 at iteration 533". Of several
 * columns "bitwise: 37 to 45 iterations in 8 columns", and of several runs "bitwise: 37 to 45
 * iterations in 3 runs of 8 columns, 1 solution in each column". Cut off when it does not fit.
 * Gives back text. */
const char *verdict_text(const struct verdict *verdict, char *text, size_t size);

#endif
