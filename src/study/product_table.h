/* What product_bench.c needs of an operation: y = A x and Y = A X (product_multiply.c), and sampled
 * products (product_samples.c). */
#ifndef STUDY_PRODUCT_TABLE_H
#define STUDY_PRODUCT_TABLE_H

#include "study/product_vectors.h"

/* What the products of one matrix with one number of columns share on the host. */
struct product_host {
    void *own;       /* the table's */
    const double *x; /* [x_elements]: what is multiplied */
    double *y;       /* [y_elements]: a result */
    int64_t x_elements, y_elements;
};

struct product_table {
    double poison; /* what y is filled with before a batch */

    /* Bytes of x and y, in a space as on the host; and what a set-up is known to allocate. */
    int64_t (*vector_bytes)(const struct csr *A, int64_t columns);
    int64_t (*setup_bytes)(const struct csr *A, const struct product_contestant *contestant);

    /* A is borrowed, and `more` bytes are to be left besides. On failure nothing is there. Errors:
     * STATUS_MEMORY. */
    enum status (*begin)(struct product_bench *bench, const struct csr *A, int64_t columns,
                         int64_t more, struct product_host *host, struct error *error);
    void (*end)(struct product_host *host); /* accepts a zeroed one */

    /* What is timed as set-up. The caller calls `destroy`; on failure *product is NULL. */
    enum status (*set_up)(const struct csr *A, const struct product_contestant *contestant,
                          struct space *space, void **product, struct error *error);
    void (*destroy)(void *product); /* accepts NULL */

    /* Make the product ready. In *result what is known of it by now, and in *vectors the precision
     * of x and y. */
    enum status (*enter)(void *product, const struct csr *A,
                         const struct product_contestant *contestant, struct product_result *result,
                         enum precision *vectors, struct error *error);

    /* Nothing is allocated, so it can be recorded. */
    enum status (*multiply)(void *product, const struct product_vectors *vectors,
                            struct error *error);

    /* Of the y on the host. The worst of all that were judged stays in *result. */
    uint64_t (*hash)(struct product_host *host);
    enum status (*judge)(struct product_host *host, const struct product_contestant *contestant,
                         struct product_result *result, struct error *error);
};

/* Count an error that was found. */
void product_result_add(struct product_result *result, struct product_error found);

extern const struct product_table product_multiply, product_samples;

#endif
