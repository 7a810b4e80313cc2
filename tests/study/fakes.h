/* Kernels with a diary, of which it is known what they do, and a bench of them. */
#ifndef TESTS_STUDY_FAKES_H
#define TESTS_STUDY_FAKES_H

#include "study/product_bench.h"

#include <unistd.h>

enum { FAKES_DIARY = 4096 };

struct diary {
    char names[FAKES_DIARY]; /* a letter for each product */
    int threads[FAKES_DIARY];
    int count;
    int set_up, most_set_up, set_ups;
};

/* What the tests set. */
extern struct fakes {
    struct diary diary;
    int64_t room;           /* how many fakes fit into memory */
    int64_t columns, wrong; /* of X, 0 of x; the column in which 'x' is wrong */
    useconds_t delay;       /* of every second set-up */
    int threads;            /* of the bench; 0: all */
    struct product_rule rule;
} fakes;

#define FAKES_OF_VECTORS                                                                           \
    {                                                                                              \
        .rounds = 5, .products = 3, .seconds = 1, .buffer_bytes = 1 << 16                          \
    }
extern const struct product_rule fakes_of_columns;
void fakes_back_to_vectors(void);

/* Right: a, b, and s for symmetric matrices alone; m with several vectors at once. Wrong: w from
 * the twentieth product on; n leaves an element as it was; x in one column. c changes a bit that
 * may change. u is not there. */
extern const struct kernel fake_a, fake_b, fake_c, fake_w, fake_n, fake_m, fake_x, fake_s, fake_u;

/* With its defaults, and fakes.columns. */
struct product_contestant fakes_of(const struct kernel *kernel);

/* By a bench of its own. */
enum status fakes_try(const struct csr *A, const struct product_contestant *contestants, int count,
                      struct product_result *results, struct error *error);
void fakes_bench(const struct csr *A, const struct product_contestant *contestants, int count,
                 struct product_result *results);

/* The same of a walk through failing allocations, `count` <= 2: a shortage that a kernel meets is
 * told with the kernel, any other is the whole call's, and both are STATUS_MEMORY. */
enum status fakes_attempt(const struct csr *A, const struct product_contestant *contestants,
                          int count, struct error *error);

/* 70 x 90; the rows that the fakes change are not empty. */
struct csr fakes_general(uint64_t *state);

#endif
