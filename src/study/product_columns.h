/* X and Y of a bench's products on the host: the columns of X are drawn, those of Y are hashed and
 * each held against the reference of its own. */
#ifndef STUDY_PRODUCT_COLUMNS_H
#define STUDY_PRODUCT_COLUMNS_H

#include "study/product_bench.h"

struct product_columns {
    const struct csr *A;
    struct threads *threads;
    int64_t seed, count;
    int64_t x_elements, y_elements; /* columns_elements */
    double *X, *Y;                  /* multivectors (spmv/operator.h): of one column, vectors */
    double *x;                      /* [A->width]: room for a column; NULL where there is but one */
    struct product_reference *references[PRECISION_FLOAT_DOUBLE + 1]; /* [count] */
    bool keeps; /* the references of all columns; else one at a time, made again for every Y */
};

/* X, a multivector of n rows: column j is random_vector(seed + j). x[n] is room; of one column it
 * may be NULL. */
void product_columns_draw(int64_t n, int64_t count, int64_t seed, double *x, double *X);

/* Bytes of X and Y, in a space as on the host. */
int64_t product_columns_bytes(const struct csr *A, int64_t count);

/* A and threads are borrowed. `more` bytes must stay free. The references are kept if they take at
 * most a quarter of the remaining memory. The caller calls product_columns_free. Errors:
 * STATUS_MEMORY. */
enum status product_columns_create(struct threads *threads, const struct csr *A, int64_t seed,
                                   int64_t count, int64_t more, struct product_columns *made,
                                   struct error *error);
void product_columns_free(struct product_columns *columns); /* accepts a zeroed one */

/* The hash of Y, without padding. */
uint64_t product_columns_hash(struct product_columns *columns);

/* The worst error of all columns of Y; *unjudged: the most rows of a column that cannot be judged.
 * Errors: STATUS_MEMORY. */
enum status product_columns_judge(struct product_columns *columns, enum precision precision,
                                  struct product_error *found, int64_t *unjudged,
                                  struct error *error);

#endif
