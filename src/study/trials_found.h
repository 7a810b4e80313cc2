/* What the trials of a component share: their options, their spaces, and what they found. */
#ifndef STUDY_TRIALS_FOUND_H
#define STUDY_TRIALS_FOUND_H

#include "base/status.h"
#include "space/space.h"

#include <stdbool.h>
#include <stdint.h>

/* The threads that a component of the CPU is tried with. */
enum { TRIAL_TEAMS = 4 };
extern const int trial_threads[TRIAL_TEAMS];

/* A reproducible space with each of them, of a device one: how many. The caller calls
 * trial_spaces_destroy, also after a failure. Errors: those of space_create. */
struct trial_spaces {
    struct space *with[TRIAL_TEAMS];
    int teams;
};
enum status trial_spaces_create(enum space_kind kind, struct trial_spaces *spaces,
                                struct error *error);
void trial_spaces_destroy(struct trial_spaces *spaces); /* accepts a zeroed one */

struct trials_options {
    uint64_t seed; /* of matrices and vectors */
    bool quick;    /* every second matrix, and once what is repeated */
};

struct trials_found {
    const char *trial; /* the one of now, or the last one */
    int64_t matrices;  /* a matrix counts once, if the component took it */
    int64_t products;  /* or applications, or solves */
    unsigned can;      /* of all operators, or-ed: enum operator_can */
    char broken[1024]; /* what did not hold, in a sentence; "": all did */
};

#endif
