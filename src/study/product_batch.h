/* One batch of a bench's products. */
#ifndef STUDY_PRODUCT_BATCH_H
#define STUDY_PRODUCT_BATCH_H

#include "study/product_table.h"

/* A contestant that is set up. */
struct product_prepared {
    int contestant;
    const struct product_table *table;
    void *product;
    struct space *space;
    enum precision precision; /* of the vectors */
    struct product_vectors *vectors;
    int64_t recorded, replays; /* a batch is so many replays of so many products */
    double *samples;           /* [rounds]: seconds of one product */
    uint64_t *hashes;          /* [rounds] */
};

/* How many products a batch has: enough that the clock, and the launch of what was recorded, cost
 * little beside them. */
enum status product_calibrate(struct product_bench *bench, struct product_prepared *kernel,
                              struct error *error);

/* Leaves y in the space, and in *seconds what one product took. */
enum status product_batch(struct product_bench *bench, struct product_prepared *kernel,
                          double *seconds, struct error *error);

#endif
