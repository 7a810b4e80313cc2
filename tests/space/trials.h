/* What the suites of spaces and of passes share: vectors, passes, and what a sum has to be. */
#ifndef TESTS_SPACE_TRIALS_H
#define TESTS_SPACE_TRIALS_H

#include "space/space.h"

enum { LENGTHS = 14, LONGEST = 500001, THREAD_COUNTS = 4, KINDS = 5 };
extern const int64_t lengths[LENGTHS];
extern const int thread_counts[THREAD_COUNTS];
extern const enum reductions all_reductions[KINDS];

/* A host's vector of n NaNs. The caller calls memory_free. */
double *vector(int64_t n);
void poison(double *v, int64_t n);
/* Numbers of both signs over 41 binades. */
void randomise(double *v, int64_t n, uint64_t *state);
/* One of random_vector. The caller calls memory_free. */
double *randoms(int64_t n, int64_t seed);

/* A vector in the space that holds host[n]. The caller calls space_release. */
double *put(struct space *space, int64_t n, const double *host);
void run_pass(struct space *space, const struct pass *pass, int64_t n, const void *work);

/* x . y by the CPU's space, and the plain tiles one after the other. */
double dot(struct space *space, int64_t n, const double *x, const double *y);
double tile_by_tile(int64_t n, const double *x, const double *y);

/* Fail the test unless both have the same bits. */
void expect_bits(double got, double wanted, const char *what, int64_t n, int threads);
void expect_same_vectors(const double *got, const double *wanted, int64_t n, const char *what);
/* ... unless `got` is x . y within the bound of these reductions. */
void expect_near(enum reductions reductions, int64_t n, const double *x, const double *y,
                 double got);
/* ... unless it is a sum that the space may have taken of x . y: with the bits of its dot where
 * sums have an order, or are exact, else within the bound. */
void expect_sum(struct space *space, int64_t n, const double *x, const double *y, double got);

/* What a space makes of random vectors of n elements: out[vectors n + sums], the sums last. */
struct trial {
    void (*make)(struct space *space, int64_t n, int64_t seed, double *out);
    int64_t vectors, sums;
    double largest; /* no product in a sum is larger */
};

/* Fail the test unless a GPU makes the elements with the CPU's bits for any number of them, and the
 * sums too where `same_sums`; else within the bound of two orders. */
void compare_with_cpu(enum reductions reductions, bool same_sums, const struct trial *trial);
/* In every kind of reduction, and the same sums in those that have an order or need none. */
void compare_all_with_cpu(const struct trial *trial);

#endif
