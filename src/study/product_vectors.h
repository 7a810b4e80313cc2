/* What product_bench.c needs of the spaces: a pair of vectors in each, the copy speed, cold
 * caches. */
#ifndef STUDY_PRODUCT_VECTORS_H
#define STUDY_PRODUCT_VECTORS_H

#include "study/product_bench.h"

enum { PRODUCT_KINDS = SPACE_CUDA + 1 };

/* x and y of one matrix in spaces of one kind, in the precisions that were asked for. */
struct product_vectors {
    struct space *space; /* the last that asked; NULL: nothing is there */
    int64_t n;
    double *x, *y;
    float *x_single, *y_single;
    float *host; /* [n + 1] */
};

struct product_space {
    struct space *space;
    double copy_rate; /* 0: not measured yet */
};

struct product_bench {
    struct product_rule rule;
    struct product_space *spaces; /* [spaces_count]: made at first need but for the first, that of
                                     the CPU with the bench's number of threads */
    int64_t spaces_count, spaces_capacity;
    double *buffers[PRODUCT_KINDS]; /* one for all spaces of a kind */
};

/* The team of what is done besides products. */
struct threads *product_bench_threads(const struct product_bench *bench);

/* With so many threads, or 0: the bench's. A device has one space for all. Valid until the next
 * call. Errors: STATUS_MEMORY, STATUS_UNAVAILABLE, STATUS_DEVICE. */
enum status product_bench_space(struct product_bench *bench, enum space_kind kind, int threads,
                                struct product_space **space, struct error *error);

/* space->copy_rate = the bytes read and written a second by a copy, the median of some. */
enum status product_bench_copy_rate(struct product_bench *bench, struct product_space *space,
                                    struct error *error);

/* Overwrite the buffer, so that the caches hold nothing else. */
enum status product_bench_chill(struct product_bench *bench, struct space *space,
                                struct error *error);

/* Make x, from x[width] on the host, and room for y, unless they are there, by another space of its
 * kind it may be. */
enum status product_vectors_prepare(struct product_vectors *vectors, struct space *space, int64_t n,
                                    int64_t width, const double *x, enum precision precision,
                                    struct error *error);

/* Fill y with that number, by the space that will use it. */
enum status product_vectors_poison(struct product_vectors *vectors, struct space *space,
                                   enum precision precision, double with, struct error *error);

/* y[n] on the host, as doubles. */
enum status product_vectors_result(struct product_vectors *vectors, enum precision precision,
                                   double *y, struct error *error);

void product_vectors_destroy(struct product_vectors *vectors); /* accepts a zeroed one */

#endif
