/* What product_bench.c needs of the spaces: a pair of vectors in each, the copy speed, cold
 * caches. */
#ifndef STUDY_PRODUCT_VECTORS_H
#define STUDY_PRODUCT_VECTORS_H

#include "study/product_bench.h"

enum { PRODUCT_SPACES = SPACE_CUDA + 1, PRODUCT_COPY_RATES = 32 };

/* x and y of one matrix in one space, in the precisions that were asked for. */
struct product_vectors {
    struct space *space; /* NULL: nothing is there */
    int64_t n;
    double *x, *y;
    float *x_single, *y_single;
    float *host; /* [n + 1] */
};

struct product_bench {
    struct product_rule rule;
    int threads;
    struct space *spaces[PRODUCT_SPACES]; /* made at first need */
    double *buffers[PRODUCT_SPACES];
    struct copy_rate {
        enum space_kind space;
        int threads;
        double rate;
    } rates[PRODUCT_COPY_RATES]; /* measured at first need */
    int rates_count;
};

/* Errors: STATUS_MEMORY, STATUS_UNAVAILABLE, STATUS_DEVICE. */
enum status product_bench_space(struct product_bench *bench, enum space_kind kind,
                                struct space **space, struct error *error);

/* Bytes read and written a second by a copy with so many threads (0: the bench's), the median of
 * some. */
enum status product_bench_copy_rate(struct product_bench *bench, struct space *space, int threads,
                                    double *rate, struct error *error);

/* Overwrite the buffer, so that the caches hold nothing else. */
enum status product_bench_chill(struct product_bench *bench, struct space *space,
                                struct error *error);

/* Make x, from x[width] on the host, and room for y, unless they are there. */
enum status product_vectors_prepare(struct product_vectors *vectors, struct space *space, int64_t n,
                                    int64_t width, const double *x, enum precision precision,
                                    struct error *error);

/* Fill y with NaN. */
enum status product_vectors_poison(struct product_vectors *vectors, enum precision precision,
                                   struct error *error);

/* y[n] on the host, as doubles. */
enum status product_vectors_result(struct product_vectors *vectors, enum precision precision,
                                   double *y, struct error *error);

void product_vectors_destroy(struct product_vectors *vectors); /* accepts a zeroed one */

#endif
