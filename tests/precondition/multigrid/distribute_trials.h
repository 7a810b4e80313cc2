/* M^-1 of multigrid by ranks that are threads, beside that of one. */
#ifndef TESTS_PRECONDITION_MULTIGRID_DISTRIBUTE_TRIALS_H
#define TESTS_PRECONDITION_MULTIGRID_DISTRIBUTE_TRIALS_H

#include "matrix/csr.h"
#include "problem/problem.h"

struct share_way {
    const char *name;
    /* From a seed, also with fewer rows; the caller frees it. */
    void (*make)(uint64_t seed, bool small, struct csr *A);
    const char *aggregates, *degree;
    int levels; /* that two ranks share, at the least, where few rows are enough */
    int slabs;  /* and of which each sets up its own rows */
    /* Ranks make their rows by them; NULL: all rows are stored. */
    const struct problem *problem;
    const void *options;
    int legs; /* levels that have them on two GPUs, at the least (cycle/legs.h) */
};

enum { SHARE_WAYS = 18, SMALL_SHARE_WAYS = 10 }; /* these come first */
extern const struct share_way share_ways[SHARE_WAYS];

/* With legs, where ranks begin in the midst of a plane. */
enum { LEG_WAYS = 4 };
extern const struct share_way leg_ways[LEG_WAYS];

/* By a kernel, with `precision` an option of multigrid, over so many ranks, each of the `counts`,
 * which end with a 0: z and r . z have the bits of one rank without legs, also as columns of
 * several, and so do the levels: with levels that are shared, and on a GPU also where it has no
 * room for set-up. Of the counts every other one also with no shared level behind the first, and
 * the others where each rank has its own rows of A alone; the seed decides which. */
void share_trial(const struct share_way *way, const char *kernel, const char *precision,
                 const int *counts);

/* Wherever allocations begin to fail, both of two ranks end, and free what they have. Few rows have
 * as many levels of each kind. */
void share_trial_without_memory(const struct share_way *way, const char *kernel,
                                const char *precision);

#endif
