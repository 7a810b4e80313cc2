/* SDDMM of a space against its definition (matrix/sddmm.h), for patterns of every shape. */
#ifndef TESTS_SPMV_SDDMM_TRIALS_H
#define TESTS_SPMV_SDDMM_TRIALS_H

#include "space/space.h"
#include "spmv/sddmm/sddmm.h"

/* One pattern, and rows of so many columns for it, one behind the other without padding. */
struct sddmm_trial {
    const char *name;
    const struct csr *pattern;
    int64_t columns;
    double *x, *y;  /* [n][columns], [width][columns] */
    double *values; /* [nnz], what the order gives */
};

/* The sum of one entry in the written order. */
double sddmm_expected(const double *x, const double *y, int64_t columns);

/* Numbers of a random kind (ordinary ones, such as underflow, vanish or overflow, whole numbers,
 * zeros of both signs), and the products. The caller calls sddmm_trial_free. */
void sddmm_trial_make(const char *name, const struct csr *pattern, int64_t columns, uint64_t *state,
                      struct sddmm_trial *trial);
void sddmm_trial_free(struct sddmm_trial *trial);

/* Fail the test unless both have the same bits; NaN is equal to NaN. */
void expect_same_samples(const struct sddmm_trial *trial, const char *by, const double *values);

/* values[nnz] by *made, of multivectors with NaN in their padding; the values are full of `before`.
 * Behind them nothing is written, and neither to X or Y. */
void sddmm_product(const struct sddmm_trial *trial, const struct sddmm *made, double before,
                   double *values);

/* Fail the test unless each value that cannot overflow is within the bound of matrix/sddmm.h with m
 * roundings, in place of those of its order; how many there were. */
int64_t expect_near_samples(const struct sddmm_trial *trial, int64_t m, const double *values);

/* check(context, trial) of every pattern, each with some number of columns, and of one with every
 * number up to 33 and some larger ones. */
void sddmm_each(void (*check)(void *context, const struct sddmm_trial *trial), void *context);

/* The bits are those of the order. */
void trial_sddmm(enum space_kind kind);

/* Columns of +0 change nothing, and X may be Y. */
void trial_sddmm_padding(enum space_kind kind);

/* Every failing allocation is survived. */
void trial_sddmm_failing(enum space_kind kind);

#endif
