/* What the suites of the study share: runs that are known beforehand, because a kernel made here
 * disturbs chosen products of chosen runs. */
#ifndef TESTS_STUDY_DISTURBED_H
#define TESTS_STUDY_DISTURBED_H

#include "study/study.h"

enum { SIDE = 6, N = SIDE * SIDE * SIDE };

/* The system of the test. */
extern struct given {
    struct csr A;
    double b[N];
    const int32_t *number;
    int threads;  /* of its space; 0: all */
    int64_t most; /* iterations; 0: enough. Where none is left, no restart repairs a product */
} given;

/* Product `at` of a run, counted from 0, is multiplied by the factor; at = -1: none is. LITTLE and
 * LARGE go to its first element alone: a factor of all of them is taken back by alpha. */
#define LITTLE (1 + 0x1p-30)
#define LARGE 1000.0

struct disturbance {
    int64_t at;
    double factor;
};

extern struct fake {
    const struct disturbance *runs; /* one for each */
    int64_t run, product;           /* the ones that go on */
    int64_t setups, destroys;
} fake;

extern const struct kernel fake_kernel;

/* A grid of SIDE^3 cells and a random b. */
void given_grid(void);

/* Runs of the given system, labelled "a label". */
enum status try_study(const struct kernel *kernel, int64_t repeats, const struct observer *observer,
                      struct study_kernel *result, struct error *error);

/* By the fake kernel, as many runs as there are disturbances. The caller frees it. */
struct study_kernel disturbed(int64_t repeats, const struct disturbance *runs);

/* For walk_allocation_failures: a study of two runs by the kernel. */
enum status attempt_study(void *kernel, struct error *error);

#endif
