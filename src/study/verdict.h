/* What a user wants to know first of all runs of a kernel, in one line. */
#ifndef STUDY_VERDICT_H
#define STUDY_VERDICT_H

#include <stddef.h>
#include <stdint.h>

struct verdict {
    const char *label;    /* of the kernel */
    int64_t runs, failed; /* failed: did not converge */
    int64_t
        answers; /* different solutions, compared bit by bit; of Lanczos' method different eigenvalues */
    int64_t iterations_min, iterations_max;
    const char *reason; /* why the first failed run ended; NULL where none failed */
};

/* "atomics: 8 answers in 8 runs, 1561 to 1598 iterations", and where runs failed "; 3 of 8 did not converge (residual
 * gap)". Cut off when it does not fit. Gives back text. */
const char *verdict_text(const struct verdict *verdict, char *text, size_t size);

#endif
