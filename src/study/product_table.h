/* The interface between product_bench.c and the operations, y = A x and Y = A X
 * (product_multiply.c) and sampled products (product_samples.c); and the spaces
 * (product_vectors.c): a pair of vectors in each, the copy speed, cold caches. */
#ifndef STUDY_PRODUCT_TABLE_H
#define STUDY_PRODUCT_TABLE_H

#include "study/product_bench.h"

enum { PRODUCT_KINDS = SPACE_CUDA + 1 };

/* x and y of one matrix in spaces of one kind, in the precisions that were asked for. */
struct product_vectors {
    struct space *space; /* the last user; NULL: no vectors */
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
    struct product_space *spaces; /* [spaces_count]: created on demand, except the first: the CPU's,
                                     with the bench's number of threads */
    int64_t spaces_count, spaces_capacity;
    double *buffers[PRODUCT_KINDS]; /* one for all spaces of a kind */
};

/* The team of what is done besides products. */
struct threads *product_bench_threads(const struct product_bench *bench);

/* With that many threads, or 0: the bench's. A device has one space for all. Valid until the next
 * call. Errors: STATUS_MEMORY, STATUS_UNAVAILABLE, STATUS_DEVICE. */
enum status product_bench_space(struct product_bench *bench, enum space_kind kind, int threads,
                                struct product_space **space, struct error *error);

/* space->copy_rate = the bytes read and written a second by a copy, the median of as many as there
 * are rounds, of 11 at most. */
enum status product_bench_copy_rate(struct product_bench *bench, struct product_space *space,
                                    struct error *error);

/* Overwrite the buffer, so that the caches hold nothing else. */
enum status product_bench_chill(struct product_bench *bench, struct space *space,
                                struct error *error);

/* Make x, from x[width] on the host, and room for y, unless a space of its kind has them
 * already. */
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

/* ---- an operation ---------------------------------------------------------------------------- */

/* The host's data for the products of one matrix with one number of columns. */
struct product_host {
    void *own;       /* the table's */
    const double *x; /* [x_elements]: what is multiplied */
    double *y;       /* [y_elements]: a result */
    int64_t x_elements, y_elements;
};

struct product_table {
    double poison; /* fills y before a batch */

    /* Bytes of x and y, in a space as on the host; and what a set-up is known to allocate. */
    int64_t (*vector_bytes)(const struct csr *A, int64_t columns);
    int64_t (*setup_bytes)(const struct csr *A, const struct product_contestant *contestant);

    /* A is borrowed, and `more` bytes must stay free. On failure nothing is allocated. Errors:
     * STATUS_MEMORY. */
    enum status (*begin)(struct product_bench *bench, const struct csr *A, int64_t columns,
                         int64_t more, struct product_host *host, struct error *error);
    void (*end)(struct product_host *host); /* accepts a zeroed one */

    /* The timed set-up. The caller calls `destroy`; on failure *product is NULL. */
    enum status (*set_up)(const struct csr *A, const struct product_contestant *contestant,
                          struct space *space, void **product, struct error *error);
    void (*destroy)(void *product); /* accepts NULL */

    /* Make the product ready. *result gets its known data, *vectors the precision of x and y. */
    enum status (*enter)(void *product, const struct csr *A,
                         const struct product_contestant *contestant, struct product_result *result,
                         enum precision *vectors, struct error *error);

    /* Nothing is allocated, so it can be recorded. */
    enum status (*multiply)(void *product, const struct product_vectors *vectors,
                            struct error *error);

    /* Judges the y on the host. *result keeps the worst. */
    uint64_t (*hash)(struct product_host *host);
    enum status (*judge)(struct product_host *host, const struct product_contestant *contestant,
                         struct product_result *result, struct error *error);
};

/* Count an error that was found. */
void product_result_add(struct product_result *result, struct product_error found);

extern const struct product_table product_multiply, product_samples;

#endif
