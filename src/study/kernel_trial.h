/* The trials of one kernel with one choice of its parameters over one matrix: the lines of
 * kernel_trial_list. study/kernel_trials.h has what they look at. */
#ifndef STUDY_KERNEL_TRIAL_H
#define STUDY_KERNEL_TRIAL_H

#include "base/status.h"
#include "spmv/kernel.h"
#include "study/trials_found.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_case {
    const struct kernel *kernel;
    struct kernel_options options;
    const char *matrix; /* its name */
    const struct csr *A;
    struct trial_spaces spaces;
    int team;          /* of the spaces: the one of now */
    bool every_column; /* every number of columns, not one of them */
    bool quick;
    uint64_t *random; /* the state of the stream */
    struct trials_found *found;
};

/* Tries until something does not hold, which found->broken then says. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
struct kernel_trial {
    const char *name; /* "products" */
    enum status (*run)(struct kernel_case *of, struct error *error);
};

/* Ends with a NULL name. */
extern const struct kernel_trial kernel_trial_list[];

/* Whether the kernel takes the matrix with these options; a form may suit some only. Another
 * failure than STATUS_CONFIG is broken. Errors: those of a trial. */
enum status kernel_case_taken(struct kernel_case *of, bool *taken, struct error *error);

#endif
